//! `modern.md` §20: one line per HTTP outcome.

use http::Method;
use relay_core::Principal;
use relay_http::StaticTokens;
use relay_tests::web::{Post, Web};
use serde_json::json;

use super::support::{endpoint_of, modern_only, server, web};

fn versioned(header: &str, body: &str) -> Post {
    let meta = json!({ "_meta": { "io.modelcontextprotocol/protocolVersion": body } });
    Post::modern("tools/list", &meta).with("mcp-protocol-version", header)
}

// HTTP-02, HTTP-07, HTTP-11, HTTP-16, HTTP-26, AUTH-01, JR-05, JR-06, META-01, HDR-01, HDR-02, HDR-05,
// VER-01, ERR-08, TOOL-05, TOOL-07
#[tokio::test]
async fn each_outcome_has_its_status_and_code() {
    let list = || Post::modern("tools/list", &json!({}));
    let call = |name: &str| Post::modern("tools/call", &json!({ "name": name }));
    let bare = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }).to_string();
    let notification = json!({ "jsonrpc": "2.0", "method": "notifications/x" }).to_string();
    for (case, post, status, code) in [
        ("GET", list().by(Method::GET), 405, -32600),
        (
            "a foreign page",
            list().with("origin", "http://evil.example"),
            403,
            -32600,
        ),
        (
            "not JSON",
            list().with("content-type", "text/plain"),
            415,
            -32600,
        ),
        ("5 MiB", list().saying(vec![b' '; 5 << 20]), 413, -32600),
        ("{", list().saying("{"), 400, -32700),
        ("[]", list().saying("[]"), 400, -32600),
        ("no _meta", list().saying(bare), 400, -32602),
        (
            "no version header",
            list().without("mcp-protocol-version"),
            400,
            -32020,
        ),
        (
            "another version in the body",
            versioned("2026-07-28", "v999"),
            400,
            -32020,
        ),
        ("an unknown version", versioned("v999", "v999"), 400, -32022),
        ("no Mcp-Name", call("echo").without("mcp-name"), 400, -32020),
        ("ping", Post::modern("ping", &json!({})), 404, -32601),
        ("an unknown tool", call("nothing"), 200, -32602),
        ("bad arguments", call("echo"), 200, 0),
        ("an undeclared capability", call("samples"), 400, -32021),
        ("a notification", list().saying(notification), 202, 0),
        ("a list", list(), 200, 0),
    ] {
        let protected = Web::new(endpoint_of(server().0).with_verifier(tokens()));
        let known = post.clone().with("authorization", "Bearer token");
        for (web, post) in [(web(), &post), (modern_only(), &post), (protected, &known)] {
            let reply = web.send(post).await;
            assert_eq!(reply.outcome(), (status, code), "{case}");
            if case == "bad arguments" {
                assert_eq!(reply.answer()["result"]["isError"], true);
            }
            if status == 202 {
                assert!(reply.body.is_empty() && reply.header("content-type").is_empty());
            } else {
                assert_eq!(reply.header("content-type"), "application/json", "{case}");
            }
        }
        // Without a token, all but a foreign page is challenged on a protected endpoint.
        let protected = Web::new(endpoint_of(server().0).with_verifier(tokens()));
        let reply = protected.send(&post).await;
        let (status, challenge) = match case {
            "a foreign page" => (403, ""),
            _ => (401, "Bearer"),
        };
        assert_eq!(reply.outcome(), (status, -32600), "{case}");
        assert_eq!(reply.header("www-authenticate"), challenge, "{case}");
    }
}

fn tokens() -> StaticTokens {
    let ada = Principal::new("https://id.example", "ada");
    StaticTokens::new([("token", ada)]).expect("a token")
}

// VER-02, VER-04
#[tokio::test]
async fn a_disabled_version_is_an_unknown_one() {
    for (web, version) in [
        (modern_only(), "2025-11-25"),
        // Served, but by `initialize` only.
        (web(), "2025-11-25"),
        (web(), "1900-01-01"),
    ] {
        let reply = web.send(&versioned(version, version)).await;
        assert_eq!(reply.outcome(), (400, -32022));
        let data = &reply.answer()["error"]["data"];
        assert_eq!(data["requested"], version);
        assert_eq!(data["supported"], json!(["2026-07-28"]));
    }
}
