//! What does not fit, said so that a model can correct itself.

use std::borrow::Cow;
use std::fmt;
use std::io;

use serde_json::Value;
use serde_path_to_error::Segment;

/// How much of an offending value a fault shows, in bytes of its JSON.
const SHOWN: usize = 80;

/// How much of a member's name a pointer shows, in bytes: room for any that a schema declares.
const NAMED: usize = 200;

/// How much of what the author's own code says is told, in bytes: it may quote the value.
const SAID: usize = 1_000;

/// How many faults are told; the rest is counted.
const TOLD: usize = 64;

/// One way in which a value does not fit its codec: where, what was expected and what came.
///
/// Its `Display` is the line a model reads:
///
/// ```
/// use relay_core::codec::{self, IntoCodec};
/// use serde_json::json;
///
/// let codec = codec::object((
///     codec::field("title", codec::string().min_length(1)),
///     codec::field("week", codec::integer::<i64>().range(1..=52)),
/// ))
/// .into_codec();
/// let faults = codec.decode(json!({"title": 7, "week": 60})).unwrap_err();
/// assert_eq!(
///     faults.to_string(),
///     "/title: expected a string of at least 1 character, got 7\n\
///      /week: expected an integer from 1 to 52, got 60",
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pointer: String,
    rule: Rule,
    found: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Rule {
    /// Completes "expected ..".
    Expected(Cow<'static, str>),
    /// A sentence of its own.
    Refused(String),
}

impl Fault {
    /// A fault at a JSON pointer (RFC 6901; `""` is the whole value), where `expected` completes
    /// the sentence "expected ..", and `found` the sentence "got ..".
    ///
    /// ```
    /// use relay_core::codec::Fault;
    ///
    /// let fault = Fault::new("/tags", "each key once", "the key twice");
    /// assert_eq!(fault.to_string(), "/tags: expected each key once, got the key twice");
    /// ```
    #[must_use]
    pub fn new(
        pointer: impl Into<String>,
        expected: impl Into<Cow<'static, str>>,
        found: impl Into<String>,
    ) -> Self {
        Self {
            pointer: pointer.into(),
            rule: Rule::Expected(expected.into()),
            found: Some(found.into()),
        }
    }

    /// Where: a JSON pointer into the value, `""` for the value itself. A name of more than 200
    /// bytes is cut short, and ends in `…`.
    #[must_use]
    pub fn pointer(&self) -> &str {
        &self.pointer
    }

    /// The rule that was broken.
    #[must_use]
    pub fn expected(&self) -> &str {
        match &self.rule {
            Rule::Expected(rule) => rule,
            Rule::Refused(rule) => rule,
        }
    }

    /// What came, cut short; `None` where a required member is missing.
    #[must_use]
    pub fn found(&self) -> Option<&str> {
        self.found.as_deref()
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pointer = match self.pointer.as_str() {
            "" => "(root)",
            pointer => pointer,
        };
        match (&self.rule, &self.found) {
            (Rule::Expected(rule), Some(found)) => {
                write!(formatter, "{pointer}: expected {rule}, got {found}")
            }
            (Rule::Expected(rule), None) => {
                write!(formatter, "{pointer}: missing, expected {rule}")
            }
            (Rule::Refused(rule), Some(found)) => {
                write!(formatter, "{pointer}: {rule}, got {found}")
            }
            (Rule::Refused(rule), None) => write!(formatter, "{pointer}: {rule}"),
        }
    }
}

/// Every fault of one value, in the order of its schema; never empty.
///
/// Its `Display` has one line for each fault. Beyond 64 faults, the rest is only counted.
///
/// ```
/// use relay_core::codec::{self, IntoCodec};
/// use serde_json::json;
///
/// let codec = codec::list(codec::boolean()).into_codec();
/// let faults = codec.decode(json!([true, 1, "no"])).unwrap_err();
/// let pointers: Vec<_> = faults.iter().map(|fault| fault.pointer()).collect();
/// assert_eq!(pointers, ["/1", "/2"]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Faults {
    told: Vec<Fault>,
    untold: usize,
}

impl Faults {
    /// The faults, the first 64 of them.
    pub fn iter(&self) -> std::slice::Iter<'_, Fault> {
        self.told.iter()
    }
}

impl<'a> IntoIterator for &'a Faults {
    type Item = &'a Fault;
    type IntoIter = std::slice::Iter<'a, Fault>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl From<Fault> for Faults {
    fn from(fault: Fault) -> Self {
        Self {
            told: vec![fault],
            untold: 0,
        }
    }
}

impl Extend<Fault> for Faults {
    fn extend<I: IntoIterator<Item = Fault>>(&mut self, faults: I) {
        for fault in faults {
            if self.told.len() < TOLD {
                self.told.push(fault);
            } else {
                self.untold += 1;
            }
        }
    }
}

impl fmt::Display for Faults {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, fault) in self.told.iter().enumerate() {
            if index > 0 {
                formatter.write_str("\n")?;
            }
            write!(formatter, "{fault}")?;
        }
        match self.untold {
            0 => Ok(()),
            untold => write!(formatter, "\n(and {untold} more)"),
        }
    }
}

impl std::error::Error for Faults {}

/// The faults found so far while a value is judged.
#[derive(Debug, Default)]
pub(crate) struct Report {
    told: Vec<Fault>,
    untold: usize,
}

impl Report {
    /// Notes that `found` breaks the rule `expected`.
    pub(crate) fn expected(
        &mut self,
        at: &Location<'_>,
        expected: impl Into<Cow<'static, str>>,
        found: &Value,
    ) {
        self.note(at, || (Rule::Expected(expected.into()), Some(show(found))));
    }

    /// The same, for what is not worth showing as JSON alone.
    pub(crate) fn expected_but(
        &mut self,
        at: &Location<'_>,
        expected: impl Into<Cow<'static, str>>,
        found: impl Into<String>,
    ) {
        self.note(at, || (Rule::Expected(expected.into()), Some(found.into())));
    }

    /// Notes that a required member is not there.
    pub(crate) fn missing(&mut self, at: &Location<'_>, expected: &str) {
        self.note(at, || {
            (Rule::Expected(Cow::Owned(expected.to_owned())), None)
        });
    }

    /// Notes what the author's own code said about `found`.
    pub(crate) fn refused(&mut self, at: &Location<'_>, rule: String, found: Option<String>) {
        self.note(at, || (Rule::Refused(cut(rule, SAID)), found));
    }

    fn note(&mut self, at: &Location<'_>, what: impl FnOnce() -> (Rule, Option<String>)) {
        if self.told.len() < TOLD {
            let (rule, found) = what();
            self.told.push(Fault {
                pointer: at.pointer(),
                rule,
                found,
            });
        } else {
            self.untold += 1;
        }
    }

    /// What was judged, where nothing was noted.
    pub(crate) fn settle<T>(self, value: Option<T>) -> Result<T, Faults> {
        match value {
            Some(value) if self.told.is_empty() => Ok(value),
            _ if self.told.is_empty() => Err(Faults::from(Fault {
                pointer: String::new(),
                rule: Rule::Refused("the value does not fit".to_owned()),
                found: None,
            })),
            _ => Err(Faults {
                told: self.told,
                untold: self.untold,
            }),
        }
    }
}

/// Where a codec stands in the value; costs nothing until a fault asks for the pointer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Location<'a> {
    parent: Option<&'a Self>,
    step: Step<'a>,
}

#[derive(Clone, Copy, Debug)]
enum Step<'a> {
    Root,
    Key(&'a str),
    Index(usize),
}

impl Location<'_> {
    pub(crate) const ROOT: Location<'static> = Location {
        parent: None,
        step: Step::Root,
    };

    pub(crate) fn key<'a>(&'a self, name: &'a str) -> Location<'a> {
        Location {
            parent: Some(self),
            step: Step::Key(name),
        }
    }

    pub(crate) fn index(&self, index: usize) -> Location<'_> {
        Location {
            parent: Some(self),
            step: Step::Index(index),
        }
    }

    /// Hands `visit` the place that is `steps` further down.
    pub(crate) fn descend(&self, steps: &[Segment], visit: &mut dyn FnMut(&Location<'_>)) {
        match steps.split_first() {
            Some((Segment::Map { key }, rest)) => self.key(key).descend(rest, visit),
            Some((Segment::Seq { index }, rest)) => self.index(*index).descend(rest, visit),
            Some((_, rest)) => self.descend(rest, visit),
            None => visit(self),
        }
    }

    fn pointer(&self) -> String {
        let mut pointer = self.parent.map(Self::pointer).unwrap_or_default();
        match self.step {
            Step::Root => {}
            Step::Key(name) => {
                pointer.push('/');
                pointer.push_str(&cut(escaped(name).into_owned(), NAMED));
            }
            Step::Index(index) => {
                pointer.push('/');
                pointer.push_str(&index.to_string());
            }
        }
        pointer
    }
}

/// A member's name as a step of a JSON pointer (RFC 6901 §3).
pub(crate) fn escaped(name: &str) -> Cow<'_, str> {
    if name.contains(['~', '/']) {
        Cow::Owned(name.replace('~', "~0").replace('/', "~1"))
    } else {
        Cow::Borrowed(name)
    }
}

/// The start of a text, marked as such where there is more.
fn cut(mut text: String, longest: usize) -> String {
    if text.len() > longest {
        let whole = (0..=longest).rev().find(|end| text.is_char_boundary(*end));
        text.truncate(whole.unwrap_or_default());
        text.push('…');
    }
    text
}

/// A value as a fault shows it: its JSON, cut short, with its type where JSON alone misleads.
pub(crate) fn show(value: &Value) -> String {
    let json = shortened(value);
    match value {
        Value::String(_) => format!("the string {json}"),
        Value::Array(_) => format!("the array {json}"),
        Value::Object(_) => format!("the object {json}"),
        Value::Null | Value::Bool(_) | Value::Number(_) => json,
    }
}

/// The start of a value's JSON. Work and memory are bounded however large the value is.
pub(crate) fn shortened(value: &Value) -> String {
    let mut start = Start(Vec::new());
    let cut = serde_json::to_writer(&mut start, value).is_err();
    let mut text = match String::from_utf8(start.0) {
        Ok(text) => text,
        Err(error) => {
            let whole = error.utf8_error().valid_up_to();
            let mut bytes = error.into_bytes();
            bytes.truncate(whole);
            String::from_utf8(bytes).unwrap_or_default()
        }
    };
    if cut {
        text.push('…');
    }
    text
}

/// Keeps the first bytes and refuses the rest.
struct Start(Vec<u8>);

impl io::Write for Start {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = SHOWN.saturating_sub(self.0.len());
        if room == 0 && !bytes.is_empty() {
            return Err(io::ErrorKind::StorageFull.into());
        }
        let taken = bytes.get(..room).unwrap_or(bytes);
        self.0.extend_from_slice(taken);
        Ok(taken.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_shown_value_is_cut_on_a_character() {
        let text = show(&json!("é".repeat(10_000_000)));
        assert!(text.ends_with('…'), "{text}");
        assert!(text.starts_with("the string \"éé"), "{text}");
        assert!(text.len() <= "the string ".len() + SHOWN + '…'.len_utf8());
        assert_eq!(show(&json!("x".repeat(78))).len(), "the string ".len() + 80);
    }

    #[test]
    fn a_pointer_escapes_its_steps() {
        let root = Location::ROOT;
        let key = root.key("a/b~c");
        let index = key.index(3);
        assert_eq!(index.pointer(), "/a~1b~0c/3");
        assert_eq!(root.pointer(), "");
    }

    // SCH-07
    #[test]
    fn long_names_and_words_are_cut() {
        let name = "é".repeat(1 << 20);
        let mut report = Report::default();
        let root = Location::ROOT;
        report.refused(&root.key(&name), name.clone(), None);
        let text = report.settle(None::<()>).unwrap_err().to_string();
        assert!(text.starts_with("/éé") && text.ends_with("é…"), "{text}");
        assert!(text.len() < NAMED + SAID + 20, "{}", text.len());
    }

    // SCH-07
    #[test]
    fn faults_beyond_the_limit_are_counted() {
        let mut report = Report::default();
        for index in 0..1000 {
            report.expected(&Location::ROOT.index(index), "a string", &Value::Null);
        }
        let faults = report.settle(None::<()>).unwrap_err();
        assert_eq!(faults.iter().count(), TOLD);
        assert!(faults.to_string().ends_with("\n(and 936 more)"));
    }
}
