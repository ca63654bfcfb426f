//! The HTTP halves of rows that hold on any transport.

use relay_tests::{fixture::HIDDEN, web::Post};
use serde_json::{Value, json};

use super::support::{modern_only, web};

fn saying(body: &Value) -> Post {
    Post::modern("tools/list", &json!({})).saying(body.to_string())
}

// JR-01, JR-03, JR-04, J02, JR-06, J06, JR-07, H10
#[tokio::test]
async fn what_is_no_request_is_refused() {
    let meta = Value::Object(relay_tests::wire::meta());
    let list = |id: Value| json!({ "jsonrpc": "2.0", "id": id, "method": "tools/list", "params": { "_meta": meta } });
    for (body, id) in [
        (json!({ "id": 1, "method": "tools/list" }), Some(json!(1))),
        (
            json!({ "jsonrpc": "1.0", "id": "a", "method": "x" }),
            Some(json!("a")),
        ),
        (list(json!(null)), None),
        (list(json!(1.5)), None),
        (list(json!(true)), None),
        (list(json!([1])), None),
        (list(json!({})), None),
        (json!([]), None),
        (json!([1]), None),
        (json!([list(json!(1)), list(json!(2))]), None),
        (
            json!([{ "jsonrpc": "2.0", "method": "notifications/x" }]),
            None,
        ),
        (json!({ "jsonrpc": "2.0", "id": 1, "result": {} }), None),
        (
            json!({ "jsonrpc": "2.0", "id": 1, "error": { "code": 1, "message": "" } }),
            None,
        ),
        (json!(42), None),
        (json!("str"), None),
        (json!(null), None),
        (json!({}), None),
    ] {
        for web in [web(), modern_only()] {
            let reply = web.send(&saying(&body)).await;
            assert_eq!(reply.outcome(), (400, -32600), "{body}");
            assert_eq!(reply.answer().get("id"), id.as_ref(), "{body}");
        }
    }
}

// JR-02, JR-16, J01
#[tokio::test]
async fn ids_are_echoed_as_sent() {
    for id in [
        "0",
        "-1",
        r#""""#,
        r#""1""#,
        "9007199254740993",
        "123456789012345678901234567890",
    ] {
        let post = Post::modern("tools/list", &json!({}));
        let body = post
            .json()
            .to_string()
            .replace("\"id\":1,", &format!("\"id\":{id},"));
        let reply = web().send(&post.clone().saying(body)).await;
        assert_eq!(reply.outcome(), (200, 0));
        let text = String::from_utf8_lossy(&reply.body).into_owned();
        assert!(text.contains(&format!("\"id\":{id},")), "{text}");
        // On an error as well.
        let body = post
            .json()
            .to_string()
            .replace("\"id\":1,", &format!("\"id\":{id},"));
        let reply = web().send(&post.without("mcp-method").saying(body)).await;
        assert!(String::from_utf8_lossy(&reply.body).contains(&format!("\"id\":{id},")));
    }
}

// JR-08, J03, H10, HTTP-11, HTTP-12, HTTP-13, HTTP-14, LC-04, LH-05, LH-18
#[tokio::test]
async fn notifications_are_accepted_without_a_word() {
    let version = "io.modelcontextprotocol/protocolVersion";
    let notify = |method: &str, params: Value| json!({ "jsonrpc": "2.0", "method": method, "params": params });
    let accepted = [
        notify("notifications/initialized", json!({})),
        notify("notifications/cancelled", json!({ "requestId": 1 })),
        notify("notifications/cancelled", json!(null)),
        notify("notifications/does_not_exist", json!([])),
        notify("tools/call", json!({ "name": "noargs" })),
        notify(
            "notifications/x",
            json!({ "_meta": { version: "2026-07-28" } }),
        ),
    ];
    for body in accepted {
        let full = saying(&body);
        let lean = full
            .clone()
            .without("mcp-method")
            .without("mcp-protocol-version");
        for post in [full, lean] {
            let reply = web().send(&post).await;
            assert_eq!(reply.status, 202, "{body}");
            assert!(reply.body.is_empty() && !reply.headers.contains_key("content-type"));
        }
    }
    let refused = [
        notify("notifications/x", json!({ "_meta": { version: "v999" } })),
        notify(
            "notifications/x",
            json!({ "_meta": { version: "2025-11-25" } }),
        ),
        notify("notifications/x", json!({ "_meta": { version: 5 } })),
    ];
    for body in refused {
        let reply = web().send(&saying(&body)).await;
        assert_eq!(reply.status, 400, "{body}");
        assert!(reply.answer().get("id").is_none());
    }
    let unknown = saying(&notify("notifications/x", json!({}))).with("mcp-protocol-version", "x");
    assert_eq!(web().send(&unknown).await.status, 400);
}

// META-01, META-02, META-03, META-04, META-05, META-06, META-10, META-12, JR-14, J05, J09
#[tokio::test]
async fn the_envelope_is_demanded() {
    let of = |params: Value| {
        saying(&json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": params }))
    };
    let version = "io.modelcontextprotocol/protocolVersion";
    let capabilities = "io.modelcontextprotocol/clientCapabilities";
    let info = "io.modelcontextprotocol/clientInfo";
    for params in [
        json!(null),
        json!([]),
        json!("x"),
        json!({}),
        json!({ "_meta": null }),
        json!({ "_meta": { capabilities: {} } }),
        json!({ "_meta": { version: "2026-07-28" } }),
        json!({ "_meta": { version: 5, capabilities: {} } }),
        json!({ "_meta": { version: "2026-07-28", capabilities: [] } }),
        json!({ "_meta": { version: "2026-07-28", capabilities: {}, info: { "name": "x" } } }),
    ] {
        let reply = web().send(&of(params.clone())).await;
        assert_eq!(reply.outcome(), (400, -32602), "{params}");
        assert_eq!(reply.answer()["id"], 1);
    }
    let least = json!({ version: "2026-07-28", capabilities: {} });
    let more = json!({ version: "2026-07-28", capabilities: { "future": {} }, "com.acme/x": [1] });
    for meta in [least, more] {
        let reply = web().send(&of(json!({ "_meta": meta, "foo": 1 }))).await;
        assert_eq!(reply.outcome(), (200, 0));
    }
}

// ERR-06, ERR-07, ERR-08, ERR-09, HTTP-27
#[tokio::test]
async fn methods_that_are_not_there_are_404() {
    for method in [
        "no/such",
        "initialize",
        "ping",
        "logging/setLevel",
        "resources/subscribe",
        "resources/unsubscribe",
        "sampling/createMessage",
        "elicitation/create",
        "roots/list",
        "tasks/get",
        "tasks/list",
    ] {
        let reply = web().send(&Post::modern(method, &json!({}))).await;
        assert_eq!(reply.outcome(), (404, -32601), "{method}");
        assert_eq!(reply.answer()["id"], 1);
    }
    let bare = relay_core::Server::new([]);
    let web = relay_tests::web::Web::new(relay_http::Endpoint::new(bare));
    for method in [
        "tools/list",
        "tools/call",
        "prompts/list",
        "prompts/get",
        "resources/list",
        "resources/read",
        "resources/templates/list",
        "completion/complete",
    ] {
        let reply = web.send(&Post::modern(method, &json!({}))).await;
        assert_eq!(reply.outcome(), (404, -32601), "{method}");
    }
}

// TOOL-05, TOOL-18, TOOL-22, CACHE-09, ERR-01, ERR-10
#[tokio::test]
async fn errors_behind_the_gate_are_answers() {
    let call = |name: &str| Post::modern("tools/call", &json!({ "name": name }));
    let unknown = web().send(&call("nothing")).await;
    for name in [HIDDEN, "denied"] {
        assert_eq!(web().send(&call(name)).await.body, unknown.body);
    }
    for (post, code) in [
        (call("nothing"), -32602),
        (call("boom"), -32603),
        (
            Post::modern("resources/read", &json!({ "uri": "note://9" })),
            -32602,
        ),
        (
            Post::modern("resources/read", &json!({ "uri": "fixture://unreadable" })),
            -32603,
        ),
        (
            Post::modern("prompts/get", &json!({ "name": "review" })),
            -32602,
        ),
        (
            Post::modern("tools/list", &json!({ "cursor": "bogus" })),
            -32602,
        ),
    ] {
        let reply = web().send(&post).await;
        assert_eq!(reply.outcome(), (200, code), "{post:?}");
        assert!(!String::from_utf8_lossy(&reply.body).contains("secret"));
    }
    let leak = web().send(&call("leaks")).await;
    assert_eq!(leak.answer()["result"]["isError"], true);
    assert!(!String::from_utf8_lossy(&leak.body).contains("secret"));
}
