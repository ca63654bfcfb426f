use std::{
    borrow::Cow,
    cmp::Ordering,
    fmt,
    hash::{Hash, Hasher},
    sync::Arc,
};

use serde::{Serialize, Serializer, ser::Error as _};
use serde_json::value::RawValue;

/// The id of a request: a string or an integer of any size, kept as the peer wrote it.
///
/// An answer repeats it digit for digit and escape for escape (JR-02, JR-16). Two ids are equal if
/// they are the same value of the same type: `"1"` is not `1`, but `"\u0061"` is `"a"`. Cloning is
/// cheap.
///
/// ```
/// use relay_core::protocol::jsonrpc::Id;
///
/// let id = Id::parse("18446744073709551616").expect("an integer");
/// assert_eq!(id.as_json(), "18446744073709551616");
/// assert_ne!(Id::from("1"), Id::from(1));
/// assert_eq!(Id::parse(r#""\u0061""#), Some(Id::from("a")));
/// assert_eq!(Id::parse("1.0"), None);
/// ```
#[derive(Clone)]
pub struct Id(Text);

/// The JSON text of an id: in place where it is as short as most are.
#[derive(Clone)]
enum Text {
    Short { length: u8, bytes: [u8; SHORT] },
    Long(Arc<Box<str>>),
}

/// As many bytes as make an id no larger than an `Arc<str>`.
const SHORT: usize = 14;

impl Text {
    fn new(text: &str) -> Self {
        let mut bytes = [0; SHORT];
        match (bytes.get_mut(..text.len()), u8::try_from(text.len())) {
            (Some(place), Ok(length)) => {
                place.copy_from_slice(text.as_bytes());
                Self::Short { length, bytes }
            }
            _ => Self::Long(Arc::new(text.into())),
        }
    }

    fn as_str(&self) -> &str {
        match self {
            Self::Short { length, bytes } => {
                let text = bytes.get(..usize::from(*length)).unwrap_or_default();
                // It was text when it came in.
                str::from_utf8(text).unwrap_or_default()
            }
            Self::Long(text) => text,
        }
    }
}

impl Id {
    /// The id that this JSON text writes: a string, or an integer without fraction or exponent,
    /// with nothing around it. `None` for anything else.
    #[must_use]
    pub fn parse(raw: &str) -> Option<Self> {
        let valid = match raw.as_bytes() {
            [b'"', .., b'"'] => unescape(raw).is_some(),
            [b'-', digits @ ..] | digits => match digits {
                [b'0'] => true,
                [b'1'..=b'9', rest @ ..] => rest.iter().all(u8::is_ascii_digit),
                _ => false,
            },
        };
        valid.then(|| Self(Text::new(raw)))
    }

    /// The JSON text of the id, as the peer wrote it.
    #[must_use]
    pub fn as_json(&self) -> &str {
        self.0.as_str()
    }

    fn value(&self) -> IdValue<'_> {
        let Some(integer) = self.integer() else {
            return IdValue::Text(unescape(self.as_json()).unwrap_or_default());
        };
        let digits = integer.strip_prefix('-').unwrap_or(integer);
        IdValue::Integer {
            negative: digits.len() != integer.len() && digits != "0",
            digits,
        }
    }

    fn integer(&self) -> Option<&str> {
        Some(self.as_json()).filter(|text| !text.starts_with('"'))
    }
}

impl From<i64> for Id {
    fn from(id: i64) -> Self {
        Self(Text::new(&id.to_string()))
    }
}

impl From<&str> for Id {
    fn from(id: &str) -> Self {
        Self(Text::new(&serde_json::Value::from(id).to_string()))
    }
}

impl PartialEq for Id {
    fn eq(&self, other: &Self) -> bool {
        self.as_json() == other.as_json() || self.value() == other.value()
    }
}

impl Eq for Id {}

impl Hash for Id {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.value().hash(state);
    }
}

impl Ord for Id {
    fn cmp(&self, other: &Self) -> Ordering {
        self.value().cmp(&other.value())
    }
}

impl PartialOrd for Id {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Id({})", self.as_json())
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_json())
    }
}

/// Writes the id as the peer wrote it, which needs `serde_json`'s serializer.
impl Serialize for Id {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serde_json::from_str::<&RawValue>(self.as_json())
            .map_err(S::Error::custom)?
            .serialize(serializer)
    }
}

/// What an id means, apart from how it was written.
#[derive(Eq, Hash, PartialEq)]
enum IdValue<'a> {
    Integer { negative: bool, digits: &'a str },
    Text(Cow<'a, str>),
}

impl Ord for IdValue<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Text(one), Self::Text(two)) => one.cmp(two),
            (Self::Text(_), Self::Integer { .. }) => Ordering::Greater,
            (Self::Integer { .. }, Self::Text(_)) => Ordering::Less,
            (
                Self::Integer { negative, digits },
                Self::Integer {
                    negative: other_negative,
                    digits: other_digits,
                },
            ) => {
                // JSON allows no leading zeros, so the longer number is the larger one.
                let magnitude = (digits.len(), digits).cmp(&(other_digits.len(), other_digits));
                match (negative, other_negative) {
                    (false, false) => magnitude,
                    (true, true) => magnitude.reverse(),
                    (true, false) => Ordering::Less,
                    (false, true) => Ordering::Greater,
                }
            }
        }
    }
}

impl PartialOrd for IdValue<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The text of a JSON string literal; `None` if it is not one.
fn unescape(raw: &str) -> Option<Cow<'_, str>> {
    let plain = raw.strip_prefix('"')?.strip_suffix('"').filter(|text| {
        !text
            .bytes()
            .any(|byte| matches!(byte, b'"' | b'\\' | ..0x20))
    });
    match plain {
        Some(text) => Some(Cow::Borrowed(text)),
        None => serde_json::from_str(raw).ok().map(Cow::Owned),
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::HashSet, hash::BuildHasher};

    use proptest::prelude::*;

    use super::*;

    // JR-04, J01
    #[test]
    fn only_strings_and_integers_are_ids() {
        for raw in [
            "0",
            "-0",
            "-1",
            "7",
            r#""""#,
            r#""0""#,
            r#""ünï""#,
            r#""\"""#,
            r#""\ud83d\ude00""#,
            r#""\u0000""#,
            "123456789012345678901234567890",
        ] {
            assert_eq!(Id::parse(raw).unwrap().as_json(), raw);
        }
        for raw in [
            "",
            "-",
            "+1",
            "01",
            "-01",
            "1.0",
            "1.5",
            "1e2",
            "1E2",
            "true",
            "null",
            "[1]",
            "{}",
            " 1",
            "1 ",
            "\"",
            "\"a",
            "a\"",
            "\"a\"b\"",
            "\"a\" ",
            r#""\ud800""#,
            r#""\x""#,
            "\"\n\"",
            "\"\u{0}\"",
            "½",
            "٣",
        ] {
            assert_eq!(Id::parse(raw), None, "{raw}");
        }
    }

    // JR-02, J01
    #[test]
    fn equality_is_by_value_and_type() {
        let id = |raw| Id::parse(raw).unwrap();
        assert_ne!(id("1"), id(r#""1""#));
        assert_eq!(id("0"), id("-0"));
        assert_eq!(id(r#""\u0061/""#), id(r#""a\/""#));
        assert_ne!(id(r#""\\u0061""#), id(r#""a""#));
        assert_eq!(Id::from(-5), id("-5"));
        assert_eq!(Id::from("q\"\n"), id(r#""q\"\u000a""#));

        let mut ids = HashSet::from([id("0"), id(r#""\u0061""#)]);
        assert!(!ids.insert(id("-0")) && !ids.insert(id(r#""a""#)));
        assert!(ids.insert(id(r#""0""#)));
    }

    #[test]
    fn order_is_by_number_then_by_text() {
        let sorted = [
            "-100", "-99", "-1", "0", "9", "10", "100", r#""""#, r#""10""#, r#""9""#,
        ];
        assert!(sorted.map(|raw| Id::parse(raw).unwrap()).is_sorted());
    }

    // JR-16, J01
    #[test]
    fn an_id_is_written_as_it_came() {
        for raw in [
            "18446744073709551616",
            "-0",
            r#""\u0061\/""#,
            r#""éééééé""#,
            &"9".repeat(SHORT),
            &"9".repeat(SHORT + 1),
            &"9".repeat(5_000),
        ] {
            let id = Id::parse(raw).unwrap();
            assert_eq!(id.as_json(), raw);
            assert_eq!(serde_json::to_string(&id).unwrap(), raw);
            assert_eq!(serde_json::to_string(&[id]).unwrap(), format!("[{raw}]"));
        }
    }

    proptest! {
        // JR-02, JR-16
        #[test]
        fn ids_agree_with_the_values_they_write(one in id_text(), two in id_text()) {
            let (left, right) = (Id::parse(&one).unwrap(), Id::parse(&two).unwrap());
            prop_assert_eq!(left.as_json(), &one);
            let value = |raw: &str| serde_json::from_str::<serde_json::Value>(raw).unwrap();
            prop_assert_eq!(left == right, value(&one) == value(&two));
            prop_assert_eq!(left == right, left.cmp(&right).is_eq());
            if left == right {
                let hasher = std::hash::RandomState::new();
                prop_assert_eq!(hasher.hash_one(&left), hasher.hash_one(&right));
            }
        }
    }

    /// Few values, written in several ways.
    fn id_text() -> impl Strategy<Value = String> {
        let character = prop_oneof![
            Just("a"),
            Just(r"\u0061"),
            Just("1"),
            Just(r"\/"),
            Just("/"),
            Just("é"),
            Just(r"\u00e9"),
            Just(r"\u00E9"),
        ];
        prop_oneof![
            (-20_i64..20).prop_map(|id| id.to_string()),
            any::<i64>().prop_map(|id| id.to_string()),
            any::<String>().prop_map(|id| serde_json::Value::from(id).to_string()),
            proptest::collection::vec(character, 0..3)
                .prop_map(|parts| format!("\"{}\"", parts.concat())),
        ]
    }
}
