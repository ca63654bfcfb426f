//! Binary data.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::about::About;
use super::annotation::Annotation;
use super::combine::combinators;
use super::decoder::Decode;
use super::encoder::Encode;
use super::fault::{Location, Report};
use super::{Codec, IntoCodec};
use crate::schema::{Node, Schema};

/// A builder of codecs of binary data: see [`bytes()`].
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct BytesCodec {
    annotation: Annotation,
}

/// Binary data, as base64 (RFC 4648 §4, padded) in a string.
///
/// ```
/// use relay_core::codec::{self, IntoCodec};
/// use serde_json::json;
///
/// let codec = codec::bytes().into_codec();
/// assert_eq!(codec.decode(json!("SGVsbG8=")).unwrap(), b"Hello");
/// assert_eq!(codec.encode(b"Hello".to_vec()).unwrap(), json!("SGVsbG8="));
/// assert_eq!(
///     codec.decode(json!("SGVsbG8")).unwrap_err().to_string(),
///     "(root): expected base64 with padding, got the string \"SGVsbG8\"",
/// );
/// ```
pub fn bytes() -> BytesCodec {
    BytesCodec::default()
}

combinators!([] BytesCodec);

/// Exactly what the decoder reads: groups of four, and a last one whose unused bits are zero.
const PATTERN: &str = "^([A-Za-z0-9+/]{4})*\
                       ([A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$";

const EXPECTATION: &str = "base64 with padding";

impl IntoCodec for BytesCodec {
    type Value = Vec<u8>;

    fn into_codec(self) -> Codec<Vec<u8>> {
        let mut members = self.annotation.members("string");
        members.insert("contentEncoding".to_owned(), Node::from("base64"));
        members.insert("pattern".to_owned(), Node::from(PATTERN));
        let about = About::new(Schema::new(members), EXPECTATION, Vec::new());
        Codec::of(about, Base64)
    }
}

struct Base64;

impl Decode<Vec<u8>> for Base64 {
    fn decode(&self, value: Value, at: &Location<'_>, report: &mut Report) -> Option<Vec<u8>> {
        let decoded = value.as_str().and_then(|text| STANDARD.decode(text).ok());
        if decoded.is_none() {
            report.expected(at, EXPECTATION, &value);
        }
        decoded
    }
}

impl Encode<Vec<u8>> for Base64 {
    fn encode(&self, value: Vec<u8>, _at: &Location<'_>, _report: &mut Report) -> Option<Value> {
        Some(Value::String(STANDARD.encode(value)))
    }
}
