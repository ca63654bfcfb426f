//! `modern.md` §3.

use relay_tests::{
    fixture::{self, Guest},
    wire::{LEGACY, Wire, meta},
};
use serde_json::{Map, Value, json};

use super::requests::{code, refused, served, wire};

const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const CLIENT: &str = "io.modelcontextprotocol/clientInfo";
const SERVER: &str = "io.modelcontextprotocol/serverInfo";

/// The answer to `tools/list` with exactly this `_meta`.
async fn with_meta(wire: &mut Wire<Guest>, meta: Value) -> Value {
    let request =
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": { "_meta": meta } });
    wire.one(request.to_string()).await
}

/// What a handler saw of a request with these entries in its `_meta`.
async fn seen(wire: &mut Wire<Guest>, entries: &Value) -> Value {
    let result = wire
        .result("tools/call", json!({ "name": "sees", "_meta": entries }))
        .await;
    let text = result.pointer("/content/0/text").and_then(Value::as_str);
    serde_json::from_str(text.unwrap_or_default()).unwrap_or_default()
}

// META-01, META-02, META-03, META-05
#[tokio::test]
async fn a_request_without_the_required_keys_is_invalid() {
    let mut wire = wire();
    let without = |key: &str| {
        let mut meta = meta();
        meta.remove(key);
        Value::Object(meta)
    };
    let with = |key: &str, value: Value| {
        let mut meta = meta();
        meta.insert(key.to_owned(), value);
        Value::Object(meta)
    };
    let mut wrong = vec![json!({}), without(VERSION), without(CAPABILITIES)];
    for value in [
        json!(null),
        json!(20_260_728),
        json!(["2026-07-28"]),
        json!({}),
        json!(true),
    ] {
        wrong.push(with(VERSION, value));
    }
    for value in [json!(null), json!("elicitation"), json!([]), json!(1)] {
        wrong.push(with(CAPABILITIES, value));
    }
    wrong.extend([json!(null), json!([]), json!("x"), json!(1)]);
    for meta in wrong {
        let answer = with_meta(&mut wire, meta.clone()).await;
        assert_eq!(
            (code(&answer), &answer["id"]),
            (-32602, &json!(1)),
            "{meta}"
        );
        wire.survives().await;
    }
    for request in [
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }),
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {} }),
    ] {
        assert_eq!(
            code(&wire.one(request.to_string()).await),
            -32602,
            "{request}"
        );
    }
}

// META-04
#[tokio::test]
async fn a_client_need_not_say_who_it_is() {
    let mut meta = meta();
    meta.remove(CLIENT);
    let answer = with_meta(&mut wire(), Value::Object(meta)).await;
    assert!(answer["result"]["tools"].is_array(), "{answer}");
}

// META-06
#[tokio::test]
async fn a_client_that_says_who_it_is_has_a_name_and_a_version() {
    let mut wire = wire();
    for info in [
        json!({}),
        json!({ "name": "c" }),
        json!({ "version": "1" }),
        json!({ "name": 1, "version": "1" }),
        json!({ "name": "c", "version": null }),
        json!("c"),
        json!(null),
    ] {
        let (code, message, _) = wire
            .error("tools/list", json!({ "_meta": { CLIENT: info } }))
            .await;
        assert_eq!(code, -32602, "{info}");
        assert!(message.contains(CLIENT), "{message}");
    }
}

// META-07
#[tokio::test]
async fn every_result_says_which_server_gave_it() {
    let mut wire = wire();
    let info = json!({ "name": "fixture", "version": "1.2.3" });
    for (method, params) in served().into_iter().chain([("server/discover", json!({}))]) {
        let request = wire.request(method, &params);
        let sent = wire.send(&request).await;
        let result = &sent.last().expect("an answer")["result"];
        assert_eq!(result["_meta"][SERVER], info, "{method} {params}");
    }
    // What a handler says of itself wins.
    let result = wire.call("impostor", json!({})).await;
    assert_eq!(
        result["_meta"][SERVER],
        json!({ "name": "another", "version": "9" })
    );
}

// META-07
#[tokio::test]
async fn a_server_may_keep_its_name_to_itself() {
    let mut wire = Wire::new(
        fixture::inspecting().without_server_info(),
        Guest::default(),
    );
    for (method, params) in served() {
        let request = wire.request(method, &params);
        let sent = wire.send(&request).await;
        let result = &sent.last().expect("an answer")["result"];
        assert!(result.get("_meta").is_none(), "{method} {params}: {result}");
    }
    let discovered = wire.result("server/discover", json!({})).await;
    assert!(discovered.get("_meta").is_none(), "{discovered}");
}

// META-08
#[tokio::test]
async fn who_a_client_says_it_is_changes_nothing() {
    let clients = [
        json!({ "name": "wire", "version": "1" }),
        json!({ "name": "admin", "version": "1" }),
        json!({ "name": "fixture", "version": "1.2.3", "title": "root", "admin": true }),
    ];
    let mut answers = Vec::new();
    for client in &clients {
        let mut wire = wire();
        let mut sent = Vec::new();
        for (method, params) in [
            ("tools/list", json!({})),
            ("tools/call", json!({ "name": fixture::HIDDEN })),
            ("tools/call", json!({ "name": "denied" })),
            ("prompts/get", json!({ "name": fixture::HIDDEN })),
            ("resources/read", json!({ "uri": "fixture://ledger" })),
            (
                "tools/call",
                json!({ "name": "echo", "arguments": { "text": "x" } }),
            ),
        ] {
            let mut params = params;
            params["_meta"] = json!({ CLIENT: client });
            sent.push(wire.ask(method, params).await);
        }
        answers.push(sent);
    }
    assert_eq!(code(&answers[0][1]), -32602);
    assert!(
        answers.iter().all(|sent| *sent == answers[0]),
        "{answers:#?}"
    );
    // Nor does a change of name on one connection.
    let mut wire = wire();
    for client in &clients {
        let params = json!({ "name": "denied", "_meta": { CLIENT: client } });
        assert_eq!(wire.error("tools/call", params).await.0, -32602);
    }
}

// META-10
#[tokio::test]
async fn unknown_keys_are_ignored_and_reach_the_handler() {
    let mut wire = wire();
    for (key, value) in [
        ("com.acme/x", json!({ "y": [1] })),
        ("io.modelcontextprotocol/future", json!(null)),
        ("io.modelcontextprotocol/serverInfo", json!(7)),
        ("", json!("")),
        ("no prefix, no grammar/ü", json!(true)),
        ("requestState", json!(1)),
    ] {
        let seen = seen(&mut wire, &json!({ key: value })).await;
        assert_eq!(seen["meta"][key], value, "{key}");
    }
}

// META-11
#[tokio::test]
async fn the_server_adds_no_key_of_its_own_making() {
    let mut wire = wire();
    let mut keys = Vec::new();
    let asked = served().into_iter().chain(
        refused()
            .into_iter()
            .map(|(method, params, ..)| (method, params)),
    );
    for (method, mut params) in asked {
        params["_meta"] =
            json!({ "progressToken": "p", "io.modelcontextprotocol/logLevel": "debug" });
        let request = wire.request(method, &params);
        for message in wire.send(&request).await {
            collect(&message, &mut keys);
        }
    }
    keys.sort();
    keys.dedup();
    assert_eq!(keys, [SERVER]);
}

/// The keys of every `_meta` in a message.
fn collect(value: &Value, keys: &mut Vec<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect(item, keys)),
        Value::Object(members) => {
            for (name, value) in members {
                if name == "_meta" {
                    keys.extend(value.as_object().into_iter().flat_map(Map::keys).cloned());
                }
                collect(value, keys);
            }
        }
        _ => {}
    }
}

// META-12, ST-02
#[tokio::test]
async fn what_a_client_can_do_is_what_this_request_says() {
    let mut wire = wire();
    let asks = |can: Value| json!({ "name": "asks", "_meta": { CAPABILITIES: can } });
    for _ in 0..2 {
        for can in [
            json!({ "elicitation": {} }),
            json!({ "elicitation": { "form": {} } }),
        ] {
            let result = wire.result("tools/call", asks(can)).await;
            assert_eq!(result["content"][0]["text"], "asked");
        }
        for cannot in [
            json!({}),
            json!({ "sampling": {} }),
            json!({ "elicitation": { "url": {} } }),
        ] {
            let (code, _, data) = wire.error("tools/call", asks(cannot)).await;
            assert_eq!(code, -32021);
            assert!(
                data["requiredCapabilities"]["elicitation"].is_object(),
                "{data}"
            );
        }
    }
}

// META-13
#[tokio::test]
async fn a_trace_is_continued_and_a_malformed_one_ignored() {
    let mut wire = wire();
    let good = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let context = json!({ "traceparent": good, "tracestate": "a=b", "baggage": "c=d" });
    let correlated = seen(&mut wire, &context).await;
    assert_eq!(
        correlated["correlation"],
        "0af7651916cd43dd8448eb211c80319c"
    );
    assert_eq!(correlated["meta"], context);
    for bad in [
        json!({ "traceparent": "nonsense" }),
        json!({ "traceparent": 7 }),
        json!({ "traceparent": null, "tracestate": {}, "baggage": [] }),
        json!({ "traceparent": "00-00000000000000000000000000000000-b7ad6b7169203331-01" }),
        json!({ "tracestate": "\u{0}" }),
    ] {
        let correlation = seen(&mut wire, &bad).await["correlation"].take();
        let correlation = correlation.as_str().expect("a correlation");
        assert_eq!(correlation.len(), 32, "{bad}");
        assert_ne!(correlation, "00000000000000000000000000000000");
    }
}

// META-05, META-10
#[tokio::test]
async fn a_key_given_twice_is_refused_as_two_readers_could_differ() {
    let mut wire = wire();
    let meta = Value::Object(meta()).to_string();
    let twice = meta.replacen(
        '{',
        r#"{"io.modelcontextprotocol/protocolVersion":"1900-01-01","#,
        1,
    );
    let frame =
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{{"_meta":{twice}}}}}"#);
    assert_eq!(code(&wire.one(frame).await), -32600);
    wire.survives().await;
}

// META-07, LF-01
#[tokio::test]
async fn a_legacy_result_has_no_meta_of_the_servers() {
    for revision in LEGACY {
        let mut wire = wire().initialized(revision).await;
        for (method, params) in served() {
            let request = wire.request(method, &params);
            for message in wire.send(&request).await {
                let mut keys = Vec::new();
                collect(&message, &mut keys);
                assert_eq!(keys, [""; 0], "{revision}: {method} {params}");
            }
        }
    }
}
