//! `legacy.md` §7.

use relay_core::{LogLevel, Revision};
use relay_tests::{
    fixture::{self, Guest},
    wire::{LEGACY, Wire},
};
use serde_json::{Value, json};

use super::requests::{code, legacy};

/// The levels of the log messages that a call of `logs` sends.
async fn logged(wire: &mut Wire<Guest>) -> Vec<Value> {
    let request = wire.request("tools/call", &json!({ "name": "logs" }));
    let mut sent = wire.send(&request).await;
    let answer = sent.pop().unwrap_or_default();
    assert!(
        answer.get("result").is_some(),
        "the answer comes last: {answer}"
    );
    let level = |message: &Value| {
        assert_eq!(message.get("method"), Some(&json!("notifications/message")));
        message
            .pointer("/params/level")
            .cloned()
            .unwrap_or_default()
    };
    sent.iter().map(level).collect()
}

// LU-01, N04
#[tokio::test]
async fn a_level_that_is_set_holds_for_what_follows() {
    let names = LogLevel::ALL.map(LogLevel::as_str);
    for revision in LEGACY {
        let mut wire = legacy(revision).await;
        for _ in 0..2 {
            for (at, level) in names.iter().enumerate().rev() {
                let answer = wire
                    .result("logging/setLevel", json!({ "level": level }))
                    .await;
                assert_eq!(answer, json!({}), "{revision}");
                assert_eq!(logged(&mut wire).await, names[at..], "{revision}: {level}");
            }
        }
    }
}

// LU-02, N04
#[tokio::test]
async fn a_level_that_is_none_is_refused_and_changes_nothing() {
    for revision in LEGACY {
        let mut wire = legacy(revision).await;
        wire.result("logging/setLevel", json!({ "level": "critical" }))
            .await;
        for params in [
            json!({ "level": "verbose" }),
            json!({ "level": "warn" }),
            json!({ "level": "ERROR" }),
            json!({ "level": "TRACE" }),
            json!({ "level": "" }),
            json!({ "level": 5 }),
            json!({ "level": null }),
            json!({ "level": ["error"] }),
            json!({}),
        ] {
            assert_eq!(
                wire.error("logging/setLevel", params.clone()).await.0,
                -32602,
                "{params}"
            );
        }
        assert_eq!(
            logged(&mut wire).await,
            ["critical", "alert", "emergency"],
            "{revision}"
        );
    }
}

// LU-03, N04
#[tokio::test]
async fn a_server_without_logging_has_no_levels_and_no_messages() {
    for revision in LEGACY {
        let server = fixture::server().with_logging(false);
        let mut wire = Wire::new(server, Guest::default())
            .initialized(revision)
            .await;
        for level in ["debug", "emergency", "nonsense"] {
            assert_eq!(
                wire.error("logging/setLevel", json!({ "level": level }))
                    .await
                    .0,
                -32601
            );
        }
        assert_eq!(logged(&mut wire).await, Vec::<Value>::new(), "{revision}");
    }
}

// LU-04
#[tokio::test]
async fn without_a_level_messages_begin_at_info() {
    for revision in LEGACY {
        let levels = logged(&mut legacy(revision).await).await;
        let expected = [
            "info",
            "notice",
            "warning",
            "error",
            "critical",
            "alert",
            "emergency",
        ];
        assert_eq!(levels, expected, "{revision}");
    }
}

// LU-05
#[tokio::test]
async fn progress_has_the_token_rises_and_ends_with_the_answer() {
    for revision in LEGACY {
        let mut wire = legacy(revision).await;
        for token in [
            json!(0),
            json!(""),
            json!("abc"),
            json!(9_007_199_254_740_993_u64),
        ] {
            let params = json!({ "name": "counts", "_meta": { "progressToken": token } });
            let request = wire.request("tools/call", &params);
            let sent = wire.send(&request).await;
            let (answer, before) = sent.split_last().expect("an answer");
            assert!(answer["result"].is_object(), "{answer}");
            let values: Vec<_> = before
                .iter()
                .map(|message| message["params"]["progress"].as_f64())
                .collect();
            assert_eq!(values, [Some(1.0), Some(2.0), Some(3.0)]);
            for message in before {
                assert_eq!(message["method"], "notifications/progress");
                assert_eq!(message["params"]["progressToken"], token);
                assert_eq!(message["params"]["total"], 3.0);
                assert_eq!(message["params"]["message"], "counting");
            }
        }
        let silent = wire.request("tools/call", &json!({ "name": "counts" }));
        assert_eq!(wire.send(&silent).await.len(), 1, "nobody asked");
    }
}

/// A completion of a prompt's `language`.
fn completing(value: &str) -> Value {
    json!({
        "ref": { "type": "ref/prompt", "name": "review" },
        "argument": { "name": "language", "value": value },
    })
}

// LU-09
#[tokio::test]
async fn completion_is_bounded_and_says_how_much_there_is() {
    for revision in LEGACY {
        let mut wire = legacy(revision).await;
        let completed = wire.result("completion/complete", completing("py")).await;
        assert_eq!(completed["completion"]["values"], json!(["python"]));
        let ids = json!({
            "ref": { "type": "ref/resource", "uri": "note://{id}" },
            "argument": { "name": "id", "value": "" },
        });
        let completed = wire.result("completion/complete", ids).await;
        let completion = &completed["completion"];
        assert_eq!(completion["values"].as_array().map(Vec::len), Some(100));
        assert_eq!(
            (&completion["total"], &completion["hasMore"]),
            (&json!(120), &json!(true))
        );
    }
}

// LU-09
#[tokio::test]
async fn the_context_of_a_completion_is_read_where_the_revision_has_it() {
    for revision in LEGACY {
        let mut wire = legacy(revision).await;
        let known = revision > Revision::V2025_03_26;
        let mut params = completing("");
        params["context"] = json!({ "arguments": { "code": "1", "more": "2" } });
        let completed = wire.result("completion/complete", params.clone()).await;
        // The completer adds one for each argument that it sees.
        assert_eq!(
            completed["completion"]["total"],
            if known { 4 } else { 2 },
            "{revision}"
        );
        params["context"] = json!({ "arguments": { "code": 1 } });
        let answer = wire.ask("completion/complete", params).await;
        assert_eq!(code(&answer), if known { -32602 } else { 0 }, "{revision}");
    }
}

// LU-09, LC-07
#[tokio::test]
async fn without_a_completer_there_is_no_completion() {
    for revision in LEGACY {
        let server = fixture::server().with_prompts([]).with_resources([]);
        let mut wire = Wire::new(server, Guest::default())
            .initialized(revision)
            .await;
        assert_eq!(
            wire.error("completion/complete", completing("")).await.0,
            -32601
        );
    }
}

// LU-10
#[tokio::test]
async fn a_cursor_of_nowhere_is_refused() {
    for revision in LEGACY {
        let server = fixture::server().with_page_size(2);
        let mut wire = Wire::new(server, Guest::default())
            .initialized(revision)
            .await;
        let resources = wire.result("resources/list", json!({})).await;
        let foreign = resources["nextCursor"].clone();
        assert!(foreign.is_string());
        for cursor in [json!("bogus"), json!(""), json!(5), json!({}), foreign] {
            for method in ["tools/list", "prompts/list", "resources/templates/list"] {
                let params = json!({ "cursor": cursor });
                assert_eq!(
                    wire.error(method, params).await.0,
                    -32602,
                    "{revision}: {method} {cursor}"
                );
            }
        }
        let own = wire.result("tools/list", json!({})).await["nextCursor"].clone();
        assert!(wire.result("tools/list", json!({ "cursor": own })).await["tools"].is_array());
    }
}

// LU-11
#[tokio::test]
async fn the_client_may_say_that_its_roots_changed() {
    for revision in LEGACY {
        let mut wire = legacy(revision).await;
        for params in [json!(null), json!({}), json!({ "_meta": { "x": 1 } })] {
            let changed = json!({ "jsonrpc": "2.0", "method": "notifications/roots/list_changed", "params": params });
            assert_eq!(wire.send(&changed).await, Vec::<Value>::new(), "{revision}");
        }
        wire.survives().await;
    }
}

// LU-12
#[tokio::test]
async fn there_are_no_tasks() {
    for revision in LEGACY {
        let mut wire = legacy(revision).await;
        for method in ["tasks/get", "tasks/list", "tasks/cancel", "tasks/result"] {
            assert_eq!(
                wire.error(method, json!({ "taskId": "1" })).await.0,
                -32601,
                "{method}"
            );
        }
        for task in [json!({ "ttl": 1000 }), json!({}), json!(null), json!("x")] {
            let params = json!({ "name": "noargs", "task": task });
            let result = wire.result("tools/call", params).await;
            assert_eq!(result["content"][0]["text"], "done", "{task}");
            assert!(result.get("task").is_none(), "{result}");
        }
        let listed = wire.result("tools/list", json!({})).await;
        assert!(!listed.to_string().contains("taskSupport"), "{listed}");
        let mut fresh = Wire::new(fixture::server(), Guest::default()).speaking(revision);
        let client = json!({ "name": "c", "version": "1" });
        let params = json!({ "protocolVersion": revision, "capabilities": { "tasks": {} }, "clientInfo": client });
        let opened = fresh.result("initialize", params).await;
        assert!(opened["capabilities"].get("tasks").is_none(), "{opened}");
    }
}
