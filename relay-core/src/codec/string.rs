//! Text.

use std::borrow::Cow;

use regex::Regex;
use serde_json::Value;

use super::about::About;
use super::annotation::Annotation;
use super::combine::{combinators, mirrored};
use super::decoder::Decode;
use super::encoder::Encode;
use super::fault::{Location, Report, shortened};
use super::{Codec, DefinitionFault, Format, IntoCodec, pattern, wording};
use crate::schema::{Node, Schema};

/// A builder of string codecs: see [`string`].
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct StringCodec {
    annotation: Annotation,
    length: Length,
    pattern: Option<String>,
    format: Option<Format>,
    choices: Option<Vec<String>>,
}

/// A string.
///
/// ```
/// use relay_core::codec::{self, IntoCodec};
/// use serde_json::json;
///
/// let codec = codec::string().min_length(1).max_length(5).into_codec();
/// assert_eq!(codec.decode(json!("hello")).unwrap(), "hello");
/// assert_eq!(
///     codec.decode(json!("hello, world")).unwrap_err().to_string(),
///     "(root): expected a string of 1 to 5 characters, got \"hello, world\" (12 characters)",
/// );
/// ```
pub fn string() -> StringCodec {
    StringCodec::default()
}

impl StringCodec {
    /// The fewest characters (Unicode scalar values) that the string may have.
    pub fn min_length(mut self, characters: usize) -> Self {
        self.length.minimum = characters;
        self
    }

    /// The most characters (Unicode scalar values) that the string may have.
    pub fn max_length(mut self, characters: usize) -> Self {
        self.length.maximum = Some(characters);
        self
    }

    /// A regular expression (ECMA-262) that the string has to match somewhere: anchor it with `^`
    /// and `$` to match all of it.
    ///
    /// It is matched in linear time, so look-around and back-references are mistakes, as is a
    /// pattern of more than 1,024 bytes. A model reads patterns badly: describe them as well.
    ///
    /// ```
    /// use relay_core::codec::{self, IntoCodec};
    /// use serde_json::json;
    ///
    /// let codec = codec::string().pattern("^[A-Z]{2}-[0-9]+$").into_codec();
    /// codec.decode(json!("AB-12")).unwrap();
    /// assert_eq!(
    ///     codec.decode(json!("AB12")).unwrap_err().to_string(),
    ///     "(root): expected a string that matches the pattern ^[A-Z]{2}-[0-9]+$, \
    ///      got the string \"AB12\"",
    /// );
    /// ```
    pub fn pattern(mut self, pattern: impl Into<String>) -> Self {
        self.pattern = Some(pattern.into());
        self
    }

    /// A format that the string has to have.
    ///
    /// ```
    /// use relay_core::codec::{self, Format, IntoCodec};
    /// use serde_json::json;
    ///
    /// let codec = codec::string().format(Format::Date).into_codec();
    /// codec.decode(json!("2028-02-29")).unwrap();
    /// assert_eq!(
    ///     codec.decode(json!("2026-02-29")).unwrap_err().to_string(),
    ///     "(root): expected a date such as 2026-07-28, got the string \"2026-02-29\"",
    /// );
    /// ```
    pub fn format(mut self, format: Format) -> Self {
        self.format = Some(format);
        self
    }

    /// The only strings that fit.
    ///
    /// ```
    /// use relay_core::codec::{self, IntoCodec};
    /// use serde_json::json;
    ///
    /// let codec = codec::string().choices(["bullets", "prose"]).into_codec();
    /// assert_eq!(
    ///     codec.decode(json!("verse")).unwrap_err().to_string(),
    ///     "(root): expected \"bullets\" or \"prose\", got the string \"verse\"",
    /// );
    /// ```
    pub fn choices<S: Into<String>>(mut self, choices: impl IntoIterator<Item = S>) -> Self {
        self.choices = Some(choices.into_iter().map(Into::into).collect());
        self
    }

    fn faults(&self) -> Vec<DefinitionFault> {
        let mut faults = Vec::new();
        let Length { minimum, maximum } = self.length;
        if let Some(maximum) = maximum.filter(|maximum| *maximum < minimum) {
            faults.push(DefinitionFault::new(format!(
                "no string has at least {minimum} and at most {maximum} characters"
            )));
        }
        let pattern = self.pattern.as_deref().map(pattern::compile);
        if let Some(Err(problem)) = &pattern {
            faults.push(DefinitionFault::new(problem.clone()));
        }
        let Some(choices) = &self.choices else {
            return faults;
        };
        if choices.is_empty() {
            faults.push(DefinitionFault::new("there are no choices"));
        }
        for (index, choice) in choices.iter().enumerate() {
            if choices.iter().take(index).any(|earlier| earlier == choice) {
                faults.push(DefinitionFault::new(format!(
                    "the choice {choice:?} is there twice"
                )));
            }
            let matches = |pattern: &Result<Regex, String>| {
                pattern
                    .as_ref()
                    .is_ok_and(|pattern| !pattern.is_match(choice))
            };
            if !self.length.admits(choice)
                || pattern.as_ref().is_some_and(matches)
                || self.format.is_some_and(|format| !format.admits(choice))
            {
                faults.push(DefinitionFault::new(format!(
                    "the choice {choice:?} breaks another rule of the string"
                )));
            }
        }
        faults
    }

    fn schema(&self) -> Schema {
        let mut members = self.annotation.members("string");
        if self.length.minimum > 0 {
            members.insert("minLength".to_owned(), Node::from(self.length.minimum));
        }
        if let Some(maximum) = self.length.maximum {
            members.insert("maxLength".to_owned(), Node::from(maximum));
        }
        if let Some(pattern) = &self.pattern {
            members.insert("pattern".to_owned(), Node::from(pattern.as_str()));
        }
        if let Some(format) = self.format {
            members.insert("format".to_owned(), Node::from(format.as_str()));
        }
        if let Some(choices) = &self.choices {
            let choices: Vec<Node> = choices
                .iter()
                .map(|choice| Node::from(choice.as_str()))
                .collect();
            members.insert("enum".to_owned(), Node::Array(choices));
        }
        Schema::new(members)
    }

    fn expectation(&self) -> Cow<'static, str> {
        if let Some(choices) = &self.choices {
            let quoted: Vec<String> = choices.iter().map(|choice| format!("{choice:?}")).collect();
            return Cow::Owned(wording::listed(&quoted, " or "));
        }
        match (self.length.is_free(), self.format, &self.pattern) {
            (true, Some(format), _) => wording::format(format.as_str()),
            (true, None, Some(pattern)) => Cow::Owned(wording::pattern(pattern)),
            _ => self.length.expectation(),
        }
    }
}

combinators!([] StringCodec);
mirrored!([] StringCodec);

impl IntoCodec for StringCodec {
    type Value = String;

    fn into_codec(self) -> Codec<String> {
        let about = About::new(self.schema(), self.expectation(), self.faults());
        let text = Text {
            expectation: about.expectation.clone(),
            length: self.length,
            pattern: self
                .pattern
                .as_deref()
                .and_then(|pattern| pattern::compile(pattern).ok()),
            source: self.pattern.unwrap_or_default(),
            format: self.format,
            choices: self.choices,
        };
        Codec::of(about, text)
    }
}

/// How many characters a string may have.
#[derive(Clone, Copy, Debug, Default)]
struct Length {
    minimum: usize,
    maximum: Option<usize>,
}

impl Length {
    fn is_free(self) -> bool {
        self.minimum == 0 && self.maximum.is_none()
    }

    fn admits(self, text: &str) -> bool {
        // A character takes one to four bytes, so that most texts need not be counted.
        let bytes = text.len();
        let long_enough = self.minimum == 0 || bytes / 4 >= self.minimum;
        let short_enough = self.maximum.is_none_or(|maximum| bytes <= maximum);
        if long_enough && short_enough {
            return true;
        }
        let characters = text.chars().count();
        characters >= self.minimum && self.maximum.is_none_or(|maximum| characters <= maximum)
    }

    fn expectation(self) -> Cow<'static, str> {
        match wording::length(self.minimum, self.maximum, "character") {
            None => Cow::Borrowed("a string"),
            Some(length) => Cow::Owned(format!("a string {length}")),
        }
    }
}

struct Text {
    expectation: Cow<'static, str>,
    length: Length,
    pattern: Option<Regex>,
    source: String,
    format: Option<Format>,
    choices: Option<Vec<String>>,
}

impl Text {
    /// The text, if it fits; otherwise every rule that it breaks is noted.
    fn judge(&self, text: String, at: &Location<'_>, report: &mut Report) -> Option<String> {
        let long = !self.length.admits(&text);
        let unmatched = self
            .pattern
            .as_ref()
            .filter(|pattern| !pattern.is_match(&text));
        let misformed = self.format.filter(|format| !format.admits(&text));
        let unknown = self
            .choices
            .as_ref()
            .is_some_and(|choices| !choices.contains(&text));
        if !long && unmatched.is_none() && misformed.is_none() && !unknown {
            return Some(text);
        }
        let characters = text.chars().count();
        let value = Value::String(text);
        if unknown {
            report.expected(at, self.expectation.clone(), &value);
            return None;
        }
        if long {
            let found = wording::counted(characters, "character");
            let found = format!("{} ({found})", shortened(&value));
            report.expected_but(at, self.length.expectation(), found);
        }
        if unmatched.is_some() {
            report.expected(at, wording::pattern(&self.source), &value);
        }
        if let Some(format) = misformed {
            report.expected(at, wording::format(format.as_str()), &value);
        }
        None
    }
}

impl Decode<String> for Text {
    fn decode(&self, value: Value, at: &Location<'_>, report: &mut Report) -> Option<String> {
        if let Value::String(text) = value {
            return self.judge(text, at, report);
        }
        report.expected(at, self.expectation.clone(), &value);
        None
    }
}

impl Encode<String> for Text {
    fn encode(&self, value: String, at: &Location<'_>, report: &mut Report) -> Option<Value> {
        self.judge(value, at, report).map(Value::String)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn length_counts_unicode_scalar_values() {
        let codec = string().min_length(2).max_length(3).into_codec();
        for (text, fits) in [
            ("", false),
            ("a", false),
            ("é", false),
            ("🎉", false),
            ("ab", true),
            ("🎉🎉", true),
            ("🎉🎉🎉", true),
            ("🎉🎉🎉🎉", false),
            ("e\u{301}", true),
            ("abcd", false),
        ] {
            assert_eq!(codec.decode(json!(text)).is_ok(), fits, "{text}");
            assert_eq!(codec.encode(text.to_owned()).is_ok(), fits, "{text}");
        }
    }

    #[test]
    fn definition_mistakes_are_all_named() {
        let faults = string()
            .min_length(4)
            .max_length(2)
            .choices(["abcd", "a", "a"])
            .faults();
        let problems: Vec<_> = faults.iter().map(DefinitionFault::problem).collect();
        assert_eq!(
            problems,
            [
                "no string has at least 4 and at most 2 characters",
                "the choice \"abcd\" breaks another rule of the string",
                "the choice \"a\" breaks another rule of the string",
                "the choice \"a\" is there twice",
                "the choice \"a\" breaks another rule of the string",
            ]
        );
    }
}
