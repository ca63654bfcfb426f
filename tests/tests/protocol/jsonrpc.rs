//! `modern.md` §1, and the same rules in `legacy.md` §2.

use std::{collections::HashMap, sync::atomic::Ordering, time::Instant};

use relay_core::{
    Peer,
    dispatch::{Bounds, Dispatch},
    protocol::{jsonrpc, legacy::Handshake},
};
use relay_tests::{
    fixture::{self, Guest},
    wire::{LEGACY, Wire, meta},
};
use serde_json::{Value, json, value::RawValue};

use super::requests::{code, legacy, refused, served, wire};

/// A modern request with any JSON for an id.
fn with_id(id: &str, method: &str, params: &Value) -> String {
    let mut params = params.as_object().cloned().unwrap_or_default();
    params.insert("_meta".to_owned(), Value::Object(meta()));
    let params = Value::Object(params);
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#)
}

/// The members of a message, as they were written.
fn members(text: &str) -> HashMap<String, Box<RawValue>> {
    serde_json::from_str(text).unwrap_or_default()
}

const IDS: [&str; 11] = [
    "0",
    "-1",
    "1",
    r#""""#,
    r#""0""#,
    r#""1""#,
    r#""ünï""#,
    "9007199254740993",
    "18446744073709551615",
    "18446744073709551616",
    "123456789012345678901234567890",
];

// JR-02, JR-16, J01
#[tokio::test]
async fn an_id_comes_back_as_it_was_sent_with_results_and_with_errors() {
    let mut wire = wire();
    for id in IDS {
        for (method, params) in [
            ("tools/list", json!({})),
            (
                "tools/call",
                json!({ "name": "echo", "arguments": { "text": "x" } }),
            ),
            ("tools/call", json!({ "name": "nothing" })),
            ("no/such/method", json!({})),
        ] {
            let answer = wire.one_text(&with_id(id, method, &params)).await;
            assert_eq!(members(&answer)["id"].get(), id, "{method}");
        }
        for rest in [
            r#""method":"tools/list""#,
            r#""method":7"#,
            r#""params":{}"#,
            r#""method":"tools/list","params":[]"#,
        ] {
            let frame = format!(r#"{{"jsonrpc":"2.0","id":{id},{rest}}}"#);
            let answer = wire.one_text(&frame).await;
            assert_eq!(members(&answer)["id"].get(), id, "{frame}");
            assert!(members(&answer).contains_key("error"), "{frame}");
        }
    }
}

// JR-02, J01
#[tokio::test]
async fn a_string_and_a_number_in_flight_are_two_requests() {
    let (server, peer) = (fixture::inspecting(), Peer::new(Guest::default()));
    let mut handshake = Handshake::new();
    let mut begin = |id: &str, tool: &str| {
        let frame = with_id(id, "tools/call", &json!({ "name": tool }));
        let bounds = Bounds::new(Instant::now());
        let Dispatch::Invoke(invocation) = server.dispatch(
            jsonrpc::parse(frame.as_bytes()),
            &peer,
            &mut handshake,
            &bounds,
        ) else {
            panic!("{tool} runs");
        };
        invocation
    };
    let (number, text) = (begin("1", "sees"), begin(r#""1""#, "noargs"));
    for (invocation, id, said) in [(text, r#""1""#, "done"), (number, "1", "correlation")] {
        let answer = invocation.future.await.answer(&[]);
        let answer = str::from_utf8(answer.bytes()).expect("UTF-8");
        assert_eq!(members(answer)["id"].get(), id);
        assert!(answer.contains(said), "{answer}");
    }
}

// JR-03, JR-04, J01, J02
#[tokio::test]
async fn other_ids_are_refused_without_one_and_nothing_runs() {
    let (server, runs) = fixture::counting();
    let mut wire = Wire::new(server, Guest::default());
    for id in [
        "null", "1.0", "1.5", "1e2", "true", "false", "[1]", "[]", "{}",
    ] {
        let frame = with_id(id, "tools/call", &json!({ "name": "count" }));
        let answer = wire.one_text(&frame).await;
        assert_eq!(
            code(&serde_json::from_str(&answer).expect("JSON")),
            -32600,
            "{id}"
        );
        assert!(!members(&answer).contains_key("id"), "{answer}");
        wire.survives().await;
    }
    assert_eq!(runs.load(Ordering::Relaxed), 0);
}

// LJ-01, J02
#[tokio::test]
async fn legacy_ids_are_echoed_and_null_is_refused() {
    for revision in LEGACY {
        let mut wire = legacy(revision).await;
        for id in IDS {
            let frame = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/list"}}"#);
            let answer = wire.one_text(&frame).await;
            assert_eq!(members(&answer)["id"].get(), id, "{revision}");
            assert!(members(&answer).contains_key("result"), "{answer}");
        }
        for id in ["null", "1.5", "true", "[1]", "{}"] {
            let frame = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/list"}}"#);
            let answer = wire.one(&frame).await;
            assert_eq!(code(&answer), -32600, "{revision}: {id}");
            assert!(answer["id"].is_null(), "{}", answer);
        }
        wire.survives().await;
    }
}

// JR-01, S04
#[tokio::test]
async fn a_message_that_is_not_jsonrpc_2_0_is_refused_under_its_id() {
    let mut wire = wire();
    for (frame, id) in [
        (
            r#"{"jsonrpc":"1.0","id":1,"method":"tools/list"}"#,
            json!(1),
        ),
        (r#"{"id":1,"method":"tools/list"}"#, json!(1)),
        (
            r#"{"jsonrpc":2.0,"id":"a","method":"tools/list"}"#,
            json!("a"),
        ),
        (
            r#"{"jsonrpc":null,"id":-1,"method":"tools/list"}"#,
            json!(-1),
        ),
        (r#"{"jsonrpc":"2.0 ","id":0,"method":"ping"}"#, json!(0)),
    ] {
        let answer = wire.one(&frame).await;
        assert_eq!((code(&answer), &answer["id"]), (-32600, &id), "{frame}");
    }
    for frame in [
        r#"{"method":"tools/list"}"#,
        r#"{"jsonrpc":"1.0","id":1.5,"method":"tools/list"}"#,
        r#"{"jsonrpc":"1.0","id":null,"method":"tools/list"}"#,
    ] {
        let answer = wire.one_text(frame).await;
        assert_eq!(
            code(&serde_json::from_str(&answer).expect("JSON")),
            -32600,
            "{frame}"
        );
        assert!(!members(&answer).contains_key("id"), "{answer}");
    }
    wire.survives().await;
}

// JR-05
#[tokio::test]
async fn what_is_not_json_in_utf_8_is_a_parse_error_without_an_id() {
    let mut wire = wire();
    for frame in [
        &b"{"[..],
        b"garbage",
        br#"{"jsonrpc":"2.0","id":1,"method":"tools/list""#,
        br#"{"jsonrpc":"2.0","id":1,"method":"tools/list"} trailing"#,
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xd2\xe5\"}",
        b"{'jsonrpc':'2.0'}",
        b"\xff\xfe{\x00}\x00",
    ] {
        let answer = wire.one_text(frame).await;
        assert_eq!(
            code(&serde_json::from_str(&answer).expect("JSON")),
            -32700,
            "{answer}"
        );
        assert!(!members(&answer).contains_key("id"), "{answer}");
        wire.survives().await;
    }
}

// JR-07
#[tokio::test]
async fn a_response_that_nobody_waits_for_is_dropped() {
    for revision in [None, Some(LEGACY[0]), Some(LEGACY[1]), Some(LEGACY[2])] {
        let mut wire = match revision {
            None => wire(),
            Some(revision) => legacy(revision).await,
        };
        for frame in [
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":"x","result":{"a":[1]}}"#,
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no"}}"#,
            r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"what?"}}"#,
        ] {
            assert_eq!(wire.texts(frame.as_bytes()).await, [""; 0], "{frame}");
        }
        wire.survives().await;
    }
}

// JR-08, J03, LJ-09
#[tokio::test]
async fn a_notification_is_never_answered_and_never_runs_a_tool() {
    let (server, runs) = fixture::counting();
    let envelope = Value::Object(meta());
    let frames = [
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.to_owned(),
        r#"{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}"#.to_owned(),
        r#"{"jsonrpc":"2.0","method":"notifications/does_not_exist"}"#.to_owned(),
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":null}"#.to_owned(),
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":[]}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","method":"notifications/progress","params":[]}"#.to_owned(),
        r#"{"jsonrpc":"2.0","method":"notifications/progress","params":"x"}"#.to_owned(),
        r#"{"jsonrpc":"2.0","method":"notifications/x","params":{"_meta":{"a":1,"a":2}}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","method":"initialize","params":{}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","method":"ping"}"#.to_owned(),
        r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"count"}}"#.to_owned(),
        format!(r#"{{"jsonrpc":"2.0","method":"tools/call","params":{{"name":"count","_meta":{envelope}}}}}"#),
        r#"{"jsonrpc":"2.0","method":"tools/call","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"1900-01-01"}}}"#.to_owned(),
    ];
    let mut wires = vec![Wire::new(server.clone(), Guest::default())];
    for revision in LEGACY {
        wires.push(
            Wire::new(server.clone(), Guest::default())
                .initialized(revision)
                .await,
        );
    }
    for wire in &mut wires {
        for frame in &frames {
            assert_eq!(wire.texts(frame.as_bytes()).await, [""; 0], "{frame}");
        }
        wire.survives().await;
    }
    assert_eq!(runs.load(Ordering::Relaxed), 0);
}

// JR-09
#[tokio::test]
async fn every_result_is_an_object_with_its_type() {
    let mut wire = wire();
    for (method, params) in served().into_iter().chain([("server/discover", json!({}))]) {
        let request = wire.request(method, &params);
        let sent = wire.send(&request).await;
        let result = &sent.last().expect("an answer")["result"];
        assert_eq!(result["resultType"], "complete", "{method} {params}");
    }
}

// JR-10
#[tokio::test]
async fn every_error_has_a_code_and_one_short_sentence() {
    let mut wire = wire();
    for (method, params, expected, _) in refused() {
        let (code, message, _) = wire.error(method, params.clone()).await;
        assert_eq!(code, expected, "{method} {params}");
        assert!(!message.is_empty() && message.len() < 200, "{message}");
        assert!(!message.contains(['\n', '\r']), "{message}");
    }
}

// JR-11
#[tokio::test]
async fn the_server_asks_a_modern_client_nothing() {
    let mut wire = wire();
    let asked = served().into_iter().chain(
        refused()
            .into_iter()
            .map(|(method, params, ..)| (method, params)),
    );
    for (method, mut params) in asked {
        let can = json!({ "elicitation": {}, "sampling": {}, "roots": { "listChanged": true } });
        params["_meta"] = json!({
            "io.modelcontextprotocol/clientCapabilities": can,
            "io.modelcontextprotocol/logLevel": "debug",
            "progressToken": "p",
        });
        let request = wire.request(method, &params);
        for message in wire.send(&request).await {
            let asks = message.get("method").is_some() && message.get("id").is_some();
            assert!(!asks, "{method}: {message}");
        }
    }
}

// JR-17
#[tokio::test]
async fn what_is_sent_is_utf_8_without_a_byte_order_mark() {
    let text = "\u{feff}ünï—读🎉\u{2028}\u{0}";
    let mut wire = wire();
    let params = json!({ "name": "echo", "arguments": { "text": text } });
    let sent = wire
        .one_text(&with_id(r#""ü""#, "tools/call", &params))
        .await;
    assert!(sent.starts_with('{'), "{sent}");
    let answer: Value = serde_json::from_str(&sent).expect("JSON");
    assert_eq!(answer["result"]["content"][0]["text"], text);
    for frame in ["garbage", r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#] {
        assert!(wire.one_text(frame).await.starts_with('{'));
    }
}
