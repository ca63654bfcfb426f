//! J: the message around a request.

use std::sync::atomic::Ordering;

use relay_core::Revision;
use relay_tests::{
    fixture::{self, Guest},
    requests::{refused, served},
    web::{Post, Web},
    wire::meta,
};
use serde_json::{Value, json};

use super::{
    super::support::{LEGACY, endpoint_of},
    Everywhere, legacy, modern,
};

fn everywhere() -> Everywhere {
    Everywhere::new(fixture::inspecting())
}

async fn of(revision: Revision) -> Everywhere {
    Everywhere::legacy(fixture::inspecting(), revision).await
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

// J01, JR-02, JR-04, JR-16
#[tokio::test]
async fn ids_are_echoed_as_they_were_written_or_refused() {
    let mut server = everywhere();
    for id in IDS {
        for (method, params, outcome) in [
            ("tools/list", "{}", (200, 0)),
            ("tools/call", r#"{"name":"noargs"}"#, (200, 0)),
            ("tools/call", r#"{"name":"nothing"}"#, (200, -32602)),
            ("no/such", "{}", (404, -32601)),
        ] {
            let answer = server.ask(modern(id, method, params)).await;
            assert_eq!(answer.outcome(), outcome, "{id} {method}");
            assert_eq!(answer.id().as_deref(), Some(id), "{method}");
        }
    }
    for id in ["1.0", "1.5", "1e2", "true", "[1]", "{}"] {
        let answer = server.ask(modern(id, "tools/list", "{}")).await;
        assert_eq!(answer.outcome(), (400, -32600), "{id}");
        assert_eq!(answer.id(), None, "{id}");
    }
}

// J01, LJ-01
#[tokio::test]
async fn legacy_ids_are_echoed_as_they_were_written_or_refused() {
    for revision in LEGACY {
        let mut server = of(revision).await;
        for id in IDS {
            let frame = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/list"}}"#);
            let answer = server.ask(frame).await;
            assert_eq!(answer.outcome(), (200, 0), "{revision} {id}");
            assert_eq!(answer.id().as_deref(), Some(id), "{revision}");
        }
        for id in ["null", "1.0", "1.5", "true", "[1]", "{}"] {
            let frame = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/list"}}"#);
            let answer = server.ask(frame).await;
            assert_eq!(answer.outcome(), (400, -32600), "{revision} {id}");
            assert!(answer.json["id"].is_null(), "{revision} {id}");
        }
    }
}

// J01, JR-12
#[tokio::test]
async fn a_string_and_a_number_in_flight_are_two_requests() {
    let web = Web::new(endpoint_of(fixture::server()));
    let sleep = |id: &str, ms: u32| {
        let params = json!({ "name": "sleep", "arguments": { "ms": ms },
            "_meta": { "progressToken": ms } });
        let post = Post::modern("tools/call", &params);
        let mut message = post.json();
        message["id"] = serde_json::from_str(id).expect("an id");
        post.saying(message.to_string())
    };
    let [text, number] = [sleep(r#""1""#, 60), sleep("1", 50)];
    let (text, number) = tokio::join!(web.send(&text), web.send(&number));
    for (reply, id, token) in [(text, json!("1"), 60), (number, json!(1), 50)] {
        assert_eq!(reply.answer()["id"], id);
        let messages = reply.messages();
        assert!(messages.len() > 1);
        for notification in &messages[..messages.len() - 1] {
            assert_eq!(notification["params"]["progressToken"], token);
        }
    }
}

// J02, JR-03
#[tokio::test]
async fn a_null_id_is_refused() {
    let answer = everywhere().ask(modern("null", "tools/list", "{}")).await;
    assert_eq!(answer.outcome(), (400, -32600));
    assert_eq!(answer.id(), None);
}

const NOTIFICATIONS: [&str; 8] = [
    r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/does_not_exist"}"#,
    r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"count"}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":null}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/progress","params":[]}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/progress","params":"x"}"#,
];

// J03, JR-08, LJ-09, LU-11, HTTP-11
#[tokio::test]
async fn a_notification_is_never_answered_and_runs_nothing() {
    let (counting, runs) = fixture::counting();
    let mut servers = vec![Everywhere::new(counting.clone())];
    for revision in LEGACY {
        servers.push(Everywhere::legacy(counting.clone(), revision).await);
    }
    for server in &mut servers {
        for notification in NOTIFICATIONS {
            assert_eq!(server.tell(notification).await, 202, "{notification}");
        }
    }
    let modern = &mut servers[0];
    let call = modern_notification("2026-07-28");
    assert_eq!(modern.tell(call.to_string()).await, 202);
    // What can't be accepted has a status where there is one, and is silent where there is none.
    let unknown = modern_notification("1900-01-01");
    assert_eq!(modern.tell(unknown.to_string()).await, 400);
    let twice = r#"{"jsonrpc":"2.0","method":"notifications/x","params":{"_meta":{"a":1,"a":2}}}"#;
    assert_eq!(modern.tell(twice).await, 400);
    assert_eq!(runs.load(Ordering::SeqCst), 0);
}

fn modern_notification(version: &str) -> Value {
    let mut meta = meta();
    meta["io.modelcontextprotocol/protocolVersion"] = json!(version);
    json!({ "jsonrpc": "2.0", "method": "tools/call", "params": { "name": "count", "_meta": meta } })
}

// JR-07, H10
#[tokio::test]
async fn a_response_is_refused_where_it_can_be() {
    let mut server = everywhere();
    for response in [
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no"}}"#,
    ] {
        assert_eq!(server.tell(response).await, 400);
    }
}

// J05, JR-14
#[tokio::test]
async fn odd_params_are_params_without_an_envelope() {
    let mut server = everywhere();
    for params in [
        "",
        r#","params":null"#,
        r#","params":{}"#,
        r#","params":[]"#,
        r#","params":[1]"#,
        r#","params":"x""#,
        r#","params":42"#,
        r#","params":{"_meta":null}"#,
        r#","params":{"name":"echo","arguments":{},"_meta":null}"#,
    ] {
        for method in ["tools/list", "tools/call"] {
            let frame = format!(r#"{{"jsonrpc":"2.0","id":"p","method":"{method}"{params}}}"#);
            let answer = server.ask(&frame).await;
            assert_eq!(answer.outcome(), (400, -32602), "{frame}");
            assert_eq!(answer.id().as_deref(), Some(r#""p""#));
        }
    }
}

// J05
#[tokio::test]
async fn legacy_params_may_be_absent_or_empty() {
    for revision in LEGACY {
        let mut server = of(revision).await;
        for (params, code) in [
            ("", 0),
            (r#","params":null"#, 0),
            (r#","params":{}"#, 0),
            (r#","params":[]"#, 0),
            (r#","params":[1]"#, -32602),
            (r#","params":"x""#, -32602),
            (r#","params":42"#, -32602),
        ] {
            let frame = format!(r#"{{"jsonrpc":"2.0","id":"p","method":"tools/list"{params}}}"#);
            let answer = server.ask(&frame).await;
            assert_eq!(answer.outcome(), (200, code), "{revision} {frame}");
            assert_eq!(answer.id().as_deref(), Some(r#""p""#));
        }
    }
}

// J05, TOOL-06, TOOL-21
#[tokio::test]
async fn arguments_may_be_absent_or_null() {
    let mut servers = vec![everywhere()];
    for revision in LEGACY {
        servers.push(of(revision).await);
    }
    for server in &mut servers {
        for (arguments, code) in [
            ("", 0),
            (r#","arguments":null"#, 0),
            (r#","arguments":{}"#, 0),
            (r#","arguments":[]"#, -32602),
            (r#","arguments":"{}""#, -32602),
        ] {
            let params = format!(r#"{{"name":"noargs"{arguments}}}"#);
            let frame = if server.revision.is_modern() {
                modern("1", "tools/call", &params)
            } else {
                legacy("tools/call", &params)
            };
            let answer = server.ask(&frame).await;
            assert_eq!(answer.outcome(), (200, code), "{frame}");
            assert!(code != 0 || answer.said() == "done");
        }
    }
}

// J06, JR-06, ERA-07, LJ-07
#[tokio::test]
async fn batches_are_refused_by_name() {
    let one = modern("1", "tools/call", r#"{"name":"count"}"#);
    let two = modern("2", "tools/call", r#"{"name":"count"}"#);
    let note = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    let old = legacy("tools/call", r#"{"name":"count"}"#);
    let (counting, runs) = fixture::counting();
    let mut servers = vec![Everywhere::new(counting.clone())];
    for revision in [Revision::V2025_11_25, Revision::V2025_06_18] {
        servers.push(Everywhere::legacy(counting.clone(), revision).await);
    }
    for server in &mut servers {
        for batch in [
            "[]".to_owned(),
            "[1]".to_owned(),
            format!("[{one},{two}]"),
            format!("[{old}]"),
            format!("[{note}]"),
            format!("  \t [{one}]"),
        ] {
            let answer = server.ask(&batch).await;
            assert_eq!(answer.outcome(), (400, -32600), "{batch}");
            assert!(answer.text.contains("batches are not supported"), "{batch}");
        }
    }
    assert_eq!(runs.load(Ordering::SeqCst), 0);
}

// J06, LJ-02, LJ-03, LJ-05, LJ-06
#[tokio::test]
async fn the_oldest_revision_has_batches() {
    let mut server = of(Revision::V2025_03_26).await;
    let note = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    assert_eq!(server.ask("[]").await.outcome(), (400, -32600));
    let (status, answers) = server.ask_batch("[1]").await;
    assert_eq!((status, answers.len()), (200, 1));
    assert_eq!(answers[0]["error"]["code"], -32600);
    let (status, answers) = server.ask_batch(&format!("  [{note}]")).await;
    assert_eq!((status, answers.len()), (202, 0));
    let ping = legacy("ping", "{}");
    let unknown = legacy("no/such", "{}");
    let (status, answers) = server
        .ask_batch(&format!("[{ping},{note},{unknown}]"))
        .await;
    assert_eq!((status, answers.len()), (200, 2));
}

// J09, JR-15, META-10, META-12, EXT-03
#[tokio::test]
async fn what_is_not_known_is_ignored_and_handed_on() {
    let mut server = everywhere();
    let capabilities = json!({
        "roots": { "listChanged": true },
        "sampling": { "tools": {} },
        "extensions": { "com.acme/x": {} },
    });
    let mut meta = meta();
    meta["io.modelcontextprotocol/clientCapabilities"] = capabilities.clone();
    meta.insert("com.acme/x".to_owned(), json!({ "y": [null, 1.5] }));
    let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    meta.insert("traceparent".to_owned(), json!(trace));
    let params = json!({ "name": "sees", "foo": 1, "_meta": meta });
    let frame = json!({ "jsonrpc": "2.0", "id": 1, "trace": 1, "method": "tools/call",
        "params": params });
    // The correlation is each exchange's own, unless the client gives one.
    let reply = server.post(frame.to_string().as_bytes()).await;
    assert_eq!(reply.outcome(), (200, 0));
    let seen = reply.answer()["result"]["structuredContent"].take();
    let seen: Value = serde_json::from_str(seen.as_str().expect("text")).expect("JSON");
    assert_eq!(seen["capabilities"], capabilities);
    assert_eq!(seen["meta"]["com.acme/x"], json!({ "y": [null, 1.5] }));
    assert_eq!(seen["meta"]["traceparent"], trace);
    let echo = frame.to_string().replace("\"sees\"", "\"noargs\"");
    assert_eq!(server.ask(&echo).await.said(), "done");
}

// J09, LC-01
#[tokio::test]
async fn a_handshake_may_hold_what_is_not_known() {
    for revision in LEGACY {
        let params = json!({
            "protocolVersion": revision,
            "capabilities": {
                "elicitation": { "form": {}, "url": {} },
                "tasks": { "x": 1 },
                "future": { "y": [] },
            },
            "clientInfo": { "name": "c", "version": "1", "icons": [], "zzz": 1 },
            "foo": null,
        });
        let mut post = Post::legacy(revision, "initialize", &params);
        let mut message = post.json();
        message["trace"] = json!(1);
        post = post.saying(message.to_string());
        let web = Web::<Guest>::new(endpoint_of(fixture::server()));
        let reply = web.send(&post).await;
        assert_eq!(reply.outcome(), (200, 0), "{revision}");
        let result = &reply.answer()["result"];
        assert_eq!(result["protocolVersion"], revision.as_str());
    }
}

// JR-02, JR-09, JR-10, ERR-01, ERR-06, ERR-08, ERR-09, PRM-02, PRM-03, RES-02, COMP-03, COMP-04
#[tokio::test]
async fn every_kind_of_request_is_answered_alike() {
    let mut server = everywhere();
    for (method, params) in served() {
        // What a handler sends before its answer depends on how fast it is read.
        let answer = server.ask(modern("1", method, &params.to_string())).await;
        assert_eq!(answer.outcome(), (200, 0), "{method} {params}");
        assert_eq!(answer.result()["resultType"], "complete");
    }
    for (method, params, code, _) in refused() {
        let answer = server.ask(modern("1", method, &params.to_string())).await;
        let status = if code == -32601 { 404 } else { 200 };
        assert_eq!(answer.outcome(), (status, code), "{method} {params}");
    }
}

// LJ-12, LF-01, LF-06, LF-07, LF-08, LF-09
#[tokio::test]
async fn every_kind_of_legacy_request_is_answered_alike() {
    for revision in LEGACY {
        let mut server = of(revision).await;
        for (method, params) in served() {
            if params["name"] == "logs" {
                // Sent before its answer.
                continue;
            }
            let answer = server.ask(legacy(method, &params.to_string())).await;
            assert_eq!(answer.outcome(), (200, 0), "{revision} {method} {params}");
        }
        for (method, params, _, code) in refused() {
            let answer = server.ask(legacy(method, &params.to_string())).await;
            assert_eq!(
                answer.outcome(),
                (200, code),
                "{revision} {method} {params}"
            );
        }
    }
}
