//! T: what a client is shown of a tool's types.

use std::{collections::HashMap, num::NonZeroU32, path::PathBuf, time::Duration};

use chrono::{DateTime, Utc};
use relay_core::{Server, Tool, codec, tool};
use relay_tests::{fixture::Guest, strict::complaints};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use url::Url;

use super::{Everywhere, call, modern};

/// A tool that says what it was given, as Rust sees it.
fn shows<T>(name: &str) -> Tool<Guest>
where
    T: serde::de::DeserializeOwned + JsonSchema + std::fmt::Debug + Send + Sync + 'static,
{
    tool::define(name, codec::input::<T>(), codec::string())
        .handle(|input: T| async move { Ok(format!("{input:?}")) })
}

async fn listed(server: &mut Everywhere) -> Vec<Value> {
    let answer = server.ask(modern("1", "tools/list", "{}")).await;
    let tools = answer.result()["tools"].as_array();
    tools.cloned().expect("a list")
}

#[derive(Debug, Deserialize, JsonSchema)]
struct E {}

// T01, TOOL-03
#[tokio::test]
async fn the_least_of_shapes_are_objects_with_properties() {
    let none = tool::define("none", codec::object(()), codec::string())
        .handle(|()| async { Ok(String::new()) });
    let tools = [
        none,
        shows::<E>("e"),
        shows::<HashMap<String, String>>("map"),
    ];
    let mut server = Everywhere::new(Server::new(tools));
    for tool in listed(&mut server).await {
        let schema = &tool["inputSchema"];
        assert_eq!(complaints(schema), [""; 0], "{tool}");
        if tool["name"] == "none" {
            let closed =
                json!({ "type": "object", "properties": {}, "additionalProperties": false });
            assert_eq!(*schema, closed);
        }
        let name = tool["name"].as_str().expect("a name");
        assert!(!server.ask(call(name, "{}")).await.is_error());
    }
    for (name, faults) in [
        (
            "unit",
            tool::try_define("t", codec::input::<()>(), codec::string()).err(),
        ),
        (
            "values",
            tool::try_define("t", codec::input::<Vec<Value>>(), codec::string()).err(),
        ),
        (
            "pair",
            tool::try_define("t", codec::input::<(i32, String)>(), codec::string()).err(),
        ),
    ] {
        assert!(faults.expect(name).to_string().contains("object"), "{name}");
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "kind")]
#[expect(dead_code, reason = "shown as a whole")]
enum Shape {
    Circle { radius: f64 },
    Square { side: f64 },
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "shown as a whole")]
enum Untagged {
    ById { id: u8 },
    ByName { name: String },
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "shown as a whole")]
struct Flattened {
    id: u8,
    #[serde(flatten)]
    shape: Shape,
}

// T03
#[tokio::test]
async fn a_union_at_the_root_is_one_object_and_enforced_all_the_same() {
    let either = json!({
        "type": "object",
        "properties": { "a": { "type": "string" }, "b": { "type": "string" } },
        "anyOf": [{ "required": ["a"] }, { "required": ["b"] }],
    });
    let by_hand = tool::define("either", codec::schema(either.clone()), codec::string())
        .handle(|value: Value| async move { Ok(value.to_string()) });
    let tools = [
        shows::<Shape>("shape"),
        shows::<Untagged>("untagged"),
        shows::<Flattened>("flattened"),
        by_hand,
    ];
    let mut server = Everywhere::new(Server::new(tools));
    for tool in listed(&mut server).await {
        let schema = &tool["inputSchema"];
        assert_eq!(schema["type"], "object", "{tool}");
        if tool["name"] == "either" {
            // What the author wrote is published as it is.
            assert_eq!(*schema, either);
        } else {
            assert_eq!(complaints(schema), [""; 0], "{tool}");
        }
    }
    for (tool, good, bad) in [
        (
            "shape",
            r#"{"kind":"Circle","radius":1}"#,
            r#"{"kind":"Square","radius":1}"#,
        ),
        ("shape", r#"{"kind":"Square","side":2}"#, r#"{"radius":1}"#),
        ("untagged", r#"{"name":"x"}"#, "{}"),
        (
            "flattened",
            r#"{"id":1,"kind":"Circle","radius":2}"#,
            r#"{"id":1,"kind":"Circle"}"#,
        ),
        ("either", r#"{"b":"x"}"#, "{}"),
    ] {
        let answer = server.ask(call(tool, good)).await;
        assert!(!answer.is_error(), "{tool} {good}: {}", answer.text);
        let answer = server.ask(call(tool, bad)).await;
        assert!(answer.is_error(), "{tool} {bad}: {}", answer.text);
        assert!(answer.said().contains("expected"), "{}", answer.said());
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "shown as a whole")]
struct Numbers {
    a: u8,
    b: u16,
    c: u32,
    d: u64,
    e: u128,
    f: usize,
    g: f32,
    h: NonZeroU32,
    i: Duration,
    j: DateTime<Utc>,
    k: Url,
    l: PathBuf,
}

const NUMBERS: &str = r#"{"a":255,"b":65535,"c":4294967295,"d":18446744073709551615,"e":7,"f":8,
"g":1.5,"h":1,"i":{"secs":1,"nanos":0},"j":"2026-11-30T12:00:00Z","k":"https://a.example/",
"l":"/tmp/a"}"#;

// T04, SCH-08
#[tokio::test]
async fn formats_are_those_that_json_schema_has() {
    let mut server = Everywhere::new(Server::new([shows::<Numbers>("numbers")]));
    let tools = listed(&mut server).await;
    let schema = &tools[0]["inputSchema"];
    assert_eq!(complaints(schema), [""; 0], "{schema}");
    let properties = &schema["properties"];
    for (name, least) in [("a", 0), ("d", 0), ("f", 0), ("h", 1)] {
        assert_eq!(properties[name]["minimum"], least, "{schema}");
    }
    assert_eq!(properties["j"]["format"], "date-time");
    assert_eq!(properties["k"]["format"], "uri");
    let numbers = NUMBERS.replace('\n', "");
    let answer = server.ask(call("numbers", &numbers)).await;
    assert!(!answer.is_error(), "{}", answer.text);
    assert!(
        answer.said().contains("d: 18446744073709551615"),
        "{}",
        answer.said()
    );
    for (good, bad, field) in [
        (r#""a":255"#, r#""a":256"#, "/a: "),
        (r#""h":1"#, r#""h":0"#, "/h: "),
        ("2026-11-30T12:00:00Z", "yesterday", "/j: "),
        ("https://a.example/", "not a URL", "/k: "),
    ] {
        let answer = server
            .ask(call("numbers", &numbers.replace(good, bad)))
            .await;
        assert!(answer.is_error(), "{bad}: {}", answer.text);
        assert!(answer.said().starts_with(field), "{bad}: {}", answer.said());
    }
}

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
struct Any {
    v: Value,
    list: Vec<Value>,
    map: HashMap<String, Value>,
    maybe: Option<Value>,
}

/// Where a schema is `true` or `false`.
fn booleans(schema: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let Some(members) = schema.as_object() else {
        return vec![schema.to_string()];
    };
    for (keyword, inside) in members {
        match keyword.as_str() {
            "properties" | "$defs" | "patternProperties" => {
                let named = inside.as_object().into_iter().flatten();
                found.extend(named.flat_map(|(_, schema)| booleans(schema)));
            }
            "anyOf" | "oneOf" | "allOf" | "prefixItems" => {
                found.extend(inside.as_array().into_iter().flatten().flat_map(booleans));
            }
            "items" | "not" => found.extend(booleans(inside)),
            "additionalProperties" if inside != false => found.extend(booleans(inside)),
            _ => {}
        }
    }
    found
}

// T05
#[tokio::test]
async fn what_may_be_anything_is_no_bare_true() {
    let any = tool::define("any", codec::input::<Any>(), codec::output::<Any>())
        .handle(|any: Any| async move { Ok(any) });
    let mut server = Everywhere::new(Server::new([any]));
    let tools = listed(&mut server).await;
    for member in ["inputSchema", "outputSchema"] {
        let schema = &tools[0][member];
        assert!(schema["properties"]["v"].is_object(), "{schema}");
        assert_eq!(booleans(schema), [""; 0], "{schema}");
    }
    assert_eq!(complaints(&tools[0]["inputSchema"]), [""; 0]);
    let required = &tools[0]["inputSchema"]["required"];
    assert_eq!(*required, json!(["v", "list", "map"]));
    for v in ["1", "\"x\"", "null", "[true]", r#"{"a":{}}"#] {
        let arguments = format!(r#"{{"v":{v},"list":[{v}],"map":{{"k":{v}}},"maybe":{v}}}"#);
        let answer = server.ask(call("any", &arguments)).await;
        assert!(!answer.is_error(), "{}", answer.text);
        let structured = &answer.result()["structuredContent"];
        let expected: Value = serde_json::from_str(v).expect("JSON");
        assert_eq!(structured["v"], expected);
        assert_eq!(structured["list"][0], expected);
    }
    assert!(
        server
            .ask(call("any", r#"{"list":[],"map":{}}"#))
            .await
            .is_error()
    );
}

fn named(name: &str) -> Option<Tool<Guest>> {
    let said = name.to_owned();
    let defined = tool::try_define(name, codec::object(()), codec::string()).ok()?;
    Some(defined.handle(move |()| {
        let said = said.clone();
        async move { Ok(said) }
    }))
}

// T08, TOOL-04
#[tokio::test]
async fn names_are_called_by_themselves() {
    let (long, too_long) = ("x".repeat(65), "x".repeat(129));
    for refused in ["get user", "", "Ünï", &too_long] {
        assert!(named(refused).is_none(), "{refused}");
    }
    let names = ["calendar.read", "a/b", "A", "a", &long];
    let tools = names.iter().filter_map(|name| named(name));
    let mut server = Everywhere::new(Server::new(tools));
    let mut found: Vec<_> = listed(&mut server)
        .await
        .iter()
        .map(|tool| tool["name"].as_str().expect("a name").to_owned())
        .collect();
    found.sort_by_key(|name| names.iter().position(|known| known == name));
    assert_eq!(found, names);
    for name in names {
        assert_eq!(server.ask(call(name, "{}")).await.said(), name);
    }
    for other in ["B", "calendar.Read", "get user", "Ünï"] {
        let answer = server.ask(call(other, "{}")).await;
        assert_eq!(answer.outcome(), (200, -32602), "{other}");
    }
    let twice =
        std::panic::catch_unwind(|| Server::new([named("a"), named("a")].into_iter().flatten()));
    assert!(twice.is_err());
}

// T09, TOOL-02
#[tokio::test]
async fn a_list_is_the_same_each_time_and_everywhere() {
    let fifty = || {
        let names: Vec<_> = (0..50).map(|n| format!("t{}", n * 7 % 50)).collect();
        let with = |name: &String| {
            let input = codec::object((
                codec::field("zeta", codec::string()),
                codec::optional("alpha", codec::derived::<Any>()),
                codec::optional("mid", codec::derived::<Pair>()),
            ));
            tool::define(name, input, codec::string()).handle(|_| async { Ok(String::new()) })
        };
        Everywhere::new(Server::<Guest>::new(names.iter().map(with)))
    };
    let mut first = None;
    for _ in 0..3 {
        let mut server = fifty();
        for _ in 0..33 {
            let answer = server.ask(modern("1", "tools/list", "{}")).await;
            assert_eq!(
                *first.get_or_insert_with(|| answer.text.clone()),
                answer.text
            );
        }
    }
    let text = first.expect("a list");
    assert_eq!(text.matches(r#""inputSchema""#).count(), 50);
    // Fields are in the order in which they were written.
    let place = |field: &str| text.find(&format!("\"{field}\":{{")).expect("a field");
    assert!(place("zeta") < place("alpha") && place("alpha") < place("mid"));
}

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
struct Pair {
    z: u8,
    a: Option<String>,
}
