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
