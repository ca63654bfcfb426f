//! One name for all spellings of the same arguments.

use serde_json::{Map, Number, Value};
use sha2::{Digest as _, Sha256};

use super::shared::length;
use crate::codec::integral;

/// A SHA-256 over the arguments of a request as its handler reads them: neither the order of
/// members nor white space, escapes or how a number is spelled (`1`, `1.0`) makes a difference
/// (RS-05).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Digest([u8; 32]);

impl Digest {
    /// The digest of these arguments; of none at all, that of an empty object.
    ///
    /// Recurses as deep as they are nested, which the depth of a frame bounds.
    pub(crate) fn of(arguments: &Map<String, Value>) -> Self {
        let mut hasher = Sha256::new();
        members(&mut hasher, arguments);
        Self(hasher.finalize().into())
    }

    pub(super) fn bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// Each value begins with a byte that tells its kind, and says how long it is, so that no two
/// different values give the same bytes.
fn value(hasher: &mut Sha256, of: &Value) {
    match of {
        Value::Null => hasher.update(b"n"),
        Value::Bool(false) => hasher.update(b"f"),
        Value::Bool(true) => hasher.update(b"t"),
        Value::Number(of) => number(hasher, of),
        Value::String(of) => text(hasher, *b"s", of),
        Value::Array(items) => {
            hasher.update(b"a");
            hasher.update(count(items.len()));
            for item in items {
                value(hasher, item);
            }
        }
        Value::Object(of) => members(hasher, of),
    }
}

fn members(hasher: &mut Sha256, of: &Map<String, Value>) {
    hasher.update(b"o");
    hasher.update(count(of.len()));
    // Sorted already, unless the application has turned on `preserve_order`.
    let mut sorted: Vec<_> = of.iter().collect();
    sorted.sort_unstable_by_key(|(key, _)| *key);
    for (key, member) in sorted {
        text(hasher, *b"k", key);
        value(hasher, member);
    }
}

fn number(hasher: &mut Sha256, of: &Number) {
    if let Some(integer) = integral(of) {
        hasher.update(b"i");
        hasher.update(integer.to_be_bytes());
    } else if let Some(float) = of.as_f64() {
        hasher.update(b"d");
        hasher.update(float.to_bits().to_be_bytes());
    } else {
        // Beyond every double, where the application has turned on `arbitrary_precision`.
        text(hasher, *b"p", &of.to_string());
    }
}

fn text(hasher: &mut Sha256, kind: [u8; 1], of: &str) {
    hasher.update(kind);
    hasher.update(length(of.as_bytes()));
    hasher.update(of.as_bytes());
}

fn count(of: usize) -> [u8; 8] {
    // `usize` is at most 64 bits wide wherever Rust runs.
    u64::try_from(of).unwrap_or(u64::MAX).to_be_bytes()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::sample::Index;
    use serde_json::json;

    use super::*;

    // RS-05
    #[test]
    fn numbers_count_by_their_value() {
        let digest = |text: &str| Digest::of(&serde_json::from_str(text).unwrap());
        let same = [
            r#"{"n":100}"#,
            r#"{"n":1e2}"#,
            r#"{"n":100.0}"#,
            r#"{ "n" : 1000e-1 }"#,
        ];
        assert!(same.iter().all(|text| digest(text) == digest(same[0])));
        assert_eq!(digest(r#"{"n":-0.0}"#), digest(r#"{"n":0}"#));
        let different = [
            "0",
            "1",
            "-1",
            "true",
            "\"1\"",
            "[1]",
            "0.1",
            "1e-1000",
            "0.30000000000000004",
            "0.3",
            "9007199254740993",
            "9007199254740992",
            "18446744073709551615",
            "1.8446744073709552e19",
        ];
        let digests: Vec<_> = different
            .iter()
            .map(|n| digest(&format!(r#"{{"n":{n}}}"#)))
            .collect();
        for (index, one) in digests.iter().enumerate() {
            for (other, another) in digests.iter().enumerate() {
                // The smallest is nothing, as its handler reads it.
                let both = [different[index], different[other]];
                let nothing = both.iter().all(|n| ["0", "1e-1000"].contains(n));
                assert_eq!(one == another, index == other || nothing, "{both:?}");
            }
        }
    }

    /// A JSON value, and text of the same value spelled in another way.
    fn spellings() -> impl Strategy<Value = (Map<String, Value>, String)> {
        let leaf = prop_oneof![
            Just((json!(null), "null".to_owned())),
            any::<bool>().prop_map(|flag| (json!(flag), flag.to_string())),
            any::<i32>().prop_map(|integer| (json!(integer), format!("{integer}.0e0"))),
            any::<u64>().prop_map(|integer| (json!(integer), integer.to_string())),
            any::<i64>().prop_map(|integer| (json!(integer), integer.to_string())),
            (-1e9..1e9).prop_map(|float| (json!(float), format!("{float:e}"))),
            any::<String>().prop_map(|text| {
                let escaped = text.encode_utf16().map(|unit| format!("\\u{unit:04x}"));
                let spelled = format!("\"{}\"", escaped.collect::<String>());
                (json!(text), spelled)
            }),
        ];
        let value = leaf.prop_recursive(4, 24, 4, |inner| {
            let items = proptest::collection::vec(inner.clone(), 0..4).prop_map(|items| {
                let (values, texts): (Vec<_>, Vec<_>) = items.into_iter().unzip();
                (Value::Array(values), format!("[ {} ]", texts.join(" ,")))
            });
            prop_oneof![
                items,
                object(inner).prop_map(|(members, text)| (Value::Object(members), text))
            ]
        });
        object(value)
    }

    fn object(
        value: impl Strategy<Value = (Value, String)>,
    ) -> impl Strategy<Value = (Map<String, Value>, String)> {
        proptest::collection::btree_map("[a-z\"\\\\é]{0,3}", value, 0..4).prop_map(|members| {
            // From the last to the first, which `Map` sorts.
            let text = members
                .iter()
                .rev()
                .map(|(key, (_, text))| format!("{} :\n{text}", json!(key)));
            let text = format!("{{{}}}", text.collect::<Vec<_>>().join(" , "));
            let values = members.into_iter().map(|(key, (value, _))| (key, value));
            (values.collect(), text)
        })
    }

    proptest! {
        // RS-05
        #[test]
        fn arguments_have_one_digest_however_they_are_spelled((value, text) in spellings()) {
            let read: Map<String, Value> = serde_json::from_str(&text).unwrap();
            prop_assert_eq!(Digest::of(&read), Digest::of(&value), "{}", text);
        }

        // RS-05
        #[test]
        fn a_changed_value_changes_the_digest(
            (value, _) in spellings(), (other, _) in spellings(), at in any::<Index>()
        ) {
            let before = Value::Object(value);
            let mut at = Some(at.index(leaves(&before).max(1)));
            let after = replaced(before.clone(), &mut at, &Value::Object(other));
            let same = crate::schema::equal(&before, &after);
            prop_assert_eq!(of(&before) == of(&after), same);
        }
    }

    /// How many values inside one have none inside them.
    fn leaves(value: &Value) -> usize {
        match value {
            Value::Array(items) => items.iter().map(leaves).sum(),
            Value::Object(members) => members.values().map(leaves).sum(),
            _ => 1,
        }
    }

    /// The value with another in place of its leaf of that number.
    fn replaced(value: Value, at: &mut Option<usize>, with: &Value) -> Value {
        match value {
            Value::Array(items) => {
                let items = items.into_iter().map(|item| replaced(item, at, with));
                Value::Array(items.collect())
            }
            Value::Object(members) => {
                let members = members
                    .into_iter()
                    .map(|(key, member)| (key, replaced(member, at, with)));
                Value::Object(members.collect())
            }
            leaf => {
                let here = *at == Some(0);
                *at = at.and_then(|at| at.checked_sub(1));
                if here { with.clone() } else { leaf }
            }
        }
    }

    fn of(value: &Value) -> Digest {
        Digest::of(value.as_object().unwrap())
    }
}
