//! `legacy.md` §1, and what of §2 and §3 is about the handshake.

use relay_core::Revision;
use relay_tests::{
    fixture::{self, Guest},
    wire::{LEGACY, Wire, meta},
};
use serde_json::{Value, json};

use super::requests::{code, legacy, wire};

fn opening(version: &Value) -> Value {
    json!({
        "protocolVersion": version,
        "capabilities": {},
        "clientInfo": { "name": "c", "version": "1" },
    })
}

// LC-01, V01
#[tokio::test]
async fn a_supported_version_is_answered_with_itself() {
    for revision in LEGACY {
        let mut wire = wire().speaking(revision);
        let result = wire.result("initialize", opening(&json!(revision))).await;
        assert_eq!(result["protocolVersion"], revision.as_str());
        assert_eq!(
            result["serverInfo"],
            json!({ "name": "fixture", "version": "1.2.3" })
        );
        assert_eq!(result["instructions"], "Call echo.");
        assert!(result["capabilities"]["tools"].is_object(), "{result}");
        assert!(wire.result("tools/list", json!({})).await["tools"].is_array());
    }
}

// LC-02, V01
#[tokio::test]
async fn any_other_version_is_answered_with_the_newest_legacy_one() {
    for version in [
        "2026-07-28",
        "2024-11-05",
        "2099-01-01",
        "1900-01-01",
        "",
        "2025-11-25 ",
        "latest",
    ] {
        let mut wire = wire().speaking(Revision::V2025_11_25);
        let result = wire.result("initialize", opening(&json!(version))).await;
        assert_eq!(result["protocolVersion"], "2025-11-25", "{version:?}");
        assert!(wire.result("tools/list", json!({})).await["tools"].is_array());
        wire.survives().await;
    }
    // The newest of those that this server has.
    for (served, newest) in [
        (
            vec![
                Revision::V2026_07_28,
                Revision::V2025_03_26,
                Revision::V2025_06_18,
            ],
            Revision::V2025_06_18,
        ),
        (vec![Revision::V2025_03_26], Revision::V2025_03_26),
    ] {
        let server = fixture::server().with_revisions(served);
        for version in ["2025-11-25", "2026-07-28", "2099-01-01"] {
            let mut wire = Wire::new(server.clone(), Guest::default()).speaking(newest);
            let result = wire.result("initialize", opening(&json!(version))).await;
            assert_eq!(result["protocolVersion"], newest.as_str(), "{version}");
        }
    }
}

// LC-03, V01
#[tokio::test]
async fn an_opening_without_one_of_its_parts_is_invalid_and_may_be_sent_again() {
    for revision in LEGACY {
        let mut wire = wire().speaking(revision);
        for (member, values) in [
            (
                "protocolVersion",
                vec![json!(null), json!(123), json!(["2025-11-25"]), json!({})],
            ),
            (
                "capabilities",
                vec![json!(null), json!([]), json!("all"), json!(true)],
            ),
            (
                "clientInfo",
                vec![
                    json!(null),
                    json!("c"),
                    json!({}),
                    json!({ "name": "c" }),
                    json!({ "version": "1" }),
                ],
            ),
        ] {
            let mut without = opening(&json!(revision));
            without.as_object_mut().expect("an object").remove(member);
            let (code, message, _) = wire.error("initialize", without).await;
            assert_eq!(code, -32602, "{member}");
            assert!(message.contains(member), "{message}");
            for value in values {
                let mut wrong = opening(&json!(revision));
                wrong[member] = value;
                assert_eq!(
                    wire.error("initialize", wrong.clone()).await.0,
                    -32602,
                    "{wrong}"
                );
            }
        }
        assert_eq!(
            wire.error("tools/list", json!({})).await.0,
            -32602,
            "no session was opened"
        );
        wire.survives().await;
        let mut wire = wire.initialized(revision).await;
        assert!(wire.result("tools/list", json!({})).await["tools"].is_array());
    }
}

// LC-04, LC-06
#[tokio::test]
async fn the_client_says_that_it_is_ready_and_hears_nothing() {
    for revision in LEGACY {
        let mut wire = wire().speaking(revision);
        let request = wire.request("initialize", &opening(&json!(revision)));
        assert_eq!(
            wire.send(&request).await.len(),
            1,
            "the result and nothing else"
        );
        for params in [None, Some(json!({})), Some(json!({ "_meta": {} }))] {
            let mut ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
            if let Some(params) = params {
                ready["params"] = params;
            }
            assert_eq!(wire.send(&ready).await, Vec::<Value>::new());
        }
    }
}

// LC-05, LC-06, LJ-10, LIO-07
#[tokio::test]
async fn before_the_handshake_only_ping_is_served_and_after_its_answer_everything() {
    for revision in LEGACY {
        let mut wire = wire().speaking(revision);
        assert_eq!(wire.result("ping", json!({})).await, json!({}));
        for method in [
            "tools/list",
            "tools/call",
            "logging/setLevel",
            "resources/read",
            "no/such/method",
        ] {
            let answer = wire.ask(method, json!({ "name": "noargs" })).await;
            assert_eq!(code(&answer), -32602, "{method}");
            assert_eq!(wire.result("ping", json!({})).await, json!({}));
        }
        wire.result("initialize", opening(&json!(revision))).await;
        // Not yet `notifications/initialized`.
        assert_eq!(
            wire.result("logging/setLevel", json!({ "level": "warning" }))
                .await,
            json!({})
        );
        assert!(wire.result("tools/list", json!({})).await["tools"].is_array());
        let request = wire.request("tools/call", &json!({ "name": "logs" }));
        let sent = wire.send(&request).await;
        let (answer, before) = sent.split_last().expect("an answer");
        assert!(answer["result"].is_object());
        assert_eq!(before.len(), 5);
        assert!(
            before
                .iter()
                .all(|message| message["method"] == "notifications/message")
        );
    }
}

// LC-07
#[tokio::test]
async fn what_the_client_can_do_is_what_its_opening_says() {
    for revision in LEGACY {
        let mut params = opening(&json!(revision));
        params["capabilities"] = json!({ "sampling": {}, "roots": { "listChanged": true } });
        let mut able = wire().speaking(revision);
        able.result("initialize", params).await;
        assert_eq!(
            able.call("samples", json!({})).await["content"][0]["text"],
            "sampled"
        );
        assert_eq!(able.call("asks", json!({})).await["isError"], true);
        let mut unable = legacy(revision).await;
        assert_eq!(unable.call("samples", json!({})).await["isError"], true);
        // Able or not, it is asked nothing that no handler asks.
        for wire in [&mut able, &mut unable] {
            for (method, params) in super::requests::served() {
                let request = wire.request(method, &params);
                let sent = wire.send(&request).await;
                let asks = |message: &Value| {
                    message.get("id").is_some() && message.get("method").is_some()
                };
                assert!(!sent.iter().any(asks), "{method}");
            }
        }
    }
}

// LC-08
#[tokio::test]
async fn a_second_opening_is_refused_and_changes_nothing() {
    for revision in LEGACY {
        let mut wire = legacy(revision).await;
        wire.result("logging/setLevel", json!({ "level": "emergency" }))
            .await;
        for version in ["2025-11-25", "2025-06-18", "2025-03-26", "2099-01-01"] {
            let mut params = opening(&json!(version));
            params["capabilities"] = json!({ "sampling": {} });
            assert_eq!(
                wire.error("initialize", params).await.0,
                -32600,
                "{version}"
            );
        }
        assert_eq!(wire.error("initialize", json!({})).await.0, -32600);
        let params = json!({ "name": "sees" });
        let result = wire.result("tools/call", params).await;
        let text = result["content"][0]["text"].as_str().expect("text");
        let seen: Value = serde_json::from_str(text).expect("JSON");
        assert_eq!(seen["revision"], revision.as_str());
        assert_eq!(seen["capabilities"], json!({}));
        let request = wire.request("tools/call", &json!({ "name": "logs" }));
        assert_eq!(wire.send(&request).await.len(), 2);
        wire.survives().await;
    }
}

// LC-10, V02
#[tokio::test]
async fn discovery_without_an_envelope_is_an_error_and_no_more() {
    let bare = r#"{"jsonrpc":"2.0","id":"d","method":"server/discover"}"#;
    for revision in LEGACY {
        let mut wire = wire().speaking(revision);
        let answer = wire.one(bare).await;
        assert!([-32601, -32602].contains(&code(&answer)), "{answer}");
        assert_eq!(answer["id"], "d");
        let mut wire = wire.initialized(revision).await;
        assert_eq!(code(&wire.one(bare).await), -32601);
        assert!(wire.result("tools/list", json!({})).await["tools"].is_array());
        wire.survives().await;
    }
}

// LJ-10
#[tokio::test]
async fn ping_is_answered_with_nothing_at_any_time() {
    for revision in LEGACY {
        let mut wire = wire().speaking(revision);
        for params in [
            json!(null),
            json!({}),
            json!({ "_meta": { "x": 1 } }),
            json!([]),
        ] {
            assert_eq!(wire.result("ping", params).await, json!({}));
        }
        let mut wire = wire.initialized(revision).await;
        for id in ["7", r#""p""#] {
            let sent = wire
                .one(format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#))
                .await;
            assert_eq!(sent["result"], json!({}));
            assert_eq!(sent["id"].to_string(), *id);
        }
        // Beside a modern request, too.
        wire.result("tools/list", json!({ "_meta": meta() })).await;
        assert_eq!(wire.result("ping", json!({})).await, json!({}));
    }
}

// LIO-06
#[tokio::test]
async fn a_session_ends_with_its_connection() {
    let server = fixture::server();
    for revision in LEGACY {
        drop(
            Wire::new(server.clone(), Guest::default())
                .initialized(revision)
                .await,
        );
        let mut next = Wire::new(server.clone(), Guest::default()).speaking(revision);
        assert_eq!(next.error("tools/list", json!({})).await.0, -32602);
        next.result("initialize", opening(&json!(revision))).await;
        assert!(next.result("tools/list", json!({})).await["tools"].is_array());
    }
}
