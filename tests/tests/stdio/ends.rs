//! The end of the input, of the output, and of the parent.

use std::fs::File;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use super::{
    process::Process,
    requests::{call, ping},
};

// STDIO-08, S08, LIO-04
#[test]
fn an_empty_input_ends_the_process() {
    let end = Process::start_with_input(File::open("/dev/null").unwrap()).end();
    assert!(end.clean().prompt().messages.is_empty());
}

// STDIO-08, S08
#[test]
fn a_closed_input_ends_the_process() {
    let end = Process::start_in_shell("exec \"$0\" <&-").end();
    assert!(end.clean().prompt().messages.is_empty());
}

// S08
#[test]
fn an_input_that_cannot_be_read_is_an_error() {
    let end = Process::start_with_input(File::open("/").unwrap()).end();
    assert_eq!(end.prompt().status.code(), Some(1), "{}", end.log);
    assert!(end.log.contains("Is a directory"), "{}", end.log);
    assert!(!end.log.contains("panicked"), "{}", end.log);
}

// STDIO-08, S08
#[test]
fn the_end_of_the_input_ends_the_process() {
    let mut server = Process::start(&[]);
    server.probe();
    server.close();
    assert!(server.end().clean().prompt().messages.is_empty());
}

// STDIO-08, S08
#[test]
fn nothing_that_lives_on_holds_up_the_end() {
    let mut server = Process::start(&[]);
    let answer = server.ask(&call(1, "lingers", json!({})));
    let child = answer["result"]["structuredContent"].as_i64().unwrap();
    server.close();
    server.logged("served: Ok");
    // The child has the server's stderr, and would keep it open.
    let child = Pid::from_raw(i32::try_from(child).unwrap()).unwrap();
    assert!(
        rustix::process::test_kill_process(child).is_ok(),
        "the child lives"
    );
    kill_process(child, Signal::KILL).unwrap();
    server.end().clean().prompt();
}

// STDIO-08, S08
#[test]
fn the_end_of_the_parent_ends_the_process() {
    let mut parent = Process::start(&["--parent"]);
    parent.logged("the child serves");
    parent.signal(Signal::KILL);
    // The server has the parent's stderr: it ends when both are gone.
    let end = parent.end();
    assert_eq!(end.killed_by(), Some(9));
    assert!(end.log.contains("served: Ok"), "{}", end.log);
}

// STDIO-13, S09
#[test]
fn what_was_read_is_answered_after_the_end_of_the_input() {
    let mut server = Process::start(&[]);
    let mut messages: Vec<String> = (0..10)
        .map(|id| call(id, "echo", json!({ "text": "x" })))
        .collect();
    messages.push(call(10, "sleep", json!({ "ms": 300 })));
    server.send_all(&messages);
    // The last line needs no newline.
    let last = ping(11);
    server.note(&last);
    server.write(last.as_bytes());
    server.close();
    let end = server.end();
    let mut ids = end.clean().prompt().ids();
    assert_eq!(ids.last(), Some(&&json!(10)));
    ids.sort_by_key(|id| id.as_i64());
    assert_eq!(ids, (0..12).collect::<Vec<_>>());
    assert!(
        end.messages
            .iter()
            .all(|message| message.get("result").is_some())
    );
}

// STDIO-08, STDIO-13, S09
#[test]
fn what_takes_too_long_after_the_end_of_the_input_is_cancelled() {
    let mut server = Process::start(&["--grace", "300"]);
    server.send(&call(1, "waits", json!({})));
    server.send(&call(2, "sleep", json!({ "ms": 600_000 })));
    server.logged("waiting");
    server.close();
    let end = server.end();
    let mut ids = end.clean().prompt().ids();
    ids.sort_by_key(|id| id.as_i64());
    assert_eq!(ids, [1, 2]);
    assert!(
        end.messages
            .iter()
            .all(|message| message["error"]["code"] == -32603)
    );
}

// STDIO-09, S08
#[test]
fn a_broken_output_ends_the_process() {
    let mut server = Process::start(&[]);
    server.probe();
    server.deafen();
    while server.try_send(&ping("again")) {}
    let end = server.end();
    assert!(
        !end.clean().prompt().log.contains("Broken pipe"),
        "{}",
        end.log
    );
}

// STDIO-09
#[test]
fn an_output_that_fails_otherwise_is_an_error() {
    let mut server = Process::start_in_shell("exec \"$0\" >/dev/full");
    server.send(&ping(1));
    let end = server.end();
    assert_eq!(end.prompt().status.code(), Some(1), "{}", end.log);
    assert!(end.log.contains("No space left on device"), "{}", end.log);
}
