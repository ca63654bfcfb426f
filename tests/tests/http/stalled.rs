//! Clients that take nothing of what they are sent: design §9, `modern.md` HTTP-24, OPS-06.

use std::{sync::Arc, time::Duration};

use http_body_util::BodyExt as _;
use relay_core::{Call, Progress, Server, codec, content, tool};
use relay_http::Endpoint;
use relay_runtime::Runtime;
use relay_tests::web::Post;
use serde_json::json;
use tokio::{io::AsyncReadExt as _, sync::Notify};

use super::sockets::{
    begin, deserted, exchange, listen, multiplexed, open, second_by_second, serving, soon, status,
};

const SHORT: Duration = Duration::from_millis(200);

/// More than the sockets between two processes hold.
const LONG: usize = 6 << 20;

/// Three tools: an answer that is long, a handler that says a lot before it answers, and one that
/// answers in a word.
fn server(cancelled: &Arc<Notify>) -> Server<()> {
    let long = tool::define("long", codec::object(()), tool::content())
        .handle(|()| async { Ok(vec![content::text("x".repeat(LONG))]) });
    let cancelled = Arc::clone(cancelled);
    let talk = tool::define("talk", codec::object(()), codec::string()).handle_call(
        move |call: Call<()>, ()| {
            let cancelled = Arc::clone(&cancelled);
            async move {
                for step in 1.. {
                    let said = "x".repeat(1 << 20);
                    call.progress(Progress::new(f64::from(step)).with_message(said));
                    tokio::select! {
                        () = tokio::time::sleep(Duration::from_millis(10)) => {}
                        () = call.cancelled() => break,
                    }
                }
                cancelled.notify_one();
                Ok("talked".to_owned())
            }
        },
    );
    let word = tool::define("word", codec::object(()), codec::string())
        .handle(|()| async { Ok("word".to_owned()) });
    Server::new([long, talk, word])
}

fn call(name: &str) -> Post {
    let meta = json!({ "progressToken": 1 });
    Post::modern("tools/call", &json!({ "name": name, "_meta": meta }))
}

/// An endpoint that serves so many requests at a time.
fn endpoint(requests: usize) -> Endpoint<()> {
    let endpoint = Endpoint::new(server(&Arc::default()));
    endpoint.with_request_limit(requests).expect("a number")
}

// OPS-06
#[tokio::test]
async fn a_long_answer_counts_until_its_client_has_taken_it() {
    let listener = listen(endpoint(1)).await;
    let address = listener.local_addr();
    serving(listener, async {
        let mut client = begin(address, &call("long")).await;
        assert_eq!(status(address, &call("word")).await, 503);
        let mut taken = 0;
        while taken < LONG {
            taken += soon(client.read_buf(&mut bytes::BytesMut::with_capacity(1 << 20)))
                .await
                .expect("more of it");
        }
        drop(client);
        while status(address, &call("word")).await != 200 {}
    })
    .await;

    let listener = listen(endpoint(1)).await;
    let address = listener.local_addr();
    serving(listener, async {
        let (mut sender, connection) = multiplexed(address, 16 * 1024).await;
        let scenario = async {
            let (status, body) = open(&mut sender, &call("long"), address).await;
            assert_eq!(status, 200);
            assert_eq!(exchange(&mut sender, &call("word"), address).await, 503);
            let body = soon(body.collect()).await.expect("a whole body");
            assert!(body.to_bytes().len() > LONG);
            while exchange(&mut sender, &call("word"), address).await != 200 {}
        };
        tokio::select! {
            _ = connection => panic!("the connection ends"),
            () = soon(scenario) => {}
        }
    })
    .await;
}

// OPS-04, OPS-06
#[tokio::test]
async fn a_client_that_does_not_read_is_given_up() {
    let listener = listen(endpoint(1)).await.with_write_timeout(SHORT);
    let listener = listener.expect("a time");
    let address = listener.local_addr();
    serving(listener, async {
        let client = begin(address, &call("long")).await;
        soon(async { while status(address, &call("word")).await != 200 {} }).await;
        // Over HTTP/2, one that does not even read the connection.
        let (mut sender, mut connection) = multiplexed(address, 1 << 30).await;
        let long = call("long");
        tokio::select! {
            _ = &mut connection => panic!("the connection ends"),
            opened = open(&mut sender, &long, address) => assert_eq!(opened.0, 200),
        }
        soon(async { while status(address, &call("word")).await != 200 {} }).await;
        drop((client, connection));
    })
    .await;
}

// HTTP-24, OPS-04
#[tokio::test]
async fn a_stream_of_events_that_nobody_reads_cancels_its_call() {
    let cancelled = Arc::default();
    let runtime = Runtime::new(server(&cancelled));
    let listener = listen(Endpoint::new(runtime.clone())).await;
    let listener = listener.with_write_timeout(SHORT).expect("a time");
    let address = listener.local_addr();
    serving(listener, async {
        let client = begin(address, &call("talk")).await;
        soon(cancelled.notified()).await;
        soon(runtime.idle()).await;
        drop(client);

        let (mut sender, connection) = multiplexed(address, 0).await;
        let scenario = async {
            let (status, body) = open(&mut sender, &call("talk"), address).await;
            assert_eq!(status, 200);
            soon(cancelled.notified()).await;
            soon(runtime.idle()).await;
            drop(body);
        };
        tokio::select! {
            _ = connection => panic!("the connection ends"),
            () = scenario => {}
        }
        assert_eq!(runtime.running(), 0);
    })
    .await;
}

// OPS-04, OPS-06
#[tokio::test]
async fn one_stream_that_is_not_read_leaves_its_connection_alone() {
    let listener = listen(endpoint(1)).await.with_write_timeout(SHORT);
    let listener = listener.expect("a time");
    let address = listener.local_addr();
    serving(listener, async {
        let (mut sender, connection) = multiplexed(address, 1024).await;
        let scenario = async {
            for tool in ["long", "talk"] {
                let (status, body) = open(&mut sender, &call(tool), address).await;
                assert_eq!(status, 200);
                while exchange(&mut sender, &call("word"), address).await != 200 {}
                assert!(soon(body.collect()).await.is_err(), "the stream is reset");
            }
        };
        tokio::select! {
            _ = connection => panic!("the connection ends"),
            () = soon(scenario) => {}
        }
    })
    .await;
    deserted().await;
}

// OPS-04: the last piece of an answer waits for its client when nothing else of the request is left.
#[tokio::test]
async fn a_client_that_leaves_the_end_of_an_answer_is_given_up_whatever_it_pings() {
    let listener = listen(endpoint(1)).await.with_header_timeout(SHORT);
    let listener = listener.expect("a time");
    let address = listener.local_addr();
    serving(listener, async {
        let (mut sender, mut connection) = multiplexed(address, 1).await;
        let word = call("word");
        let (status, body) = tokio::select! {
            _ = &mut connection => panic!("the connection ends"),
            opened = open(&mut sender, &word, address) => opened,
        };
        assert_eq!(status, 200);
        drop(soon(connection).await);
        drop(body);
    })
    .await;
    deserted().await;
}

// A stream is judged by its next piece, not by the whole.
#[tokio::test(start_paused = true)]
async fn a_slow_client_that_takes_each_piece_in_time_is_served_to_the_end() {
    let listener = listen(endpoint(1)).await;
    let address = listener.local_addr();
    let scenario = async {
        let (mut sender, connection) = multiplexed(address, 16 * 1024).await;
        let reading = async {
            let (status, mut body) = open(&mut sender, &call("long"), address).await;
            assert_eq!(status, 200);
            let (mut pieces, mut taken) = (0, 0);
            while let Some(frame) = body.frame().await {
                taken += frame.expect("a piece").into_data().expect("data").len();
                pieces += 1;
                if pieces <= 10 {
                    tokio::time::sleep(Duration::from_secs(20)).await;
                }
            }
            assert!(taken > LONG);
        };
        tokio::select! {
            _ = connection => panic!("the connection ends"),
            () = reading => {}
        }
    };
    serving(listener, second_by_second(scenario)).await;
}
