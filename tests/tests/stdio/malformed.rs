//! Lines that are no requests, or wrong ones.

use serde_json::{Value, json};

use super::{
    process::Process,
    requests::{call, ping, request},
};

// STDIO-10, S04, JR-01, JR-05, ERA-11
#[test]
fn a_malformed_line_does_not_end_the_session() {
    let meta = serde_json::from_str::<Value>(&ping(1)).unwrap()["params"]["_meta"].clone();
    let nameless = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call",
        "params": { "_meta": meta, "arguments": {} } });
    let cases: [(&str, i64, Value); 12] = [
        ("garbage", -32700, Value::Null),
        (
            r#"{"jsonrpc":"2.0","method":"x","params":"#,
            -32700,
            Value::Null,
        ),
        ("42", -32600, Value::Null),
        (r#""str""#, -32600, Value::Null),
        ("null", -32600, Value::Null),
        ("{}", -32600, Value::Null),
        (
            r#"{"jsonrpc":"1.0","id":1,"method":"tools/list"}"#,
            -32600,
            json!(1),
        ),
        (r#"{"id":1,"method":"tools/list"}"#, -32600, json!(1)),
        ("Content-Length: 57", -32700, Value::Null),
        (&request(2, "no/such/method", json!({})), -32601, json!(2)),
        (&nameless.to_string(), -32602, json!(2)),
        (&format!("{} trailing", ping(3)), -32700, Value::Null),
    ];
    let mut server = Process::start(&[]);
    for (line, code, id) in cases {
        server.note(line);
        server.write(format!("{line}\n").as_bytes());
        let answer = server.message();
        assert_eq!(answer["error"]["code"], code, "{line}: {answer}");
        // No id at all where it can't be read: null is in no schema.
        assert_eq!(
            answer.get("id"),
            Some(&id).filter(|id| !id.is_null()),
            "{line}: {answer}"
        );
        server.probe();
    }
    // The header of another framing, with its blank line, and the message after it.
    let message = ping(4);
    server.note(&message);
    server.write(format!("Content-Length: 57\r\n\r\n{message}\n").as_bytes());
    assert_eq!(server.message()["error"]["code"], -32700);
    assert_eq!(server.message()["id"], 4);
    server.close();
    let end = server.end();
    assert!(end.clean().messages.is_empty(), "{:?}", end.messages);
}

// STDIO-03, S04
#[test]
fn what_was_wrong_is_told_on_stderr() {
    let mut server = Process::start(&[]);
    server.write(b"garbage\n");
    assert_eq!(server.message()["error"]["code"], -32700);
    server.logged("-32700");
    server.probe();
}

// JR-07, JR-08, STDIO-04
#[test]
fn notifications_and_answers_are_never_answered() {
    let mut server = Process::start(&[]);
    let silent = [
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({ "jsonrpc": "2.0", "method": "notifications/unknown", "params": { "a": 1 } }),
        json!({ "jsonrpc": "2.0", "method": "tools/call", "params": { "name": "echo" } }),
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": 7 }),
        json!({ "jsonrpc": "2.0", "id": 9, "result": {} }),
        json!({ "jsonrpc": "2.0", "id": "x", "error": { "code": -1, "message": "no" } }),
    ];
    for message in silent {
        server.send(&message.to_string());
        server.probe();
    }
}

// JR-02, STDIO-14
#[test]
fn who_the_peer_is_comes_from_the_environment() {
    let mut server = Process::start_with_user("ada");
    let answer = server.ask(&call("who", "whoami", json!({})));
    assert_eq!(answer["result"]["structuredContent"], "ada");
    server.probe();
    let mut server = Process::start(&[]);
    let answer = server.ask(&call("who", "whoami", json!({})));
    assert_eq!(answer["result"]["structuredContent"], "nobody");
    server.probe();
}
