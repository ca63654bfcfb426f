//! Frames that broke servers before: garbage, bad text, depth, and numbers of any size. Each is
//! followed by a sign of life.

use std::{sync::atomic::Ordering, time::Instant};

use relay_core::{
    Peer, Revision, Server, codec,
    dispatch::{Bounds, Dispatch},
    protocol::{jsonrpc, legacy::Handshake},
    tool,
};
use relay_tests::{
    fixture::{self, Guest},
    wire::{LEGACY, Wire, meta},
};
use serde_json::{Value, json};

use super::requests::{code, legacy, wire};

/// A modern call of `echo` with these bytes for its arguments.
fn echo(arguments: &[u8]) -> Vec<u8> {
    let envelope = Value::Object(meta());
    let head = format!(
        r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{{"_meta":{envelope},"name":"echo","arguments":"#
    );
    [head.as_bytes(), arguments, b"}}"].concat()
}

/// One answer, of that code (0 for a result), and a server that lives on.
async fn answers(wire: &mut Wire<Guest>, frame: impl AsRef<[u8]>, expected: i64) -> Value {
    let answer = wire.one(frame).await;
    assert_eq!(code(&answer), expected, "{answer}");
    wire.survives().await;
    answer
}

// S04
#[tokio::test]
async fn a_malformed_frame_is_answered_and_does_not_end_the_session() {
    let envelope = Value::Object(meta());
    let nameless = format!(
        r#"{{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{{"_meta":{envelope},"arguments":{{}}}}}}"#
    );
    let unknown = format!(
        r#"{{"jsonrpc":"2.0","id":2,"method":"no/such/method","params":{{"_meta":{envelope}}}}}"#
    );
    let with_header = format!("Content-Length: 57\r\n\r\n{unknown}");
    let trailing = format!("{unknown} trailing");
    let frames = [
        ("garbage", -32700, None),
        (r#"{"jsonrpc":"2.0","method":"x","params":"#, -32700, None),
        ("42", -32600, None),
        (r#""str""#, -32600, None),
        ("null", -32600, None),
        ("{}", -32600, None),
        (
            r#"{"jsonrpc":"1.0","id":1,"method":"tools/list"}"#,
            -32600,
            Some(1),
        ),
        (r#"{"id":1,"method":"tools/list"}"#, -32600, Some(1)),
        (r#"{"jsonrpc":"2.0","id":1}"#, -32600, Some(1)),
        (with_header.as_str(), -32700, None),
        (unknown.as_str(), -32601, Some(2)),
        (nameless.as_str(), -32602, Some(2)),
        (trailing.as_str(), -32700, None),
    ];
    let mut wires = vec![wire()];
    for revision in LEGACY {
        wires.push(legacy(revision).await);
    }
    for wire in &mut wires {
        for (frame, expected, id) in frames {
            let answer = answers(wire, &frame, expected).await;
            assert_eq!(answer.get("id").and_then(Value::as_i64), id, "{frame}");
        }
    }
}

// S06, JR-05
#[tokio::test]
async fn bytes_that_are_no_utf_8_are_refused_and_never_run() {
    let (server, runs) = fixture::counting();
    let mut wire = Wire::new(server, Guest::default());
    let mut frames = vec![b"\xff\xfe".to_vec()];
    for text in [
        &b"\xd2\xe5"[..],
        b"\xc0\x80",
        b"\xed\xa0\x80",
        b"\xf0\x9f\x98",
        b"\xff",
    ] {
        let call = String::from_utf8(echo(b"X"))
            .expect("text")
            .replace("\"echo\"", "\"count\"");
        let (head, tail) = call.split_once("\"arguments\":X").expect("arguments");
        frames.push(
            [
                head.as_bytes(),
                b"\"arguments\":{\"text\":\"",
                text,
                b"\"}",
                tail.as_bytes(),
            ]
            .concat(),
        );
    }
    for frame in frames {
        let answer = answers(&mut wire, &frame, -32700).await;
        assert!(answer.get("id").is_none(), "{answer}");
    }
    assert_eq!(runs.load(Ordering::Relaxed), 0);
}

// S06
#[tokio::test]
async fn lone_surrogates_are_refused_and_other_escapes_kept() {
    let mut wire = wire();
    for lone in [r"\ud83d", r"\udcaf", r"\ude00\ud83d", r"\ud83dx"] {
        answers(
            &mut wire,
            &echo(format!(r#"{{"text":"{lone}"}}"#).as_bytes()),
            -32700,
        )
        .await;
    }
    for (escaped, text) in [
        (r"\ud83d\ude00", "😀"),
        (r"\u0000", "\0"),
        (r"\ufeff", "\u{feff}"),
        ("—读🎉", "—读🎉"),
        (r"\n\r\u2028", "\n\r\u{2028}"),
    ] {
        let frame = echo(format!(r#"{{"text":"{escaped}"}}"#).as_bytes());
        let answer = answers(&mut wire, &frame, 0).await;
        assert_eq!(answer["result"]["content"][0]["text"], text, "{escaped}");
    }
}

fn nested(levels: usize, open: &str, close: &str) -> String {
    format!("{}1{}", open.repeat(levels), close.repeat(levels))
}

// J07
#[tokio::test]
async fn nesting_has_a_limit_and_every_depth_an_answer() {
    let mut wire = wire();
    // The arguments are at the third level of the frame, of 127.
    for (levels, fits) in [
        (100, true),
        (124, true),
        (125, false),
        (127, false),
        (200, false),
        (10_000, false),
        (200_000, false),
    ] {
        for inner in [nested(levels, "{\"a\":", "}"), nested(levels, "[", "]")] {
            let frame = echo(format!(r#"{{"text":"x","deep":{inner}}}"#).as_bytes());
            let answer = answers(&mut wire, &frame, if fits { 0 } else { -32700 }).await;
            assert_eq!(answer["result"]["isError"] == true, fits, "{levels}");
        }
    }
    let envelope = Value::Object(meta()).to_string();
    let envelope = envelope.trim_end_matches('}');
    for (levels, expected) in [(100, 0), (10_000, -32700), (200_000, -32700)] {
        let deep = nested(levels, "[", "]");
        for params in [
            format!(r#"{{"_meta":{envelope},"com.acme/x":{deep}}}}}"#),
            format!(r#"{{"_meta":{envelope}}},"ignored":{deep}}}"#),
        ] {
            let frame =
                format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{params}}}"#);
            answers(&mut wire, &frame, expected).await;
        }
        let frame = format!(r#"{{"jsonrpc":"2.0","ignored":{deep},"id":1,"method":"tools/list"}}"#);
        answers(
            &mut wire,
            frame.as_bytes(),
            if expected == 0 { -32602 } else { expected },
        )
        .await;
    }
}

// J07
#[tokio::test]
async fn giant_numbers_and_arrays_are_answered() {
    let mut wire = wire();
    let digits = "7".repeat(5_000);
    let mut flat = "1,".repeat(500_000);
    flat.push('1');
    // A few bytes each, and some hundred in memory.
    let mut small = r#"{"":0},"#.repeat(600_000);
    small.push('1');
    for (arguments, expected) in [
        (format!(r#"{{"text":{digits}}}"#), -32700),
        (r#"{"text":1e400}"#.to_owned(), -32700),
        (format!(r#"{{"text":[{flat}]}}"#), 0),
        (format!(r#"{{"text":[{small}]}}"#), -32600),
    ] {
        answers(&mut wire, &echo(arguments.as_bytes()), expected).await;
    }
    let frame = format!(r#"{{"jsonrpc":"2.0","id":{digits},"method":"x"}}"#);
    let answer = wire.one_text(frame).await;
    assert!(
        answer.contains(&format!("\"id\":{digits},")),
        "the id is exact, or refused"
    );
    wire.survives().await;
}

// J09
#[tokio::test]
async fn unknown_capabilities_and_members_reach_the_handler_untouched() {
    let capabilities = json!({
        "roots": { "listChanged": true },
        "sampling": { "tools": {} },
        "extensions": { "com.acme/x": {} },
        "future": { "y": [] },
    });
    let mut frame = wire().request(
        "tools/call",
        &json!({
            "name": "sees",
            "foo": 1,
            "_meta": {
                "io.modelcontextprotocol/clientCapabilities": capabilities,
                "io.modelcontextprotocol/clientInfo": { "name": "c", "version": "1", "icons": [], "zzz": 1 },
                "traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                "com.acme/x": { "deep": [null, 1.5, "ü"] },
            },
        }),
    );
    frame["trace"] = json!(1);
    let answer = answers(&mut wire(), frame.to_string(), 0).await;
    let seen = answer["result"]["content"][0]["text"]
        .as_str()
        .expect("text");
    let seen: Value = serde_json::from_str(seen).expect("JSON");
    assert_eq!(seen["capabilities"], capabilities);
    assert_eq!(seen["client"]["name"], "c");
    assert_eq!(
        seen["meta"]["com.acme/x"],
        json!({ "deep": [null, 1.5, "ü"] })
    );
    assert_eq!(
        seen["meta"]["traceparent"],
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    );
}

// J09
#[tokio::test]
async fn a_handshake_may_hold_what_the_server_does_not_know() {
    for revision in LEGACY {
        let mut wire = wire().speaking(revision);
        let initialize = json!({
            "jsonrpc": "2.0", "id": 0, "method": "initialize", "trace": 1,
            "params": {
                "protocolVersion": revision,
                "capabilities": {
                    "elicitation": { "form": {}, "url": {} },
                    "tasks": { "x": 1 },
                    "future": { "y": [] },
                },
                "clientInfo": { "name": "c", "version": "1", "icons": [], "zzz": 1 },
                "foo": null,
            },
        });
        let answer = answers(&mut wire, initialize.to_string(), 0).await;
        assert_eq!(answer["result"]["protocolVersion"], revision.as_str());
        assert_eq!(wire.call("asks", json!({})).await["isError"], Value::Null);
    }
}

// J10
#[tokio::test]
async fn integers_of_64_bits_are_exact_or_refused_by_name() {
    let mut wires = vec![wire()];
    for revision in LEGACY {
        wires.push(legacy(revision).await);
    }
    for (wire, revision) in wires.iter_mut().zip(Revision::ALL) {
        for id in [
            "725653563933458432",
            "9007199254740993",
            "18446744073709551615",
            "0",
        ] {
            let result = call_with_id(wire, id).await;
            assert_eq!(result["content"][0]["text"], format!(r#"{{"id":{id}}}"#));
            let structured = &result["structuredContent"];
            let expected = id
                .parse()
                .ok()
                .filter(|_: &u64| revision > Revision::V2025_03_26);
            assert_eq!(structured["id"].as_u64(), expected, "{revision}");
            wire.survives().await;
        }
        for id in [
            "-1",
            "18446744073709551616",
            r#""725653563933458432""#,
            "1.5",
        ] {
            let result = call_with_id(wire, id).await;
            assert_eq!(result["isError"], true, "{id}");
            let text = result["content"][0]["text"].as_str().expect("text");
            assert!(text.starts_with("/id: "), "{text}");
            wire.survives().await;
        }
    }
}

/// The result of `bigid` for a number that is written just so.
async fn call_with_id(wire: &mut Wire<Guest>, id: &str) -> Value {
    let params = json!({ "name": "bigid", "arguments": { "id": "$id" } });
    let frame = wire.request("tools/call", &params).to_string();
    let mut answer = wire.one(frame.replace("\"$id\"", id)).await;
    let result = answer.get_mut("result").map(Value::take);
    result.unwrap_or_default()
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Anything {
    v: Value,
}

/// JSON text that deserialises, as a `Value` without a guard, to 120 levels times `rounds`.
fn smuggled(rounds: usize) -> String {
    let mut text = "1".to_owned();
    for _ in 0..rounds {
        // Escapes that grow by a few bytes each round, where `\\` would double.
        let quoted = text.replace('\\', "\\u005c").replace('"', "\\u0022");
        let object = format!(r#"{{"$serde_json::private::RawValue":"{quoted}"}}"#);
        text = format!("{}{object}{}", "[".repeat(120), "]".repeat(120));
    }
    text
}

// J07: a key by which `serde_json` makes a text within the value part of the value, past its own
// limit of depth.
#[test]
fn no_value_is_hidden_in_a_text() {
    let any = tool::define("any", codec::input::<Anything>(), codec::string())
        .handle(|input: Anything| async move { Ok(input.v.to_string()) });
    let server = Server::new([any]);
    let envelope = Value::Object(meta());
    for rounds in [200, 2, 1] {
        let hidden = smuggled(rounds);
        let with_meta = envelope
            .to_string()
            .replacen('{', &format!(r#"{{"x":{hidden},"#), 1);
        for params in [
            format!(r#"{{"name":"any","_meta":{envelope},"arguments":{{"v":{hidden}}}}}"#),
            format!(r#"{{"name":"any","_meta":{with_meta},"arguments":{{"v":1}}}}"#),
        ] {
            let frame =
                format!(r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{params}}}"#);
            // Not through a `Wire`, which reads the frame as a `Value` itself.
            let dispatched = server.dispatch(
                jsonrpc::parse(frame.as_bytes()),
                &Peer::new(()),
                &mut Handshake::new(),
                &Bounds::new(Instant::now()),
            );
            let Dispatch::Answer(_, answer) = dispatched else {
                panic!("{rounds}: {dispatched:?}");
            };
            let answer: Value = serde_json::from_slice(answer.bytes()).expect("JSON");
            assert_eq!((code(&answer), &answer["id"]), (-32600, &json!(7)));
        }
    }
}
