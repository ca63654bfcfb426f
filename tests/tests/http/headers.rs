//! `modern.md` §6.

use base64::{Engine, prelude::BASE64_STANDARD};
use relay_core::Peer;
use relay_runtime::Runtime;
use relay_tests::{
    fixture::{self, Guest},
    web::Post,
};
use serde_json::json;

use super::support::web;

fn echo(text: &str) -> Post {
    let params = json!({ "name": "echo", "arguments": { "text": text } });
    Post::modern("tools/call", &params)
}

fn read(uri: &str) -> Post {
    Post::modern("resources/read", &json!({ "uri": uri }))
}

fn encoded(text: &str) -> String {
    format!("=?base64?{}?=", BASE64_STANDARD.encode(text))
}

// HDR-01, HDR-02, HDR-03, HDR-04, HDR-05, HDR-06, HDR-07, HDR-11, HDR-12, HDR-14, HDR-15, HDR-16,
// HDR-18
#[tokio::test]
async fn a_header_that_does_not_say_what_the_body_says_is_a_mismatch() {
    let list = || Post::modern("tools/list", &json!({}));
    let version = "mcp-protocol-version";
    for (header, post) in [
        ("MCP-Protocol-Version", list().without(version)),
        ("MCP-Protocol-Version", list().with(version, "2025-11-25")),
        ("MCP-Protocol-Version", list().with(version, "")),
        (
            "MCP-Protocol-Version",
            list().with(version, encoded("2026-07-28")),
        ),
        ("MCP-Protocol-Version", list().and(version, "2026-07-28")),
        ("Mcp-Method", list().without("mcp-method")),
        ("Mcp-Method", list().with("mcp-method", "tools/call")),
        ("Mcp-Method", list().with("mcp-method", "Tools/List")),
        (
            "Mcp-Method",
            list().with("mcp-method", encoded("tools/list")),
        ),
        ("Mcp-Method", list().and("mcp-method", "tools/list")),
        ("Mcp-Name", echo("a").without("mcp-name")),
        ("Mcp-Name", echo("a").with("mcp-name", "Echo")),
        ("Mcp-Name", echo("a").with("mcp-name", "add")),
        ("Mcp-Name", echo("a").with("mcp-name", "")),
        ("Mcp-Name", echo("a").with("mcp-name", encoded("add"))),
        ("Mcp-Name", echo("a").with("mcp-name", "=?base64?ZWNobw?=")),
        (
            "Mcp-Name",
            echo("a").with("mcp-name", "=?base64?ZWN*bw==?="),
        ),
        ("Mcp-Name", echo("a").with("mcp-name", "=?base64?/w==?=")),
        (
            "Mcp-Name",
            echo("a").with("mcp-name", "=?BASE64?ZWNobw==?="),
        ),
        ("Mcp-Name", echo("a").with("mcp-name", "=?base64?ZWNobw==")),
        ("Mcp-Name", echo("a").with("mcp-name", b"ech\xc3\xb6")),
        ("Mcp-Name", echo("a").with("mcp-name", "ec\tho")),
        ("Mcp-Name", echo("a").and("mcp-name", "echo")),
        ("Mcp-Name", read("note://1").without("mcp-name")),
        ("Mcp-Name", read("note://1").with("mcp-name", "note://2")),
        (
            "Mcp-Name",
            Post::modern("prompts/get", &json!({ "name": "greet" })).without("mcp-name"),
        ),
    ] {
        let reply = web().send(&post).await;
        assert_eq!(reply.outcome(), (400, -32020), "{post:?}");
        assert_eq!(reply.answer()["id"], 1, "{post:?}");
        assert!(reply.error().contains(header), "{}", reply.error());
    }
}

// HDR-08, HDR-09, HDR-10, HDR-13, HDR-17
#[tokio::test]
async fn headers_are_read_as_they_are_meant() {
    for post in [
        echo("a").without("mcp-name").with("MCP-NAME", "echo"),
        echo("a").with("mcp-name", "  echo\t"),
        echo("a").with("mcp-name", encoded("echo")),
        read("note://1").with("mcp-name", encoded("note://1")),
        Post::modern("tools/list", &json!({})).with("mcp-name", "whatever"),
        Post::modern("tools/list", &json!({})).with("mcp-name", b"\xff"),
    ] {
        assert_eq!(web().send(&post).await.outcome(), (200, 0), "{post:?}");
    }
    // What looks encoded has to be encoded again, and is compared after one decoding.
    let odd = "=?base64?ZWNobw==?=";
    let post = read(odd).with("mcp-name", encoded(odd));
    assert_eq!(web().send(&post).await.outcome(), (200, -32602));
    assert_eq!(web().send(&read(odd)).await.outcome(), (400, -32020));
}

// What is judged first is answered: `modern.md` §0.1.
#[tokio::test]
async fn headers_have_their_place_in_the_order() {
    let unknown = json!({ "_meta": { "io.modelcontextprotocol/protocolVersion": "v999.0.0" } });
    // 9 before 10: a body without `_meta` is refused for that.
    let bare = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {} });
    let post = Post::modern("tools/list", &json!({})).saying(bare.to_string());
    assert_eq!(web().send(&post).await.outcome(), (400, -32602));
    // 10 before 11: a header that differs hides that the version is unknown.
    let post = Post::modern("tools/list", &unknown);
    assert_eq!(web().send(&post).await.outcome(), (400, -32020));
    // 11 before 12.
    let post = Post::modern("tools/list", &unknown)
        .with("mcp-protocol-version", "v999.0.0")
        .without("mcp-method");
    assert_eq!(web().send(&post).await.outcome(), (400, -32022));
    // 12 before 13.
    let post = Post::modern("no/such", &json!({})).without("mcp-method");
    assert_eq!(web().send(&post).await.outcome(), (400, -32020));
    // 12 before 14 and 15, but a name that is no string is no header's matter.
    let post = Post::modern("tools/call", &json!({ "name": "nothing" })).without("mcp-name");
    assert_eq!(web().send(&post).await.outcome(), (400, -32020));
    let post = Post::modern("tools/call", &json!({ "name": 5 }));
    assert_eq!(web().send(&post).await.outcome(), (200, -32602));
}

// HDR-19
#[tokio::test]
async fn without_http_there_are_no_header_rules() {
    let runtime = Runtime::new(fixture::server());
    let frame = Post::modern("tools/list", &json!({})).json().to_string();
    let mut exchange = runtime.exchange(frame.into(), Peer::new(Guest::default()));
    let answer = exchange.next().await.expect("an answer");
    assert_eq!(answer.error(), None);
}
