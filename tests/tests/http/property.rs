//! For any request there is exactly one well-formed response.

use http::Method;
use proptest::prelude::*;
use relay_tests::{
    fixture::{Guest, HIDDEN},
    web::{Post, Reply, Web},
};
use serde_json::json;

use super::support::{Runs, endpoint_of, server};

const NAMES: [&str; 14] = [
    "host",
    "origin",
    "content-type",
    "accept",
    "mcp-protocol-version",
    "mcp-method",
    "mcp-name",
    "mcp-param-region",
    "mcp-session-id",
    "last-event-id",
    "authorization",
    "content-length",
    "x-forwarded-host",
    "access-control-request-method",
];

const VALUES: [&str; 20] = [
    "localhost",
    "evil.example",
    "http://localhost",
    "null",
    "application/json",
    "text/plain",
    "text/event-stream",
    "*/*",
    "2026-07-28",
    "2025-06-18",
    "2025-03-26",
    "v999",
    "tools/call",
    "tools/list",
    "where",
    "eu",
    "=?base64?ZXU=?=",
    "=?base64?ZXU?=",
    "9",
    HIDDEN,
];

const BODIES: [&str; 12] = [
    "",
    "{",
    "[]",
    "[1]",
    "null",
    "{}",
    r#"{"jsonrpc":"2.0","method":"notifications/x"}"#,
    r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#,
    r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
    r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
    r#"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"tools/list"}]"#,
    r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#,
];

#[derive(Clone, Debug)]
enum Change {
    With(&'static str, Vec<u8>),
    And(&'static str, Vec<u8>),
    Without(&'static str),
    By(Method),
    Saying(Vec<u8>),
}

fn change() -> impl Strategy<Value = Change> {
    let name = || proptest::sample::select(&NAMES[..]);
    let value = || {
        prop_oneof![
            4 => proptest::sample::select(&VALUES[..]).prop_map(|value| value.as_bytes().to_vec()),
            1 => "[ -~]{0,12}".prop_map(String::into_bytes),
            1 => proptest::collection::vec(0x80_u8..=0xff, 1..4),
        ]
    };
    let method = proptest::sample::select(vec![
        Method::GET,
        Method::PUT,
        Method::DELETE,
        Method::OPTIONS,
        Method::HEAD,
        Method::POST,
    ]);
    let body = prop_oneof![
        2 => proptest::sample::select(&BODIES[..]).prop_map(|body| body.as_bytes().to_vec()),
        1 => proptest::collection::vec(any::<u8>(), 0..40),
    ];
    prop_oneof![
        3 => (name(), value()).prop_map(|(name, value)| Change::With(name, value)),
        1 => (name(), value()).prop_map(|(name, value)| Change::And(name, value)),
        1 => name().prop_map(Change::Without),
        1 => method.prop_map(Change::By),
        2 => body.prop_map(Change::Saying),
    ]
}

fn base() -> impl Strategy<Value = Post> {
    let named = |name: &str, arguments| {
        Post::modern(
            "tools/call",
            &json!({ "name": name, "arguments": arguments }),
        )
    };
    proptest::sample::select(vec![
        named("where", json!({ "region": "eu" })).with("mcp-param-region", "eu"),
        named("where", json!({})),
        named(HIDDEN, json!({})),
        Post::modern("tools/list", &json!({})),
        Post::modern("server/discover", &json!({})),
        Post::legacy(relay_core::Revision::V2025_06_18, "tools/list", &json!({})),
        Post::legacy(
            relay_core::Revision::V2025_11_25,
            "tools/call",
            &json!({ "name": "where", "arguments": { "region": "eu" } }),
        ),
    ])
}

fn changed(post: Post, change: Change) -> Post {
    let valid = |value: &[u8]| http::HeaderValue::from_bytes(value).is_ok();
    match change {
        Change::With(name, value) if valid(&value) => post.with(name, value),
        Change::And(name, value) if valid(&value) => post.and(name, value),
        Change::With(..) | Change::And(..) => post,
        Change::Without(name) => post.without(name),
        Change::By(method) => post.by(method),
        Change::Saying(body) => post.saying(body),
    }
}

fn well_formed(reply: &Reply) -> Result<(), TestCaseError> {
    let messages = reply.messages();
    match reply.status.as_u16() {
        202 | 204 => prop_assert!(reply.body.is_empty()),
        200 => {
            prop_assert!(!messages.is_empty());
            for message in &messages {
                prop_assert_eq!(&message["jsonrpc"], "2.0");
                prop_assert!(message["result"].is_object() || message["error"].is_object());
            }
        }
        400 | 403 | 404 | 405 | 406 | 413 | 415 => {
            prop_assert_eq!(reply.header("content-type"), "application/json");
            prop_assert_eq!(messages.len(), 1);
            let error = &messages[0]["error"];
            prop_assert!(error["code"].is_i64() && error["message"].is_string());
        }
        other => prop_assert!(false, "{}", other),
    }
    Ok(())
}

/// Whether the tool that the request names may have run: it was asked for rightly.
fn may_run(reply: &Reply) -> bool {
    reply.status == 200
}

fn send(web: &Web<Guest>, post: &Post) -> Reply {
    let executor = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build();
    executor.expect("an executor").block_on(web.send(post))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    // HTTP-15, HTTP-27, TOOL-22
    #[test]
    fn one_response_whatever_is_asked(
        post in base(),
        changes in proptest::collection::vec(change(), 0..4),
    ) {
        let (server, runs): (_, Runs) = server();
        let web = Web::new(endpoint_of(server));
        let post = changes.into_iter().fold(post, changed);
        let reply = send(&web, &post);
        well_formed(&reply)?;
        prop_assert!(may_run(&reply) || runs.count() == 0);
        let asked = String::from_utf8_lossy(&reply.body).into_owned();
        prop_assert!(!asked.contains(HIDDEN), "{}", asked);
    }
}
