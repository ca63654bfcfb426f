//! `modern.md` §16, as far as a verifier decides it.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use http::{Method, request::Parts};
use relay_core::{Cache, Cacheable, Call, Principal, Revision, Server, Tool, codec, tool};
use relay_http::{Endpoint, Refusal, StaticTokens};
use relay_tests::web::{Post, Web};
use serde_json::json;
use tracing::Level;

use super::support::{Log, connected, listening};

fn tokens() -> StaticTokens {
    let principal = |name| Principal::new("https://id.example", name);
    StaticTokens::new([
        ("ada-token", principal("ada")),
        ("bob-token", principal("bob")),
    ])
    .expect("two tokens")
}

/// Tools whose context is the name of their caller.
fn tools() -> [Tool<String>; 3] {
    let whoami = tool::define("whoami", codec::object(()), codec::string()).handle_call(
        |call: Call<String>, ()| async move {
            let principal = call
                .principal()
                .map(|principal| principal.subject().to_owned());
            Ok(format!("{} {principal:?}", call.context()))
        },
    );
    let tool = |name| {
        tool::define(name, codec::object(()), codec::string())
            .handle(|()| async { Ok("done".to_owned()) })
    };
    [whoami, tool("one"), tool("two")]
}

pub(super) fn server() -> Server<String> {
    Server::new(tools())
        .with_page_size(1)
        .with_tool_visibility(|name: &String, tool| name == "ada" || tool.name() != "two")
}

fn protected(server: Server<String>) -> Endpoint<String> {
    Endpoint::from_context(server, |parts: Arc<Parts>| async move {
        let principal = parts.extensions.get::<Principal>();
        let principal = principal.ok_or_else(Refusal::unauthenticated)?;
        Ok(principal.subject().to_owned())
    })
    .with_verifier(tokens())
}

fn endpoint() -> Endpoint<String> {
    protected(server())
}

pub(super) fn call(tool: &str) -> Post {
    Post::modern("tools/call", &json!({ "name": tool }))
}

// AUTH-01, AUTH-02, AUTH-10, AUTH-11, AUTH-12, AUTH-13, LA-01, LA-07
#[tokio::test]
async fn credentials_are_judged_on_every_request_and_before_all_else() {
    let web = Web::new(endpoint());
    let notification = json!({ "jsonrpc": "2.0", "method": "notifications/x" }).to_string();
    for post in [
        call("whoami"),
        call("whoami").by(Method::GET),
        call("whoami").by(Method::DELETE),
        call("whoami").with("content-type", "text/plain"),
        call("whoami").saying("{"),
        call("whoami").saying(notification),
        call("whoami").to("/mcp?access_token=ada-token"),
        call("whoami").with("cookie", "token=ada-token"),
        call("whoami").with("authorization", "Basic YWRhLXRva2Vu"),
    ] {
        let reply = web.send(&post).await;
        assert_eq!(reply.outcome(), (401, -32600), "{post:?}");
        assert_eq!(reply.header("www-authenticate"), "Bearer");
        assert!(reply.answer().get("id").is_none());
    }
    let reply = web
        .send(&call("whoami").with("authorization", "Bearer nope"))
        .await;
    assert_eq!(reply.outcome(), (401, -32600));
    assert!(
        reply
            .header("www-authenticate")
            .contains("error=\"invalid_token\"")
    );
    for value in ["Bearer", "Bearer a b", "Bearer a,b"] {
        let reply = web.send(&call("whoami").with("authorization", value)).await;
        assert_eq!(reply.outcome(), (400, -32600), "{value}");
        assert!(
            reply
                .header("www-authenticate")
                .contains("error=\"invalid_request\"")
        );
    }
    // A host that is not allowed is refused before credentials are.
    let reply = web.send(&call("whoami").with("host", "evil.example")).await;
    assert_eq!(reply.status, 403);
}

// AUTH-12
#[tokio::test]
async fn a_connection_is_never_authenticated() {
    listening(endpoint(), async |address| {
        connected(address, async |mut client| {
            let known = call("whoami").with("authorization", "Bearer ada-token");
            let notification = json!({ "jsonrpc": "2.0", "method": "notifications/x" });
            let notification = known.clone().saying(notification.to_string());
            for _ in 0..2 {
                for (post, status) in [(&known, 200), (&notification, 202)] {
                    assert_eq!(client.send(post).await.0, status);
                    let anonymous = post.clone().without("authorization");
                    assert_eq!(client.send(&anonymous).await.0, 401);
                }
                let other = known.clone().with("authorization", "Bearer bob-token");
                assert!(client.send(&other).await.1.contains("bob"));
            }
        })
        .await;
    })
    .await;
}

// AUTH-13, AUTH-21
#[tokio::test]
async fn nobody_is_asked_about_callers_that_are_not_known() {
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = |asked: &Arc<AtomicUsize>| {
        let asked = Arc::clone(asked);
        move || asked.fetch_add(1, Ordering::SeqCst)
    };
    let (seen, called, made) = (counted(&asked), counted(&asked), counted(&asked));
    let server = server()
        .with_cache(Cacheable::ToolsList, Cache::public(Duration::from_secs(60)))
        .with_tool_visibility(move |_: &String, _| seen() < usize::MAX)
        .with_tool_callability(move |_: &String, _| called() < usize::MAX);
    let endpoint = Endpoint::from_context(server, move |_parts| {
        made();
        async { Ok("someone".to_owned()) }
    });
    let web = Web::new(endpoint.with_verifier(tokens()));
    let posts = [
        call("whoami"),
        Post::modern("tools/list", &json!({})),
        Post::modern("server/discover", &json!({})),
        Post::legacy(Revision::V2025_06_18, "tools/list", &json!({})),
    ];
    for post in &posts {
        for post in [
            post.clone(),
            post.clone().with("authorization", "Bearer nope"),
            // What else a request says of its sender is no credential.
            post.clone().with("mcp-session-id", "ada-token"),
            post.clone().with("x-forwarded-user", "ada"),
        ] {
            assert_eq!(web.send(&post).await.outcome(), (401, -32600), "{post:?}");
        }
    }
    assert_eq!(asked.load(Ordering::SeqCst), 0);
    for post in posts {
        let post = post.with("authorization", "Bearer ada-token");
        assert_eq!(web.send(&post).await.outcome(), (200, 0), "{post:?}");
    }
    assert!(asked.load(Ordering::SeqCst) > 0);
}

// AUTH-11
#[tokio::test]
async fn tokens_are_not_logged() {
    let web = Web::new(endpoint());
    let known = call("whoami").with("authorization", "Bearer ada-token");
    let (log, guard) = Log::hear(Level::TRACE, "request", async || {
        web.send(&known).await;
    })
    .await;
    let form = "access_token=form-secret";
    for post in [
        call("whoami").to("/mcp?access_token=query-secret"),
        call("whoami")
            .with("content-type", "application/x-www-form-urlencoded")
            .saying(form),
        call("whoami").with("authorization", "Bearer wrong-secret"),
        call("whoami").with("authorization", "Bearer odd-secret x"),
        call("whoami").with("authorization", "Basic basic-secret"),
        call("whoami").with("cookie", "token=cookie-secret"),
        known.clone().to("/mcp?access_token=query-secret"),
    ] {
        let reply = web.send(&post).await;
        let shown = format!("{:?} {:?}", reply.headers, reply.body);
        assert!(!shown.contains("-secret"), "{shown}");
    }
    drop(guard);
    let log = log.text();
    assert!(log.contains("refused") && log.contains("request"), "{log}");
    for secret in ["-secret", "ada-token"] {
        assert!(!log.contains(secret), "{log}");
    }
}

// CACHE-09, TOOL-18
#[tokio::test]
async fn what_anyone_may_keep_gives_nobody_access() {
    let server = Server::new(tools())
        .with_cache(Cacheable::ToolsList, Cache::public(Duration::from_secs(60)))
        .with_tool_callability(|name: &String, tool| name == "ada" || tool.name() != "two");
    let web = Web::new(protected(server));
    let by = |post: &Post, token: &str| post.clone().with("authorization", token);
    let list = Post::modern("tools/list", &json!({}));
    let listed = web.send(&by(&list, "Bearer ada-token")).await.answer();
    assert_eq!(listed["result"]["cacheScope"], "public");
    assert_eq!(listed["result"]["tools"][1]["name"], "two");
    // Whoever got the list from a cache is asked who they are all the same.
    assert_eq!(web.send(&list).await.outcome(), (401, -32600));
    let two = call("two");
    assert_eq!(web.send(&two).await.outcome(), (401, -32600));
    let bob = web.send(&by(&two, "Bearer bob-token")).await;
    assert_eq!(bob.outcome(), (200, -32602));
    let ada = web.send(&by(&two, "Bearer ada-token")).await;
    assert_eq!(ada.outcome(), (200, 0));
}

// AUTH-21, META-08, TOOL-18
#[tokio::test]
async fn the_principal_reaches_context_policies_and_handlers() {
    let web = Web::new(endpoint());
    let ada = web
        .send(&call("whoami").with("authorization", "Bearer ada-token"))
        .await;
    assert_eq!(
        ada.answer()["result"]["structuredContent"],
        "ada Some(\"ada\")"
    );
    // Who the client says it is does not matter.
    let meta = json!({ "io.modelcontextprotocol/clientInfo": { "name": "ada", "version": "1" } });
    let post = Post::modern("tools/call", &json!({ "name": "two", "_meta": meta }))
        .with("authorization", "Bearer bob-token")
        .with("mcp-session-id", "ada");
    assert_eq!(web.send(&post).await.outcome(), (200, -32602));
    let post = post.with("authorization", "Bearer ada-token");
    assert_eq!(web.send(&post).await.outcome(), (200, 0));
}

// AUTH-19, PAGE-06
#[tokio::test]
async fn cursors_are_their_principals_own() {
    let web = Web::new(endpoint());
    let list = |cursor: Option<&str>, token: &str| {
        let params = cursor.map_or_else(|| json!({}), |cursor| json!({ "cursor": cursor }));
        Post::modern("tools/list", &params).with("authorization", format!("Bearer {token}"))
    };
    let first = web.send(&list(None, "ada-token")).await.answer();
    let cursor = first["result"]["nextCursor"]
        .as_str()
        .expect("a second page");
    let next = web.send(&list(Some(cursor), "ada-token")).await;
    assert_eq!(next.outcome(), (200, 0));
    let foreign = web.send(&list(Some(cursor), "bob-token")).await;
    assert_eq!(foreign.outcome(), (200, -32602));
}
