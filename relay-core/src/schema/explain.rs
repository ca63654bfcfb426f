//! A validator's findings in the words of a codec.

use std::borrow::Cow;

use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use jsonschema::paths::LocationSegment;
use jsonschema::{JsonType, ValidationError};
use serde_json::Value;

use super::keyword::{resolve, subschemas};
use super::node::{Members, Node};
use crate::codec::{Location, Report, shortened, wording};

/// Words findings, in the order of the schema.
#[derive(Debug)]
pub(super) struct Explainer {
    document: Node,
}

type Findings<'a, 'v> = Vec<&'a ValidationError<'v>>;

impl Explainer {
    pub(super) fn new(document: Node) -> Self {
        Self { document }
    }

    /// Notes every finding as a fault.
    pub(super) fn explain(
        &self,
        errors: &[ValidationError<'_>],
        at: &Location<'_>,
        report: &mut Report,
    ) {
        let mut findings: Findings<'_, '_> = errors.iter().collect();
        self.sort(&mut findings);
        for finding in findings {
            self.note(finding, 0, at, report);
        }
    }

    /// Notes one finding; `base` is how many steps of its path lead to `at`.
    fn note(
        &self,
        finding: &ValidationError<'_>,
        base: usize,
        at: &Location<'_>,
        report: &mut Report,
    ) {
        let path: Vec<LocationSegment<'_>> =
            finding.instance_path().into_iter().skip(base).collect();
        descend(at, &path, &mut |at| match finding.kind() {
            Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
                self.note_union(finding, context, at, report);
            }
            Kind::Required { property } => {
                let name = property.as_str().unwrap_or_default();
                let expected = self.expected_member(finding, name);
                report.missing(&at.key(name), &expected);
            }
            Kind::AdditionalProperties { unexpected }
            | Kind::UnevaluatedProperties { unexpected } => {
                let expected = self.expected_members(finding);
                for name in unexpected {
                    report.expected_but(&at.key(name), expected.clone(), "an unknown field");
                }
            }
            Kind::PropertyNames { error } => report.expected_but(
                at,
                format!("keys of which each is {}", expectation(error)),
                format!("the key {}", shortened(error.instance())),
            ),
            kind @ (Kind::MinLength { .. } | Kind::MaxLength { .. }) => {
                let length = finding
                    .instance()
                    .as_str()
                    .map_or(0, |text| text.chars().count());
                report.expected_but(at, words(kind), counted(finding.instance(), length));
            }
            kind @ (Kind::MinItems { .. } | Kind::MaxItems { .. }) => {
                let items = finding.instance().as_array().map_or(0, Vec::len);
                report.expected_but(at, words(kind), wording::counted(items, "item"));
            }
            kind @ (Kind::MinProperties { .. } | Kind::MaxProperties { .. }) => {
                let members = finding
                    .instance()
                    .as_object()
                    .map_or(0, serde_json::Map::len);
                report.expected_but(at, words(kind), wording::counted(members, "field"));
            }
            _ => report.expected(at, expectation(finding), finding.instance()),
        });
    }

    /// Notes what the branch of a union that was meant has against the value; where it cannot be
    /// told which one that is, what the branches are.
    fn note_union(
        &self,
        union: &ValidationError<'_>,
        context: &[Vec<ValidationError<'static>>],
        at: &Location<'_>,
        report: &mut Report,
    ) {
        let base = union.instance_path().into_iter().count();
        let branches: Vec<Findings<'_, '_>> = context
            .iter()
            .map(|errors| errors.iter().collect())
            .collect();
        let of_type: Vec<&Findings<'_, '_>> = branches
            .iter()
            .filter(|errors| !errors.iter().any(|error| refuses_whole(error, base)))
            .collect();
        let meant: Vec<&Findings<'_, '_>> = of_type
            .iter()
            .copied()
            .filter(|errors| !errors.iter().any(|error| self.tag(error, base).is_some()))
            .collect();
        // Of branches without a tag, the one that has the members of the value and no others.
        let alike: Vec<&Findings<'_, '_>> = meant
            .iter()
            .copied()
            .filter(|errors| !errors.iter().any(|error| refuses_members(error, base)))
            .collect();
        let meant = if meant.len() > 1 { alike } else { meant };
        if let [errors] = meant.as_slice() {
            let mut errors = (*errors).clone();
            self.sort(&mut errors);
            for error in errors {
                self.note(error, base, at, report);
            }
        } else if let Some((tag, known)) = self.tags(&of_type, base) {
            let expected = wording::listed(&known, " or ");
            match union.instance().get(&tag) {
                Some(found) => report.expected(&at.key(&tag), expected, found),
                None => report.missing(&at.key(&tag), &expected),
            }
        } else {
            report.expected(at, union_words(&branches, base), union.instance());
        }
    }

    /// The member by which a branch tells that the value is not its own, and what it should be: a
    /// constant one level down that is not the value's, or not there.
    fn tag(&self, error: &ValidationError<'_>, base: usize) -> Option<(String, String)> {
        let path = error.instance_path().into_iter().skip(base);
        let below: Vec<LocationSegment<'_>> = path.collect();
        match (below.as_slice(), error.kind()) {
            ([LocationSegment::Property(name)], Kind::Constant { expected_value }) => {
                Some((name.to_string(), shortened(expected_value)))
            }
            ([LocationSegment::Property(name)], Kind::Enum { options }) => {
                match options.as_array().map(Vec::as_slice) {
                    Some([only]) => Some((name.to_string(), shortened(only))),
                    _ => None,
                }
            }
            ([], Kind::Required { property }) => {
                let name = property.as_str()?;
                let properties = self.holder(error)?.get("properties")?.as_object()?;
                let constant = constant(self.object(properties.get(name)?)?)?;
                Some((name.to_owned(), shortened(&constant.to_value())))
            }
            _ => None,
        }
    }

    /// The tag that all branches have, and what it may be.
    fn tags(&self, branches: &[&Findings<'_, '_>], base: usize) -> Option<(String, Vec<String>)> {
        let mut tag: Option<String> = None;
        let mut known: Vec<String> = Vec::new();
        for branch in branches {
            let (name, value) = branch.iter().find_map(|error| self.tag(error, base))?;
            if tag.get_or_insert_with(|| name.clone()) != &name {
                return None;
            }
            if !known.contains(&value) {
                known.push(value);
            }
        }
        Some((tag?, known))
    }

    /// Sorts findings by where the schema says them.
    fn sort(&self, findings: &mut Findings<'_, '_>) {
        findings.sort_by_cached_key(|finding| self.rank(finding));
    }

    /// Where a finding stands in the schema: the place of each step of its path among its siblings.
    fn rank(&self, finding: &ValidationError<'_>) -> Vec<usize> {
        let mut schema = Some(&self.document);
        let mut rank = Vec::new();
        for step in finding.instance_path() {
            let (place, below) = self.step(schema, &step);
            rank.push(place);
            schema = below;
        }
        match finding.kind() {
            Kind::Required { property } => {
                let name = Cow::Borrowed(property.as_str().unwrap_or_default());
                rank.push(self.step(schema, &LocationSegment::Property(name)).0);
            }
            Kind::AdditionalProperties { .. } | Kind::UnevaluatedProperties { .. } => {
                rank.push(usize::MAX);
            }
            _ => {}
        }
        rank
    }

    fn step<'a>(
        &'a self,
        schema: Option<&'a Node>,
        step: &LocationSegment<'_>,
    ) -> (usize, Option<&'a Node>) {
        match step {
            LocationSegment::Index(index) => {
                let items = schema.and_then(|schema| {
                    let members = self.object(schema)?;
                    let leading = members.get("prefixItems").and_then(Node::as_array);
                    leading
                        .and_then(|leading| leading.get(*index))
                        .or_else(|| members.get("items"))
                });
                (*index, items)
            }
            LocationSegment::Property(name) => schema
                .and_then(|schema| self.property(schema, name, 8))
                .unwrap_or((usize::MAX - 1, None)),
        }
    }

    /// The property `name` of a schema or of a branch of it, and its place there.
    fn property<'a>(
        &'a self,
        schema: &'a Node,
        name: &str,
        depth: usize,
    ) -> Option<(usize, Option<&'a Node>)> {
        let depth = depth.checked_sub(1)?;
        let members = self.object(schema)?;
        let own = members
            .get("properties")
            .and_then(Node::as_object)
            .and_then(|properties| properties.get_full(name));
        if let Some((place, _, property)) = own {
            return Some((place, Some(property)));
        }
        subschemas(members)
            .filter(|(keyword, _)| {
                matches!(*keyword, "allOf" | "anyOf" | "oneOf" | "then" | "else")
            })
            .find_map(|(_, branch)| self.property(branch, name, depth))
            .or_else(|| Some((usize::MAX - 1, Some(members.get("additionalProperties")?))))
    }

    /// The members of a schema, through its reference if it is one.
    fn object<'a>(&'a self, schema: &'a Node) -> Option<&'a Members> {
        let mut members = schema.as_object()?;
        for _ in 0..8 {
            let Some(target) = members.get("$ref").and_then(Node::as_str) else {
                break;
            };
            members = resolve(&self.document, target)?.as_object()?;
        }
        Some(members)
    }

    /// The schema that a finding's keyword stands in.
    fn holder(&self, finding: &ValidationError<'_>) -> Option<&Members> {
        let path = finding.schema_path().as_str();
        let (holder, _) = path.rsplit_once('/')?;
        resolve(&self.document, &format!("#{holder}"))?.as_object()
    }

    fn expected_member(&self, finding: &ValidationError<'_>, name: &str) -> String {
        let described = || {
            let properties = self.holder(finding)?.get("properties")?.as_object()?;
            let property = self.object(properties.get(name)?)?;
            if let Some(constant) = constant(property) {
                return Some(shortened(&constant.to_value()));
            }
            Some(match property.get("type")? {
                Node::String(kind) => kind_words(kind).to_owned(),
                Node::Array(kinds) => {
                    let kinds: Vec<&str> = kinds
                        .iter()
                        .filter_map(Node::as_str)
                        .map(kind_words)
                        .collect();
                    wording::listed(&kinds, " or ")
                }
                _ => return None,
            })
        };
        described().unwrap_or_else(|| "a value".to_owned())
    }

    fn expected_members(&self, finding: &ValidationError<'_>) -> Cow<'static, str> {
        let holder = self.holder(finding);
        let inside = |keyword| holder.and_then(|holder| holder.get(keyword)?.as_object());
        if let Some(patterns) = inside("patternProperties") {
            let patterns: Vec<String> = patterns
                .keys()
                .map(|pattern| shortened(&pattern.as_str().into()))
                .collect();
            let patterns = wording::listed(&patterns, " or ");
            let declared = match inside("properties") {
                Some(properties) if !properties.is_empty() => "declared fields and ",
                _ => "",
            };
            return Cow::Owned(format!(
                "only {declared}fields whose name matches {patterns}"
            ));
        }
        let names: Vec<String> = inside("properties")
            .into_iter()
            .flat_map(|properties| properties.keys().map(|name| format!("`{name}`")))
            .collect();
        wording::closed(&names)
    }
}

/// Whether a branch is about another type of value altogether.
fn refuses_whole(error: &ValidationError<'_>, base: usize) -> bool {
    let whole = error.instance_path().into_iter().count() == base;
    whole
        && matches!(
            error.kind(),
            Kind::Type { .. } | Kind::Constant { .. } | Kind::Enum { .. }
        )
}

/// Whether a branch is about an object with other members.
fn refuses_members(error: &ValidationError<'_>, base: usize) -> bool {
    let whole = error.instance_path().into_iter().count() == base;
    whole
        && matches!(
            error.kind(),
            Kind::Required { .. }
                | Kind::AdditionalProperties { .. }
                | Kind::UnevaluatedProperties { .. }
        )
}

/// What the branches of a union are, where none is close enough to speak of its members.
fn union_words(branches: &[Findings<'_, '_>], base: usize) -> String {
    let mut words: Vec<String> = Vec::new();
    for branch in branches {
        let word = branch_words(branch, base);
        if !words.contains(&word) {
            words.push(word);
        }
    }
    wording::listed(&words, " or ")
}

fn branch_words(branch: &Findings<'_, '_>, base: usize) -> String {
    let value = branch
        .iter()
        .find(|error| refuses_whole(error, base) && !matches!(error.kind(), Kind::Type { .. }));
    let whole = value.or_else(|| branch.iter().find(|error| refuses_whole(error, base)));
    if let Some(error) = whole {
        return expectation(error).into_owned();
    }
    let missing: Vec<String> = branch
        .iter()
        .filter(|error| refuses_members(error, base))
        .filter_map(|error| match error.kind() {
            Kind::Required { property } => Some(format!("`{}`", property.as_str()?)),
            _ => None,
        })
        .collect();
    match missing.as_slice() {
        [] => "a value that fits an alternative of the schema".to_owned(),
        [name] => format!("an object with the field {name}"),
        names => format!(
            "an object with the fields {}",
            wording::listed(names, " and ")
        ),
    }
}

/// The one value that a schema admits.
fn constant(schema: &Members) -> Option<&Node> {
    match (
        schema.get("const"),
        schema.get("enum").and_then(Node::as_array),
    ) {
        (Some(constant), _) => Some(constant),
        (None, Some([only])) => Some(only),
        _ => None,
    }
}

fn expectation(finding: &ValidationError<'_>) -> Cow<'static, str> {
    words(finding.kind())
}

fn words(kind: &Kind) -> Cow<'static, str> {
    let owned = match kind {
        Kind::Type {
            kind: TypeKind::Single(kind),
        } => kind_words(kind.as_str()).to_owned(),
        Kind::Type {
            kind: TypeKind::Multiple(kinds),
        } => {
            let kinds: Vec<&str> = kinds
                .iter()
                .map(|kind: JsonType| kind_words(kind.as_str()))
                .collect();
            wording::listed(&kinds, " or ")
        }
        Kind::Constant { expected_value } => shortened(expected_value),
        Kind::Enum { options } => {
            let options: Vec<String> = options
                .as_array()
                .into_iter()
                .flatten()
                .map(shortened)
                .collect();
            wording::listed(&options, " or ")
        }
        Kind::Minimum { limit } => format!("a number of at least {limit}"),
        Kind::Maximum { limit } => format!("a number of at most {limit}"),
        Kind::ExclusiveMinimum { limit } => format!("a number of more than {limit}"),
        Kind::ExclusiveMaximum { limit } => format!("a number of less than {limit}"),
        Kind::MultipleOf { multiple_of } => format!("a multiple of {multiple_of}"),
        Kind::MinLength { limit } => format!("a string of at least {}", characters(*limit)),
        Kind::MaxLength { limit } => format!("a string of at most {}", characters(*limit)),
        Kind::MinItems { limit } => format!("a list of at least {}", items(*limit)),
        Kind::MaxItems { limit } => format!("a list of at most {}", items(*limit)),
        Kind::MinProperties { limit } => format!("an object of at least {}", fields(*limit)),
        Kind::MaxProperties { limit } => format!("an object of at most {}", fields(*limit)),
        Kind::Pattern { pattern } => wording::pattern(pattern),
        Kind::Format { format } => return wording::format(format),
        Kind::ContentEncoding { content_encoding } => format!("{content_encoding} text"),
        Kind::ContentMediaType { content_media_type } => format!("{content_media_type} text"),
        Kind::AdditionalItems { limit } => {
            format!("a list of at most {}", wording::counted(*limit, "item"))
        }
        kind => return Cow::Borrowed(fixed_words(kind)),
    };
    Cow::Owned(owned)
}

fn fixed_words(kind: &Kind) -> &'static str {
    match kind {
        Kind::UniqueItems => "a list without repeated items",
        Kind::Contains => "a list with an item that the schema asks for",
        Kind::UnevaluatedItems { .. } => "a list without further items",
        Kind::FalseSchema => "nothing in this place",
        Kind::Not { .. } => "a value other than those that the schema excludes",
        Kind::OneOfMultipleValid { .. } => "a value that fits only one of the alternatives",
        _ => "a value of the schema",
    }
}

fn kind_words(kind: &str) -> &'static str {
    match kind {
        "array" => "a list",
        "boolean" => "true or false",
        "integer" => "an integer",
        "null" => "null",
        "number" => "a number",
        "object" => "an object",
        "string" => "a string",
        _ => "a value",
    }
}

fn characters(limit: u64) -> String {
    wording::counted(whole(limit), "character")
}

fn items(limit: u64) -> String {
    wording::counted(whole(limit), "item")
}

fn fields(limit: u64) -> String {
    wording::counted(whole(limit), "field")
}

fn whole(limit: u64) -> usize {
    usize::try_from(limit).unwrap_or(usize::MAX)
}

fn counted(text: &Value, characters: usize) -> String {
    format!(
        "{} ({})",
        shortened(text),
        wording::counted(characters, "character")
    )
}

/// Hands `visit` the place that is `path` further down.
fn descend(at: &Location<'_>, path: &[LocationSegment<'_>], visit: &mut dyn FnMut(&Location<'_>)) {
    match path.split_first() {
        None => visit(at),
        Some((LocationSegment::Property(name), rest)) => descend(&at.key(name), rest, visit),
        Some((LocationSegment::Index(index), rest)) => descend(&at.index(*index), rest, visit),
    }
}
