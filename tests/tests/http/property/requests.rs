//! Requests that are right but for a few changes.

use http::Method;
use proptest::{collection::vec, prelude::*, sample::select};
use relay_core::Revision;
use relay_tests::{fixture::HIDDEN, web::Post};
use serde_json::{Value, json};

const NAMES: [&str; 15] = [
    "host",
    "origin",
    "content-type",
    "accept",
    "mcp-protocol-version",
    "mcp-method",
    "mcp-name",
    "mcp-param-region",
    "mcp-param-urgent",
    "mcp-session-id",
    "last-event-id",
    "authorization",
    "content-length",
    "x-forwarded-host",
    "access-control-request-method",
];

const VALUES: [&str; 22] = [
    "localhost",
    "evil.example",
    "http://localhost",
    "null",
    "application/json",
    "text/plain",
    "text/event-stream",
    "text/html",
    "*/*",
    "2026-07-28",
    "2025-06-18",
    "2025-03-26",
    "v999",
    "tools/call",
    "tools/list",
    "where",
    "eu",
    " eu ",
    "=?base64?ZXU=?=",
    "=?base64?ZXU?=",
    "99999999",
    HIDDEN,
];

const PATHS: [&str; 6] = [
    "/",
    "/mcp/",
    "/mcp?access_token=x",
    "//mcp",
    "/mcp/ledger",
    "*",
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

/// Where in a message something may be changed.
const PLACES: [&str; 15] = [
    "/jsonrpc",
    "/id",
    "/method",
    "/params",
    "/extra",
    "/params/name",
    "/params/uri",
    "/params/cursor",
    "/params/arguments",
    "/params/arguments/region",
    "/params/arguments/urgent",
    "/params/_meta",
    "/params/_meta/progressToken",
    "/params/_meta/io.modelcontextprotocol~1protocolVersion",
    "/params/_meta/io.modelcontextprotocol~1clientCapabilities",
];

fn values() -> Vec<Value> {
    vec![
        json!(null),
        json!(true),
        json!(0),
        json!(-7),
        json!(1.5),
        json!(""),
        json!("eu"),
        json!("2.0"),
        json!("2026-07-28"),
        json!("v999"),
        json!("tools/call"),
        json!("tools/list"),
        json!("no/such"),
        json!("where"),
        json!("samples"),
        json!("boom"),
        json!([]),
        json!({}),
        json!({ "sampling": {} }),
        json!({ "region": "us" }),
    ]
}

#[derive(Clone, Debug)]
enum Change {
    With(&'static str, Vec<u8>),
    And(&'static str, Vec<u8>),
    Without(&'static str),
    By(Method),
    To(&'static str),
    Saying(Vec<u8>),
    /// A member of the message, and of what is mirrored of it, is this.
    Set(&'static str, Value),
    Remove(&'static str),
    /// The body ends after that share of it.
    Cut(prop::sample::Index),
    /// One byte of the body is another.
    Flip(prop::sample::Index, u8),
}

fn change() -> impl Strategy<Value = Change> {
    let name = || select(&NAMES[..]);
    let value = || {
        prop_oneof![
            4 => select(&VALUES[..]).prop_map(|value| value.as_bytes().to_vec()),
            1 => "[ -~]{0,12}".prop_map(String::into_bytes),
            1 => vec(0x80_u8..=0xff, 1..4),
        ]
    };
    let method = select(vec![
        Method::GET,
        Method::PUT,
        Method::DELETE,
        Method::OPTIONS,
        Method::HEAD,
        Method::POST,
    ]);
    let body = prop_oneof![
        2 => select(&BODIES[..]).prop_map(|body| body.as_bytes().to_vec()),
        1 => vec(any::<u8>(), 0..40),
    ];
    prop_oneof![
        3 => (name(), value()).prop_map(|(name, value)| Change::With(name, value)),
        1 => (name(), value()).prop_map(|(name, value)| Change::And(name, value)),
        1 => Just(Change::With("content-length", b"99999999".to_vec())),
        2 => name().prop_map(Change::Without),
        1 => method.prop_map(Change::By),
        1 => select(&PATHS[..]).prop_map(Change::To),
        1 => body.prop_map(Change::Saying),
        4 => (select(&PLACES[..]), select(values()))
            .prop_map(|(place, value)| Change::Set(place, value)),
        2 => select(&PLACES[..]).prop_map(Change::Remove),
        1 => any::<prop::sample::Index>().prop_map(Change::Cut),
        1 => (any::<prop::sample::Index>(), any::<u8>())
            .prop_map(|(at, byte)| Change::Flip(at, byte)),
    ]
}

fn base() -> impl Strategy<Value = Post> {
    let named = |name: &str, arguments: Value, meta: Value| {
        let params = json!({ "name": name, "arguments": arguments, "_meta": meta });
        Post::modern("tools/call", &params)
    };
    let region = json!({ "region": "eu" });
    let legacy = |revision| {
        let params = json!({ "name": "where", "arguments": { "region": "eu" } });
        Post::legacy(revision, "tools/call", &params)
    };
    let oldest = legacy(Revision::V2025_03_26);
    let batch =
        json!([oldest.json(), { "jsonrpc": "2.0", "id": 2, "method": "ping" }, oldest.json()]);
    let level = json!({ "io.modelcontextprotocol/logLevel": "debug" });
    select(vec![
        named("where", region.clone(), json!({})).with("mcp-param-region", "eu"),
        named("where", region, json!({})).with("mcp-param-region", "=?base64?ZXU=?="),
        named("where", json!({}), json!({})),
        named("sleep", json!({ "ms": 30 }), json!({ "progressToken": 1 })),
        named("counts", json!({}), json!({ "progressToken": "p" })),
        named("logs", json!({}), level),
        named("boom", json!({}), json!({})),
        named("samples", json!({}), json!({})),
        named(HIDDEN, json!({}), json!({})),
        Post::modern("tools/list", &json!({})),
        Post::modern("server/discover", &json!({})),
        Post::modern("prompts/get", &json!({ "name": HIDDEN })),
        Post::modern("resources/read", &json!({ "uri": "note://1" })),
        Post::legacy(Revision::V2025_06_18, "tools/list", &json!({})),
        legacy(Revision::V2025_11_25),
        legacy(Revision::V2025_06_18),
        oldest.clone(),
        oldest.saying(batch.to_string()),
    ])
}

/// A right request after up to four changes.
pub(super) fn mutated() -> impl Strategy<Value = Post> {
    (base(), vec(change(), 0..4))
        .prop_map(|(post, changes)| changes.into_iter().fold(post, changed))
}

fn changed(post: Post, change: Change) -> Post {
    let valid = |value: &[u8]| http::HeaderValue::from_bytes(value).is_ok();
    match change {
        Change::With(name, value) if valid(&value) => post.with(name, value),
        Change::And(name, value) if valid(&value) => post.and(name, value),
        Change::With(..) | Change::And(..) => post,
        Change::Without(name) => post.without(name),
        Change::By(method) => post.by(method),
        Change::To(path) => post.to(path),
        Change::Saying(body) => post.saying(body),
        Change::Set(place, value) => set(post, place, Some(value)),
        Change::Remove(place) => set(post, place, None),
        Change::Cut(at) => {
            let body = post.body().clone();
            let end = at.index(body.len() + 1);
            post.saying(body.slice(..end))
        }
        Change::Flip(at, byte) => {
            let mut body = post.body().to_vec();
            if !body.is_empty() {
                let at = at.index(body.len());
                body[at] = byte;
            }
            post.saying(body)
        }
    }
}

/// The message with another member there, and every other time the headers say so too.
fn set(post: Post, place: &str, value: Option<Value>) -> Post {
    let mut message = post.json();
    let (parent, name) = place.rsplit_once('/').unwrap_or_default();
    let name = name.replace("~1", "/");
    let Some(members) = message.pointer_mut(parent).and_then(Value::as_object_mut) else {
        return post;
    };
    let text = value.as_ref().and_then(Value::as_str).map(str::to_owned);
    match value {
        Some(value) => drop(members.insert(name.clone(), value)),
        None => drop(members.remove(&name)),
    }
    let post = post.saying(message.to_string());
    let header = match name.as_str() {
        "method" => "mcp-method",
        "name" | "uri" => "mcp-name",
        "region" => "mcp-param-region",
        "io.modelcontextprotocol/protocolVersion" => "mcp-protocol-version",
        _ => return post,
    };
    match text {
        Some(text) => post.with(header, text),
        None => post.without(header),
    }
}
