//! `modern.md` §4: which rules a request is judged by.

use relay_core::Revision;
use relay_tests::web::Post;
use serde_json::json;

use super::support::{LEGACY, modern_only, web, web_of};

fn initialize(version: &str) -> Post {
    let params = json!({
        "protocolVersion": version,
        "capabilities": {},
        "clientInfo": { "name": "t", "version": "1" },
    });
    Post::legacy(Revision::V2025_03_26, "initialize", &params)
}

// ERA-01, ERA-02, ST-07, LH-25, LC-01, LC-02, V01
#[tokio::test]
async fn initialize_opens_no_session() {
    let newest = "2025-11-25";
    for (asked, given) in [
        ("2025-11-25", newest),
        ("2025-06-18", "2025-06-18"),
        ("2025-03-26", "2025-03-26"),
        ("2024-11-05", newest),
        ("2099-01-01", newest),
        ("2026-07-28", newest),
        ("", newest),
    ] {
        let reply = web().send(&initialize(asked)).await;
        assert_eq!(reply.outcome(), (200, 0), "{asked}");
        assert_eq!(
            reply.answer()["result"]["protocolVersion"],
            given,
            "{asked}"
        );
        assert!(!reply.headers.contains_key("mcp-session-id"));
    }
    let modern = web().send(&Post::modern("tools/list", &json!({}))).await;
    assert!(!modern.headers.contains_key("mcp-session-id"));
    assert!(!modern.headers.contains_key("set-cookie"));
}

// LC-03, V01
#[tokio::test]
async fn initialize_needs_its_parameters() {
    let info = json!({ "name": "t", "version": "1" });
    for params in [
        json!({}),
        json!({ "protocolVersion": 123, "capabilities": {}, "clientInfo": info }),
        json!({ "capabilities": {}, "clientInfo": info }),
        json!({ "protocolVersion": "2025-11-25", "clientInfo": info }),
        json!({ "protocolVersion": "2025-11-25", "capabilities": {} }),
    ] {
        let post = Post::legacy(Revision::V2025_03_26, "initialize", &params);
        assert_eq!(web().send(&post).await.outcome(), (200, -32602), "{params}");
    }
}

// ERA-03, META-01
#[tokio::test]
async fn a_modern_header_asks_for_a_modern_body() {
    for method in ["tools/list", "server/discover", "no/such"] {
        let post = Post::legacy(Revision::V2026_07_28, method, &json!({}));
        let reply = web().send(&post).await;
        assert_eq!(reply.outcome(), (400, -32602), "{method}");
        assert!(
            reply
                .error()
                .contains("io.modelcontextprotocol/clientCapabilities")
        );
    }
}

// ERA-04, LH-07, LH-08, LH-09, V01
#[tokio::test]
async fn the_header_names_the_legacy_revision() {
    let list = |version| {
        Post::legacy(Revision::V2025_11_25, "tools/list", &json!({}))
            .with("mcp-protocol-version", version)
    };
    let titled = |reply: &relay_tests::web::Reply| {
        let answer = reply.answer();
        let tools = answer["result"]["tools"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        tools.iter().any(|tool| tool.get("title").is_some())
    };
    let reply = web().send(&list("2025-06-18")).await;
    assert_eq!((reply.outcome(), titled(&reply)), ((200, 0), true));
    let absent = list("2025-11-25").without("mcp-protocol-version");
    let reply = web().send(&absent).await;
    assert_eq!((reply.outcome(), titled(&reply)), ((200, 0), false));
    for version in ["1999-01-01", "2099-01-01", "", "x"] {
        let reply = web().send(&list(version)).await;
        assert_eq!(reply.outcome(), (400, -32600), "{version}");
        assert_eq!(reply.answer()["id"], 1);
        for served in LEGACY {
            assert!(reply.error().contains(served.as_str()), "{}", reply.error());
        }
    }
    // Where that revision is not served, nothing is guessed.
    let modern = Revision::V2026_07_28;
    let reply = web_of(&[modern, Revision::V2025_11_25]).send(&absent).await;
    assert_eq!(reply.outcome(), (400, -32602));
    let reply = web_of(&[Revision::V2025_11_25]).send(&absent).await;
    assert_eq!(reply.outcome(), (400, -32600));
}

// ERA-05, ERA-06, V01
#[tokio::test]
async fn a_modern_server_says_what_it_speaks() {
    let list = Post::legacy(Revision::V2025_03_26, "tools/list", &json!({}));
    assert_eq!(modern_only().send(&list).await.outcome(), (400, -32602));
    let reply = modern_only().send(&initialize("2025-11-25")).await;
    assert_eq!(reply.outcome(), (400, -32022));
    assert_eq!(
        reply.answer()["error"]["data"]["supported"],
        json!(["2026-07-28"])
    );
    assert!(reply.error().contains("2026-07-28"));
    // With all that a modern request needs, it is a method that there is not.
    let modern = Post::modern("initialize", &initialize("2025-11-25").json()["params"]);
    let reply = modern_only().send(&modern).await;
    assert_eq!(reply.outcome(), (404, -32601));
}

// VER-05, ST-01, ST-03, JR-12
#[tokio::test]
async fn each_request_is_judged_alone() {
    let web = web();
    let modern = Post::modern("tools/call", &json!({ "name": "noargs" }));
    let legacy = Post::legacy(
        Revision::V2025_06_18,
        "tools/call",
        &json!({ "name": "noargs" }),
    );
    let bare = Post::legacy(Revision::V2026_07_28, "tools/list", &json!({}));
    let (one, two) = tokio::join!(web.send(&modern), web.send(&legacy));
    assert_eq!(one.answer()["result"]["resultType"], "complete");
    assert!(two.answer()["result"].get("resultType").is_none());
    assert_eq!(web.send(&bare).await.outcome(), (400, -32602));
    assert_eq!(web.send(&modern).await.outcome(), (200, 0));
}

// DISC-01, VER-01, VER-03, META-01, V02
#[tokio::test]
async fn discover_answers_over_http() {
    let answer = web()
        .send(&Post::modern("server/discover", &json!({})))
        .await
        .answer();
    let result = &answer["result"];
    assert_eq!(result["resultType"], "complete");
    assert_eq!(result["supportedVersions"], json!(["2026-07-28"]));
    assert!(result["capabilities"]["tools"].is_object());
    assert!(result["ttlMs"].is_u64() && result["cacheScope"].is_string());
    let unknown = json!({ "_meta": { "io.modelcontextprotocol/protocolVersion": "1900-01-01" } });
    let post = Post::modern("server/discover", &unknown).with("mcp-protocol-version", "1900-01-01");
    let reply = web().send(&post).await;
    assert_eq!(reply.outcome(), (400, -32022));
    let data = &reply.answer()["error"]["data"];
    assert_eq!(
        *data,
        json!({ "requested": "1900-01-01", "supported": ["2026-07-28"] })
    );
    let bare = Post::legacy(Revision::V2026_07_28, "server/discover", &json!({}));
    assert_eq!(web().send(&bare).await.outcome(), (400, -32602));
    // LC-10
    let legacy = Post::legacy(Revision::V2025_06_18, "server/discover", &json!({}));
    assert_eq!(web().send(&legacy).await.outcome(), (200, -32601));
}
