//! The endpoint behaves in a stack of layers as it does alone.

#![cfg(test)]

use axum::{
    body::Body,
    http::{Request, Response, StatusCode},
};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use tower::ServiceExt as _;

fn call(path: &str, tool: &str, arguments: &Value, meta: &Value) -> Request<Body> {
    let mut envelope = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    if let (Some(envelope), Some(meta)) = (envelope.as_object_mut(), meta.as_object()) {
        envelope.extend(meta.clone());
    }
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": tool, "arguments": arguments, "_meta": envelope } });
    Request::post(path)
        .header("host", "localhost")
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .header("accept-encoding", "gzip")
        .header("accept-language", "de")
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", "tools/call")
        .header("mcp-name", tool)
        .body(Body::from(body.to_string()))
        .expect("a request")
}

async fn send(request: Request<Body>) -> Response<Body> {
    let Ok(response) = axum_mount::app().expect("settings").oneshot(request).await;
    response
}

async fn text(response: Response<Body>) -> String {
    let body = response.into_body().collect().await.expect("a body");
    String::from_utf8_lossy(&body.to_bytes()).into_owned()
}

// H09
#[tokio::test]
async fn both_spellings_of_the_path_answer_and_the_head_reaches_the_context() {
    for path in ["/mcp", "/mcp/", "/mcp?x=1"] {
        let mut request = call(path, "greet", &json!({ "name": "Ada" }), &json!({}));
        request.headers_mut().remove("accept-encoding");
        let response = send(request).await;
        assert_eq!(response.status(), StatusCode::OK);
        let answer: Value = serde_json::from_str(&text(response).await).expect("JSON");
        assert_eq!(answer["result"]["structuredContent"], "Guten Tag, Ada!");
    }
    let page = Request::get("/").body(Body::empty()).expect("a request");
    assert_eq!(send(page).await.status(), StatusCode::OK);
}

// H11
#[tokio::test]
async fn streams_are_neither_compressed_nor_held_back() {
    let meta = json!({ "progressToken": 1 });
    let response = send(call("/mcp", "count", &json!({ "to": 3 }), &meta)).await;
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    assert!(!response.headers().contains_key("content-encoding"));
    let mut body = response.into_body();
    let first = body.frame().await.expect("an event").expect("a whole one");
    let first = first.into_data().expect("data");
    assert!(first.starts_with(b"event: message\n") && first.ends_with(b"\n\n"));
    assert_eq!(
        first
            .windows(6)
            .filter(|window| window == b"data: ")
            .count(),
        1
    );
    let rest = body.collect().await.expect("the rest").to_bytes();
    assert!(String::from_utf8_lossy(&rest).contains("counted to 3"));
}
