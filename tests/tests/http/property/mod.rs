//! For any request there is exactly one well-formed response, a handler runs only where the rows
//! allow it, and no byte names what its caller may not see.

mod judge;
mod requests;

use std::collections::BTreeSet;

use proptest::{prelude::*, strategy::ValueTree as _, test_runner::TestRunner};
use relay_tests::{
    fixture::Guest,
    web::{Post, Reply, Web},
};
use serde_json::json;
use tokio::runtime::{Builder, Runtime};

use self::{
    judge::{allowed, judge},
    requests::mutated,
};
use super::support::{Runs, endpoint_of, server};

/// One endpoint, and how often the tool `where` has run.
struct Served {
    web: Web<Guest>,
    runs: Runs,
    executor: Runtime,
}

impl Served {
    fn new() -> Self {
        let (server, runs) = server();
        let executor = Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build();
        Self {
            web: Web::new(endpoint_of(server)),
            runs,
            executor: executor.expect("an executor"),
        }
    }

    /// The response to a request, and how often the tool ran for it.
    fn send(&self, post: &Post) -> (Reply, usize) {
        let before = self.runs.count();
        let reply = self.executor.block_on(self.web.send(post));
        (reply, self.runs.count() - before)
    }
}

// HTTP-02, HTTP-15, HTTP-18, HTTP-27, JR-02, ERR-04, ST-07, TOOL-05, TOOL-18, TOOL-22
#[test]
fn one_response_whatever_is_asked() {
    let served = Served::new();
    let mut config = ProptestConfig::with_cases(1024);
    config.source_file = Some(file!());
    let holds = TestRunner::new(config).run(&mutated(), |post| {
        let (reply, runs) = served.send(&post);
        judge(&post, &reply, runs)
    });
    if let Err(broken) = holds {
        panic!("{broken}");
    }
}

/// What is generated is no mere noise: many requests are served, and every way to refuse one is
/// among the rest.
#[test]
fn every_outcome_is_among_what_is_generated() {
    let served = Served::new();
    let mut runner = TestRunner::deterministic();
    let (mut ran, mut streamed) = (0, 0);
    let mut statuses = BTreeSet::new();
    let mut codes = BTreeSet::new();
    for _ in 0..1500 {
        let post = mutated()
            .new_tree(&mut runner)
            .expect("a request")
            .current();
        let (reply, runs) = served.send(&post);
        ran += runs;
        streamed += usize::from(reply.header("content-type") == "text/event-stream");
        let (status, code) = reply.outcome();
        statuses.insert(status);
        codes.insert(code);
    }
    let every = [200, 202, 400, 403, 404, 405, 406, 413, 415];
    assert_eq!(statuses, every.into());
    let every = [
        -32700, -32603, -32602, -32601, -32600, -32022, -32021, -32020, 0,
    ];
    assert!(codes.is_superset(&every.into()), "{codes:?}");
    assert!(ran >= 150 && streamed >= 50, "{ran} {streamed}");
}

fn call() -> Post {
    let params = json!({ "name": "where", "arguments": { "region": "eu" } });
    Post::modern("tools/call", &params).with("mcp-param-region", "eu")
}

/// The property can fail: each of these responses breaks it.
#[test]
fn what_is_wrong_with_a_response_is_found() {
    let (served, post) = (Served::new(), call());
    let good = || served.send(&post).0;
    assert!(judge(&post, &good(), 1).is_ok());
    let changes: [fn(&mut Reply); 11] = [
        |reply| reply.body = format!("{}{}", text(reply), text(reply)).into(),
        |reply| reply.body = format!("[{},{}]", text(reply), text(reply)).into(),
        |reply| reply.body = text(reply).replace("\"id\":1", "\"id\":2").into(),
        |reply| reply.body = text(reply).replace("eu", "ledger").into(),
        |reply| reply.body = "{}".into(),
        |reply| reply.body = "".into(),
        |reply| reply.status = http::StatusCode::INTERNAL_SERVER_ERROR,
        |reply| reply.status = http::StatusCode::BAD_REQUEST,
        |reply| drop(reply.headers.remove("content-type")),
        |reply| {
            let session = http::HeaderValue::from_static("x");
            drop(reply.headers.insert("mcp-session-id", session));
        },
        |reply| {
            let events = format!("data: {}\n\ndata: {}\n\n", text(reply), text(reply));
            reply.body = events.into();
            let media = http::HeaderValue::from_static("text/event-stream");
            drop(reply.headers.insert("content-type", media));
        },
    ];
    for (at, change) in changes.iter().enumerate() {
        let mut reply = good();
        change(&mut reply);
        assert!(judge(&post, &reply, 1).is_err(), "{at}");
    }
    assert!(judge(&post, &good(), 2).is_err());
}

fn text(reply: &Reply) -> String {
    String::from_utf8_lossy(&reply.body).into_owned()
}

/// What may run and what may not, as the property sees it.
#[test]
fn a_handler_may_run_for_a_right_request_only() {
    let served = Served::new();
    let legacy = Post::legacy(
        relay_core::Revision::V2025_06_18,
        "tools/call",
        &json!({ "name": "where" }),
    );
    for right in [
        call(),
        legacy.clone(),
        legacy.clone().without("mcp-protocol-version"),
    ] {
        assert!(
            allowed(&right) > 0 && served.send(&right).1 == 1,
            "{right:?}"
        );
    }
    for wrong in [
        call().with("mcp-param-region", "us"),
        call().without("mcp-param-region"),
        call().without("mcp-name"),
        call().with("mcp-method", "tools/list"),
        call().with("mcp-protocol-version", "2025-06-18"),
        call().with("host", "evil.example"),
        call().with("origin", "null"),
        call().by(http::Method::PUT),
        call().with("content-type", "text/plain"),
        legacy.with("mcp-protocol-version", "2026-07-28"),
    ] {
        assert!(
            allowed(&wrong) == 0 && served.send(&wrong).1 == 0,
            "{wrong:?}"
        );
    }
}
