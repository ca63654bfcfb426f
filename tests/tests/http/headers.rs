//! `modern.md` §6.

use base64::{Engine, prelude::BASE64_STANDARD};
use relay_core::Peer;
use relay_runtime::Runtime;
use relay_tests::{
    fixture::{self, Guest},
    web::{Post, Web},
};
use serde_json::json;

use super::support::{endpoint_of, server, web};

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

// HDR-04, HDR-05, HDR-07, HDR-15
#[tokio::test]
async fn a_mismatch_runs_nothing() {
    let (server, runs) = server();
    let web = Web::new(endpoint_of(server));
    let call = || Post::modern("tools/call", &json!({ "name": "where" }));
    for post in [
        call().with("mcp-name", "echo"),
        call().with("mcp-name", "wher"),
        call().with("mcp-name", encoded("Where")),
        call().without("mcp-name"),
        call().and("mcp-name", "where"),
        call().with("mcp-method", "tools/list"),
        call().without("mcp-protocol-version"),
        // The other way round: the header names the tool, and the body another one.
        Post::modern("tools/call", &json!({ "name": "echo" })).with("mcp-name", "where"),
    ] {
        assert_eq!(web.send(&post).await.outcome(), (400, -32020), "{post:?}");
    }
    assert_eq!(runs.count(), 0);
    assert_eq!(web.send(&call()).await.outcome(), (200, 0));
    assert_eq!(runs.count(), 1);
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

// A name that is no string is no header's matter.
#[tokio::test]
async fn a_body_that_names_nothing_is_refused_for_that() {
    for name in [json!(5), json!(null), json!(["echo"])] {
        let post = Post::modern("tools/call", &json!({ "name": name }));
        for post in [post.clone(), post.with("mcp-name", "echo")] {
            assert_eq!(web().send(&post).await.outcome(), (200, -32602), "{post:?}");
        }
    }
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
