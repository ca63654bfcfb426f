//! Text.

use std::borrow::Cow;

use serde_json::Value;

use super::annotation::Annotation;
use super::combine::combinators;
use super::decoder::Decode;
use super::encoder::Encode;
use super::fault::{Location, Report, shortened};
use super::{Codec, DefinitionFault, IntoCodec, Sheet, wording};
use crate::schema::{Node, Schema};

/// A builder of string codecs: see [`string`].
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct StringCodec {
    annotation: Annotation,
    length: Length,
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
            if !self.length.admits(choice) {
                faults.push(DefinitionFault::new(format!(
                    "the choice {choice:?} has a length that is not allowed"
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
        self.length.expectation()
    }
}

combinators!([] StringCodec);

impl IntoCodec for StringCodec {
    type Value = String;

    fn into_codec(self) -> Codec<String> {
        let sheet = Sheet {
            schema: self.schema(),
            expectation: self.expectation(),
            faults: self.faults(),
        };
        let text = Text {
            expectation: sheet.expectation.clone(),
            length: self.length,
            choices: self.choices,
        };
        Codec::of(sheet, text)
    }
}

/// How many characters a string may have.
#[derive(Clone, Copy, Debug, Default)]
struct Length {
    minimum: usize,
    maximum: Option<usize>,
}

impl Length {
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
    choices: Option<Vec<String>>,
}

impl Text {
    fn judge(&self, text: String, at: &Location<'_>, report: &mut Report) -> Option<String> {
        if !self.length.admits(&text) {
            let characters = text.chars().count();
            let plural = if characters == 1 { "" } else { "s" };
            let shown = shortened(&Value::String(text));
            report.expected_but(
                at,
                self.length.expectation(),
                format!("{shown} ({characters} character{plural})"),
            );
            return None;
        }
        if let Some(choices) = &self.choices
            && !choices.contains(&text)
        {
            report.expected(at, self.expectation.clone(), &Value::String(text));
            return None;
        }
        Some(text)
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
                "the choice \"abcd\" has a length that is not allowed",
                "the choice \"a\" has a length that is not allowed",
                "the choice \"a\" is there twice",
                "the choice \"a\" has a length that is not allowed",
            ]
        );
    }
}
