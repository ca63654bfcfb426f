//! `legacy.md` §8: what each revision's wire knows, and nothing else.

use relay_core::Revision;
use relay_tests::{
    fixture::Guest,
    wire::{LEGACY, Wire},
};
use serde_json::{Value, json};

use super::{
    dressed::{dressed, forest, seen},
    requests::{legacy, served},
};

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
