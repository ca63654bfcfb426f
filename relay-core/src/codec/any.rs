//! Any value at all, and none.

use serde_json::Value;

use super::about::About;
use super::annotation::Annotation;
use super::combine::combinators;
use super::decoder::Decode;
use super::encoder::Encode;
use super::fault::{Location, Report};
use super::{Codec, IntoCodec};
use crate::schema::Schema;

/// A builder of codecs of any value: see [`any`].
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct AnyCodec {
    annotation: Annotation,
}

/// Any JSON value.
///
/// An integer beyond 64 bits has become a floating point number by the time it is a [`Value`].
///
/// ```
/// use relay_core::codec::{self, IntoCodec};
/// use serde_json::json;
///
/// let codec = codec::object(codec::field("payload", codec::any())).into_codec();
/// assert_eq!(codec.decode(json!({"payload": null})).unwrap(), json!(null));
/// assert_eq!(codec.decoder().schema().to_value()["properties"]["payload"], json!({}));
/// ```
pub fn any() -> AnyCodec {
    AnyCodec::default()
}

combinators!([] AnyCodec);

impl IntoCodec for AnyCodec {
    type Value = Value;

    fn into_codec(self) -> Codec<Value> {
        let schema = Schema::new(self.annotation.words());
        let about = About::new(schema, "any value", Vec::new()).with_null(true);
        Codec::of(about, Any)
    }
}

struct Any;

impl Decode<Value> for Any {
    fn decode(&self, value: Value, _at: &Location<'_>, _report: &mut Report) -> Option<Value> {
        Some(value)
    }
}

impl Encode<Value> for Any {
    fn encode(&self, value: Value, _at: &Location<'_>, _report: &mut Report) -> Option<Value> {
        Some(value)
    }
}

/// A builder of codecs of `null`: see [`unit()`].
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct UnitCodec {
    annotation: Annotation,
}

/// `null`: what a tool returns that has nothing to say (TOOL-15).
///
/// A tool without arguments takes `object(())`, since arguments are an object.
///
/// ```
/// use relay_core::codec::{self, IntoCodec};
/// use serde_json::json;
///
/// let codec = codec::unit().into_codec();
/// assert_eq!(codec.encode(()).unwrap(), json!(null));
/// assert_eq!(
///     codec.decode(json!(0)).unwrap_err().to_string(),
///     "(root): expected null, got 0",
/// );
/// ```
pub fn unit() -> UnitCodec {
    UnitCodec::default()
}

combinators!([] UnitCodec);

impl IntoCodec for UnitCodec {
    type Value = ();

    fn into_codec(self) -> Codec<()> {
        let schema = Schema::new(self.annotation.members("null"));
        Codec::of(
            About::new(schema, EXPECTATION, Vec::new()).with_null(true),
            Unit,
        )
    }
}

const EXPECTATION: &str = "null";

struct Unit;

impl Decode<()> for Unit {
    fn decode(&self, value: Value, at: &Location<'_>, report: &mut Report) -> Option<()> {
        if value.is_null() {
            return Some(());
        }
        report.expected(at, EXPECTATION, &value);
        None
    }
}

impl Encode<()> for Unit {
    fn encode(&self, (): (), _at: &Location<'_>, _report: &mut Report) -> Option<Value> {
        Some(Value::Null)
    }
}
