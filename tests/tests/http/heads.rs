//! Requests that do not come, or come oddly: design §9, RFC 9112.

use std::{net::SocketAddr, time::Duration};

use relay_core::{Server, codec, tool};
use relay_http::Endpoint;
use relay_tests::web::Post;
use serde_json::json;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    time::Instant,
};

use super::sockets::{
    connect, exchange, listen, multiplexed, raw, second_by_second, serving, soon, status,
};

fn endpoint() -> Endpoint<()> {
    let word = tool::define("word", codec::object(()), codec::string())
        .handle(|()| async { Ok("word".to_owned()) });
    Endpoint::new(Server::new([word]))
}

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";

#[tokio::test]
async fn a_head_that_does_not_come_ends_its_connection() {
    let limit = Duration::from_millis(200);
    let listener = listen(endpoint()).await.with_header_timeout(limit);
    let listener = listener.expect("a time");
    let address = listener.local_addr();
    serving(listener, async {
        for sent in [
            &b""[..],
            b"POST /mcp HTTP/1.1\r\nhost: localhost\r\n",
            b"PRI * HTTP/2.0\r\n",
            PREFACE,
            // A frame of headers that breaks off, and one that waits for its continuation.
            &[PREFACE, b"\0\0\x64\x01\x04\0\0\0\x01\x82\x86"].concat(),
            &[PREFACE, b"\0\0\x01\x01\0\0\0\0\x01\x82"].concat(),
        ] {
            let began = Instant::now();
            let mut client = connect(address).await;
            client.write_all(sent).await.expect("it is sent");
            // Whether it is closed or reset.
            let _ended = soon(client.read_to_end(&mut Vec::new())).await;
            assert!(began.elapsed() >= limit);
        }
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_client_that_sends_nothing_has_10_seconds() {
    let listener = listen(endpoint()).await;
    let address = listener.local_addr();
    serving(
        listener,
        second_by_second(async {
            let began = Instant::now();
            let mut client = connect(address).await;
            let ended = client.read_to_end(&mut Vec::new()).await;
            assert_eq!(ended.expect("it is closed"), 0);
            assert_eq!(began.elapsed().as_secs(), 10);
        }),
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_connection_on_which_nothing_is_asked_ends() {
    let listener = listen(endpoint()).await;
    let address = listener.local_addr();
    serving(
        listener,
        second_by_second(Box::pin(async {
            let began = Instant::now();
            let mut idle = connect(address).await;
            idle.write_all(&raw(&list(), "")).await.expect("it is sent");
            let mut answer = Vec::new();
            let ended = idle.read_to_end(&mut answer).await;
            ended.expect("it is closed");
            assert!(answer.starts_with(b"HTTP/1.1 200 "));
            assert_eq!(began.elapsed().as_secs(), 10);

            let (mut sender, connection) = multiplexed(address, 1 << 20).await;
            let asked = async {
                assert_eq!(exchange(&mut sender, &list(), address).await, 200);
                Instant::now()
            };
            let (ended, answered) = Box::pin(async { tokio::join!(connection, asked) }).await;
            ended.expect("it is told to end");
            // One to two times the limit, and a second or two for the word to get round.
            let told = answered.elapsed().as_secs();
            assert!((9..=22).contains(&told), "{told}");
        })),
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn one_that_does_not_listen_is_closed() {
    let listener = listen(endpoint()).await;
    let address = listener.local_addr();
    serving(
        listener,
        second_by_second(async {
            let began = Instant::now();
            // GET /healthz, and no more: it is told to end, and does not.
            let head = b"\0\0\x17\x01\x05\0\0\0\x01\x82\x86\x04\x08/healthz\x01\x09localhost";
            let mut deaf = connect(address).await;
            let sent = deaf.write_all(&[PREFACE, head].concat()).await;
            sent.expect("it is sent");
            let mut answer = Vec::new();
            let _closed_or_reset = deaf.read_to_end(&mut answer).await;
            assert!(answer.windows(3).any(|bytes| bytes == b"ok\n"));
            // Later than one that listens, and four times the limit at most.
            let closed = began.elapsed().as_secs();
            assert!((21..=40).contains(&closed), "{closed}");
        }),
    )
    .await;
}

/// All that comes back for these bytes until the connection is closed.
async fn until_closed(address: SocketAddr, sent: &[u8]) -> String {
    let mut client = connect(address).await;
    client.write_all(sent).await.expect("it is sent");
    let mut answer = Vec::new();
    let read = soon(client.read_to_end(&mut answer)).await;
    read.expect("it is closed in order");
    String::from_utf8_lossy(&answer).into_owned()
}

fn list() -> Post {
    Post::modern("tools/list", &json!({}))
}

// RFC 9112 section 6: what one side of a proxy takes for the end of a request, the other may not.
#[tokio::test]
async fn nothing_follows_a_request_of_two_lengths() {
    let listener = listen(endpoint()).await;
    let address = listener.local_addr();
    serving(listener, async {
        let body = list().json().to_string();
        let chunked = format!("{:x}\r\n{body}\r\n0\r\n\r\n", body.len());
        let head = String::from_utf8(raw(&list().saying(""), "")).expect("text");
        let head = head.split("content-length").next().expect("a head");
        let smuggled = String::from_utf8(raw(&list(), "")).expect("text");
        for lengths in [
            "content-length: 5\r\ntransfer-encoding: chunked\r\n",
            "transfer-encoding: chunked\r\ncontent-length: 5\r\n",
        ] {
            let sent = format!("{head}{lengths}\r\n{chunked}{smuggled}");
            let answer = until_closed(address, sent.as_bytes()).await;
            assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
            assert!(answer.contains("connection: close\r\n"), "{answer}");
            assert_eq!(answer.matches("HTTP/1.1 ").count(), 1, "{answer}");
        }
        for lengths in [
            "content-length: 5\r\ncontent-length: 6\r\n",
            "content-length: 5, 6\r\n",
            "content-length: +5\r\n",
            "transfer-encoding: chunked, gzip\r\n",
        ] {
            let sent = format!("{head}{lengths}\r\n{chunked}{smuggled}");
            let answer = until_closed(address, sent.as_bytes()).await;
            assert!(answer.starts_with("HTTP/1.1 400 "), "{lengths}{answer}");
            assert_eq!(answer.matches("HTTP/1.1 ").count(), 1, "{answer}");
        }
    })
    .await;
}

// HTTP-05
#[tokio::test]
async fn a_request_has_one_host_and_it_is_ours() {
    let listener = listen(endpoint()).await;
    let address = listener.local_addr();
    serving(listener, async {
        for (post, expected) in [
            (list().and("host", "localhost:8080"), 400),
            (list().and("host", "evil.example"), 400),
            (list().without("host"), 403),
            (list().to("http://localhost/mcp"), 200),
            (list().to("http://evil.example/mcp"), 403),
            (
                list()
                    .to("http://localhost/mcp")
                    .with("host", "evil.example"),
                403,
            ),
        ] {
            assert_eq!(status(address, &post).await, expected, "{post:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_head_that_is_too_much_is_refused() {
    let listener = listen(endpoint()).await;
    let address = listener.local_addr();
    serving(listener, async {
        // With those that a request has anyway, one over a hundred.
        let more = 101 - list().request().headers().len();
        let many = |headers: usize| {
            (0..headers).fold(list(), |post, at| post.with(&format!("x-{at}"), "x"))
        };
        // Two that `status` adds are among them.
        assert_eq!(status(address, &many(more - 3)).await, 200);
        assert_eq!(status(address, &many(more - 2)).await, 431);

        let (mut sender, connection) = multiplexed(address, 1 << 20).await;
        let asked = async {
            let long = |bytes: usize| list().with("x-long", "x".repeat(bytes));
            let status = exchange(&mut sender, &long(15 * 1024), address).await;
            assert_eq!(status, 200);
            let status = exchange(&mut sender, &long(16 * 1024), address).await;
            assert_eq!(status, 431);
        };
        tokio::select! {
            _ = connection => panic!("the connection ends"),
            () = asked => {}
        }
    })
    .await;
}
