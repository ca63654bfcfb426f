//! Objects of named fields.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::Value;

use super::about::About;
use super::annotation::Annotation;
use super::combine::combinators;
use super::decoder::Decode;
use super::encoder::Encode;
use super::fault::{Location, Report};
use super::fields::{Assembly, Fields, Member, ReadMembers, WriteMembers};
use super::{Codec, Decoder, DefinitionFault, Encoder, IntoCodec, wording};
use crate::schema::{Definitions, Members, Node, Schema};

/// A builder of object codecs: see [`object`].
#[derive(Clone, Debug)]
#[must_use]
pub struct ObjectCodec<T> {
    annotation: Annotation,
    assembly: Assembly<T>,
    open: bool,
}

/// An object of these fields and no others, which are published in the order written: models fill
/// arguments in that order.
///
/// The fields are a tuple, whose value is a tuple; a lone field, whose value is the object's; or
/// `()`, for a tool without arguments.
///
/// ```
/// use relay_core::codec::{self, IntoCodec};
/// use serde_json::json;
///
/// let codec = codec::object((
///     codec::field("title", codec::string()),
///     codec::optional("tags", codec::list(codec::string())),
/// ))
/// .into_codec();
/// assert_eq!(
///     codec.decoder().schema().to_string(),
///     concat!(
///         r#"{"type":"object","properties":{"title":{"type":"string"},"#,
///         r#""tags":{"type":"array","items":{"type":"string"}}},"#,
///         r#""required":["title"],"additionalProperties":false}"#,
///     ),
/// );
/// assert_eq!(codec.decode(json!({"title": "Tea"})).unwrap(), ("Tea".to_owned(), None));
///
/// codec::object(()).into_codec().decode(json!({})).unwrap();
/// ```
pub fn object<F: Fields>(fields: F) -> ObjectCodec<F::Value> {
    ObjectCodec {
        annotation: Annotation::default(),
        assembly: fields.assemble(),
        open: false,
    }
}

impl<T> ObjectCodec<T> {
    /// Other members than the fields may be there, and are left aside.
    ///
    /// ```
    /// use relay_core::codec::{self, IntoCodec};
    /// use serde_json::json;
    ///
    /// let codec = codec::object(codec::field("id", codec::string())).open().into_codec();
    /// assert_eq!(codec.decode(json!({"id": "a", "more": 1})).unwrap(), "a");
    /// ```
    pub fn open(mut self) -> Self {
        self.open = true;
        self
    }

    fn schema(&self, members: &[Member]) -> Schema {
        let mut definitions = Definitions::default();
        let properties: Members = members
            .iter()
            .map(|member| {
                (
                    member.name.as_ref().to_owned(),
                    definitions.adopt(&member.schema),
                )
            })
            .collect();
        let required: Vec<Node> = members
            .iter()
            .filter(|member| member.required)
            .map(|member| Node::from(&*member.name))
            .collect();
        let mut root = self.annotation.members("object");
        root.insert("properties".to_owned(), Node::Object(properties));
        if !required.is_empty() {
            root.insert("required".to_owned(), Node::Array(required));
        }
        if !self.open {
            root.insert("additionalProperties".to_owned(), Node::Bool(false));
        }
        definitions.finish(root)
    }
}

fn faults(members: &[Member]) -> Vec<DefinitionFault> {
    let mut faults: Vec<DefinitionFault> = members
        .iter()
        .flat_map(|member| member.faults.iter().map(|fault| fault.under(&member.name)))
        .collect();
    for (index, member) in members.iter().enumerate() {
        if members
            .iter()
            .take(index)
            .any(|earlier| earlier.name == member.name)
        {
            faults.push(DefinitionFault::new(format!(
                "the field `{}` is there twice",
                member.name
            )));
        }
    }
    faults
}

combinators!([T: 'static] ObjectCodec<T>);

impl<T: 'static> IntoCodec for ObjectCodec<T> {
    type Value = T;

    fn into_codec(self) -> Codec<T> {
        let Assembly {
            inputs,
            outputs,
            read,
            write,
        } = &self.assembly;
        let names: Vec<String> = inputs
            .iter()
            .map(|member| format!("`{}`", member.name))
            .collect();
        let decoder = Decoder::new(
            About::new(self.schema(inputs), EXPECTATION, faults(inputs)),
            Arc::new(ReadObject {
                members: Arc::clone(read),
                closed: (!self.open).then(|| wording::closed(&names)),
            }),
        );
        let encoder = Encoder::new(
            About::new(self.schema(outputs), EXPECTATION, faults(outputs)),
            Arc::new(WriteObject(Arc::clone(write))),
        );
        Codec::new(decoder, encoder)
    }
}

const EXPECTATION: &str = "an object";

struct ReadObject<T> {
    members: Arc<dyn ReadMembers<T>>,
    /// What to say of a member that is no field, if there may be none.
    closed: Option<Cow<'static, str>>,
}

impl<T> Decode<T> for ReadObject<T> {
    fn decode(&self, value: Value, at: &Location<'_>, report: &mut Report) -> Option<T> {
        let Value::Object(mut members) = value else {
            report.expected(at, EXPECTATION, &value);
            return None;
        };
        let read = self.members.read(&mut members, at, report);
        let Some(closed) = &self.closed else {
            return read;
        };
        for name in members.keys() {
            report.expected_but(&at.key(name), closed.clone(), "an unknown field");
        }
        read.filter(|_| members.is_empty())
    }
}

struct WriteObject<T>(Arc<dyn WriteMembers<T>>);

impl<T> Encode<T> for WriteObject<T> {
    fn encode(&self, value: T, at: &Location<'_>, report: &mut Report) -> Option<Value> {
        self.0.write(value, at, report).map(Value::Object)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::{boolean, defaulted, field, integer, optional, string};
    use serde_json::json;

    // T01, TOOL-03
    #[test]
    fn the_empty_input_is_closed() {
        let codec = object(()).into_codec();
        assert_eq!(
            codec.decoder().schema().to_value(),
            json!({"type": "object", "properties": {}, "additionalProperties": false})
        );
        codec.decode(json!({})).unwrap();
        assert_eq!(
            codec.decode(json!({"zz": 1})).unwrap_err().to_string(),
            "/zz: expected no fields at all, got an unknown field"
        );
        assert_eq!(codec.encode(()).unwrap(), json!({}));
    }

    // T07, TOOL-07
    #[test]
    fn every_fault_is_reported_in_the_order_of_the_schema() {
        let codec = object((
            field("b", integer::<i64>()),
            field("a", string()),
            field(
                "inner",
                object((field("z", boolean()), optional("y", integer::<u8>()))),
            ),
        ))
        .into_codec();
        let faults = codec
            .decode(json!({"zz": 1, "b": "3", "inner": {"y": 256, "x": null}}))
            .unwrap_err();
        let pointers: Vec<_> = faults.iter().map(super::super::Fault::pointer).collect();
        assert_eq!(
            pointers,
            ["/b", "/a", "/inner/z", "/inner/y", "/inner/x", "/zz"]
        );
        let faults = codec.decode(json!([])).unwrap_err();
        assert_eq!(
            faults.to_string(),
            "(root): expected an object, got the array []"
        );
    }

    #[test]
    fn null_in_an_optional_place_counts_as_absent() {
        let codec = object((
            field("a", integer::<i64>()),
            optional("b", integer::<i64>()),
            defaulted("c", integer::<i64>(), 3),
        ))
        .into_codec();
        let nulls = json!({"a": 1, "b": null, "c": null});
        assert_eq!(codec.decode(nulls).unwrap(), (1, None, 3));
        let faults = codec.decode(json!({"a": null})).unwrap_err();
        assert_eq!(
            faults
                .iter()
                .map(super::super::Fault::pointer)
                .collect::<Vec<_>>(),
            ["/a"]
        );
    }

    #[test]
    fn what_is_written_has_its_own_schema() {
        let codec = object((
            optional("a", integer::<i8>()),
            defaulted("b", string(), "x"),
        ))
        .into_codec();
        assert_eq!(
            codec.encode((None, "y".to_owned())).unwrap(),
            json!({"b": "y"})
        );
        assert_eq!(codec.decoder().schema().to_value().get("required"), None);
        assert_eq!(
            codec.encoder().schema().to_value()["required"],
            json!(["b"])
        );
    }

    #[test]
    fn a_default_that_does_not_fit_is_a_mistake() {
        let codec = object(defaulted("a", integer::<u8>().range(1..=9), 10)).into_codec();
        let faults: Vec<_> = codec
            .decoder()
            .about()
            .faults
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(
            faults,
            ["/a: the default does not fit: (root): expected an integer from 1 to 9, got 10"]
        );
        let faults = codec.decode(json!({})).unwrap_err();
        assert!(
            faults.to_string().contains("the codec is faulty"),
            "{faults}"
        );
    }

    #[test]
    fn twelve_fields_make_a_tuple_of_twelve() {
        let number = |name: &str| field(name, integer::<u8>());
        let codec = object((
            number("a"),
            number("b"),
            number("c"),
            number("d"),
            number("e"),
            number("f"),
            number("g"),
            number("h"),
            number("i"),
            number("j"),
            number("k"),
            number("l"),
        ))
        .into_codec();
        let value = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
        assert_eq!(codec.decode(codec.encode(value).unwrap()).unwrap(), value);
    }
}
