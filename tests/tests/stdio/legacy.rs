//! Legacy clients over stdio: `legacy.md`, LIO.

use relay_core::Revision;
use serde_json::{Value, json};

use super::{
    process::Process,
    requests::{call, initialize, legacy, ping},
};

const LEGACY: [Revision; 3] = [
    Revision::V2025_03_26,
    Revision::V2025_06_18,
    Revision::V2025_11_25,
];

// LIO-01, LIO-02, LIO-03, S01, S03, S11
#[test]
fn a_legacy_session_is_lines_of_messages() {
    for revision in LEGACY {
        let mut server = Process::initialized(revision, &[]);
        server.write(b"\r\n  \n");
        let listed = legacy(1, "tools/list", json!({}));
        server.note(&listed);
        server.write(format!("\u{feff}{listed}\r\n").as_bytes());
        assert!(server.message()["result"]["tools"].is_array());
        let prints = json!({ "name": "prints", "arguments": {} });
        let printed = server.ask(&legacy(2, "tools/call", prints));
        assert_eq!(
            printed["result"]["content"][0]["text"], "exit status: 0",
            "{printed}"
        );
        server.logged("from the child");
        let arguments = json!({ "text": "one\ntwo\u{2028}" });
        let echo = legacy(
            "x\ny",
            "tools/call",
            json!({ "name": "echo", "arguments": arguments }),
        );
        let answer = server.ask(&echo);
        assert_eq!(answer["id"], "x\ny");
        assert_eq!(answer["result"]["content"][0]["text"], "one\ntwo\u{2028}");
        assert_eq!(
            server.ask(&legacy(3, "ping", json!({})))["result"],
            json!({})
        );
        server.probe();
    }
}

// LIO-01, S04, STDIO-10
#[test]
fn a_malformed_line_does_not_end_a_legacy_session() {
    for revision in LEGACY {
        let mut server = Process::initialized(revision, &[]);
        for (line, code) in [("garbage", -32700), ("{}", -32600), ("\"\u{fc}\"", -32600)] {
            server.write(format!("{line}\n").as_bytes());
            assert_eq!(server.message()["error"]["code"], code, "{line}");
            assert_eq!(
                server.ask(&legacy(1, "ping", json!({})))["result"],
                json!({})
            );
        }
        server.probe();
    }
}

// LIO-04, STDIO-08, S08, S09
#[test]
fn the_end_of_the_input_ends_a_legacy_session() {
    for revision in LEGACY {
        let mut server = Process::initialized(revision, &[]);
        let sleep = json!({ "name": "sleep", "arguments": { "ms": 200 } });
        server.send(&legacy(1, "tools/call", sleep));
        server.close();
        let end = server.end();
        assert_eq!(end.clean().prompt().ids(), [1]);
    }
    let mut server = Process::start(&[]);
    server.send(&initialize(Revision::V2025_11_25));
    server.close();
    assert_eq!(server.end().clean().prompt().ids(), [0]);
}

// LIO-06, LC-08
#[test]
fn a_process_is_one_legacy_session() {
    let mut server = Process::initialized(Revision::V2025_06_18, &[]);
    let again = server.ask(&initialize(Revision::V2025_11_25));
    assert_eq!(again["error"]["code"], -32600, "{again}");
    assert!(server.ask(&legacy(1, "tools/list", json!({})))["result"].is_object());
    server.probe();
    // Another process knows nothing of it.
    let mut other = Process::start(&[]);
    let early = other.ask(&legacy(1, "tools/list", json!({})));
    assert!(early["error"]["code"].is_i64(), "{early}");
    other.probe();
}

// LIO-07, ERA-11, LC-05
#[test]
fn a_first_message_of_any_kind_leaves_the_process_running() {
    let first: [Value; 4] = [
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }),
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {} }),
        json!({ "jsonrpc": "2.0", "id": 1, "method": "no/such/method", "params": {} }),
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {} }),
    ];
    for message in first {
        let mut server = Process::start(&[]);
        let answer = server.ask(&message.to_string());
        assert!(answer["error"]["code"].is_i64(), "{answer}");
        assert_eq!(answer["id"], 1);
        let greeted = server.ask(&initialize(Revision::V2025_11_25));
        assert!(
            greeted["result"]["protocolVersion"].is_string(),
            "{greeted}"
        );
    }
}

// ERA-08, ERA-10, V02
#[test]
fn both_eras_share_one_process() {
    let mut server = Process::start(&[]);
    assert_eq!(server.ask(&ping("probe"))["id"], "probe");
    let greeted = server.ask(&initialize(Revision::V2025_11_25));
    assert_eq!(greeted["result"]["protocolVersion"], "2025-11-25");
    let modern = server.ask(&call(1, "echo", json!({ "text": "x" })));
    assert_eq!(modern["result"]["resultType"], "complete");
    let arguments = json!({ "name": "echo", "arguments": { "text": "x" } });
    let old = server.ask(&legacy(2, "tools/call", arguments));
    assert!(old["result"].get("resultType").is_none());
    server.probe();
}
