//! `modern.md` §2.

use std::collections::BTreeSet;

use relay_core::{Error, Revision, Server, codec, prompt, resource, tool};
use relay_tests::{
    fixture::{self, Guest},
    wire::{LEGACY, Wire},
};
use serde_json::{Value, json};

use super::requests::{code, refused, served, wire};

// ERR-01
#[tokio::test]
async fn a_missing_resource_is_invalid_params_to_a_modern_client() {
    let mut wire = wire();
    for uri in [
        "note://99",
        "nothing://here",
        "fixture://ledger",
        "fixture://about/more",
    ] {
        let (code, _, data) = wire.error("resources/read", json!({ "uri": uri })).await;
        assert_eq!((code, &data["uri"]), (-32602, &json!(uri)));
    }
}

// ERR-02, ERR-03
#[tokio::test]
async fn a_modern_client_gets_no_reserved_code_but_the_three_that_are_defined() {
    let mut wire = wire();
    let mut codes = BTreeSet::new();
    for (method, params, ..) in refused() {
        codes.insert(wire.error(method, params).await.0);
    }
    for tool in ["samples", "asks"] {
        codes.insert(wire.error("tools/call", json!({ "name": tool })).await.0);
    }
    let old = json!({ "_meta": { "io.modelcontextprotocol/protocolVersion": "1900-01-01" } });
    codes.insert(wire.error("tools/list", old).await.0);
    for method in ["initialize", "ping", "logging/setLevel", "server/discover/"] {
        codes.insert(wire.error(method, json!({})).await.0);
    }
    for code in [-32042, -32020, -32021, -32022, -32002, -32099, -32050] {
        let params = json!({ "name": "refuses", "arguments": { "code": code } });
        codes.insert(wire.error("tools/call", params).await.0);
    }
    assert_eq!(codes, [-32603, -32602, -32601, -32022, -32021, 7].into());
}

// ERR-03
#[tokio::test]
async fn the_defined_codes_carry_their_data() {
    let mut wire = wire();
    let (code, _, data) = wire.error("tools/call", json!({ "name": "asks" })).await;
    assert_eq!(code, -32021);
    assert_eq!(
        data,
        json!({ "requiredCapabilities": { "elicitation": { "form": {} } } })
    );
    let old = json!({ "_meta": { "io.modelcontextprotocol/protocolVersion": "1900-01-01" } });
    let (code, _, data) = wire.error("tools/list", old).await;
    assert_eq!(code, -32022);
    assert_eq!(
        data,
        json!({ "requested": "1900-01-01", "supported": ["2026-07-28"] })
    );
}

/// Fails everywhere with one code of the author's.
fn failing(code: i64) -> Server<Guest> {
    let error = move || Error::protocol(code, "not like this", json!({ "why": "because" }));
    Server::new([tool::define("fail", codec::object(()), codec::string())
        .handle(move |()| async move { Err::<String, _>(error()) })])
    .with_resources([resource::direct("fail://", "fail")
        .handle(move |_| async move { Err::<Vec<resource::Contents>, _>(error()) })])
    .with_prompts([prompt::define("fail", ())
        .handle(move |()| async move { Err::<Vec<prompt::Message>, _>(error()) })])
}

// ERR-05
#[tokio::test]
async fn codes_of_the_author_are_sent_and_reserved_ones_replaced() {
    for (code, expected) in [
        (7, 7),
        (0, 0),
        (-1, -1),
        (-31_999, -31_999),
        (-32_000, -32_603),
        (-32_002, -32_603),
        (-32_022, -32_603),
        (-32_042, -32_603),
        (-32_601, -32_603),
        (-32_700, -32_603),
        (-32_768, -32_603),
        (-32_769, -32_769),
        (1_000_000, 1_000_000),
    ] {
        let mut wires = vec![Wire::new(failing(code), Guest::default())];
        for revision in LEGACY {
            wires.push(
                Wire::new(failing(code), Guest::default())
                    .initialized(revision)
                    .await,
            );
        }
        for wire in &mut wires {
            for (method, params) in [
                ("tools/call", json!({ "name": "fail" })),
                ("prompts/get", json!({ "name": "fail" })),
                ("resources/read", json!({ "uri": "fail://" })),
            ] {
                let (sent, message, data) = wire.error(method, params).await;
                assert_eq!(sent, expected, "{method} {code}");
                assert_eq!(
                    (&*message, &data["why"]),
                    ("not like this", &json!("because"))
                );
            }
        }
    }
}

// ERR-06
#[tokio::test]
async fn a_method_that_nobody_has_is_not_found() {
    let mut wire = wire();
    for method in [
        "no/such/method",
        "",
        "tools",
        "tools/list/",
        "TOOLS/LIST",
        "tools/List",
        "rpc.discover",
        "notifications/initialized",
    ] {
        assert_eq!(wire.error(method, json!({})).await.0, -32601, "{method:?}");
        wire.survives().await;
    }
}

/// A server with nothing but the given, each of them empty but for one item.
fn with_only(what: &str) -> Server<Guest> {
    let tool = tool::define("t", codec::object(()), codec::string())
        .handle(|()| async { Ok(String::new()) });
    let server = Server::new((what == "tools").then_some(tool));
    match what {
        "prompts" => server.with_prompts([
            prompt::define("p", ()).handle(|()| async { Ok(vec![prompt::user("")]) })
        ]),
        "resources" => {
            server
                .with_resources([resource::direct("r://", "r")
                    .handle(|_| async { Ok(vec![resource::text("")]) })])
        }
        _ => server,
    }
}

// ERR-07, DISC-02
#[tokio::test]
async fn methods_work_exactly_where_their_capability_is_advertised() {
    let reference = json!({ "type": "ref/prompt", "name": "p" });
    let methods = [
        ("tools", "tools/list", json!({})),
        ("tools", "tools/call", json!({ "name": "t" })),
        ("prompts", "prompts/list", json!({})),
        ("prompts", "prompts/get", json!({ "name": "p" })),
        ("resources", "resources/list", json!({})),
        ("resources", "resources/templates/list", json!({})),
        ("resources", "resources/read", json!({ "uri": "r://" })),
        (
            "completions",
            "completion/complete",
            json!({ "ref": reference, "argument": { "name": "a", "value": "" } }),
        ),
    ];
    for what in ["tools", "prompts", "resources", "nothing"] {
        for revision in Revision::ALL {
            let mut wire = Wire::new(with_only(what), Guest::default());
            if !revision.is_modern() {
                wire = wire.initialized(revision).await;
            }
            for (capability, method, params) in &methods {
                let answer = wire.ask(method, params.clone()).await;
                let expected = if *capability == what { 0 } else { -32601 };
                assert_eq!(code(&answer), expected, "{what}, {revision}: {method}");
            }
            let mut fresh = Wire::new(with_only(what), Guest::default());
            let found = fresh.result("server/discover", json!({})).await;
            let found = found["capabilities"]
                .as_object()
                .expect("an object")
                .clone();
            let expected = [what].into_iter().filter(|what| *what != "nothing");
            assert!(found.keys().eq(expected), "{found:?}");
        }
    }
}

// ERR-08, N04
#[tokio::test]
async fn methods_of_the_handshake_are_not_found_in_a_modern_envelope() {
    let mut wires = vec![wire(), wire().initialized(Revision::V2025_11_25).await];
    for wire in &mut wires {
        for (method, params) in [
            (
                "initialize",
                json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "c", "version": "1" } }),
            ),
            ("ping", json!({})),
            ("logging/setLevel", json!({ "level": "info" })),
            ("resources/subscribe", json!({ "uri": "fixture://about" })),
            ("resources/unsubscribe", json!({ "uri": "fixture://about" })),
        ] {
            let mut params = params;
            params["_meta"] = Value::Object(relay_tests::wire::meta());
            assert_eq!(wire.error(method, params).await.0, -32601, "{method}");
        }
        wire.survives().await;
    }
}

// ERR-09
#[tokio::test]
async fn what_servers_ask_clients_is_not_found_when_a_client_asks_it() {
    for method in ["sampling/createMessage", "elicitation/create", "roots/list"] {
        assert_eq!(wire().error(method, json!({})).await.0, -32601, "{method}");
    }
}

// ERR-10
#[tokio::test]
async fn panics_and_private_errors_say_nothing_and_cost_one_answer() {
    let mut wires = vec![wire()];
    for revision in LEGACY {
        wires.push(wire().initialized(revision).await);
    }
    for wire in &mut wires {
        for (method, params) in [
            ("tools/call", json!({ "name": "boom" })),
            ("prompts/get", json!({ "name": "broken" })),
            ("resources/read", json!({ "uri": "fixture://unreadable" })),
        ] {
            let (code, message, data) = wire.error(method, params).await;
            assert_eq!(
                (code, &*message, data),
                (-32603, "internal error", Value::Null),
                "{method}"
            );
            wire.survives().await;
        }
        let result = wire.call("leaks", json!({})).await;
        assert_eq!(result["isError"], true);
        assert!(!result.to_string().contains("secret"), "{result}");
    }
}

// LF-12
#[tokio::test]
async fn a_legacy_client_gets_no_modern_code() {
    for revision in LEGACY {
        let mut wire = wire().initialized(revision).await;
        for (method, params, _, expected) in refused() {
            assert_eq!(
                wire.error(method, params.clone()).await.0,
                expected,
                "{method} {params}"
            );
        }
        for (method, params) in served() {
            let request = wire.request(method, &params);
            let sent = wire.send(&request).await;
            assert!(
                sent.last().expect("an answer")["result"].is_object(),
                "{method} {params}"
            );
        }
        // What would be -32021 is told to the model.
        for tool in ["samples", "asks"] {
            let result = wire.call(tool, json!({})).await;
            assert_eq!(result["isError"], true, "{tool}");
        }
        // The one exception: it has asked as a modern client does.
        let params = json!({ "name": "asks", "_meta": relay_tests::wire::meta() });
        assert_eq!(wire.error("tools/call", params).await.0, -32021);
    }
}

// ERR-06, LJ-12
#[tokio::test]
async fn an_unknown_method_is_not_found_in_a_session() {
    for revision in LEGACY {
        let mut wire = Wire::new(fixture::server(), Guest::default())
            .initialized(revision)
            .await;
        for method in [
            "no/such/method",
            "",
            "server/discover",
            "subscriptions/listen",
        ] {
            assert_eq!(wire.error(method, json!({})).await.0, -32601, "{method:?}");
        }
        wire.survives().await;
    }
}
