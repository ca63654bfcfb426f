//! `legacy.md` §8: the features that every legacy revision shares with the modern one.

use relay_tests::{
    fixture::Guest,
    wire::{LEGACY, Wire},
};
use serde_json::json;

use super::requests::{legacy, wire};

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
