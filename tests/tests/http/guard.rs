//! `modern.md` §5: before the body.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use http::Method;
use relay_http::Endpoint;
use relay_tests::{
    fixture::{self, Guest},
    web::{Post, Web},
};
use serde_json::json;

use super::support::{endpoint_of, modern_only, web};

fn list() -> Post {
    Post::modern("tools/list", &json!({}))
}

// H05, H06, HTTP-02, HTTP-03, HTTP-04, HTTP-05, LH-02
#[tokio::test]
async fn host_and_origin_are_judged_first_and_name_their_setting() {
    let contexts = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&contexts);
    let endpoint = Endpoint::from_context(fixture::server(), move |_parts| {
        counted.fetch_add(1, Ordering::SeqCst);
        async { Ok(Guest::default()) }
    });
    let web = Web::new(endpoint);
    for method in [Method::POST, Method::GET, Method::OPTIONS, Method::DELETE] {
        let post = || list().by(method.clone()).saying("{");
        let reply = web.send(&post().with("host", "evil.example")).await;
        assert_eq!(reply.outcome(), (403, -32600));
        assert!(reply.error().contains("RELAY_ALLOWED_HOSTS"));
        assert!(reply.answer().get("id").is_none());
        for origin in [
            &b"null"[..],
            b"https://evil.example",
            b"http://localhost.evil.example",
            b"",
            b"%%%",
            b"\xff",
            b"vscode-webview://abc",
        ] {
            let reply = web.send(&post().with("origin", origin)).await;
            assert_eq!(reply.outcome(), (403, -32600));
            assert!(reply.error().contains("RELAY_ALLOWED_ORIGINS"));
        }
    }
    assert_eq!(contexts.load(Ordering::SeqCst), 0);
    assert_eq!(web.send(&list()).await.outcome(), (200, 0));
    let pages = [
        "http://localhost:8080",
        "http://[::1]:8080",
        "HTTP://LOCALHOST:8080",
    ];
    for page in pages {
        let reply = web.send(&list().with("origin", page)).await;
        assert_eq!(reply.outcome(), (200, 0));
        assert!(!reply.headers.contains_key("access-control-allow-origin"));
    }
    // An empty list allows none.
    let none: [&str; 0] = [];
    let closed = endpoint_of(fixture::server()).with_allowed_origins(none);
    let page = list().with("origin", pages[0]);
    assert_eq!(Web::new(closed.unwrap()).send(&page).await.status, 403);
}

// H05
#[tokio::test]
async fn forwarded_hosts_do_not_count() {
    let endpoint = || endpoint_of(fixture::server()).with_allowed_hosts(["mcp.example.com"]);
    let web = Web::new(endpoint().unwrap());
    for (host, status) in [
        ("localhost:8080", 200),
        ("127.0.0.1", 200),
        ("LOCALHOST:8080", 200),
        ("[::1]:8080", 200),
        ("[::1]", 200),
        ("localhost.:8080", 200),
        ("localhost.evil.example", 403),
        ("127.0.0.1.evil.example", 403),
        ("evil.example", 403),
        ("mcp.example.com", 200),
        ("mcp.example.com:443", 200),
        ("localhost", 200),
        ("mcp.example.com.evil", 403),
    ] {
        assert_eq!(
            web.send(&list().with("host", host)).await.status,
            status,
            "{host}"
        );
    }
    let proxied = list()
        .with("host", "10.0.0.7:8080")
        .with("x-forwarded-host", "mcp.example.com")
        .with("forwarded", "host=mcp.example.com");
    assert_eq!(web.send(&proxied).await.status, 403);
    assert_eq!(web.send(&list().without("host")).await.status, 403);
    let web = Web::new(endpoint().unwrap().with_any_host());
    assert_eq!(web.send(&proxied).await.status, 200);
    assert_eq!(web.send(&list().without("host")).await.status, 200);
}

// HTTP-08, HTTP-30
#[tokio::test]
async fn preflights_are_answered_where_pages_are_listed() {
    let preflight = list()
        .by(Method::OPTIONS)
        .saying("")
        .with("origin", "https://app.example")
        .with("access-control-request-method", "POST")
        .with("access-control-request-headers", "mcp-param-region");
    let endpoint = endpoint_of(fixture::server());
    let web = Web::new(
        endpoint
            .with_allowed_origins(["https://app.example"])
            .unwrap(),
    );
    let reply = web.send(&preflight).await;
    assert_eq!(reply.status, 204);
    assert_eq!(
        reply.header("access-control-allow-origin"),
        "https://app.example"
    );
    assert!(
        reply
            .header("access-control-allow-headers")
            .contains("mcp-param-region")
    );
    let reply = web
        .send(&list().with("origin", "https://app.example"))
        .await;
    assert_eq!(reply.status, 200);
    assert_eq!(
        reply.header("access-control-allow-origin"),
        "https://app.example"
    );
    assert_eq!(
        reply.header("access-control-expose-headers"),
        "WWW-Authenticate"
    );
    // A refusal can be read by the page as well.
    let reply = web
        .send(&list().with("origin", "https://app.example").saying("{"))
        .await;
    assert_eq!(reply.status, 400);
    assert_eq!(
        reply.header("access-control-allow-origin"),
        "https://app.example"
    );

    let unlisted = preflight.with("origin", "http://localhost");
    let reply = super::support::web().send(&unlisted).await;
    assert_eq!(
        (reply.status.as_u16(), reply.header("allow")),
        (405, "POST")
    );
}

// H08, HTTP-07, HTTP-08, HTTP-09, HTTP-10, LH-01, LH-10, LH-21, LH-23, LH-26
#[tokio::test]
async fn only_post_is_allowed() {
    for method in [
        "GET", "HEAD", "DELETE", "PUT", "PATCH", "OPTIONS", "TRACE", "BREW",
    ] {
        let bare = list().by(method.parse().unwrap()).without("accept");
        let streaming = bare.clone().with("accept", "text/event-stream");
        let resuming = streaming.clone().with("last-event-id", "1");
        let ending = bare.clone().with("mcp-session-id", "zzz");
        for post in [bare, streaming, resuming, ending] {
            for web in [web(), modern_only()] {
                let reply = web.send(&post).await;
                assert_eq!(reply.outcome(), (405, -32600), "{method}");
                assert_eq!(reply.header("allow"), "POST", "{method}");
            }
        }
    }
    let stale = list()
        .with("mcp-session-id", "old")
        .with("last-event-id", "1");
    let reply = web().send(&stale).await;
    assert_eq!(reply.outcome(), (200, 0));
    assert!(!reply.headers.contains_key("mcp-session-id"));
}

// H02, HTTP-16
#[tokio::test]
async fn bodies_are_json() {
    for (media, status) in [
        ("application/json; charset=utf-8", 200),
        ("APPLICATION/JSON;charset=\"UTF-8\"", 200),
        ("application/json;charset=utf-16", 415),
        ("text/plain", 415),
        ("application/x-www-form-urlencoded", 415),
        ("application/jsonp", 415),
        ("application/json, text/plain", 415),
    ] {
        let reply = web().send(&list().with("content-type", media)).await;
        assert_eq!(reply.status, status, "{media}");
    }
    let reply = web().send(&list().without("content-type")).await;
    assert_eq!(reply.outcome(), (415, -32600));
    assert!(reply.error().contains("Content-Type"));
}

// H01, HTTP-15, HTTP-17, HTTP-27, LH-04, LH-06
#[tokio::test]
async fn the_answer_has_a_form_that_the_client_takes() {
    let json = "application/json";
    let events = "text/event-stream";
    for (accept, status, media) in [
        ("*/*", 200, json),
        (json, 200, json),
        (events, 200, events),
        ("application/*", 200, json),
        (
            "Application/JSON ; q=0.9, TEXT/Event-Stream;q=0.1",
            200,
            json,
        ),
        ("text/html", 406, json),
        ("application/json;q=0", 406, json),
    ] {
        let reply = web().send(&list().with("accept", accept)).await;
        assert_eq!(
            (reply.status.as_u16(), reply.header("content-type")),
            (status, media)
        );
        assert_eq!(reply.messages().len(), 1);
    }
    for post in [
        list().without("accept"),
        list().with("accept", json).and("accept", events),
    ] {
        assert_eq!(web().send(&post).await.status, 200);
    }
    // A refusal is JSON whatever is accepted.
    let reply = web().send(&list().with("accept", events).saying("{")).await;
    assert_eq!(
        (reply.outcome(), reply.header("content-type")),
        ((400, -32700), json)
    );
    let reply = web().send(&list().with("accept", "text/html")).await;
    assert!(reply.error().contains("Accept"));
}
