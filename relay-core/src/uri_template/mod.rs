//! URI templates: the addresses of resources that are not listed one by one.
//!
//! A [`UriTemplate`] is an RFC 6570 template read backwards: given a URI, it tells whether the
//! template could have produced it, and from which values.

mod error;
mod guard;
mod matcher;
mod parse;
mod program;
mod unit;

use std::fmt;
use std::str::FromStr;

pub use error::{TemplateError, TemplateProblem};

use self::parse::{Modifier, Operator, Piece};
use self::program::Program;
use self::unit::Unit;

/// The longest URI that is matched, in bytes.
const MAX_URI_LENGTH: usize = 64 * 1024;

/// A URI template (RFC 6570) that URIs are matched against (TPL-02, TPL-03).
///
/// | written | matches | value |
/// |---|---|---|
/// | `{v}` | one or more characters, never `/`, `?` or `#` | `note://{id}` on `note://7`: `7` |
/// | `{+v}` | one or more characters, `/` among them | `file:///{+path}` on `file:///a/b`: `a/b` |
/// | `{/v}`, `{.v}`, `{#v}` | nothing, or the operator and a value | `{name}{.type}` on `a.b.md`: `a.b`, `md` |
/// | `{?v,w}`, `{&v,w}`, `{;v,w}` | nothing, or pairs in any order | `{?tag,limit}` on `?limit=5`: `5` |
/// | `{v,w}` | values between commas, the last ones optional | `{lat,lon}` on `1,2`: `1`, `2` |
/// | `{/v*}`, `{v*}`, `{?v*}` | any number of values | `{/path*}` on `/a/b`: `a` and `b` |
/// | `{v:3}` | as `{v}`, at most 3 characters | |
///
/// - A value is decoded exactly once, after matching: an encoded `/` never separates. What is not
///   UTF-8, or has a `%` that begins no escape, does not match.
/// - Characters that RFC 6570 would encode match unencoded too, as long as the template does not
///   separate with them: `note://{id}` takes `note://a@b`, `user://{name}@{host}` no second `@`.
/// - Where several readings fit, the first value is as long as it can be with the optional
///   expression after it there, then the second, and so on. Pairs whose name is unknown or
///   repeated do not match.
/// - A value that could lead out of a folder it is joined to does not match: with a `..` segment,
///   absolute, with a drive letter (`c:` and anything), with NUL, or, under `+` and `#`, with a backslash (RES-06,
///   TPL-04). So write `file:///{+path}`: under `file://{+path}` every path would be absolute.
///   Links inside the folder are for the handler to judge.
/// - Matching takes time linear in the URI's length, and a URI above 64 KiB does not match.
///
/// Case matters, in the scheme too.
///
/// # Examples
///
/// ```
/// use relay_core::uri_template::{TemplateError, UriTemplate};
///
/// let notes = UriTemplate::parse("notes://{book}/search{?tag,limit}")?;
///
/// let found = notes.match_uri("notes://work%20log/search?limit=5").expect("it matches");
/// assert_eq!(found.get("book"), Some("work log"));
/// assert_eq!(found.get("limit"), Some("5"));
/// assert_eq!(found.get("tag"), None);
///
/// assert!(notes.match_uri("notes://errands/log/search").is_none());
/// assert!(notes.match_uri("notes://%2e%2e/search").is_none());
/// # Ok::<(), TemplateError>(())
/// ```
#[derive(Clone)]
pub struct UriTemplate {
    text: String,
    /// The part before the first expression, if it has no escapes.
    beginning: String,
    variables: Vec<Variable>,
    program: Program,
}

#[derive(Clone)]
struct Variable {
    name: String,
    modifier: Modifier,
    operator: Operator,
}

impl UriTemplate {
    /// Reads a template.
    ///
    /// Beyond the grammar, a template begins with its scheme, no variable occurs twice, and
    /// neighbouring values have something to tell them apart.
    ///
    /// # Errors
    ///
    /// [`TemplateError`] says where the template is wrong and what to change.
    ///
    /// # Examples
    ///
    /// ```
    /// use relay_core::uri_template::UriTemplate;
    ///
    /// let error = UriTemplate::parse("note://{year}{month}").unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "at byte 13: nothing separates this expression from the one before it; \
    ///      put a literal between them",
    /// );
    /// ```
    pub fn parse(template: &str) -> Result<Self, TemplateError> {
        let pieces = parse::parse(template)?;
        let variables = pieces.iter().flat_map(variables).collect();
        let beginning = template.split(['{', '%']).next().unwrap_or_default();
        let beginning = if beginning.is_ascii() {
            beginning.into()
        } else {
            String::new()
        };
        let program = Program::compile(&pieces);
        Ok(Self {
            text: template.into(),
            beginning,
            variables,
            program,
        })
    }

    /// The template as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The names of the variables, in the order written.
    #[must_use]
    pub fn variables(&self) -> impl ExactSizeIterator<Item = &str> {
        self.variables.iter().map(|variable| variable.name.as_str())
    }

    /// The values from which this template makes `uri`, or `None` if it does not.
    #[must_use]
    pub fn match_uri(&self, uri: &str) -> Option<Variables> {
        if !uri.starts_with(&self.beginning) || uri.len() > MAX_URI_LENGTH || !uri.is_ascii() {
            return None;
        }
        let units = unit::units(uri).ok()?;
        let captures = self.program.captures(&units)?;
        let whole: Vec<u8> = units.iter().map(|unit| unit.byte()).collect();
        if !guard::stays_inside(&whole) {
            return None;
        }
        let mut values = vec![Vec::new(); self.variables.len()];
        for capture in captures {
            let variable = self.variables.get(capture.variable)?;
            let value = variable.value(units.get(capture.start..capture.end)?)?;
            values.get_mut(capture.variable)?.push(value);
        }
        let named = self.variables.iter().zip(values);
        let entries = named
            .map(|(variable, values)| {
                variable
                    .accepts(&values)
                    .then(|| (variable.name.clone(), values))
            })
            .collect::<Option<_>>()?;
        Some(Variables { entries })
    }

    /// Whether some URI might match both templates, so that it would be unclear which of them a
    /// read is for.
    ///
    /// It is never wrong about "no". It may say yes of two templates that only a URI refused for
    /// what its values are (a `..`, a repeated name, a value longer than its prefix) would match.
    ///
    /// # Examples
    ///
    /// ```
    /// use relay_core::uri_template::{TemplateError, UriTemplate};
    ///
    /// let note = UriTemplate::parse("note://{id}")?;
    /// assert!(note.overlaps(&UriTemplate::parse("note://{name}.md")?));
    /// assert!(!note.overlaps(&UriTemplate::parse("note://{id}/history")?));
    /// # Ok::<(), TemplateError>(())
    /// ```
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.program.meets(&other.program)
    }
}

impl Variable {
    fn value(&self, units: &[Unit]) -> Option<String> {
        let value = unit::decode(units)?;
        let fits = match self.modifier {
            Modifier::Prefix(length) => value.chars().count() <= length,
            Modifier::None | Modifier::Explode => true,
        };
        let is_harmless =
            guard::is_harmless(&value) && !(self.operator.keeps_reserved() && value.contains('\\'));
        (fits && is_harmless).then_some(value)
    }

    /// Whether these can be all the values of the variable.
    fn accepts(&self, values: &[String]) -> bool {
        match self.modifier {
            // Joined again, the segments must not make an absolute path.
            Modifier::Explode if self.operator == Operator::Segment => {
                guard::is_harmless(&values.join("/"))
            }
            Modifier::Explode => true,
            Modifier::None | Modifier::Prefix(_) => values.len() <= 1,
        }
    }
}

fn variables(piece: &Piece) -> Vec<Variable> {
    let Piece::Expression(expression) = piece else {
        return Vec::new();
    };
    let variables = expression.variables.iter().map(|variable| Variable {
        name: variable.name.clone(),
        modifier: variable.modifier,
        operator: expression.operator,
    });
    variables.collect()
}

impl fmt::Debug for UriTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("UriTemplate").field(&self.text).finish()
    }
}

impl fmt::Display for UriTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl PartialEq for UriTemplate {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for UriTemplate {}

impl FromStr for UriTemplate {
    type Err = TemplateError;

    fn from_str(template: &str) -> Result<Self, TemplateError> {
        Self::parse(template)
    }
}

/// The values of a template's variables, as a URI has them.
///
/// # Examples
///
/// ```
/// use relay_core::uri_template::{TemplateError, UriTemplate};
///
/// let files = UriTemplate::parse("file://{/path*}{?line}")?;
/// let found = files.match_uri("file:///src/main.rs").expect("it matches");
/// assert_eq!(found.all("path"), ["src", "main.rs"]);
/// assert_eq!(found.get("line"), None);
/// # Ok::<(), TemplateError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variables {
    /// In the template's order; variables without a value have none here.
    entries: Vec<(String, Vec<String>)>,
}

impl Variables {
    /// The value of `name`, the first one if it is exploded; `None` if the URI has none or the
    /// template no such variable.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.all(name).first().map(String::as_str)
    }

    /// Every value of `name`: any number if it is exploded (`{/path*}`), else one or none.
    #[must_use]
    pub fn all(&self, name: &str) -> &[String] {
        self.entries
            .iter()
            .find(|(known, _)| known == name)
            .map_or(&[], |(_, values)| values)
    }

    /// Each value with its variable's name, in the order of the template.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.entries
            .iter()
            .flat_map(|(name, values)| values.iter().map(|value| (name.as_str(), value.as_str())))
    }
}

/// What a matcher of an author's own found: values of one name follow one another.
///
/// ```
/// use relay_core::uri_template::Variables;
///
/// let found: Variables = [("path", "src"), ("path", "main.rs")].into_iter().collect();
/// assert_eq!(found.all("path"), ["src", "main.rs"]);
/// ```
impl<N: Into<String>, V: Into<String>> FromIterator<(N, V)> for Variables {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(pairs: I) -> Self {
        let mut found = Self::default();
        for (name, value) in pairs {
            let name = name.into();
            match found.entries.iter_mut().find(|(known, _)| *known == name) {
                Some((_, values)) => values.push(value.into()),
                None => found.entries.push((name, vec![value.into()])),
            }
        }
        found
    }
}

#[cfg(test)]
mod tests;
