//! A client that leaves: `modern.md` HTTP-24, HTTP-25; `legacy.md` LH-17.

use std::{
    future::Future,
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt as _, Full};
use hyper_util::rt::{TokioExecutor, TokioIo};
use relay_core::{Call, Progress, Revision, Server, codec, tool};
use relay_http::{Endpoint, Listener};
use relay_runtime::Runtime;
use relay_tests::web::{Post, Web};
use serde_json::json;
use tokio::{net::TcpStream, sync::Notify};

/// What the handler of `wait` went through.
#[derive(Default)]
struct Seen {
    started: Notify,
    cancelled: Notify,
    finished: AtomicUsize,
}

fn server(seen: &Arc<Seen>) -> Server<()> {
    let seen = Arc::clone(seen);
    let wait = tool::define("wait", codec::object(()), codec::string())
        .with_deadline(Duration::from_secs(60))
        .handle_call(move |call: Call<()>, ()| {
            let seen = Arc::clone(&seen);
            async move {
                call.progress(Progress::new(1.0));
                seen.started.notify_one();
                tokio::select! {
                    () = tokio::time::sleep(Duration::from_secs(30)) => {}
                    () = call.cancelled() => seen.cancelled.notify_one(),
                }
                seen.finished.fetch_add(1, Ordering::SeqCst);
                Ok("waited".to_owned())
            }
        });
    Server::new([wait])
}

fn wait(streaming: bool) -> Post {
    let meta = if streaming {
        json!({ "progressToken": 1 })
    } else {
        json!({})
    };
    Post::modern("tools/call", &json!({ "name": "wait", "_meta": meta }))
}

/// What must happen does, or the test fails rather than hangs.
async fn soon<T>(future: impl Future<Output = T>) -> T {
    let patience = tokio::time::timeout(Duration::from_secs(20), future);
    patience.await.expect("it happens soon")
}

// HTTP-24, HTTP-25
#[tokio::test]
async fn dropping_the_response_cancels_the_call() {
    for streaming in [false, true] {
        let seen = Arc::new(Seen::default());
        let runtime = Runtime::new(server(&seen));
        let web = Web::new(Endpoint::new(runtime.clone()));
        if streaming {
            drop(soon(web.open(&wait(true))).await);
        } else {
            let post = wait(false);
            tokio::select! {
                _ = web.open(&post) => panic!("it waits"),
                () = seen.started.notified() => {}
            }
        }
        soon(seen.cancelled.notified()).await;
        soon(runtime.idle()).await;
        assert_eq!(runtime.running(), 0);
    }
}

/// How many tasks there are, of whatever kind.
fn tasks() -> usize {
    tokio::runtime::Handle::current()
        .metrics()
        .num_alive_tasks()
}

/// The two protocols a client may speak.
#[derive(Clone, Copy, Debug)]
enum Protocol {
    Http1,
    Http2,
}

/// Sends a request and gives up on it once its handler runs; the connection stays, over HTTP/2, until
/// the call is cancelled.
async fn leave(
    address: SocketAddr,
    protocol: Protocol,
    request: Request<Full<Bytes>>,
    seen: &Seen,
) {
    let stream = TcpStream::connect(address).await.expect("a connection");
    let io = TokioIo::new(stream);
    match protocol {
        Protocol::Http1 => {
            let opened = hyper::client::conn::http1::handshake(io).await;
            let (mut sender, connection) = opened.expect("HTTP/1.1");
            tokio::select! {
                _ = connection => panic!("the connection ends"),
                () = give_up(sender.send_request(request), seen) => {}
            }
        }
        Protocol::Http2 => {
            let opened = hyper::client::conn::http2::handshake(TokioExecutor::new(), io).await;
            let (mut sender, connection) = opened.expect("HTTP/2");
            tokio::select! {
                _ = connection => panic!("the connection ends"),
                () = async {
                    give_up(sender.send_request(request), seen).await;
                    soon(seen.cancelled.notified()).await;
                    seen.cancelled.notify_one();
                } => {}
            }
        }
    }
}

/// Drops the response, or the wait for it, once the handler runs.
async fn give_up<E: std::fmt::Debug>(
    response: impl Future<Output = Result<Response<hyper::body::Incoming>, E>>,
    seen: &Seen,
) {
    tokio::select! {
        biased;
        response = response => {
            let frame = response.expect("a response").into_body().frame().await;
            assert!(frame.expect("an event").expect("a whole one").is_data());
        }
        () = seen.started.notified() => {}
    }
}

// HTTP-24, HTTP-25, OPS-04
#[tokio::test]
async fn clients_that_leave_are_noticed_over_both_protocols() {
    for protocol in [Protocol::Http1, Protocol::Http2] {
        for streaming in [false, true] {
            let seen = Arc::new(Seen::default());
            let runtime = Runtime::new(server(&seen));
            let listener = Listener::bind(Endpoint::new(runtime.clone()), "127.0.0.1:0").await;
            let listener = listener.expect("a free port");
            let (address, url) = (listener.local_addr(), listener.url());
            let mut request = wait(streaming).request();
            if matches!(protocol, Protocol::Http2) {
                request.headers_mut().remove("host");
                *request.uri_mut() = url.parse().expect("a URL");
            }
            let scenario = async {
                let base = tasks();
                leave(address, protocol, request, &seen).await;
                soon(seen.cancelled.notified()).await;
                soon(runtime.idle()).await;
                assert_eq!(runtime.running(), 0, "{protocol:?} {streaming}");
                // The connection's own tasks end as well.
                soon(async {
                    while tasks() != base {
                        tokio::task::yield_now().await;
                    }
                })
                .await;
                assert_eq!(seen.finished.load(Ordering::SeqCst), 1);
            };
            tokio::select! {
                () = listener.serve() => panic!("the listener ends"),
                () = scenario => {}
            }
        }
    }
}

/// A cancellation of request 1.
fn cancel(post: &Post) -> Post {
    let params = json!({ "requestId": 1, "reason": "the user lost patience" });
    let message =
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params });
    post.clone().saying(message.to_string())
}

// HTTP-13, JR-12, LH-18: without a session, an id is no more than its request's own.
#[tokio::test(start_paused = true)]
async fn a_cancellation_that_is_posted_has_no_effect() {
    let legacy = [
        Revision::V2025_11_25,
        Revision::V2025_06_18,
        Revision::V2025_03_26,
    ];
    let call = json!({ "name": "wait" });
    let posts = legacy.map(|revision| Post::legacy(revision, "tools/call", &call));
    for post in posts.into_iter().chain([wait(false), wait(true)]) {
        let seen = Arc::new(Seen::default());
        let runtime = Runtime::new(server(&seen));
        let web = Web::new(Endpoint::new(runtime.clone()));
        let cancelling = async {
            seen.started.notified().await;
            for cancel in [cancel(&post), cancel(&post).without("mcp-method")] {
                let reply = web.send(&cancel).await;
                assert_eq!(reply.status, 202);
                assert!(reply.body.is_empty());
            }
            assert!(runtime.running() > 0);
        };
        let (reply, ()) = tokio::join!(web.send(&post), cancelling);
        assert_eq!(reply.outcome(), (200, 0), "{post:?}");
        let answer = reply.answer();
        assert_eq!(answer["result"]["content"][0]["text"], "waited");
        // It has slept to its end.
        assert_eq!(seen.finished.load(Ordering::SeqCst), 1);
        let cancelled = tokio::time::timeout(Duration::ZERO, seen.cancelled.notified());
        assert!(cancelled.await.is_err());
    }
}

// LH-17
#[tokio::test(start_paused = true)]
async fn legacy_clients_that_leave_stop_nothing() {
    let seen = Arc::new(Seen::default());
    let runtime = Runtime::new(server(&seen));
    let web = Web::new(Endpoint::new(runtime.clone()));
    let post = Post::legacy(
        Revision::V2025_06_18,
        "tools/call",
        &json!({ "name": "wait" }),
    );
    tokio::select! {
        _ = web.open(&post) => panic!("it waits"),
        () = seen.started.notified() => {}
    }
    assert!(runtime.running() > 0);
    runtime.idle().await;
    assert_eq!(seen.finished.load(Ordering::SeqCst), 1);
}

// LH-17, HTTP-24, OPS-06
#[tokio::test(start_paused = true)]
async fn a_call_counts_until_its_handler_is_gone_wherever_its_client_is() {
    let legacy = Post::legacy(
        Revision::V2025_06_18,
        "tools/call",
        &json!({ "name": "wait" }),
    );
    for post in [legacy, wait(false), wait(true)] {
        let ping = Post::legacy(Revision::V2025_06_18, "ping", &json!({}));
        let body = post.body().len().max(ping.body().len());
        // Room for one of the two, by number or by bytes.
        for (requests, bodies) in [(1, 2 * body), (2, body)] {
            let seen = Arc::new(Seen::default());
            let runtime = Runtime::new(server(&seen));
            let endpoint = Endpoint::new(runtime.clone())
                .with_concurrency(requests)
                .and_then(|endpoint| endpoint.with_body_limit(body))
                .and_then(|endpoint| endpoint.with_bodies_limit(bodies));
            let web = Web::new(endpoint.expect("limits"));
            tokio::select! {
                response = web.open(&post) => drop(response),
                () = seen.started.notified() => {}
            }
            assert!(runtime.running() > 0);
            let crowded = ping
                .clone()
                .saying(format!("{:body$}", ping.json().to_string()));
            assert_eq!(web.send(&crowded).await.status, 503, "{post:?}");
            runtime.idle().await;
            assert_eq!(web.send(&crowded).await.status, 200, "{post:?}");
        }
    }
}
