//! The end of a listener, and how many connections it has until then: `modern.md` OPS-02.

use std::{sync::Arc, time::Duration};

use relay_core::{Call, Server, codec, tool};
use relay_http::Endpoint;
use relay_runtime::Runtime;
use relay_tests::web::Post;
use serde_json::json;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    sync::Notify,
};

use super::sockets::{
    connect, deserted, exchange, listen, multiplexed, raw, serving, soon, status,
};

const SHORT: Duration = Duration::from_millis(200);

/// What the handler of `wait` waits for, and goes through.
#[derive(Default)]
struct Seen {
    started: Notify,
    released: Notify,
    cancelled: Notify,
}

fn runtime(seen: &Arc<Seen>) -> Runtime<()> {
    let seen = Arc::clone(seen);
    let wait = tool::define("wait", codec::object(()), codec::string()).handle_call(
        move |call: Call<()>, ()| {
            let seen = Arc::clone(&seen);
            async move {
                seen.started.notify_one();
                tokio::select! {
                    () = seen.released.notified() => {}
                    () = call.cancelled() => seen.cancelled.notify_one(),
                }
                Ok("waited".to_owned())
            }
        },
    );
    Runtime::new(Server::new([wait]))
}

fn wait() -> Post {
    Post::modern("tools/call", &json!({ "name": "wait" }))
}

fn list() -> Post {
    Post::modern("tools/list", &json!({}))
}

// OPS-02
#[tokio::test]
async fn what_is_in_flight_is_answered_and_nothing_new_is_taken() {
    let seen = Arc::default();
    let runtime = runtime(&seen);
    let listener = listen(Endpoint::new(runtime.clone())).await;
    let address = listener.local_addr();
    let serving = listener.serve();
    let scenario = async {
        let mut idle = connect(address).await;
        idle.write_all(&raw(&list(), "")).await.expect("it is sent");
        soon(idle.read_u8()).await.expect("an answer begins");
        let (mut sender, connection) = multiplexed(address, 1 << 20).await;
        let (mut other, connecting) = multiplexed(address, 1 << 20).await;
        let shared = async {
            assert_eq!(exchange(&mut other, &list(), address).await, 200);
            assert_eq!(exchange(&mut sender, &wait(), address).await, 200);
        };
        let ending = async {
            let wait = wait();
            let in_flight = status(address, &wait);
            let stop = async {
                seen.started.notified().await;
                seen.started.notified().await;
                tokio::join!(runtime.shutdown(), async {
                    // The idle connection ends, and no other is taken.
                    let _ended = soon(idle.read_to_end(&mut Vec::new())).await;
                    soon(async { while TcpStream::connect(address).await.is_ok() {} }).await;
                    seen.released.notify_one();
                    seen.released.notify_one();
                });
            };
            let (status, (), ()) = tokio::join!(in_flight, stop, shared);
            assert_eq!(status, 200);
        };
        let (_closed, _closed_too, ()) = tokio::join!(connection, connecting, ending);
    };
    soon(Box::pin(async { tokio::join!(serving, scenario) })).await;
    deserted().await;
}

// OPS-02, OPS-04
#[tokio::test]
async fn what_does_not_end_is_cut_off() {
    let seen = Arc::default();
    let runtime = runtime(&seen);
    let listener = listen(Endpoint::new(runtime.clone())).await;
    let listener = listener.with_shutdown_timeout(SHORT).expect("a time");
    let address = listener.local_addr();
    let scenario = async {
        let silent = connect(address).await;
        let mut half = connect(address).await;
        half.write_all(b"POST /mcp").await.expect("it is sent");
        let mut waiting = connect(address).await;
        let sent = waiting.write_all(&raw(&wait(), "")).await;
        sent.expect("it is sent");
        seen.started.notified().await;
        let (mut sender, connection) = multiplexed(address, 1 << 20).await;
        let request = super::sockets::absolute(&wait(), address);
        let response = sender.send_request(request);
        let stop = async {
            seen.started.notified().await;
            runtime.shutdown().await;
        };
        let (_closed, response, ()) = tokio::join!(connection, response, stop);
        assert!(response.is_err(), "it is cut off");
        seen.cancelled.notified().await;
        let rest = waiting.read_to_end(&mut Vec::new()).await;
        assert_eq!(rest.expect("it is closed"), 0);
        drop((silent, half));
    };
    soon(Box::pin(async { tokio::join!(listener.serve(), scenario) })).await;
    assert_eq!(runtime.running(), 0);
    deserted().await;
}

#[tokio::test]
async fn a_connection_too_many_waits_for_its_turn() {
    let listener = listen(Endpoint::new(runtime(&Arc::default()))).await;
    let listener = listener.with_connection_limit(1).expect("a number");
    let address = listener.local_addr();
    serving(listener, async {
        let mut first = connect(address).await;
        first
            .write_all(&raw(&list(), ""))
            .await
            .expect("it is sent");
        soon(first.read_u8()).await.expect("an answer begins");
        let list = list();
        let mut second = std::pin::pin!(status(address, &list));
        for _ in 0..3 {
            let mut some = [0; 1024];
            first.write_all(&raw(&list, "")).await.expect("it is sent");
            tokio::select! {
                biased;
                status = second.as_mut() => panic!("{status} beside the first"),
                read = first.read(&mut some) => assert!(read.expect("an answer") > 0),
            }
        }
        drop(first);
        assert_eq!(second.await, 200);
    })
    .await;
}

#[tokio::test]
async fn unusable_settings_are_named() {
    let listener = || async { listen(Endpoint::new(runtime(&Arc::default()))).await };
    for (error, setting) in [
        (
            listener().await.with_header_timeout(Duration::ZERO),
            "with_header_timeout",
        ),
        (
            listener().await.with_write_timeout(Duration::MAX),
            "with_write_timeout",
        ),
        (
            listener().await.with_shutdown_timeout(Duration::ZERO),
            "with_shutdown_timeout",
        ),
        (
            listener().await.with_connection_limit(0),
            "with_connection_limit",
        ),
    ] {
        let error = error.expect_err("out of range").to_string();
        assert!(error.starts_with(&format!("{setting}: ")), "{error}");
        assert_eq!(error.lines().count(), 1);
    }
}
