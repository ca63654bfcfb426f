//! Published schemas against what clients are known to refuse.

use std::collections::{BTreeMap, HashMap};

use relay_core::codec::{self, Decoder, IntoDecoder};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::strict::complaints;

fn accepted<T>(decoder: &Decoder<T>) {
    let schema = decoder.schema().to_value();
    assert_eq!(complaints(&schema), Vec::<String>::new(), "{schema}");
}

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
struct Everything {
    text: String,
    any: Value,
    anything: Vec<Value>,
    by_name: HashMap<String, Value>,
    maybe: Option<Value>,
    numbers: (u8, u16, u32, u64, usize, i8, i16, i32, i64, isize),
    reals: (f32, f64),
    wide: u128,
    duration: Option<std::time::Duration>,
    path: Option<std::path::PathBuf>,
    address: std::net::IpAddr,
    style: Option<Style>,
    inner: Option<Inner>,
    shape: Option<Shape>,
    tree: Tree,
    bytes: Vec<u8>,
    map: BTreeMap<String, Option<u8>>,
}

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
enum Style {
    /// With a word
    Plain,
    Bold,
}

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
struct Inner {
    a: Option<u32>,
    #[serde(flatten)]
    rest: HashMap<String, Value>,
}

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(tag = "kind")]
enum Shape {
    Circle { radius: f64 },
    Square { side: f64, label: Option<String> },
}

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
struct Tree {
    label: Option<String>,
    children: Option<Vec<Self>>,
}

// T01, T04, T05, SCH-08, TOOL-03
#[test]
fn a_strict_client_accepts_every_input() {
    accepted(&codec::input::<Everything>().into_decoder().unwrap());
    accepted(&codec::input::<Tree>().into_decoder().unwrap());
    accepted(
        &codec::input::<HashMap<String, String>>()
            .into_decoder()
            .unwrap(),
    );
    accepted(&codec::object(()).into_decoder().unwrap());
    let built = codec::object((
        codec::field("everything", codec::derived::<Everything>()),
        codec::field(
            "list",
            codec::list(codec::nullable(codec::derived::<Tree>())),
        ),
        codec::optional("any", codec::any()),
        codec::optional("bytes", codec::bytes()),
        codec::optional("map", codec::dictionary(codec::any())),
    ));
    accepted(&built.into_decoder().unwrap());
}

// T03
#[test]
fn a_union_at_the_root_is_published_as_one_object() {
    let decoder = codec::input::<Shape>().into_decoder().unwrap();
    accepted(&decoder);
    assert_eq!(
        decoder.schema().to_value(),
        json!({
            "type": "object",
            "properties": {
                "kind": {"type": "string", "enum": ["Circle", "Square"]},
                "radius": {"type": "number"},
                "side": {"type": "number"},
                "label": {"type": "string"},
            },
            "required": ["kind"],
        })
    );
    assert_eq!(decoder.warnings().len(), 1);
    decoder
        .decode(json!({"kind": "Circle", "radius": 1}))
        .unwrap();
    assert_eq!(
        decoder
            .decode(json!({"kind": "Square", "radius": 1}))
            .unwrap_err()
            .to_string(),
        "/side: missing, expected a number"
    );
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only its shape is read")]
enum External {
    Circle { radius: f64 },
    Square(f64),
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only its shape is read")]
enum Untagged {
    ById { id: u8 },
    ByName { name: String },
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only its shape is read")]
struct Flattened {
    id: u8,
    #[serde(flatten)]
    shape: Shape,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only its shape is read")]
enum WithUnit {
    Nothing,
    Something { a: u8 },
}

// T03
#[test]
fn other_unions_at_the_root_are_merged_or_refused() {
    let external = codec::input::<External>().into_decoder().unwrap();
    accepted(&external);
    external.decode(json!({"Square": 2})).unwrap();
    assert!(
        external
            .decode(json!({"Square": 2, "Circle": {"radius": 1}}))
            .is_err()
    );

    let untagged = codec::input::<Untagged>().into_decoder().unwrap();
    accepted(&untagged);
    untagged.decode(json!({"name": "x"})).unwrap();
    assert_eq!(
        untagged.decode(json!({})).unwrap_err().to_string(),
        "(root): expected an object with the field `id` or an object with the field `name`, \
         got the object {}"
    );

    let flattened = codec::input::<Flattened>().into_decoder().unwrap();
    accepted(&flattened);
    let published = flattened.schema().to_value();
    assert_eq!(published["required"], json!(["id", "kind"]));
    flattened
        .decode(json!({"id": 1, "kind": "Circle", "radius": 2}))
        .unwrap();

    let faults = codec::input::<WithUnit>().into_decoder().unwrap_err();
    assert!(
        faults
            .to_string()
            .starts_with("a tool's input is an object")
    );
}

// T03
#[test]
fn a_tagged_codec_at_the_root_is_merged_as_well() {
    let shape = codec::tagged(
        "kind",
        [
            codec::variant(
                "circle",
                codec::object(codec::field("size", codec::number())),
                Ok,
                |shape| shape.map_err(Err),
            ),
            codec::variant(
                "named",
                codec::object(codec::field("size", codec::string())),
                Err,
                |shape| match shape {
                    Err(name) => Ok(name),
                    other => Err(other),
                },
            ),
        ],
    );
    let decoder = shape.describe("A shape").into_decoder().unwrap();
    accepted(&decoder);
    assert_eq!(
        decoder.schema().to_string(),
        concat!(
            r#"{"type":"object","description":"A shape","properties":{"#,
            r#""kind":{"type":"string","enum":["circle","named"]},"#,
            r#""size":{"anyOf":[{"type":"number"},{"type":"string"}]}},"#,
            r#""required":["kind"],"additionalProperties":false}"#,
        )
    );
    assert_eq!(decoder.warnings().len(), 1);
    assert_eq!(
        decoder
            .decode(json!({"kind": "circle", "size": 1}))
            .unwrap(),
        Ok(1.0)
    );
    assert!(
        decoder
            .decode(json!({"kind": "circle", "size": "1"}))
            .is_err()
    );
}

// SCH-04, T03
#[test]
fn a_union_that_the_author_wrote_is_left_alone_and_warned_of() {
    let json = json!({
        "type": "object",
        "oneOf": [{"type": "object", "properties": {"a": {}}, "required": ["a"]},
                  {"type": "object", "properties": {"b": {}}, "required": ["b"]}],
    });
    let decoder = codec::schema(json.clone()).into_decoder().unwrap();
    assert_eq!(decoder.schema().to_value(), json);
    assert_eq!(decoder.warnings().len(), 1);
}
