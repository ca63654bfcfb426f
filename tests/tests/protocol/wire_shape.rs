//! `legacy.md` §8: what each revision's wire knows, and nothing else.

use relay_core::{
    Reply, Resource, Revision, Server, codec,
    content::{self, Annotations, Icon, Role},
    prompt,
    resource::{self, Entry},
    tool,
};
use relay_tests::{
    fixture::Guest,
    wire::{LEGACY, Wire},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::requests::{legacy, served, wire};

const EXTENSION: &str = "com.example/search";

fn icon() -> [Icon; 1] {
    [Icon::new("https://example.com/icon.png").with_mime_type("image/png")]
}

fn dated() -> Annotations {
    Annotations::new()
        .with_audience([Role::User])
        .with_priority(0.5)
        .with_last_modified("2026-07-28T09:30:00Z")
}

/// A tree, whose schema refers to itself.
#[derive(Serialize, JsonSchema)]
struct Node {
    name: String,
    children: Vec<Self>,
}

/// An argument that a proxy may route by.
#[derive(Deserialize, JsonSchema)]
struct Routed {
    #[schemars(extend("x-mcp-header" = "Region"))]
    region: String,
}

fn forest() -> Vec<Node> {
    let leaf = Node {
        name: "leaf".to_owned(),
        children: Vec::new(),
    };
    vec![Node {
        name: "root".to_owned(),
        children: vec![leaf],
    }]
}

/// A server that has everything that some revision does not know.
fn dressed() -> Server<Guest> {
    let blocks = || {
        vec![
            content::text("text")
                .with_annotations(dated())
                .with_meta("com.example/x", 1),
            content::audio(b"RIFF", "audio/wav"),
            content::link("doc://1", "first").with_description("The first"),
            content::resource(
                "doc://2",
                resource::text("two").with_meta("com.example/x", 1),
            ),
        ]
    };
    let show = tool::define("show", codec::object(()), tool::content())
        .with_title("Show")
        .with_icons(icon())
        .with_meta("com.example/x", 1)
        .read_only(true)
        .handle(
            move |()| async move { Ok(Reply::structured(blocks()).with_meta("com.example/x", 1)) },
        );
    let grow = tool::define("grow", codec::object(()), codec::output::<Vec<Node>>())
        .handle(|()| async { Ok(forest()) });
    let plain = tool::define("plain", codec::object(()), codec::list(codec::boolean()))
        .with_text_copy(false)
        .handle(|()| async { Ok(vec![true, false]) });
    let flat = tool::define(
        "flat",
        codec::object(()),
        codec::object(codec::field("n", codec::integer::<u8>())),
    )
    .handle(|()| async { Ok(7) });
    let routed = tool::define("routed", codec::input::<Routed>(), codec::string())
        .handle(|routed: Routed| async move { Ok(routed.region) });
    let ask = prompt::define("ask", prompt::optional("what").with_title("What"))
        .with_title("Ask")
        .with_icons(icon())
        .with_meta("com.example/x", 1)
        .handle(|_: Option<String>| async {
            Ok(vec![prompt::user(
                content::link("doc://1", "first").with_meta("com.example/x", 1),
            )])
        });
    Server::new([show, grow, plain, flat, routed])
        .with_info("dressed", "1")
        .with_title("Dressed")
        .with_description("Has everything")
        .with_website_url("https://example.com")
        .with_icons(icon())
        .with_extension(EXTENSION, Map::new())
        .with_prompts([ask])
        .with_resources([direct(), template()])
}

fn direct() -> Resource<Guest> {
    resource::direct("doc://1", "first")
        .with_title("First")
        .with_icons(icon())
        .with_meta("com.example/x", 1)
        .with_annotations(dated())
        .handle(|_| async { Ok(vec![resource::text("one").with_meta("com.example/x", 1)]) })
}

fn template() -> Resource<Guest> {
    resource::template("page://{n}", "page")
        .with_title("Page")
        .with_icons(icon())
        .with_meta("com.example/x", 1)
        .with_annotations(dated())
        .list(|_, after, _| async move {
            let entry = Entry::new("page://1", "page 1")
                .with_title("Page 1")
                .with_annotations(dated());
            Ok(after
                .is_none()
                .then(|| entry.with_meta("com.example/x", 1))
                .into_iter()
                .collect())
        })
        .handle(|_| async { Ok(vec![resource::text("a page")]) })
}

const REQUESTS: [(&str, &str); 10] = [
    ("tools/list", "{}"),
    ("tools/call", r#"{"name":"show"}"#),
    ("tools/call", r#"{"name":"grow"}"#),
    ("tools/call", r#"{"name":"plain"}"#),
    ("tools/call", r#"{"name":"flat"}"#),
    ("prompts/list", "{}"),
    ("prompts/get", r#"{"name":"ask"}"#),
    ("resources/list", "{}"),
    ("resources/templates/list", "{}"),
    ("resources/read", r#"{"uri":"doc://1"}"#),
];

/// Everything that a revision's client sees of the server, its greeting first.
async fn seen(revision: Revision) -> Vec<Value> {
    let mut wire = Wire::new(dressed(), Guest::default()).speaking(revision);
    let greeting = if revision.is_modern() {
        wire.result("server/discover", json!({})).await
    } else {
        let client = json!({ "name": "c", "version": "1" });
        let params =
            json!({ "protocolVersion": revision, "capabilities": {}, "clientInfo": client });
        wire.result("initialize", params).await
    };
    let mut seen = vec![greeting];
    for (method, params) in REQUESTS {
        let params = serde_json::from_str(params).unwrap_or_default();
        seen.push(wire.result(method, params).await);
    }
    seen
}

/// How many members of that name a value holds outside schemas.
fn count(value: &Value, name: &str) -> usize {
    match value {
        Value::Array(items) => items.iter().map(|item| count(item, name)).sum(),
        Value::Object(members) => members
            .iter()
            .filter(|(key, _)| {
                !["inputSchema", "outputSchema"].contains(&key.as_str()) || *key == name
            })
            .map(|(key, value)| usize::from(key == name) + count(value, name))
            .sum(),
        _ => 0,
    }
}

// LF-01
#[tokio::test]
async fn each_revision_gets_what_it_knows_and_nothing_newer() {
    // How often each revision has it, oldest first; modern results repeat who the server is.
    let known = [
        ("resultType", [0, 0, 0, 11]),
        ("ttlMs", [0, 0, 0, 6]),
        ("cacheScope", [0, 0, 0, 6]),
        ("io.modelcontextprotocol/serverInfo", [0, 0, 0, 11]),
        ("extensions", [0, 0, 0, 1]),
        ("icons", [0, 0, 6, 5 + 11]),
        ("websiteUrl", [0, 0, 1, 11]),
        ("structuredContent", [0, 3, 3, 3]),
        ("outputSchema", [0, 4, 4, 4]),
        ("lastModified", [0, 4, 4, 4]),
    ];
    for (revision, column) in Revision::ALL.into_iter().rev().zip(0..) {
        let column: usize = column;
        let seen = Value::Array(seen(revision).await);
        for (name, times) in known {
            assert_eq!(count(&seen, name), times[column], "{revision}: {name}");
        }
        for never in [
            "execution",
            "requestState",
            "inputRequests",
            "tasks",
            "subscribe",
        ] {
            assert_eq!(count(&seen, never), 0, "{revision}: {never}");
        }
    }
}

// LF-01
#[tokio::test]
async fn titles_and_metadata_of_items_come_with_their_revision() {
    for revision in Revision::ALL {
        let [
            greeting,
            tools,
            shown,
            _,
            _,
            _,
            prompts,
            prompt,
            resources,
            templates,
            read,
        ] = <[Value; 11]>::try_from(seen(revision).await).expect("one for each request");
        let newer = revision > Revision::V2025_03_26;
        let show = tools["tools"]
            .as_array()
            .expect("a list")
            .iter()
            .find(|tool| tool["name"] == "show")
            .expect("show");
        for item in [
            show,
            &prompts["prompts"][0],
            &resources["resources"][0],
            &resources["resources"][1],
            &templates["resourceTemplates"][0],
        ] {
            assert_eq!(item.get("title").is_some(), newer, "{revision}: {item}");
            assert_eq!(item.get("_meta").is_some(), newer, "{revision}: {item}");
        }
        assert_eq!(
            prompts["prompts"][0]["arguments"][0].get("title").is_some(),
            newer
        );
        // Before, a tool's title was one of its hints.
        assert_eq!(show["annotations"].get("title").is_some(), !newer);
        assert_eq!(show["annotations"]["readOnlyHint"], true);
        let server = greeting
            .get("serverInfo")
            .or_else(|| greeting["_meta"].get("io.modelcontextprotocol/serverInfo"))
            .expect("info");
        assert_eq!(server.get("title").is_some(), newer, "{revision}");
        assert_eq!(
            server.get("description").is_some(),
            revision >= Revision::V2025_11_25
        );

        for item in [
            &shown["content"][0],
            &shown["content"][3]["resource"],
            &prompt["messages"][0]["content"],
            &read["contents"][0],
        ] {
            assert_eq!(item.get("_meta").is_some(), newer, "{revision}: {item}");
        }
        assert_eq!(
            shown["_meta"]["com.example/x"], 1,
            "a result has had its own since ever"
        );
        assert_eq!(shown["content"][1]["type"], "audio");
        let kind = if newer { "resource_link" } else { "text" };
        for link in [&shown["content"][2], &prompt["messages"][0]["content"]] {
            assert_eq!(link["type"], kind, "{revision}");
            assert!(link.to_string().contains("doc://1"), "{link}");
        }
    }
}

// LF-01
#[tokio::test]
async fn every_legacy_result_is_free_of_modern_members() {
    for revision in LEGACY {
        let mut wire = legacy(revision).await;
        for (method, params) in served() {
            let request = wire.request(method, &params);
            for message in wire.send(&request).await {
                for name in [
                    "resultType",
                    "ttlMs",
                    "cacheScope",
                    "extensions",
                    "io.modelcontextprotocol/serverInfo",
                    "inputRequests",
                ] {
                    assert_eq!(count(&message, name), 0, "{revision}: {method} {params}");
                }
            }
        }
        // Not even where a handler would have it so.
        let result = wire.call("impostor", json!({})).await;
        assert!(result.get("_meta").is_none(), "{result}");
    }
}

/// The published output schema of a tool.
async fn output_schema(wire: &mut Wire<Guest>, name: &str) -> Option<Value> {
    let listed = wire.result("tools/list", json!({})).await;
    let tools = listed.get("tools").and_then(Value::as_array).cloned();
    let tool = tools
        .into_iter()
        .flatten()
        .find(|tool| tool.get("name") == Some(&json!(name)));
    tool.and_then(|tool| tool.get("outputSchema").cloned())
}

// LF-02
#[tokio::test]
async fn output_that_is_no_object_is_wrapped_where_it_must_be_one() {
    for (name, plain) in [
        ("plain", json!([true, false])),
        ("grow", serde_json::to_value(forest()).expect("JSON")),
    ] {
        for revision in Revision::ALL {
            let mut wire = Wire::new(dressed(), Guest::default());
            if !revision.is_modern() {
                wire = wire.initialized(revision).await;
            }
            let result = wire.call(name, json!({})).await;
            let schema = output_schema(&mut wire, name).await;
            let structured = result.get("structuredContent");
            let expected = match revision {
                Revision::V2025_03_26 => None,
                Revision::V2026_07_28 => Some(plain.clone()),
                _ => Some(json!({ "result": plain })),
            };
            assert_eq!(structured, expected.as_ref(), "{revision}: {name}");
            let (Some(schema), Some(structured)) = (schema.as_ref(), structured) else {
                assert!(
                    schema.is_none() && structured.is_none(),
                    "{revision}: {name}"
                );
                continue;
            };
            if !revision.is_modern() {
                assert_eq!(schema["type"], "object");
                assert_eq!(schema["required"], json!(["result"]));
                assert!(schema["properties"]["result"].is_object(), "{schema}");
            }
            // References still lead where they should: a wrong tree does not fit.
            let validator = jsonschema::validator_for(schema).expect("a schema");
            assert!(
                validator.is_valid(structured),
                "{revision}: {schema}\n{structured}"
            );
            let wrong = structured
                .to_string()
                .replace("\"leaf\"", "7")
                .replace("true", "7");
            let wrong = serde_json::from_str(&wrong).expect("JSON");
            assert!(!validator.is_valid(&wrong), "{revision}: {schema}\n{wrong}");
        }
    }
}

// LF-02
#[tokio::test]
async fn output_that_is_an_object_is_left_as_it_is() {
    for revision in LEGACY {
        let mut wire = Wire::new(dressed(), Guest::default())
            .initialized(revision)
            .await;
        let result = wire.call("flat", json!({})).await;
        let schema = output_schema(&mut wire, "flat").await;
        if revision == Revision::V2025_03_26 {
            assert_eq!((result.get("structuredContent"), schema), (None, None));
        } else {
            assert_eq!(result["structuredContent"], json!({ "n": 7 }));
            assert!(schema.expect("a schema")["properties"]["n"].is_object());
        }
    }
}

// LF-03
#[tokio::test]
async fn a_structured_result_has_its_text() {
    for revision in LEGACY {
        let mut wire = Wire::new(dressed(), Guest::default())
            .initialized(revision)
            .await;
        let result = wire.call("flat", json!({})).await;
        assert_eq!(
            result["content"],
            json!([{ "type": "text", "text": r#"{"n":7}"# }])
        );
        let grown = wire.call("grow", json!({})).await;
        let text = grown["content"][0]["text"].as_str().expect("text");
        let copy: Value = serde_json::from_str(text).expect("JSON");
        assert_eq!(
            copy,
            serde_json::to_value(forest()).expect("JSON"),
            "{revision}"
        );
        // Where it is the only copy, it is there whatever the author thinks of copies.
        let plain = wire.call("plain", json!({})).await;
        let only = revision == Revision::V2025_03_26;
        assert_eq!(
            plain["content"][0]["text"] == "[true,false]",
            only,
            "{plain}"
        );
    }
}

// LF-11
#[tokio::test]
async fn a_header_annotation_is_harmless() {
    for revision in LEGACY {
        let mut wire = Wire::new(dressed(), Guest::default())
            .initialized(revision)
            .await;
        let listed = wire.result("tools/list", json!({})).await;
        let names: Vec<_> = listed["tools"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|tool| &tool["name"])
            .collect();
        assert!(names.contains(&&json!("routed")), "{names:?}");
        let result = wire.call("routed", json!({ "region": "north" })).await;
        assert_eq!(result["content"][0]["text"], "north", "{result}");
    }
}

// LF-04, LF-05
#[tokio::test]
async fn arguments_that_do_not_fit_are_told_to_the_model_in_every_revision() {
    for revision in LEGACY {
        let mut wire = legacy(revision).await;
        for arguments in [
            json!({}),
            json!({ "a": "3", "b": 1 }),
            json!({ "a": 1, "b": 2, "c": 3 }),
        ] {
            let result = wire.call("add", arguments.clone()).await;
            assert_eq!(result["isError"], true, "{revision}: {arguments}");
            let text = result["content"][0]["text"].as_str().expect("text");
            assert!(text.contains("expected"), "{text}");
            assert!(result.get("structuredContent").is_none(), "{result}");
        }
        assert_eq!(
            wire.call("add", json!({ "a": 1, "b": 2 })).await["content"][0]["text"],
            "3"
        );
    }
}

// LF-06, LF-08
#[tokio::test]
async fn unknown_names_and_bad_prompt_arguments_are_invalid_params() {
    for revision in LEGACY {
        let mut wire = legacy(revision).await;
        for (method, params) in [
            ("tools/call", json!({ "name": "nothing" })),
            ("tools/call", json!({ "name": "" })),
            ("tools/call", json!({ "name": 7 })),
            ("tools/call", json!({})),
            ("prompts/get", json!({ "name": "nothing" })),
            ("prompts/get", json!({})),
            ("prompts/get", json!({ "name": "review" })),
            (
                "prompts/get",
                json!({ "name": "review", "arguments": { "language": "rust" } }),
            ),
            (
                "prompts/get",
                json!({ "name": "review", "arguments": { "code": 5 } }),
            ),
            (
                "prompts/get",
                json!({ "name": "greet", "arguments": { "name": 5 } }),
            ),
            ("prompts/get", json!({ "name": "greet", "arguments": [] })),
        ] {
            assert_eq!(
                wire.error(method, params.clone()).await.0,
                -32602,
                "{revision}: {method} {params}"
            );
        }
    }
}

// LF-07
#[tokio::test]
async fn a_missing_resource_has_the_legacy_code() {
    for revision in LEGACY {
        let mut wire = legacy(revision).await;
        for uri in [
            "note://99",
            "nothing://here",
            "fixture://ledger",
            "fixture://about/more",
        ] {
            let (code, _, data) = wire.error("resources/read", json!({ "uri": uri })).await;
            assert_eq!((code, &data["uri"]), (-32002, &json!(uri)), "{revision}");
        }
    }
}

// LF-09
#[tokio::test]
async fn the_basics_are_those_of_the_modern_era() {
    for revision in LEGACY {
        let mut old = legacy(revision).await;
        let mut new = wire();
        for (method, params, members) in [
            (
                "tools/call",
                json!({ "name": "echo", "arguments": { "text": "hi" } }),
                &["content"][..],
            ),
            (
                "tools/call",
                json!({ "name": "fails" }),
                &["content", "isError"],
            ),
            (
                "tools/call",
                json!({ "name": "leaks" }),
                &["content", "isError"],
            ),
            ("prompts/list", json!({}), &["prompts"]),
            (
                "prompts/get",
                json!({ "name": "greet", "arguments": { "name": "you" } }),
                &["messages", "description"],
            ),
            ("resources/list", json!({}), &["resources"]),
            (
                "resources/templates/list",
                json!({}),
                &["resourceTemplates"],
            ),
            (
                "resources/read",
                json!({ "uri": "fixture://about" }),
                &["contents"],
            ),
            (
                "resources/read",
                json!({ "uri": "fixture://binary" }),
                &["contents"],
            ),
            (
                "resources/read",
                json!({ "uri": "note://1" }),
                &["contents"],
            ),
        ] {
            let (old, new) = (
                old.result(method, params.clone()).await,
                new.result(method, params.clone()).await,
            );
            for member in members {
                assert!(new.get(member).is_some(), "{method}: {new}");
                assert_eq!(
                    old.get(member),
                    new.get(member),
                    "{revision}: {method} {params}"
                );
            }
            let all = old.as_object().expect("an object").keys();
            let all = all.filter(|key| *key != "structuredContent");
            assert_eq!(all.count(), members.len(), "{revision}: {old}");
        }
    }
}

// LF-10
#[tokio::test]
async fn tools_are_listed_in_one_order() {
    let listed = async |mut wire: Wire<Guest>| {
        let result = wire.result("tools/list", json!({})).await;
        let tools = result["tools"].as_array().expect("a list");
        tools
            .iter()
            .map(|tool| tool["name"].as_str().expect("a name").to_owned())
            .collect::<Vec<_>>()
    };
    let modern = listed(wire()).await;
    assert!(modern.is_sorted() && modern.len() > 10, "{modern:?}");
    let legal = |name: &String| {
        (1..=128).contains(&name.len())
            && name
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c))
    };
    assert!(modern.iter().all(legal), "{modern:?}");
    for revision in LEGACY {
        for _ in 0..2 {
            assert_eq!(listed(legacy(revision).await).await, modern, "{revision}");
        }
    }
}
