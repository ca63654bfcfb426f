//! `modern.md` §4: which era a request is of.

use relay_core::Revision;
use relay_tests::{
    fixture::{self, Guest},
    wire::{LEGACY, Wire, meta},
};
use serde_json::{Value, json};

use super::requests::{code, legacy, wire};

fn initialize(version: &str) -> Value {
    json!({
        "jsonrpc": "2.0", "id": 0, "method": "initialize",
        "params": {
            "protocolVersion": version,
            "capabilities": { "elicitation": {} },
            "clientInfo": { "name": "old", "version": "1" },
        },
    })
}

/// What a handler saw of a call with these parameters beside its name.
async fn seen(wire: &mut Wire<Guest>, meta: Value) -> Value {
    let params = json!({ "name": "sees", "arguments": {}, "_meta": meta });
    let result = wire.result("tools/call", params).await;
    let text = result.pointer("/content/0/text").and_then(Value::as_str);
    serde_json::from_str(text.unwrap_or_default()).unwrap_or_default()
}

// ERA-01, ERA-10, LC-09
#[tokio::test]
async fn a_modern_request_beside_a_session_stands_alone() {
    for revision in LEGACY {
        let mut wire = wire().speaking(revision);
        assert_eq!(
            code(&wire.one(initialize(revision.as_str()).to_string()).await),
            0
        );
        for _ in 0..2 {
            let modern = seen(&mut wire, Value::Object(meta())).await;
            assert_eq!(modern["revision"], "2026-07-28");
            assert_eq!(
                modern["capabilities"],
                json!({}),
                "the session's are not its own"
            );
            assert_eq!(modern["client"]["name"], "wire");
            let legacy = seen(&mut wire, json!({})).await;
            assert_eq!(legacy["revision"], revision.as_str());
            assert_eq!(legacy["capabilities"], json!({ "elicitation": {} }));
            assert_eq!(legacy["client"]["name"], "old");
        }
        // What the session has and an envelope has not: a log level, a ping.
        wire.result("logging/setLevel", json!({ "level": "debug" }))
            .await;
        let call = json!({ "name": "logs", "_meta": meta() });
        let request = wire.request("tools/call", &call);
        assert_eq!(wire.send(&request).await.len(), 1);
        assert_eq!(
            wire.error("ping", json!({ "_meta": meta() })).await.0,
            -32601
        );
        assert_eq!(wire.result("ping", json!({})).await, json!({}));
    }
}

// ERA-01
#[tokio::test]
async fn one_server_serves_both_eras_at_once() {
    let server = fixture::inspecting();
    let mut modern = Wire::new(server.clone(), Guest::default());
    let mut sessions = Vec::new();
    for revision in LEGACY {
        sessions.push(
            Wire::new(server.clone(), Guest::default())
                .initialized(revision)
                .await,
        );
    }
    for session in &mut sessions {
        assert_eq!(
            session
                .result("tools/list", json!({}))
                .await
                .get("resultType"),
            None
        );
        assert_eq!(
            modern.result("tools/list", json!({})).await["resultType"],
            "complete"
        );
        assert_eq!(modern.error("ping", json!({})).await.0, -32601);
    }
}

// ERA-02
#[tokio::test]
async fn initialize_without_an_envelope_opens_a_session() {
    for revision in LEGACY {
        let mut wire = wire().speaking(revision);
        let answer = wire.one(initialize(revision.as_str()).to_string()).await;
        assert_eq!(answer["result"]["protocolVersion"], revision.as_str());
        assert_eq!(answer["result"]["serverInfo"]["name"], "fixture");
        assert_eq!(wire.result("ping", json!({})).await, json!({}));
    }
}

// ERA-06
#[tokio::test]
async fn a_modern_server_tells_a_legacy_client_what_it_serves() {
    let server = fixture::server().with_revisions([Revision::V2026_07_28]);
    let mut wire = Wire::new(server, Guest::default());
    for version in ["2025-11-25", "2025-03-26", "2024-11-05", "2026-07-28"] {
        let answer = wire.one(initialize(version).to_string()).await;
        assert_eq!(code(&answer), -32022, "{answer}");
        assert_eq!(answer["error"]["data"]["supported"], json!(["2026-07-28"]));
        let message = answer["error"]["message"].as_str().expect("a message");
        assert!(message.contains("2026-07-28"), "{message}");
        wire.survives().await;
    }
    let incomplete = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {} });
    assert_eq!(code(&wire.one(incomplete.to_string()).await), -32022);
    assert!(wire.result("tools/list", json!({})).await["tools"].is_array());
}

// ERA-08, V02
#[tokio::test]
async fn a_probe_does_not_lock_the_connection() {
    for revision in LEGACY {
        let mut wire = wire();
        let probe = json!({ "jsonrpc": "2.0", "id": "d1", "method": "server/discover", "params": { "_meta": meta() } });
        for _ in 0..2 {
            let answer = wire.one(probe.to_string()).await;
            assert_eq!(answer["id"], "d1");
            assert!(answer["result"]["supportedVersions"].is_array(), "{answer}");
        }
        let mut wire = wire.initialized(revision).await;
        assert!(wire.result("tools/list", json!({})).await["tools"].is_array());
        let call = json!({ "name": "sees", "_meta": meta() });
        assert_eq!(
            wire.result("tools/call", call).await["resultType"],
            "complete"
        );
        assert!(wire.result("tools/list", json!({})).await["tools"].is_array());
        wire.survives().await;
    }
}

// ERA-08
#[tokio::test]
async fn a_refused_probe_does_not_lock_the_connection_either() {
    let mut wire = wire();
    let old = json!({ "_meta": { "io.modelcontextprotocol/protocolVersion": "1900-01-01" } });
    assert_eq!(wire.error("server/discover", old.clone()).await.0, -32022);
    assert_eq!(wire.error("tools/list", old).await.0, -32022);
    assert_eq!(wire.error("ping", json!({})).await.0, -32601);
    let bare = r#"{"jsonrpc":"2.0","id":1,"method":"server/discover"}"#;
    assert_eq!(code(&wire.one(bare).await), -32602);
    let mut wire = wire.initialized(LEGACY[0]).await;
    assert!(wire.result("tools/list", json!({})).await["tools"].is_array());
}

// ERA-09
#[tokio::test]
async fn a_connection_that_was_served_a_modern_request_has_no_session() {
    for revision in LEGACY {
        let mut wire = wire();
        wire.result("tools/list", json!({})).await;
        for _ in 0..2 {
            let answer = wire.one(initialize(revision.as_str()).to_string()).await;
            assert_eq!(code(&answer), -32022, "{answer}");
            assert_eq!(answer["error"]["data"]["supported"], json!(["2026-07-28"]));
            wire.survives().await;
        }
        assert!(wire.result("tools/list", json!({})).await["tools"].is_array());
    }
}

// ERA-11, LIO-07
#[tokio::test]
async fn any_first_message_is_answered_and_ends_nothing() {
    let envelope = Value::Object(meta());
    let bad_version = r#"{"io.modelcontextprotocol/protocolVersion":"1900-01-01","io.modelcontextprotocol/clientCapabilities":{}}"#;
    for (first, expected) in [
        ("garbage".to_owned(), -32700),
        ("[]".to_owned(), -32600),
        ("{}".to_owned(), -32600),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#.to_owned(),
            -32602,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}"#.to_owned(),
            -32602,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"info"}}"#
                .to_owned(),
            -32602,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#.to_owned(),
            -32602,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"no/such/method"}"#.to_owned(),
            -32602,
        ),
        (
            format!(
                r#"{{"jsonrpc":"2.0","id":1,"method":"no/such/method","params":{{"_meta":{envelope}}}}}"#
            ),
            -32601,
        ),
        (
            format!(
                r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{{"_meta":{envelope}}}}}"#
            ),
            -32601,
        ),
        (
            format!(
                r#"{{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{{"_meta":{bad_version}}}}}"#
            ),
            -32022,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"server/discover"}"#.to_owned(),
            -32602,
        ),
    ] {
        let mut fresh = wire();
        assert_eq!(code(&fresh.one(&first).await), expected, "{first}");
        fresh.survives().await;
        // Whatever it was, either era may follow.
        for revision in LEGACY {
            let mut wire = wire();
            wire.one(&first).await;
            let mut wire = wire.initialized(revision).await;
            assert!(
                wire.result("tools/list", json!({})).await["tools"].is_array(),
                "{first}"
            );
        }
        assert!(
            fresh.result("tools/list", json!({})).await["tools"].is_array(),
            "{first}"
        );
    }
}

// ERA-11, V02
#[tokio::test]
async fn a_legacy_server_answers_a_probe_and_goes_on() {
    let server = fixture::server().with_revisions(LEGACY);
    let mut wire = Wire::new(server, Guest::default()).speaking(LEGACY[0]);
    let probe = json!({ "jsonrpc": "2.0", "id": "d1", "method": "server/discover", "params": { "_meta": meta() } });
    let sent = wire.send(&probe).await;
    assert_eq!((code(&sent[0]), &sent[0]["id"]), (-32601, &json!("d1")));
    let mut wire = wire.initialized(LEGACY[0]).await;
    assert!(wire.result("tools/list", json!({})).await["tools"].is_array());
}

// ERA-10
#[tokio::test]
async fn a_session_is_not_ended_by_what_an_envelope_gets_wrong() {
    let mut wire = legacy(LEGACY[0]).await;
    let old = json!({ "_meta": { "io.modelcontextprotocol/protocolVersion": "1900-01-01" } });
    assert_eq!(wire.error("tools/list", old).await.0, -32602);
    assert!(wire.result("tools/list", json!({})).await["tools"].is_array());
}
