//! `notifications/cancelled`, and handlers that take too long.

use serde_json::{Value, json};

use super::{
    process::Process,
    requests::{call, call_with, cancel},
};

// STDIO-06, CAN-01, PROG-04, S12
#[test]
fn nothing_more_is_said_for_a_cancelled_request() {
    let mut server = Process::start(&[]);
    let sleep = call_with(
        1,
        "sleep",
        json!({ "ms": 60_000 }),
        ("progressToken", "token"),
    );
    server.send(&sleep);
    assert_eq!(server.message()["method"], "notifications/progress");
    server.send(&call(2, "waits", json!({})));
    server.logged("waiting");
    server.send(&cancel(1));
    server.send(&cancel(2));
    // What was said before the cancellation was read comes first.
    server.send(&call("after", "echo", json!({ "text": "x" })));
    while server.message()["id"] != "after" {}
    // The handler was told.
    server.logged("cancelled");
    server.probe();
    server.close();
    assert_eq!(server.end().clean().prompt().messages, Vec::<Value>::new());
}

// STDIO-07
#[test]
fn a_cancellation_that_means_nothing_is_ignored() {
    let mut server = Process::start(&[]);
    server.ask(&call(1, "echo", json!({ "text": "x" })));
    let bad = [
        json!({ "requestId": 1 }),
        json!({ "requestId": "unknown" }),
        json!({ "requestId": null }),
        json!({ "requestId": [1] }),
        json!({ "requestId": 1, "reason": 7 }),
        json!({}),
    ];
    for params in bad {
        let method = "notifications/cancelled";
        let message = json!({ "jsonrpc": "2.0", "method": method, "params": params });
        server.send(&message.to_string());
        server.probe();
    }
    server.send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#);
    server.probe();
    // An answered request is not cancelled after the fact: its id is free.
    let again = server.ask(&call(1, "echo", json!({ "text": "x" })));
    assert_eq!(again["result"]["structuredContent"], "x");
}

// CAN-02, STDIO-06
#[test]
fn the_result_of_a_handler_that_ignores_its_cancellation_is_dropped() {
    let mut server = Process::start(&["--concurrency", "1"]);
    server.send(&call(1, "deaf", json!({ "ms": 200 })));
    server.logged("deaf begins");
    server.send(&cancel(1));
    server.logged("deaf ends");
    // Its place is free, and so is its id.
    let echo = server.ask(&call(1, "echo", json!({ "text": "x" })));
    assert_eq!(echo["result"]["structuredContent"], "x");
    server.probe();
}

// CAN-03
#[test]
fn the_reason_of_a_cancellation_is_logged() {
    let mut server = Process::start(&[]);
    server.send(&call(1, "waits", json!({})));
    server.logged("waiting");
    server.send(&cancel(1));
    server.logged("the user lost patience");
    server.probe();
}

// CAN-04
#[test]
fn a_handler_that_takes_too_long_is_cancelled_and_answered() {
    let mut server = Process::start(&["--deadline", "200"]);
    let late = server.ask(&call(1, "waits", json!({})));
    assert_eq!(late["id"], 1);
    let failed = late["error"]["code"] == -32603 || late["result"]["isError"] == true;
    assert!(failed, "{late}");
    server.logged("cancelled");
    // A tool's own deadline counts for it.
    let slept = server.ask(&call(2, "sleep", json!({ "ms": 400 })));
    assert_eq!(slept["result"]["structuredContent"], "slept");
    server.probe();
}
