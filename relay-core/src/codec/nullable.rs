//! Values that may be `null`.

use std::sync::Arc;

use serde_json::Value;

use super::about::About;
use super::annotation::Annotation;
use super::combine::combinators;
use super::decoder::Decode;
use super::encoder::Encode;
use super::fault::{Location, Report};
use super::{Codec, Decoder, Encoder, IntoCodec};
use crate::schema::{Definitions, Members, Node, Schema};

/// A builder of codecs of values that may be `null`: see [`nullable`].
#[derive(Clone, Debug)]
#[must_use]
pub struct NullableCodec<T> {
    annotation: Annotation,
    value: Codec<T>,
}

/// A value or `null`, which is `None`.
///
/// In an object this is a member that has to be there and may be `null`. A member that may be left
/// out is [`optional`](super::optional), which most models fill better.
///
/// ```
/// use relay_core::codec::{self, IntoCodec};
/// use serde_json::json;
///
/// let codec = codec::nullable(codec::integer::<u8>()).into_codec();
/// assert_eq!(codec.decode(json!(null)).unwrap(), None);
/// assert_eq!(codec.decode(json!(7)).unwrap(), Some(7));
/// assert_eq!(
///     codec.decode(json!("7")).unwrap_err().to_string(),
///     "(root): expected an integer from 0 to 255 or null, got the string \"7\"",
/// );
/// ```
pub fn nullable<C: IntoCodec>(codec: C) -> NullableCodec<C::Value> {
    NullableCodec {
        annotation: Annotation::default(),
        value: codec.into_codec(),
    }
}

combinators!([T: 'static] NullableCodec<T>);

impl<T> NullableCodec<T> {
    fn about(&self, value: &About) -> About {
        let schema = self.schema(&value.schema, value.admits_null);
        let expectation = format!("{} or null", value.expectation);
        About::new(schema, expectation, value.faults.clone()).with_null(true)
    }

    fn schema(&self, value: &Schema, admits_null: bool) -> Schema {
        let mut definitions = Definitions::default();
        let value = definitions.adopt(value);
        let mut members = match value {
            Node::Object(members) if admits_null => members,
            Node::Object(members) => with_null(members),
            other => Members::from_iter([("anyOf".to_owned(), Node::Array(vec![other]))]),
        };
        self.annotation.apply(&mut members);
        definitions.finish(members)
    }
}

/// The schema of `members` that admits `null` as well: in its type if that says all, as a branch
/// otherwise.
fn with_null(mut members: Members) -> Members {
    /// What says more than which values of its own type fit.
    const WHOLE: [&str; 9] = [
        "$ref", "allOf", "anyOf", "const", "else", "if", "not", "oneOf", "then",
    ];

    let whole = WHOLE.iter().any(|keyword| members.contains_key(*keyword));
    if let (false, Some(Node::String(kind))) = (whole, members.get("type")) {
        let kinds = vec![Node::from(kind.as_str()), Node::from("null")];
        members.insert("type".to_owned(), Node::Array(kinds));
        if let Some(Node::Array(choices)) = members.get_mut("enum") {
            choices.push(Node::Null);
        }
        return members;
    }
    let mut outer = Members::new();
    for keyword in ["title", "description"] {
        if let Some(text) = members.shift_remove(keyword) {
            outer.insert(keyword.to_owned(), text);
        }
    }
    let null = Node::object([("type", Node::from("null"))]);
    outer.insert(
        "anyOf".to_owned(),
        Node::Array(vec![Node::Object(members), null]),
    );
    outer
}

impl<T: 'static> IntoCodec for NullableCodec<T> {
    type Value = Option<T>;

    fn into_codec(self) -> Codec<Option<T>> {
        let reads = self.about(self.value.decoder().about());
        let writes = self.about(self.value.encoder().about());
        let read = ReadNullable {
            expectation: reads.expectation.clone().into_owned(),
            value: self.value.decoder,
        };
        Codec::new(
            Decoder::new(reads, Arc::new(read)),
            Encoder::new(writes, Arc::new(WriteNullable(self.value.encoder))),
        )
    }
}

struct ReadNullable<T> {
    expectation: String,
    value: Decoder<T>,
}

impl<T> Decode<Option<T>> for ReadNullable<T> {
    fn decode(&self, value: Value, at: &Location<'_>, report: &mut Report) -> Option<Option<T>> {
        if value.is_null() {
            return Some(None);
        }
        if self.value.is_of_another_type(&value) {
            report.expected(at, self.expectation.clone(), &value);
            return None;
        }
        self.value.decode_at(value, at, report).map(Some)
    }
}

struct WriteNullable<T>(Encoder<T>);

impl<T> Encode<Option<T>> for WriteNullable<T> {
    fn encode(&self, value: Option<T>, at: &Location<'_>, report: &mut Report) -> Option<Value> {
        match value {
            Some(value) => self.0.encode_at(value, at, report),
            None => Some(Value::Null),
        }
    }
}
