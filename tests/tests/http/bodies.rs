//! What a body may be: H04, S03, and the shape of what is answered.

use std::{
    convert::Infallible,
    pin::Pin,
    task::{Context, Poll},
};

use bytes::Bytes;
use http_body::{Body, Frame};
use http_body_util::BodyExt;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use relay_tests::web::{Post, Web};
use serde_json::{Value, json};
use tokio::net::TcpStream;

use super::support::{endpoint_of, listening, read, server, web};

// S03, JR-17
#[tokio::test]
async fn a_byte_order_mark_is_skipped() {
    let post = Post::modern("tools/list", &json!({}));
    let marked = format!("\u{feff} {}\r\n", post.json());
    let reply = web().send(&post.saying(marked)).await;
    assert_eq!(reply.outcome(), (200, 0));
    assert!(reply.body.starts_with(b"{"));
}

// H04, HTTP-26
#[tokio::test]
async fn the_limit_is_exact() {
    let post = Post::modern("tools/list", &json!({}));
    let body = post.json().to_string();
    let endpoint = endpoint_of(server().0).with_body_limit(body.len()).unwrap();
    let web = Web::new(endpoint);
    assert_eq!(
        web.send(&post.clone().saying(body.clone())).await.outcome(),
        (200, 0)
    );
    let reply = web.send(&post.clone().saying(format!("{body} "))).await;
    assert_eq!(reply.outcome(), (413, -32600));
    assert!(reply.error().contains(&body.len().to_string()));
    let declared = post.saying(body).with("content-length", "99999999999");
    assert_eq!(web.send(&declared).await.outcome(), (413, -32600));
}

// H04
#[tokio::test]
async fn large_calls_pass_by_default() {
    for length in [150_000, 1 << 20, 4_000_000] {
        let text = "x".repeat(length);
        let params = json!({ "name": "echo", "arguments": { "text": text } });
        let reply = web().send(&Post::modern("tools/call", &params)).await;
        assert_eq!(reply.answer()["result"]["structuredContent"], text);
    }
}

/// A body of equal pieces, of a length that is not declared, which then ends or hangs.
#[derive(Clone, Copy, Debug)]
struct Pieces {
    left: usize,
    of: usize,
    hangs: bool,
}

impl Body for Pieces {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let Some(left) = self.left.checked_sub(1) else {
            return if self.hangs {
                Poll::Pending
            } else {
                Poll::Ready(None)
            };
        };
        self.left = left;
        Poll::Ready(Some(Ok(Frame::data(Bytes::from(vec![b' '; self.of])))))
    }
}

// H04, HTTP-26
#[tokio::test]
async fn a_body_over_the_limit_leaves_a_connection_that_is_used_or_ended() {
    let list = Post::modern("tools/list", &json!({}));
    let endpoint = endpoint_of(server().0).with_body_limit(4096).unwrap();
    listening(endpoint, async |address| {
        for (left, of, declared) in [
            (5, 1000, None),
            (1, 4097, None),
            (4000, 1000, None),
            (1, 4097, Some("4097")),
            (4000, 1000, Some("4000000")),
            (0, 0, Some("99999999999")),
        ] {
            let body = Pieces {
                left,
                of,
                hangs: left == 0,
            };
            let mut request = list.request().map(|_| body.boxed());
            if let Some(length) = declared {
                request
                    .headers_mut()
                    .insert("content-length", length.parse().unwrap());
            }
            let again = list.request().map(BodyExt::boxed);
            let stream = TcpStream::connect(address).await.expect("a connection");
            let opened = http1::handshake(TokioIo::new(stream)).await;
            let (mut sender, connection) = opened.expect("HTTP/1.1");
            let requests = async move {
                let refused = sender.send_request(request).await.expect("a response");
                let (status, body) = read(refused).await;
                assert_eq!(status, 413);
                let error: Value = serde_json::from_str(&body).expect("JSON");
                assert_eq!(error["error"]["code"], -32600);
                assert!(error.get("id").is_none());
                if sender.ready().await.is_ok()
                    && let Ok(answered) = sender.send_request(again).await
                {
                    assert_eq!(answered.status(), 200);
                }
            };
            // The rest of a body that nobody reads may break the connection: after the answer.
            let (_ended, ()) = tokio::join!(connection, requests);
        }
    })
    .await;
}

// S06, J07, JR-05
#[tokio::test]
async fn what_is_not_json_is_refused_and_not_repaired() {
    let post = Post::modern("tools/call", &json!({ "name": "echo" }));
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    let bad_text = b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"\xd2\xe5\"}}";
    for body in [
        &b""[..],
        b"{",
        b"garbage",
        b"\xff\xfe",
        bad_text,
        br#"{"jsonrpc":"2.0","id":7,"method":"x","params":{"a":"\ud83d"}}"#,
        deep.as_bytes(),
    ] {
        let reply = web().send(&post.clone().saying(body.to_vec())).await;
        assert_eq!(
            reply.outcome(),
            (400, -32700),
            "{}",
            String::from_utf8_lossy(body)
        );
        assert!(reply.answer().get("id").is_none());
    }
}
