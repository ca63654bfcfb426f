//! What a client is told that does not get to a handler: `modern.md` ERR-04, ST-07, HTTP-09.

use std::{
    convert::Infallible,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll},
};

use bytes::Bytes;
use http::{Method, request::Parts};
use http_body::{Body, Frame};
use http_body_util::BodyExt as _;
use relay_core::Principal;
use relay_http::{Refusal, StaticTokens, Verifier};
use relay_tests::{
    fixture::{self, Guest},
    web::{Post, Reply, Web},
};
use serde_json::json;
use tower_service::Service as _;

use super::{
    sockets::tasks,
    support::{endpoint_of, web},
};

fn list() -> Post {
    Post::modern("tools/list", &json!({}))
}

struct Panics;

impl Verifier for Panics {
    async fn verify(&self, _parts: &Parts) -> Result<Principal, Refusal> {
        panic!("secret")
    }
}

/// A body that says how often it was asked for more, and never has any.
struct Silent(Arc<AtomicUsize>);

impl Body for Silent {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        _cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Poll::Pending
    }
}

/// The response to a request whose body never comes, and how often the body was asked for.
async fn bodiless(web: &Web<Guest>, post: &Post) -> (Reply, usize) {
    let polls = Arc::new(AtomicUsize::new(0));
    let (parts, _body) = post.request().into_parts();
    let request = http::Request::from_parts(parts, Silent(Arc::clone(&polls)));
    let Ok(response) = web.endpoint().call(request).await;
    let reply = Reply::read(response).await;
    (reply, polls.load(Ordering::SeqCst))
}

fn protected() -> Web<Guest> {
    let tokens = StaticTokens::new([("token", Principal::new("i", "ada"))]);
    Web::new(endpoint_of(fixture::server()).with_verifier(tokens.expect("a token")))
}

/// Refusals of the transport, before the body matters.
fn unread() -> Vec<(u16, Web<Guest>, Post)> {
    let panicking = Web::new(endpoint_of(fixture::server()).with_verifier(Panics));
    vec![
        (403, web(), list().with("host", "evil.example")),
        (403, web(), list().with("origin", "https://evil.example")),
        (401, protected(), list()),
        (401, protected(), list().with("authorization", "Bearer x")),
        (400, protected(), list().with("authorization", "Bearer")),
        (405, web(), list().by(Method::GET)),
        (405, web(), list().by(Method::DELETE)),
        (415, web(), list().with("content-type", "text/plain")),
        (415, web(), list().without("content-type")),
        (406, web(), list().with("accept", "text/html")),
        (413, web(), list().with("content-length", "4194305")),
        (500, panicking, list()),
    ]
}

// ERR-04, HTTP-16, HTTP-26, HTTP-27, H02, H04, H06
#[tokio::test]
async fn what_the_head_says_is_refused_before_the_body_is_read() {
    for (status, web, post) in unread() {
        let (reply, polls) = bodiless(&web, &post).await;
        assert_eq!(reply.status, status, "{post:?}");
        assert_eq!(polls, 0, "{post:?}");
        well_told(&reply);
    }
}

/// A JSON-RPC error without an id, and no code that the protocol gives another meaning.
fn well_told(reply: &Reply) {
    assert_eq!(reply.header("content-type"), "application/json");
    assert_eq!(reply.messages().len(), 1);
    let answer = reply.answer();
    assert!(answer.get("id").is_none());
    let code = answer["error"]["code"].as_i64().expect("a code");
    assert!(!(-32019..=-32000).contains(&code), "{answer}");
    let message = answer["error"]["message"].as_str().expect("a sentence");
    assert!(!message.is_empty() && message.len() < 200 && !message.contains("secret"));
    no_session(reply);
}

fn no_session(reply: &Reply) {
    for name in ["mcp-session-id", "set-cookie", "last-event-id"] {
        assert!(!reply.headers.contains_key(name), "{name}");
    }
}

// ERR-04, HTTP-26
#[tokio::test(start_paused = true)]
async fn a_body_that_does_not_come_or_is_too_much_is_refused_as_well() {
    let (reply, polls) = bodiless(&web(), &list()).await;
    assert_eq!((reply.status.as_u16(), polls > 0), (408, true));
    well_told(&reply);

    let long = list().saying(vec![b' '; (4 << 20) + 1]);
    let reply = web().send(&long).await;
    assert_eq!(reply.status, 413);
    well_told(&reply);
}

// ERR-04, OPS-06
#[tokio::test(start_paused = true)]
async fn what_is_too_much_at_once_is_refused_before_it_is_read() {
    let runtime = relay_runtime::Runtime::new(fixture::server());
    let crowded = endpoint_of(runtime.clone()).with_request_limit(1);
    let crowded = Web::new(crowded.expect("a limit"));
    let params = json!({ "name": "sleep", "arguments": { "ms": 60_000 },
        "_meta": { "progressToken": 1 } });
    let open = crowded.open(&Post::modern("tools/call", &params)).await;
    let (reply, polls) = bodiless(&crowded, &list()).await;
    assert_eq!(
        (reply.status.as_u16(), reply.header("retry-after")),
        (503, "1")
    );
    assert_eq!(polls, 0);
    well_told(&reply);
    // The host and the page come first.
    let (reply, _) = bodiless(&crowded, &list().with("host", "evil.example")).await;
    assert_eq!(reply.status, 403);
    drop(open);
    runtime.idle().await;
    assert_eq!(crowded.send(&list()).await.outcome(), (200, 0));
}

// ST-07, HTTP-09, HTTP-10, H08
#[tokio::test]
async fn no_response_opens_a_session() {
    let posts = [
        list(),
        Post::modern(
            "tools/call",
            &json!({ "name": "counts", "_meta": { "progressToken": 1 } }),
        ),
        Post::modern("tools/call", &json!({ "name": "nothing" })),
        Post::modern("no/such", &json!({})),
        list().without("mcp-method"),
        list().saying("{"),
        list().by(Method::GET),
        list().by(Method::DELETE),
        list().saying(json!({ "jsonrpc": "2.0", "method": "notifications/x" }).to_string()),
    ];
    for post in posts {
        let plain = web().send(&post).await;
        no_session(&plain);
        let stale = post
            .with("mcp-session-id", "old")
            .with("last-event-id", "1");
        let stale = web().send(&stale).await;
        no_session(&stale);
        // Nothing is replayed and nothing is different.
        assert_eq!(stale.outcome(), plain.outcome());
        if stale.header("content-type") == "application/json" {
            assert_eq!(stale.body, plain.body);
        }
    }
}

// S13, OPS-05
#[tokio::test]
async fn a_panic_is_an_answer() {
    let web = web();
    let boom = Post::modern("tools/call", &json!({ "name": "boom" }));
    for _ in 0..2 {
        let reply = web.send(&boom).await;
        assert_eq!(reply.outcome(), (200, -32603));
        assert_eq!(reply.header("content-type"), "application/json");
        assert!(!String::from_utf8_lossy(&reply.body).contains("secret"));
    }
    assert_eq!(web.send(&list()).await.outcome(), (200, 0));
}

// OPS-04
#[tokio::test]
async fn ten_thousand_requests_leave_nothing_behind() {
    let runtime = relay_runtime::Runtime::new(fixture::server());
    // One slot, and room for one body: a request that kept either would be the last.
    let body = list().json().to_string().len() + 200;
    let endpoint = endpoint_of(runtime.clone())
        .with_request_limit(1)
        .and_then(|endpoint| endpoint.with_body_limit(body))
        .and_then(|endpoint| endpoint.with_body_memory_limit(body));
    let web = Web::new(endpoint.expect("limits"));
    let echo = Post::modern(
        "tools/call",
        &json!({ "name": "echo", "arguments": { "text": "a" } }),
    );
    let unknown = Post::modern("tools/call", &json!({ "name": "nothing" }));
    let base = tasks();
    for round in 0..10_000 {
        let (post, status) = match round % 5 {
            0 => (echo.clone(), 200),
            1 => (unknown.clone(), 200),
            2 => (list().saying("{"), 400),
            3 => (list().by(Method::GET), 405),
            _ => (list().without("mcp-method"), 400),
        };
        let response = web.open(&post).await;
        assert_eq!(response.status(), status, "{round}");
        let Ok(_body) = response.into_body().collect().await;
    }
    assert_eq!(runtime.running(), 0);
    assert_eq!(tasks(), base);
}
