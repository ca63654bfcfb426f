//! `true` and `false`.

use serde_json::Value;

use super::about::About;
use super::annotation::Annotation;
use super::combine::{combinators, mirrored};
use super::decoder::Decode;
use super::encoder::Encode;
use super::fault::{Location, Report};
use super::{Codec, IntoCodec};
use crate::schema::Schema;

/// A builder of boolean codecs: see [`boolean`].
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct BooleanCodec {
    annotation: Annotation,
}

/// `true` or `false`.
///
/// ```
/// use relay_core::codec::{self, IntoCodec};
/// use serde_json::json;
///
/// let codec = codec::boolean().describe("Really?").into_codec();
/// assert_eq!(codec.decode(json!(true)).unwrap(), true);
/// assert_eq!(
///     codec.decode(json!("true")).unwrap_err().to_string(),
///     "(root): expected true or false, got the string \"true\"",
/// );
/// ```
pub fn boolean() -> BooleanCodec {
    BooleanCodec::default()
}

combinators!([] BooleanCodec);
mirrored!([] BooleanCodec);

impl IntoCodec for BooleanCodec {
    type Value = bool;

    fn into_codec(self) -> Codec<bool> {
        let schema = Schema::new(self.annotation.members("boolean"));
        Codec::of(About::new(schema, EXPECTATION, Vec::new()), Boolean)
    }
}

const EXPECTATION: &str = "true or false";

struct Boolean;

impl Decode<bool> for Boolean {
    fn decode(&self, value: Value, at: &Location<'_>, report: &mut Report) -> Option<bool> {
        if let Value::Bool(flag) = value {
            return Some(flag);
        }
        report.expected(at, EXPECTATION, &value);
        None
    }
}

impl Encode<bool> for Boolean {
    fn encode(&self, value: bool, _at: &Location<'_>, _report: &mut Report) -> Option<Value> {
        Some(Value::Bool(value))
    }
}
