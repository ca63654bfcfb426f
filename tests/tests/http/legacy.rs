//! `legacy.md` without sessions: every request stands alone.

use relay_core::Revision;
use relay_tests::web::{Post, Reply};
use serde_json::{Value, json};

use super::support::{LEGACY, web};

async fn ask(revision: Revision, method: &str, params: Value) -> Reply {
    web().send(&Post::legacy(revision, method, &params)).await
}

// LJ-10, LF-01, LF-03, LF-06, LF-07, LF-08, LF-09, LU-01, LU-02, LU-09, LU-10
#[tokio::test]
async fn every_method_answers_without_a_session() {
    for revision in LEGACY {
        for (method, params, code) in [
            ("ping", json!({}), 0),
            ("tools/list", json!({}), 0),
            (
                "tools/call",
                json!({ "name": "echo", "arguments": { "text": "a" } }),
                0,
            ),
            ("tools/call", json!({ "name": "echo", "arguments": {} }), 0),
            ("tools/call", json!({ "name": "nothing" }), -32602),
            ("prompts/list", json!({}), 0),
            ("prompts/get", json!({ "name": "greet" }), 0),
            ("prompts/get", json!({ "name": "review" }), -32602),
            ("resources/list", json!({}), 0),
            ("resources/templates/list", json!({}), 0),
            ("resources/read", json!({ "uri": "note://1" }), 0),
            ("resources/read", json!({ "uri": "note://9" }), -32002),
            ("tools/list", json!({ "cursor": "bogus" }), -32602),
            ("logging/setLevel", json!({ "level": "debug" }), 0),
            ("logging/setLevel", json!({ "level": "loud" }), -32602),
            (
                "completion/complete",
                json!({ "ref": { "type": "ref/prompt", "name": "review" },
                    "argument": { "name": "language", "value": "r" } }),
                0,
            ),
        ] {
            let reply = ask(revision, method, params.clone()).await;
            assert_eq!(reply.outcome(), (200, code), "{revision} {method} {params}");
            assert_eq!(reply.answer()["id"], 1);
        }
    }
}

// LJ-12, LC-10, LU-12
#[tokio::test]
async fn an_unknown_method_is_no_missing_session() {
    for revision in LEGACY {
        for method in [
            "no/such",
            "server/discover",
            "tasks/get",
            "resources/subscribe",
        ] {
            let reply = ask(revision, method, json!({ "uri": "note://1" })).await;
            assert_eq!(reply.outcome(), (200, -32601), "{revision} {method}");
        }
    }
}

// LJ-08
#[tokio::test]
async fn unreadable_requests_get_the_id_that_their_revision_has() {
    for (revision, id) in [
        (Revision::V2025_11_25, None),
        (Revision::V2025_06_18, Some(Value::Null)),
        (Revision::V2025_03_26, Some(Value::Null)),
    ] {
        let post = Post::legacy(revision, "ping", &json!({})).saying("{");
        let reply = web().send(&post).await;
        assert_eq!(reply.outcome(), (400, -32700), "{revision}");
        assert_eq!(reply.answer().get("id").cloned(), id, "{revision}");
    }
}

// LH-22, LF-12
#[tokio::test]
async fn what_needs_the_client_fails_clearly() {
    for revision in LEGACY {
        let reply = ask(revision, "tools/call", json!({ "name": "samples" })).await;
        assert_eq!(reply.outcome(), (200, 0));
        let result = &reply.answer()["result"];
        assert_eq!(result["isError"], true);
        let text = result["content"][0]["text"].as_str().unwrap_or_default();
        assert!(text.contains("sampling"), "{text}");
    }
}

// LU-04, LU-05, LH-14, LH-16
#[tokio::test]
async fn progress_and_logs_come_on_the_stream_of_their_request() {
    for revision in LEGACY {
        let params = json!({ "name": "counts", "_meta": { "progressToken": "p" } });
        let reply = ask(revision, "tools/call", params).await;
        assert_eq!(reply.header("content-type"), "text/event-stream");
        let messages = reply.messages();
        let (answer, before) = messages.split_last().expect("an answer");
        assert!(answer["result"].is_object());
        assert!(!before.is_empty());
        for message in before {
            assert_eq!(message["method"], "notifications/progress");
            assert_eq!(message["params"]["progressToken"], "p");
        }
        // Nothing was asked for: messages from `info` on.
        let reply = ask(revision, "tools/call", json!({ "name": "logs" })).await;
        let levels: Vec<_> = reply
            .messages()
            .iter()
            .filter_map(|message| message["params"]["level"].as_str().map(str::to_owned))
            .collect();
        assert_eq!(levels.first().map(String::as_str), Some("info"));
        assert_eq!(levels.len(), 7);
    }
}
