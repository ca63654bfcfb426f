//! `modern.md` §4: `server/discover`.

use relay_core::{Call, Revision, Server, codec, tool};
use relay_tests::{
    fixture::{self, Guest},
    wire::{LEGACY, Wire, meta},
};
use serde_json::{Map, Value, json};

use super::requests::{code, wire};

/// What a server says of itself.
async fn discovered(server: Server<Guest>, guest: Guest) -> Value {
    Wire::new(server, guest)
        .result("server/discover", json!({}))
        .await
}

// DISC-01, V02
#[tokio::test]
async fn discovery_says_all_that_it_must() {
    let found = discovered(fixture::server(), Guest::default()).await;
    assert_eq!(found["resultType"], "complete");
    assert_eq!(found["supportedVersions"], json!(["2026-07-28"]));
    assert!(found["capabilities"].is_object());
    assert!(found["ttlMs"].is_u64());
    assert!(
        ["private", "public"]
            .iter()
            .any(|scope| found["cacheScope"] == *scope)
    );
    assert_eq!(found["instructions"], "Call echo.");
    let info = json!({ "name": "fixture", "version": "1.2.3" });
    assert_eq!(found["_meta"]["io.modelcontextprotocol/serverInfo"], info);
    let silent = discovered(Server::new([]), Guest::default()).await;
    assert!(silent.get("instructions").is_none(), "{silent}");
}

// DISC-01
#[tokio::test]
async fn discovery_works_whatever_else_a_server_has() {
    for server in [
        Server::new([]),
        fixture::server().without_server_info(),
        fixture::server().with_revisions([Revision::V2026_07_28]),
    ] {
        let found = discovered(server, Guest::default()).await;
        assert_eq!(found["supportedVersions"], json!(["2026-07-28"]));
    }
}

// DISC-02
#[tokio::test]
async fn every_declared_capability_works() {
    let mut wire = wire();
    let found = wire.result("server/discover", json!({})).await;
    let names: Vec<_> = found["capabilities"]
        .as_object()
        .expect("an object")
        .keys()
        .cloned()
        .collect();
    assert_eq!(
        names,
        ["completions", "logging", "prompts", "resources", "tools"]
    );
    for method in [
        "tools/list",
        "prompts/list",
        "resources/list",
        "resources/templates/list",
    ] {
        assert_eq!(code(&wire.ask(method, json!({})).await), 0, "{method}");
    }
    let reference = json!({ "type": "ref/prompt", "name": "review" });
    let argument = json!({ "name": "language", "value": "r" });
    let completed = wire
        .result(
            "completion/complete",
            json!({ "ref": reference, "argument": argument }),
        )
        .await;
    assert_eq!(completed["completion"]["values"], json!(["rust"]));
}

// DISC-03
#[tokio::test]
async fn log_messages_come_only_from_a_server_that_declares_them() {
    for logging in [true, false] {
        let server = fixture::server().with_logging(logging);
        let found = discovered(server.clone(), Guest::default()).await;
        assert_eq!(
            found["capabilities"].get("logging"),
            logging.then_some(&json!({}))
        );
        let mut wire = Wire::new(server, Guest::default());
        let meta = json!({ "io.modelcontextprotocol/logLevel": "debug" });
        let request = wire.request("tools/call", &json!({ "name": "logs", "_meta": meta }));
        let messages = wire.send(&request).await.len() - 1;
        assert_eq!(messages, if logging { 8 } else { 0 });
    }
}

// DISC-04
#[tokio::test]
async fn no_change_is_promised_that_is_not_announced() {
    let found = discovered(fixture::server(), Guest::default()).await;
    for (name, capability) in found["capabilities"].as_object().expect("an object") {
        for flag in ["listChanged", "subscribe"] {
            assert_ne!(capability.get(flag), Some(&json!(true)), "{name}.{flag}");
        }
    }
}

fn settings() -> Map<String, Value> {
    json!({ "deep": true })
        .as_object()
        .cloned()
        .unwrap_or_default()
}

// DISC-05, EXT-01
#[tokio::test]
async fn extensions_are_declared_with_their_settings() {
    let server = fixture::server()
        .with_extension("com.example/search", settings())
        .with_extension("com.example/plain", Map::new());
    let found = discovered(server, Guest::default()).await;
    let expected = json!({ "com.example/search": { "deep": true }, "com.example/plain": {} });
    assert_eq!(found["capabilities"]["extensions"], expected);
    let none = discovered(fixture::server(), Guest::default()).await;
    assert!(none["capabilities"].get("extensions").is_none(), "{none}");
}

// DISC-06
#[tokio::test]
async fn discovery_is_private_unless_told_otherwise_and_the_same_for_everyone() {
    let guest = discovered(fixture::server(), Guest::default()).await;
    let admin = discovered(fixture::server(), Guest::admin()).await;
    assert_eq!(guest["cacheScope"], "private");
    assert_eq!(guest, admin);
    // Nor where a caller sees none of what is declared.
    let hidden = || fixture::server().with_tool_visibility(|guest: &Guest, _| guest.admin);
    let guest = discovered(hidden(), Guest::default()).await;
    assert_eq!(guest, discovered(hidden(), Guest::admin()).await);
    let mut wire = Wire::new(hidden(), Guest::default());
    assert_eq!(
        wire.result("tools/list", json!({})).await["tools"],
        json!([])
    );
}

// LC-13, DISC-04, DISC-05
#[tokio::test]
async fn legacy_capabilities_have_the_shapes_of_their_revision() {
    let server = fixture::server().with_extension("com.example/search", settings());
    for revision in LEGACY {
        let mut wire = Wire::new(server.clone(), Guest::default()).speaking(revision);
        let params = json!({
            "protocolVersion": revision,
            "capabilities": {},
            "clientInfo": { "name": "c", "version": "1" },
        });
        let result = wire.result("initialize", params).await;
        let empty = json!({});
        let expected = json!({
            "completions": empty, "logging": empty, "prompts": empty, "resources": empty, "tools": empty,
        });
        assert_eq!(result["capabilities"], expected, "{revision}");
    }
}

// LC-07, LU-03, DISC-03
#[tokio::test]
async fn a_session_has_no_logging_that_is_not_declared() {
    let chatty = tool::define("chatty", codec::object(()), codec::string()).handle_call(
        |call: Call<Guest>, ()| async move {
            call.log(relay_core::LogLevel::Emergency, "on fire").await;
            Ok("said".to_owned())
        },
    );
    let server = Server::new([chatty]);
    for revision in LEGACY {
        let mut wire = Wire::new(server.clone(), Guest::default())
            .initialized(revision)
            .await;
        assert_eq!(
            wire.error("logging/setLevel", json!({ "level": "info" }))
                .await
                .0,
            -32601
        );
        for method in ["prompts/list", "resources/list", "completion/complete"] {
            assert_eq!(wire.error(method, json!({})).await.0, -32601, "{method}");
        }
        assert_eq!(
            wire.call("chatty", json!({})).await["content"][0]["text"],
            "said"
        );
        let params = json!({ "name": "chatty", "_meta": meta() });
        assert_eq!(
            wire.result("tools/call", params).await["resultType"],
            "complete"
        );
    }
}
