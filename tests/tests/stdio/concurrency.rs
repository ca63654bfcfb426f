//! Several requests at a time.

use serde_json::json;

use super::{
    process::Process,
    requests::{call, cancel, ping},
};

// STDIO-05, S12, STDIO-06
#[test]
fn a_slow_call_does_not_hold_up_the_next() {
    let mut server = Process::start(&[]);
    let echo = call(2, "echo", json!({ "text": "x" }));
    server.send_all(&[call(1, "sleep", json!({ "ms": 30_000 })), echo, ping(3)]);
    let ids = [
        server.message()["id"].clone(),
        server.message()["id"].clone(),
    ];
    assert!(
        ids.contains(&json!(2)) && ids.contains(&json!(3)),
        "{ids:?}"
    );
    server.send(&cancel(1));
    server.probe();
    server.close();
    assert!(server.end().clean().prompt().messages.is_empty());
}

// S12
#[test]
fn a_call_that_blocks_its_thread_does_not_hold_up_the_next() {
    let mut server = Process::start(&[]);
    server.send(&call(1, "stalls", json!({ "ms": 2_500 })));
    server.logged("stalling");
    server.probe();
    let echo = server.ask(&call(2, "echo", json!({ "text": "x" })));
    assert_eq!(echo["id"], 2);
    let stalled = server.message();
    assert_eq!(
        stalled["result"]["structuredContent"], "stalled",
        "{stalled}"
    );
    server.probe();
}

// STDIO-01, STDIO-05, S12
#[test]
fn answers_that_are_ready_together_do_not_mix() {
    let mut server = Process::start(&[]);
    let text = "z".repeat(20_000);
    let messages: Vec<String> = (0..200)
        .map(|id| match id % 2 {
            0 => call(id, "echo", json!({ "text": text })),
            _ => call(id, "sleep", json!({ "ms": 20 })),
        })
        .collect();
    server.send_all(&messages);
    let mut ids: Vec<i64> = (0..200)
        .map(|_| server.message()["id"].as_i64().unwrap())
        .collect();
    ids.sort_unstable();
    assert_eq!(ids, (0..200).collect::<Vec<_>>());
    server.probe();
}

// S12
#[test]
fn requests_beyond_the_limit_wait() {
    let mut server = Process::start(&["--concurrency", "2"]);
    let messages: Vec<String> = (0..8)
        .map(|id| call(id, "sleep", json!({ "ms": 50 })))
        .collect();
    server.send_all(&messages);
    let mut ids: Vec<i64> = (0..8)
        .map(|_| server.message()["id"].as_i64().unwrap())
        .collect();
    ids.sort_unstable();
    assert_eq!(ids, (0..8).collect::<Vec<_>>());
    server.probe();
}

// JR-13
#[test]
fn an_id_that_is_in_flight_is_refused() {
    let mut server = Process::start(&[]);
    server.send(&call("same", "sleep", json!({ "ms": 2_000 })));
    let refused = server.ask(&call("same", "echo", json!({ "text": "x" })));
    assert_eq!(refused["error"]["code"], -32600, "{refused}");
    assert_eq!(refused["id"], "same");
    // A number is not the text of it.
    server.send(&call(1, "sleep", json!({ "ms": 30 })));
    server.send(&call("1", "sleep", json!({ "ms": 30 })));
    let ids = [
        server.message()["id"].clone(),
        server.message()["id"].clone(),
    ];
    assert!(
        ids.contains(&json!(1)) && ids.contains(&json!("1")),
        "{ids:?}"
    );
    let slept = server.message();
    assert_eq!(slept["id"], "same");
    assert_eq!(slept["result"]["structuredContent"], "slept");
    // Answered, it is free again.
    let echo = server.ask(&call("same", "echo", json!({ "text": "x" })));
    assert_eq!(echo["result"]["structuredContent"], "x");
    server.probe();
}

// JR-02, JR-16, J01
#[test]
fn ids_come_back_digit_for_digit() {
    let ids = [
        "0",
        "-1",
        "\"\"",
        "\"0\"",
        "\"\u{fc}n\u{ef}\"",
        "9007199254740993",
    ];
    let large = ["18446744073709551616", "123456789012345678901234567890"];
    let mut server = Process::start(&[]);
    for id in ids.into_iter().chain(large) {
        let line = ping("ID").replace("\"ID\"", id);
        server.write(format!("{line}\n").as_bytes());
        let answer = server.raw_message();
        assert!(answer.contains(&format!("\"id\":{id}")), "{id}: {answer}");
        server.probe();
    }
}
