//! The endpoint behaves in a stack of layers as it does alone.

#![cfg(test)]

use std::time::Duration;

use axum::{
    Router,
    body::Body,
    http::{HeaderValue, Method, Request, Response, StatusCode},
};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use tokio::time::Instant;
use tower::ServiceExt as _;
use tower_http::{
    cors::{AllowHeaders, CorsLayer},
    timeout::TimeoutLayer,
};

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

/// The application under every layer that such a stack tends to have.
fn stack() -> Router {
    let pages = CorsLayer::new()
        .allow_origin(HeaderValue::from_static(PAGE))
        .allow_methods([Method::POST])
        .allow_headers(AllowHeaders::mirror_request());
    let late = StatusCode::GATEWAY_TIMEOUT;
    axum_mount::app(axum_mount::runtime())
        .expect("settings")
        .layer(TimeoutLayer::with_status_code(late, Duration::from_secs(8)))
        .layer(pages)
}

const PAGE: &str = "http://localhost:5173";

async fn send(request: Request<Body>) -> Response<Body> {
    let Ok(response) = stack().oneshot(request).await;
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

// H09
#[tokio::test]
async fn no_spelling_of_the_path_is_redirected() {
    let nested = Router::new().nest(
        "/api",
        axum_mount::app(axum_mount::runtime()).expect("settings"),
    );
    for path in ["/api/mcp", "/api/mcp/", "/api/mcp?x=1"] {
        let mut request = call(path, "greet", &json!({ "name": "Ada" }), &json!({}));
        let proto = HeaderValue::from_static("https");
        request.headers_mut().insert("x-forwarded-proto", proto);
        let Ok(response) = nested.clone().oneshot(request).await;
        assert_eq!(response.status(), StatusCode::OK, "{path}");
    }
    let request = call("//mcp", "greet", &json!({ "name": "Ada" }), &json!({}));
    assert_eq!(send(request).await.status(), StatusCode::NOT_FOUND);
}

/// The events of a response: what each says, and how many milliseconds after `began` it came.
async fn events(response: Response<Body>, began: Instant) -> Vec<(u128, String)> {
    assert_eq!(response.status(), StatusCode::OK);
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    assert_eq!(response.headers()["x-accel-buffering"], "no");
    assert!(!response.headers().contains_key("content-encoding"));
    let mut body = response.into_body();
    let mut events = Vec::new();
    while let Some(frame) = body.frame().await {
        let data = frame.expect("a whole event").into_data().expect("data");
        let event = String::from_utf8_lossy(&data).into_owned();
        assert!(event.ends_with("\n\n"), "{event}");
        events.push((began.elapsed().as_millis(), event));
    }
    events
}

// H11, HTTP-21, HTTP-23
#[tokio::test(start_paused = true)]
async fn events_come_one_by_one_through_every_layer() {
    let began = Instant::now();
    let meta = json!({ "progressToken": 1 });
    let mut request = call("/mcp", "count", &json!({ "to": 100 }), &meta);
    let page = HeaderValue::from_static(PAGE);
    request.headers_mut().insert("origin", page);
    let response = send(request).await;
    assert_eq!(response.headers()["access-control-allow-origin"], PAGE);
    let events = events(response, began).await;
    // Longer than the time-out, which is for the head of a response.
    assert!(began.elapsed() >= Duration::from_secs(10));
    assert_eq!(events.len(), 101);
    for (event, number) in events.iter().zip(0_u32..) {
        let (came, text) = event;
        assert_eq!(text.matches("data: ").count(), 1, "{text}");
        // Each as it happens, within the pace at which progress is let out.
        let happened = u128::from(number) * 100;
        assert!((happened..happened + 100).contains(came), "{came} {text}");
    }
    assert!(events[100].1.contains("counted to 100"));
}

// HTTP-23
#[tokio::test(start_paused = true)]
async fn a_quiet_call_outlives_the_time_out_of_heads() {
    let began = Instant::now();
    let response = send(call("/mcp", "count", &json!({ "to": 100 }), &json!({}))).await;
    assert_eq!(began.elapsed().as_secs(), 5);
    let events = events(response, began).await;
    assert!(
        events
            .last()
            .expect("an answer")
            .1
            .contains("counted to 100")
    );
    // A client that takes no events has to wait for its head, and does so in vain.
    let mut request = call("/mcp", "count", &json!({ "to": 100 }), &json!({}));
    let json = HeaderValue::from_static("application/json");
    request.headers_mut().insert("accept", json);
    assert_eq!(send(request).await.status(), StatusCode::GATEWAY_TIMEOUT);
}

// HTTP-30
#[tokio::test]
async fn the_layers_are_at_work() {
    // What is no stream is compressed.
    let name = "a".repeat(90);
    let response = send(call("/mcp", "greet", &json!({ "name": name }), &json!({}))).await;
    assert_eq!(response.headers()["content-encoding"], "gzip");
    let preflight = Request::options("/mcp")
        .header("host", "localhost")
        .header("origin", PAGE)
        .header("access-control-request-method", "POST")
        .header("access-control-request-headers", "mcp-param-region")
        .body(Body::empty())
        .expect("a request");
    let response = send(preflight).await;
    assert_eq!(response.status(), StatusCode::OK);
    let allowed = &response.headers()["access-control-allow-headers"];
    assert_eq!(allowed, "mcp-param-region");
    // What the layer would let pass, the endpoint still refuses.
    let mut request = call("/mcp", "greet", &json!({ "name": "Ada" }), &json!({}));
    let foreign = HeaderValue::from_static("https://evil.example");
    request.headers_mut().insert("origin", foreign);
    assert_eq!(send(request).await.status(), StatusCode::FORBIDDEN);
}
