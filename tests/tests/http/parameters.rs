//! `modern.md` §7.

use relay_tests::web::{Post, Web};
use serde_json::{Value, json};

use super::support::{endpoint_of, server, web};

fn call(arguments: &Value) -> Post {
    Post::modern(
        "tools/call",
        &json!({ "name": "where", "arguments": arguments }),
    )
}

// XMH-05
#[tokio::test]
async fn the_schema_says_which_arguments_are_mirrored() {
    let answer = web()
        .send(&Post::modern("tools/list", &json!({})))
        .await
        .answer();
    let tools = answer["result"]["tools"].as_array().expect("a list");
    let tool = tools
        .iter()
        .find(|tool| tool["name"] == "where")
        .expect("the tool");
    let properties = &tool["inputSchema"]["properties"];
    assert_eq!(properties["region"]["x-mcp-header"], "Region");
    assert_eq!(
        properties["site"]["properties"]["id"]["x-mcp-header"],
        "Site-Id"
    );
}

// XMH-05, XMH-07, XMH-10, XMH-12, XMH-13, XMH-15
#[tokio::test]
async fn headers_that_repeat_the_arguments_pass() {
    let (server, runs) = server();
    let web = Web::new(endpoint_of(server));
    let posts = [
        call(&json!({})),
        call(&json!({ "region": null, "site": {} })),
        call(&json!({ "region": "eu" })).with("mcp-param-region", "eu"),
        call(&json!({ "region": "eu" })).with("MCP-PARAM-REGION", " eu "),
        call(&json!({ "region": "Hello" })).with("mcp-param-region", "=?base64?SGVsbG8=?="),
        call(&json!({ "region": "=?base64?SGVsbG8=" }))
            .with("mcp-param-region", "=?base64?SGVsbG8="),
        call(&json!({ "urgent": true })).with("mcp-param-urgent", "true"),
        call(&json!({ "urgent": false })).with("mcp-param-urgent", "false"),
        call(&json!({ "site": { "id": 42 } })).with("mcp-param-site-id", "42"),
        call(&json!({ "site": { "id": 42 } })).with("mcp-param-site-id", "42.0"),
        call(&json!({ "site": { "id": 42.0 } })).with("mcp-param-site-id", "42"),
        call(&json!({}))
            .with("mcp-param-other", "x")
            .with("mcp-param-id", "9"),
        call(&json!({})).with("mcp-param-other", b"\xff"),
    ];
    for (post, before) in posts.iter().zip(0..) {
        let reply = web.send(post).await;
        assert_eq!(reply.outcome(), (200, 0), "{post:?}");
        assert_ne!(reply.answer()["result"]["isError"], true, "{post:?}");
        assert_eq!(runs.count(), before + 1);
    }
}

// XMH-08, XMH-09, XMH-11, XMH-12, XMH-13, XMH-14
#[tokio::test]
async fn headers_that_say_otherwise_stop_the_call() {
    let (server, runs) = server();
    let web = Web::new(endpoint_of(server));
    let region = || call(&json!({ "region": "eu" }));
    let site = |id: Value| call(&json!({ "site": { "id": id } }));
    for (header, post) in [
        ("Mcp-Param-Region", region()),
        ("Mcp-Param-Region", region().with("mcp-param-region", "us")),
        ("Mcp-Param-Region", region().with("mcp-param-region", "EU")),
        ("Mcp-Param-Region", region().with("mcp-param-region", "")),
        (
            "Mcp-Param-Region",
            region()
                .with("mcp-param-region", "eu")
                .and("mcp-param-region", "eu"),
        ),
        (
            "Mcp-Param-Region",
            region().with("mcp-param-region", "=?base64?ZXU?="),
        ),
        (
            "Mcp-Param-Region",
            region().with("mcp-param-region", "=?base64?Z!U=?="),
        ),
        (
            "Mcp-Param-Region",
            region().with("mcp-param-region", b"\xc3\xa9"),
        ),
        (
            "Mcp-Param-Region",
            call(&json!({})).with("mcp-param-region", "eu"),
        ),
        (
            "Mcp-Param-Region",
            call(&json!({ "region": null })).with("mcp-param-region", "null"),
        ),
        (
            "Mcp-Param-Urgent",
            call(&json!({ "urgent": true })).with("mcp-param-urgent", "1"),
        ),
        ("Mcp-Param-Site-Id", site(json!(42))),
        (
            "Mcp-Param-Site-Id",
            site(json!(42)).with("mcp-param-site-id", "43"),
        ),
        (
            "Mcp-Param-Site-Id",
            site(json!(42)).with("mcp-param-site-id", "forty"),
        ),
        (
            "Mcp-Param-Site-Id",
            site(json!(9_007_199_254_740_993_i64)).with("mcp-param-site-id", "9007199254740993"),
        ),
    ] {
        let reply = web.send(&post).await;
        assert_eq!(reply.outcome(), (400, -32020), "{post:?}");
        assert_eq!(reply.answer()["id"], 1);
        assert!(reply.error().contains(header), "{}", reply.error());
    }
    assert_eq!(runs.count(), 0);
}

// TOOL-22: headers come after access, so that they tell nothing of a hidden tool, and before the
// arguments are judged.
#[tokio::test]
async fn parameters_have_their_place_in_the_order() {
    let hidden = Post::modern("tools/call", &json!({ "name": "ledger" }));
    let unknown = Post::modern("tools/call", &json!({ "name": "nothing" }));
    let with = |post: &Post| post.clone().with("mcp-param-region", b"\xff");
    let answers = [
        web().send(&hidden).await.body,
        web().send(&with(&hidden)).await.body,
        web().send(&with(&unknown)).await.body,
        web().send(&unknown).await.body,
    ];
    assert!(
        answers.iter().all(|answer| *answer == answers[0]),
        "{answers:?}"
    );

    let reply = web()
        .send(&call(&json!({ "region": "eu", "urgent": "yes" })))
        .await;
    assert_eq!(reply.outcome(), (400, -32020));
    // What no header can say is left to the schema.
    let reply = web().send(&call(&json!({ "region": [] }))).await;
    assert_eq!(reply.outcome(), (200, 0));
    assert_eq!(reply.answer()["result"]["isError"], true);
}

// LF-11, LH-24
#[tokio::test]
async fn legacy_requests_have_no_header_rules() {
    for revision in super::support::LEGACY {
        let params = json!({ "name": "where", "arguments": { "region": "eu" } });
        let post = Post::legacy(revision, "tools/call", &params)
            .with("mcp-method", "other")
            .with("mcp-name", b"\xff")
            .with("mcp-param-region", "us");
        assert_eq!(web().send(&post).await.outcome(), (200, 0), "{revision}");
    }
}
