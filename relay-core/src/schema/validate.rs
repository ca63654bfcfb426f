//! Enforcement of a schema that Relay did not build itself.

use std::fmt;
use std::sync::Arc;

use jsonschema::{EmailOptions, PatternOptions};
use serde_json::Value;

use super::bounds::{self, Cost};
use super::explain::Explainer;
use super::keyword::subschemas;
use super::node::Node;
use crate::codec::{Faults, Location, Report, pattern};

/// How large a value may be, in values, for all of its faults to be listed and not the first alone.
const LISTED: usize = 50_000;

/// How much work a union may make of listing all faults: the weight of the value, as often as the
/// branches can judge it.
const UNION_LISTED: usize = 500_000;

/// The same for telling the first fault; 256 MiB, if all of it were copied.
const UNION_TOLD: usize = 4_000_000;

/// A compiled JSON Schema that says what is wrong with a value in the words of a codec.
///
/// It is compiled once, never fetches anything, and asserts the formats of 2020-12. Patterns are
/// matched in linear time. It is cheap to clone.
///
/// | dialect | `$schema` |
/// |---|---|
/// | 2020-12 | absent, or `https://json-schema.org/draft/2020-12/schema` |
/// | draft-07 | `http://json-schema.org/draft-07/schema#` |
///
/// ```
/// use relay_core::schema::Validator;
/// use serde_json::json;
///
/// let validator = Validator::new(&json!({
///     "type": "object",
///     "properties": {"n": {"type": "integer", "minimum": 1}},
///     "required": ["n"],
/// }))
/// .unwrap();
/// validator.validate(&json!({"n": 3})).unwrap();
/// let faults = validator.validate(&json!({"n": 0})).unwrap_err();
/// assert_eq!(faults.to_string(), "/n: expected a number of at least 1, got 0");
/// ```
#[derive(Clone)]
pub struct Validator(Arc<Compiled>);

struct Compiled {
    inner: jsonschema::Validator,
    explainer: Explainer,
    cost: Cost,
}

impl Validator {
    /// Compiles a schema.
    ///
    /// # Errors
    ///
    /// A schema that its dialect does not allow, a dialect that is not in the table above, a
    /// reference that leads out of the schema (SCH-05), a pattern with look-around or
    /// back-references, the formats `idn-email` and `idn-hostname`, and a schema that asks for too much work (SCH-07): nested deeper than 128
    /// levels of JSON, with a pattern longer than 1,024 bytes, or one that expands to more than
    /// 20,000 subschemas.
    pub fn new(schema: &Value) -> Result<Self, SchemaError> {
        let document = Node::bounded(schema, bounds::DEPTH);
        let document = document.ok_or_else(|| {
            SchemaError(format!(
                "the schema nests deeper than {} levels",
                bounds::DEPTH
            ))
        })?;
        Self::compile(&document)
    }

    pub(crate) fn compile(document: &Node) -> Result<Self, SchemaError> {
        dialect(document)?;
        if let Some(format) = unenforced(document) {
            return Err(SchemaError(format!(
                "the format `{format}` is not enforced"
            )));
        }
        let cost = bounds::check(document).map_err(SchemaError)?;
        let inner = jsonschema::options()
            .with_draft(draft(document))
            .offline()
            .should_validate_formats(true)
            .should_ignore_unknown_formats(true)
            .with_email_options(EmailOptions::default().without_display_text())
            .with_pattern_options(PatternOptions::regex().size_limit(pattern::SIZE))
            .build(&document.to_value())
            .map_err(|error| SchemaError(sentence(&error)))?;
        Ok(Self(Arc::new(Compiled {
            inner,
            explainer: Explainer::new(document.clone()),
            cost,
        })))
    }

    /// Judges a value.
    ///
    /// # Errors
    ///
    /// Every way in which the value does not fit, in the order of the schema. Of a value of more
    /// than 50,000 parts only the first is told, of one that is large for the unions of its schema
    /// as well; of one that is far too large for them, only that it does not fit.
    pub fn validate(&self, value: &Value) -> Result<(), Faults> {
        let mut report = Report::default();
        let valid = self.judge(value, &Location::ROOT, &mut report);
        report.settle(valid.then_some(()))
    }

    /// Whether a value fits, without a reason.
    #[must_use]
    pub fn is_valid(&self, value: &Value) -> bool {
        self.0.inner.is_valid(value)
    }

    /// Judges a value and notes every fault of it.
    pub(crate) fn judge(&self, value: &Value, at: &Location<'_>, report: &mut Report) -> bool {
        let Compiled {
            inner,
            explainer,
            cost,
        } = &*self.0;
        if inner.is_valid(value) {
            return true;
        }
        let of_unions = match cost.width {
            0 => 0,
            width => weight(value, UNION_TOLD / width + 1).saturating_mul(width),
        };
        if cost.branching || of_unions >= UNION_TOLD {
            report.expected(at, "a value of the schema", value);
        } else if of_unions < UNION_LISTED && parts(value, LISTED) < LISTED {
            let errors: Vec<_> = inner.iter_errors(value).collect();
            explainer.explain(&errors, at, report);
        } else if let Err(error) = inner.validate(value) {
            explainer.explain(std::slice::from_ref(&error), at, report);
        }
        false
    }
}

impl fmt::Debug for Validator {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Validator").finish_non_exhaustive()
    }
}

/// Why a schema was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaError(String);

impl fmt::Display for SchemaError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for SchemaError {}

const DRAFT_07: &str = "http://json-schema.org/draft-07/schema";
const DRAFT_2020_12: &str = "https://json-schema.org/draft/2020-12/schema";

fn draft(document: &Node) -> jsonschema::Draft {
    match named_dialect(document) {
        Some(DRAFT_07) => jsonschema::Draft::Draft7,
        _ => jsonschema::Draft::Draft202012,
    }
}

fn named_dialect(schema: &Node) -> Option<&str> {
    let name = schema.as_object()?.get("$schema")?.as_str()?;
    Some(name.strip_suffix('#').unwrap_or(name))
}

/// Refuses a dialect that is not enforced, at the root and in what is embedded.
fn dialect(document: &Node) -> Result<(), SchemaError> {
    let root = named_dialect(document);
    if let Some(name) = root
        && !matches!(name, DRAFT_07 | DRAFT_2020_12)
    {
        return Err(SchemaError(format!(
            "the dialect `{name}` is not supported: use {DRAFT_2020_12} or {DRAFT_07}#"
        )));
    }
    match embedded(document, root.unwrap_or(DRAFT_2020_12)) {
        None => Ok(()),
        Some(name) => Err(SchemaError(format!(
            "the dialect `{name}` differs from that of the schema it is embedded in"
        ))),
    }
}

fn embedded<'a>(schema: &'a Node, dialect: &str) -> Option<&'a str> {
    subschemas(schema.as_object()?).find_map(|(_, inside)| {
        named_dialect(inside)
            .filter(|name| *name != dialect)
            .or_else(|| embedded(inside, dialect))
    })
}

/// A format of JSON Schema that would be published and not enforced. A format of nobody's is words.
fn unenforced(schema: &Node) -> Option<&str> {
    let members = schema.as_object()?;
    let format = members.get("format").and_then(Node::as_str);
    format
        .filter(|format| matches!(*format, "idn-email" | "idn-hostname"))
        .or_else(|| subschemas(members).find_map(|(_, inside)| unenforced(inside)))
}

/// What the validator has against a schema, with the place.
fn sentence(error: &jsonschema::ValidationError<'_>) -> String {
    let place = error.instance_path().as_str();
    if place.is_empty() {
        format!("the schema is not valid: {error}")
    } else {
        format!("the schema is not valid at {place}: {error}")
    }
}

/// How many values there are in `value`, itself included, counted no further than `limit`.
fn parts(value: &Value, limit: usize) -> usize {
    let mut waiting = vec![value];
    let mut count = 0;
    while let Some(value) = waiting.pop() {
        count += 1;
        match value {
            Value::Array(items) => waiting.extend(items.iter().take(limit)),
            Value::Object(members) => waiting.extend(members.values().take(limit)),
            _ => {}
        }
        if count + waiting.len() >= limit {
            return limit;
        }
    }
    count
}

/// How much memory a value takes, in pieces of 64 bytes, counted hardly further than `limit`.
fn weight(value: &Value, limit: usize) -> usize {
    let of_text = |text: &str| text.len() / 64;
    let mut waiting = vec![value];
    let mut weight: usize = 0;
    while let Some(value) = waiting.pop() {
        weight += 1;
        match value {
            Value::String(text) => weight += of_text(text),
            Value::Array(items) => waiting.extend(items.iter().take(limit)),
            Value::Object(members) => {
                weight += members.keys().map(|name| of_text(name)).sum::<usize>();
                waiting.extend(members.values().take(limit));
            }
            _ => {}
        }
        if weight + waiting.len() >= limit {
            return limit;
        }
    }
    weight
}
