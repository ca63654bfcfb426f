//! SIGTERM and Ctrl-C, with the input open.

use std::time::Duration;

use rustix::process::Signal;
use serde_json::{Value, json};

use super::{
    process::Process,
    requests::{call, ping},
};

const TERMINATE: i32 = 15;

// STDIO-15, S10
#[test]
fn a_signal_ends_an_idle_process() {
    for signal in [Signal::TERM, Signal::INT] {
        let mut server = Process::start(&[]);
        server.probe();
        server.signal(signal);
        assert!(server.end().clean().prompt().messages.is_empty());
    }
}

// STDIO-15, STDIO-13, S10
#[test]
fn what_was_read_is_answered_after_a_signal() {
    for signal in [Signal::TERM, Signal::INT] {
        let mut server = Process::start(&[]);
        let sleep = call(1, "sleep", json!({ "ms": 500 }));
        server.send_all(&[sleep, call(2, "waits", json!({}))]);
        server.send(&super::requests::cancel(2));
        server.logged("cancelled");
        server.signal(signal);
        let end = server.end();
        assert_eq!(end.clean().prompt().ids(), [1]);
        assert_eq!(end.messages[0]["result"]["structuredContent"], "slept");
    }
}

// STDIO-15, S10
#[test]
fn what_takes_too_long_after_a_signal_is_cancelled() {
    let mut server = Process::start(&["--grace", "300"]);
    server.send(&call(1, "waits", json!({})));
    server.logged("waiting");
    server.signal(Signal::TERM);
    let end = server.end();
    assert_eq!(end.clean().prompt().ids(), [1]);
    assert_eq!(end.messages[0]["error"]["code"], -32603);
}

// STDIO-15, S10
#[test]
fn a_second_signal_ends_the_process_at_once() {
    let mut server = Process::start(&["--grace", "600000"]);
    server.send(&call(1, "waits", json!({})));
    server.logged("waiting");
    server.signal(Signal::INT);
    server.logged("no more is read");
    server.signal(Signal::TERM);
    let end = server.end();
    assert_eq!(end.prompt().killed_by(), Some(TERMINATE));
    assert_eq!(end.messages, Vec::<Value>::new());
}

// S10: a handler that blocks the only thread
#[test]
fn signals_end_a_process_that_is_held_up() {
    let mut server = Process::start(&["--one-thread"]);
    server.send(&call(1, "stalls", json!({ "ms": 600_000 })));
    server.logged("stalling");
    // One signal may arrive before the one before it was looked at.
    while !server.ends_within(Duration::from_millis(20)) {
        server.signal(Signal::TERM);
    }
    assert_eq!(server.end().killed_by(), Some(TERMINATE));
}

// S10: `#[tokio::main]` waits for a handler that blocks
#[test]
fn a_signal_after_the_serving_ends_the_process() {
    let mut server = Process::start(&["--patient", "--grace", "100"]);
    server.send(&call(1, "stalls", json!({ "ms": 600_000 })));
    server.logged("stalling");
    server.close();
    server.logged("served: Ok");
    server.signal(Signal::TERM);
    let end = server.end();
    assert_eq!(end.prompt().killed_by(), Some(TERMINATE));
    assert_eq!(end.ids(), [1]);
}

// STDIO-08, S08, S12: the executor is left without waiting
#[test]
fn a_handler_that_blocks_does_not_hold_up_the_end() {
    let mut server = Process::start(&["--grace", "100"]);
    server.send_all(&[call(1, "stalls", json!({ "ms": 600_000 })), ping(2)]);
    server.logged("stalling");
    server.close();
    let end = server.end();
    assert_eq!(end.clean().prompt().ids(), [2, 1]);
    assert_eq!(end.messages[1]["error"]["code"], -32603);
}
