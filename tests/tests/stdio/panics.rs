//! Handlers that panic.

use serde_json::{Value, json};

use super::{
    process::Process,
    requests::{call, request},
};

fn failed(answer: &Value) {
    let failed = answer["error"]["code"] == -32603 || answer["result"]["isError"] == true;
    assert!(failed, "{answer}");
    assert!(!answer.to_string().contains("secret"), "{answer}");
}

// S13, OPS-05
#[test]
fn a_panic_is_the_answer_of_its_own_call_only() {
    let mut server = Process::start(&["--concurrency", "2"]);
    // More panics than permits, while another call runs.
    let mut messages = vec![call(1, "sleep", json!({ "ms": 300 }))];
    messages.extend((2..6).map(|id| call(id, "boom", json!({}))));
    server.send_all(&messages);
    for _ in messages {
        let answer = server.message();
        if answer["id"] == 1 {
            assert_eq!(answer["result"]["structuredContent"], "slept", "{answer}");
        } else {
            failed(&answer);
        }
    }
    server.logged("at /etc/secret");
    server.probe();
    // The id is free again.
    let echo = server.ask(&call(2, "echo", json!({ "text": "x" })));
    assert_eq!(echo["result"]["structuredContent"], "x");
    server.probe();
}

// S13
#[test]
fn a_panic_under_a_lock_does_not_end_the_tool() {
    let mut server = Process::start(&[]);
    failed(&server.ask(&call(1, "locks", json!({ "panic": true }))));
    server.probe();
    let answer = server.ask(&call(2, "locks", json!({ "panic": false })));
    assert_eq!(answer["result"]["structuredContent"], 2, "{answer}");
    server.probe();
}

// S13, OPS-05
#[test]
fn panics_of_resources_prompts_and_completions_are_answers() {
    let mut server = Process::start(&[]);
    let reference = json!({ "type": "ref/prompt", "name": "panics" });
    let argument = json!({ "name": "topic", "value": "x" });
    let requests = [
        request(1, "resources/read", json!({ "uri": "fixture://panics" })),
        request(2, "prompts/get", json!({ "name": "panics" })),
        request(
            3,
            "completion/complete",
            json!({ "ref": reference, "argument": argument }),
        ),
    ];
    for request in requests {
        failed(&server.ask(&request));
        server.probe();
    }
    server.close();
    let end = server.end();
    assert!(end.status.success() && end.messages.is_empty());
}
