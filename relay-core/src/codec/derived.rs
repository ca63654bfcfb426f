//! Codecs of Rust types, by serde and schemars.

use std::borrow::Cow;
use std::marker::PhantomData;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use serde_path_to_error::Segment;

use super::about::About;
use super::decoder::Decode;
use super::encoder::Encode;
use super::fault::{Location, Report};
use super::{Codec, Decoder, DefinitionFault, Encoder, writer};
use crate::schema::{Enforced, Node, Order, Schema, Side, derive};

/// A type that can be read from what its schema describes: `Deserialize` and `JsonSchema`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a tool input",
    label = "not both `Deserialize` and `JsonSchema`",
    note = "derive `serde::Deserialize` and `schemars::JsonSchema` on it"
)]
pub trait DerivedInput: DeserializeOwned + JsonSchema + 'static {}

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned + JsonSchema + 'static> DerivedInput for T {}

/// A type that is written as its schema describes: `Serialize` and `JsonSchema`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a tool output",
    label = "not both `Serialize` and `JsonSchema`",
    note = "derive `serde::Serialize` and `schemars::JsonSchema` on it"
)]
pub trait DerivedOutput: Serialize + JsonSchema + 'static {}

#[diagnostic::do_not_recommend]
impl<T: Serialize + JsonSchema + 'static> DerivedOutput for T {}

/// A decoder of a type that derives `Deserialize` and `JsonSchema`.
///
/// The schema is schemars', tidied: formats that JSON Schema does not know become bounds, and an
/// `Option` is a member that may be left out, not one that may be `null`.
///
/// ```
/// use relay_core::codec;
/// use serde_json::json;
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Search {
///     /// What to look for
///     query: String,
///     limit: Option<u8>,
/// }
///
/// let decoder = codec::input::<Search>();
/// assert_eq!(
///     decoder.schema().to_value(),
///     json!({
///         "type": "object",
///         "properties": {
///             "query": {"type": "string", "description": "What to look for"},
///             "limit": {"type": "integer", "minimum": 0, "maximum": 255},
///         },
///         "required": ["query"],
///     }),
/// );
/// let search = decoder.decode(json!({"query": "tea", "limit": 3.0})).unwrap();
/// assert_eq!((search.query.as_str(), search.limit), ("tea", Some(3)));
/// ```
#[must_use]
pub fn input<T: DerivedInput>() -> Decoder<T> {
    let mut order = Order::default();
    order.learn_struct::<T>();
    let schema = derive::<T>(Side::Input, order);
    let (enforced, faults) = Enforced::new(&schema);
    let about = about(schema, faults);
    let read = ReadDerived {
        enforced,
        kind: PhantomData,
    };
    Decoder::new(about, Arc::new(read))
}

/// An encoder of a type that derives `Serialize` and `JsonSchema`.
///
/// The schema describes what the type is written as. A `None` is left out.
///
/// ```
/// use relay_core::codec;
/// use serde_json::json;
///
/// #[derive(serde::Serialize, schemars::JsonSchema)]
/// struct Note {
///     id: u64,
///     title: Option<String>,
/// }
///
/// let encoder = codec::output::<Note>();
/// assert_eq!(encoder.schema().to_value()["required"], json!(["id"]));
/// assert_eq!(encoder.encode(Note { id: 7, title: None }).unwrap(), json!({"id": 7}));
/// ```
#[must_use]
pub fn output<T: DerivedOutput>() -> Encoder<T> {
    encoder(Order::default())
}

/// A codec of a type that derives `Deserialize`, `Serialize` and `JsonSchema`: [`input`] and
/// [`output`] together.
///
/// ```
/// use relay_core::codec::{self, IntoCodec};
/// use serde_json::json;
///
/// #[derive(serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
/// struct Seat {
///     row: u8,
/// }
///
/// let seats = codec::list(codec::derived::<Seat>()).max_items(9).into_codec();
/// assert_eq!(seats.decode(json!([{"row": 1}])).unwrap()[0].row, 1);
/// ```
#[must_use]
pub fn derived<T: DerivedInput + DerivedOutput>() -> Codec<T> {
    let mut order = Order::default();
    order.learn_struct::<T>();
    Codec::new(input(), encoder(order))
}

fn encoder<T: DerivedOutput>(order: Order) -> Encoder<T> {
    let schema = derive::<T>(Side::Output, order);
    let (enforced, faults) = Enforced::new(&schema);
    let write = WriteDerived {
        enforced,
        kind: PhantomData,
    };
    Encoder::new(about(schema, faults), Arc::new(write))
}

fn about(schema: Schema, faults: Vec<DefinitionFault>) -> About {
    let admits_null = schema.admits_null();
    let expectation = expectation(&schema);
    About::new(schema, expectation, faults).with_null(admits_null)
}

/// What to say where a value of this schema is missing.
fn expectation(schema: &Schema) -> Cow<'static, str> {
    match schema.root().get("type").and_then(Node::as_str) {
        Some("object") => Cow::Borrowed("an object"),
        Some("array") => Cow::Borrowed("a list"),
        Some("string") => Cow::Borrowed("a string"),
        Some("integer") => Cow::Borrowed("an integer"),
        Some("number") => Cow::Borrowed("a number"),
        Some("boolean") => Cow::Borrowed("true or false"),
        _ => Cow::Borrowed("a value of its schema"),
    }
}

struct ReadDerived<T> {
    enforced: Enforced,
    kind: PhantomData<fn() -> T>,
}

impl<T: DerivedInput> Decode<T> for ReadDerived<T> {
    fn decode(&self, mut value: Value, at: &Location<'_>, report: &mut Report) -> Option<T> {
        self.enforced.judge(&mut value, at, report)?;
        // Read through a reference: the value is needed again to say where it does not fit.
        match T::deserialize(&value) {
            Ok(read) => Some(read),
            Err(_pointless) => {
                explain::<T>(&value, at, report);
                None
            }
        }
    }
}

/// Reads the value again, this time keeping track of where.
fn explain<T: DeserializeOwned>(value: &Value, at: &Location<'_>, report: &mut Report) {
    if let Err(error) = serde_path_to_error::deserialize::<_, T>(value) {
        let steps: Vec<Segment> = error.path().iter().cloned().collect();
        at.descend(&steps, &mut |at| {
            report.refused(at, error.inner().to_string(), None);
        });
    }
}

struct WriteDerived<T> {
    enforced: Enforced,
    kind: PhantomData<fn(T)>,
}

impl<T: DerivedOutput> Encode<T> for WriteDerived<T> {
    fn encode(&self, value: T, at: &Location<'_>, report: &mut Report) -> Option<Value> {
        let mut written = writer::write(&value, at, report)?;
        self.enforced.judge(&mut written, at, report)?;
        Some(written)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::num::NonZeroU32;

    use serde::Deserialize;
    use serde_json::json;

    use super::*;
    use crate::codec::{IntoCodec, IntoDecoder, field, object};

    #[derive(Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
    struct Widths {
        a: u8,
        b: u16,
        c: u32,
        d: u64,
        e: u128,
        f: usize,
        g: i32,
        h: i64,
        i: f32,
        j: NonZeroU32,
    }

    // T04, SCH-08
    #[test]
    fn formats_that_json_schema_does_not_know_become_bounds() {
        let schema = input::<Widths>().schema().to_value();
        assert_eq!(
            schema["properties"],
            json!({
                "a": {"type": "integer", "minimum": 0, "maximum": 255},
                "b": {"type": "integer", "minimum": 0, "maximum": 65_535},
                "c": {"type": "integer", "minimum": 0, "maximum": 4_294_967_295_u32},
                "d": {"type": "integer", "minimum": 0, "maximum": u64::MAX},
                "e": {"type": "integer", "minimum": 0},
                "f": {"type": "integer", "minimum": 0, "maximum": usize::MAX},
                "g": {"type": "integer", "minimum": i32::MIN, "maximum": i32::MAX},
                "h": {"type": "integer", "minimum": i64::MIN, "maximum": i64::MAX},
                "i": {"type": "number", "minimum": f32::MIN, "maximum": f32::MAX},
                "j": {"type": "integer", "minimum": 1, "maximum": 4_294_967_295_u32},
            })
        );
    }

    #[derive(Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
    struct Anything {
        value: Value,
        values: Vec<Value>,
        by_name: HashMap<String, Value>,
        maybe: Option<Value>,
    }

    // T05, SCH-08
    #[test]
    fn no_boolean_stands_where_a_schema_does() {
        assert_eq!(
            input::<Anything>().schema().to_value(),
            json!({
                "type": "object",
                "properties": {
                    "value": {},
                    "values": {"type": "array", "items": {}},
                    "by_name": {"type": "object"},
                    "maybe": {},
                },
                "required": ["value", "values", "by_name"],
            })
        );
    }

    #[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    enum Style {
        Bullets,
        Prose,
    }

    #[derive(Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
    struct Optionals {
        zebra: String,
        style: Option<Style>,
        #[serde(default)]
        limit: u32,
        /// Of whom
        #[serde(skip_serializing_if = "Option::is_none")]
        author: Option<String>,
        ant: bool,
    }

    // SCH-08, T09: required only where serde requires it, no null unions, in the order written.
    #[test]
    fn optional_members_are_plain_and_in_order() {
        let decoder = input::<Optionals>();
        assert_eq!(
            decoder.schema().to_string(),
            concat!(
                r#"{"type":"object","properties":{"zebra":{"type":"string"},"#,
                r#""style":{"type":"string","enum":["bullets","prose"]},"#,
                r#""limit":{"type":"integer","minimum":0,"maximum":4294967295,"default":0},"#,
                r#""author":{"type":"string","description":"Of whom"},"ant":{"type":"boolean"}},"#,
                r#""required":["zebra","ant"]}"#,
            )
        );
        let read = decoder
            .decode(
                json!({"zebra": "z", "style": null, "limit": null, "author": null, "ant": true}),
            )
            .unwrap();
        let expected = Optionals {
            zebra: "z".to_owned(),
            style: None,
            limit: 0,
            author: None,
            ant: true,
        };
        assert_eq!(read, expected);
    }

    // TOOL-13
    #[test]
    fn what_is_written_as_null_is_left_out() {
        let encoder = output::<Optionals>();
        assert_eq!(
            encoder.schema().to_value()["required"],
            json!(["zebra", "limit", "ant"])
        );
        let value = Optionals {
            zebra: "z".to_owned(),
            style: None,
            limit: 1,
            author: None,
            ant: true,
        };
        assert_eq!(
            encoder.encode(value).unwrap(),
            json!({"zebra": "z", "limit": 1, "ant": true})
        );
    }

    #[derive(Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
    struct Tree {
        label: String,
        children: Vec<Self>,
    }

    #[test]
    fn a_recursive_type_keeps_its_meaning_wherever_it_is_nested() {
        let codec = object((field("tree", derived::<Tree>()),)).into_codec();
        let schema = codec.decoder().schema().to_value();
        let tree = json!({
            "type": "object",
            "properties": {
                "label": {"type": "string"},
                "children": {"type": "array", "items": {"$ref": "#/$defs/Tree"}},
            },
            "required": ["label", "children"],
        });
        assert_eq!(schema["properties"]["tree"], tree);
        assert_eq!(schema["$defs"], json!({ "Tree": tree }));
        let value = json!({"tree": {"label": "a", "children": [{"label": "b", "children": []}]}});
        let (read,) = codec.decode(value.clone()).unwrap();
        assert_eq!(read.children.len(), 1);
        assert_eq!(codec.encode((read,)).unwrap(), value);
    }

    #[derive(Debug, Deserialize, JsonSchema)]
    struct Empty {}

    // T01, TOOL-03
    #[test]
    fn an_input_root_is_an_object_with_properties_or_refused() {
        let map = input::<HashMap<String, String>>().into_decoder().unwrap();
        assert_eq!(
            map.schema().to_value(),
            json!({"type": "object", "properties": {}, "additionalProperties": {"type": "string"}})
        );
        let empty = input::<Empty>().into_decoder().unwrap();
        assert_eq!(
            empty.schema().to_value(),
            json!({"type": "object", "properties": {}})
        );
        assert!(input::<()>().into_decoder().is_err());
        assert!(input::<Vec<Value>>().into_decoder().is_err());
        assert!(input::<(i32, String)>().into_decoder().is_err());
    }

    // T07, J10, TOOL-07
    #[test]
    fn a_fault_names_the_place() {
        #[derive(Debug, Deserialize, JsonSchema)]
        #[expect(dead_code, reason = "only its shape is read")]
        struct Outer {
            items: Vec<Inner>,
        }
        #[derive(Debug, Deserialize, JsonSchema)]
        #[expect(dead_code, reason = "only its shape is read")]
        struct Inner {
            id: u64,
        }
        let decoder = input::<Outer>();
        let faults = decoder
            .decode(json!({"items": [{"id": 1.0}, {"id": -1}]}))
            .unwrap_err();
        assert_eq!(faults.iter().next().unwrap().pointer(), "/items/1/id");
    }

    // SCH-10
    #[test]
    fn a_schema_is_derived_and_compiled_once() {
        use std::sync::atomic::{AtomicUsize, Ordering};

        static DERIVED: AtomicUsize = AtomicUsize::new(0);

        #[derive(Deserialize)]
        struct Counted {}

        impl JsonSchema for Counted {
            fn schema_name() -> Cow<'static, str> {
                Cow::Borrowed("Counted")
            }

            fn json_schema(_generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                DERIVED.fetch_add(1, Ordering::Relaxed);
                schemars::json_schema!({"type": "object"})
            }
        }

        let decoder = input::<Counted>().into_decoder().unwrap();
        let after_definition = DERIVED.load(Ordering::Relaxed);
        for _ in 0..100 {
            decoder.clone().decode(json!({})).unwrap();
        }
        assert_eq!(DERIVED.load(Ordering::Relaxed), after_definition);
    }
}
