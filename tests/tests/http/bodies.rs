//! What a body may be: H04, S03, and the shape of what is answered.

use relay_tests::web::{Post, Web};
use serde_json::json;

use super::support::{endpoint_of, server, web};

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
async fn a_call_of_a_megabyte_passes() {
    let text = "x".repeat(1 << 20);
    let params = json!({ "name": "echo", "arguments": { "text": text } });
    let reply = web().send(&Post::modern("tools/call", &params)).await;
    assert_eq!(reply.answer()["result"]["structuredContent"], text);
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
