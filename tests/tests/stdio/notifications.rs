//! What is sent before an answer: progress and log messages.

use relay_core::Revision;
use serde_json::{Value, json};

use super::{
    process::Process,
    requests::{call, call_with, legacy, request},
};

const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";

/// All that is sent up to the answer, which is last.
fn exchange(server: &mut Process, message: &str) -> Vec<Value> {
    server.send(message);
    let mut messages = vec![server.message()];
    while messages
        .last()
        .is_some_and(|message| message.get("method").is_some())
    {
        messages.push(server.message());
    }
    messages
}

fn levels(messages: &[Value]) -> Vec<&str> {
    let logged = messages
        .iter()
        .filter(|message| message["method"] == "notifications/message");
    logged
        .map(|message| message["params"]["level"].as_str().unwrap())
        .collect()
}

// N01, PROG-01, PROG-02, PROG-03, PROG-05, STDIO-04
#[test]
fn progress_carries_its_token_and_rises() {
    let mut server = Process::start(&[]);
    for token in [
        json!(0),
        json!(""),
        json!("abc"),
        json!(9_007_199_254_740_993_i64),
    ] {
        let counts = call_with(1, "counts", json!({}), ("progressToken", token.clone()));
        let messages = exchange(&mut server, &counts);
        let (answer, progress) = messages.split_last().unwrap();
        assert_eq!(answer["result"]["structuredContent"], "counted");
        let values: Vec<&Value> = progress
            .iter()
            .map(|sent| &sent["params"]["progress"])
            .collect();
        assert_eq!(values, [1.0, 2.0, 3.0]);
        for sent in progress {
            assert_eq!(sent["method"], "notifications/progress");
            assert_eq!(sent["params"]["progressToken"], token);
            assert_eq!(sent["params"]["total"], 3.0);
            assert_eq!(sent["params"]["message"], "counting");
        }
        // Nothing after the answer.
        server.probe();
    }
    assert_eq!(
        exchange(&mut server, &call(1, "counts", json!({}))).len(),
        1
    );
    server.probe();
}

// N01, PROG-07
#[test]
fn a_token_that_is_none_is_refused() {
    let mut server = Process::start(&[]);
    for token in [json!(1.5), json!([]), json!({}), json!(true)] {
        let messages = exchange(
            &mut server,
            &call_with(1, "counts", json!({}), ("progressToken", token)),
        );
        assert_eq!(messages.len(), 1);
        assert_eq!(messages[0]["error"]["code"], -32602, "{messages:?}");
        server.probe();
    }
}

// N01, PROG-08, LOG-03
#[test]
fn requests_in_flight_together_keep_their_tokens() {
    let mut server = Process::start(&[]);
    let tokens = ["a", "b"];
    let sleeps =
        tokens.map(|id| call_with(id, "sleep", json!({ "ms": 100 }), ("progressToken", id)));
    server.send_all(&sleeps);
    let mut last = [0.0, 0.0];
    let mut answered = [false, false];
    while answered != [true, true] {
        let message = server.message();
        let token = message["params"]["progressToken"]
            .as_str()
            .or_else(|| message["id"].as_str());
        let at = tokens
            .iter()
            .position(|known| Some(*known) == token)
            .unwrap();
        assert!(!answered[at], "{message}");
        match message["params"]["progress"].as_f64() {
            Some(value) => {
                assert!(value > last[at], "{message}");
                last[at] = value;
            }
            None => answered[at] = true,
        }
    }
    assert!(last.iter().all(|value| *value > 9.5), "{last:?}");
    server.probe();
}

// N04, LOG-01, LOG-02, LOG-03, STDIO-04
#[test]
fn a_modern_request_says_what_is_logged() {
    let mut server = Process::start(&[]);
    assert_eq!(exchange(&mut server, &call(1, "logs", json!({}))).len(), 1);
    server.probe();
    let warnings = call_with(2, "logs", json!({}), (LOG_LEVEL, "warning"));
    let messages = exchange(&mut server, &warnings);
    assert_eq!(
        levels(&messages),
        ["warning", "error", "critical", "alert", "emergency"]
    );
    assert_eq!(messages.last().unwrap()["id"], 2);
    server.probe();
}

// N04, LOG-04
#[test]
fn a_log_level_that_is_none_is_refused() {
    let mut server = Process::start(&[]);
    for level in [json!("warn"), json!("TRACE"), json!(5)] {
        let messages = exchange(
            &mut server,
            &call_with(1, "logs", json!({}), (LOG_LEVEL, level)),
        );
        assert_eq!(messages.len(), 1);
        assert_eq!(messages[0]["error"]["code"], -32602, "{messages:?}");
        server.probe();
    }
    let set = request(1, "logging/setLevel", json!({ "level": "error" }));
    assert_eq!(server.ask(&set)["error"]["code"], -32601);
    server.probe();
}

// N04, LU-01, LU-02
#[test]
fn a_legacy_client_sets_the_level_for_good() {
    let mut server = Process::initialized(Revision::V2025_11_25, &[]);
    let set = |level| legacy(1, "logging/setLevel", json!({ "level": level }));
    assert_eq!(server.ask(&set("verbose"))["error"]["code"], -32602);
    assert_eq!(server.ask(&set("error"))["result"], json!({}));
    for id in 2..4 {
        let logs = legacy(id, "tools/call", json!({ "name": "logs", "arguments": {} }));
        let messages = exchange(&mut server, &logs);
        assert_eq!(
            levels(&messages),
            ["error", "critical", "alert", "emergency"]
        );
    }
    server.probe();
}
