//! Frames to send, and what comes back.

use bytes::Bytes;
use relay_core::{Peer, Server, Tool};
use relay_runtime::{Exchange, Frame, Incoming, Limits, Outgoing, Runtime};
use serde_json::{Value, json};

pub(crate) fn runtime(tools: impl IntoIterator<Item = Tool<()>>) -> Runtime<()> {
    limited(tools, Limits::default())
}

pub(crate) fn limited(tools: impl IntoIterator<Item = Tool<()>>, limits: Limits) -> Runtime<()> {
    Runtime::new(Server::new(tools).with_logging(true)).with_limits(limits)
}

/// A modern request; `params._meta` is added to, not replaced.
pub(crate) fn request(id: impl Into<Value>, method: &str, mut params: Value) -> Bytes {
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
    json!({ "jsonrpc": "2.0", "id": id.into(), "method": method, "params": params })
        .to_string()
        .into()
}

/// A call of a tool without arguments.
pub(crate) fn call(id: impl Into<Value>, tool: &str) -> Bytes {
    request(id, "tools/call", json!({ "name": tool }))
}

pub(crate) fn cancelled(id: impl Into<Value>) -> Bytes {
    notification(
        "notifications/cancelled",
        &json!({ "requestId": id.into(), "reason": "changed my mind" }),
    )
}

pub(crate) fn notification(method: &str, params: &Value) -> Bytes {
    json!({ "jsonrpc": "2.0", "method": method, "params": params })
        .to_string()
        .into()
}

pub(crate) fn peer() -> Peer<()> {
    Peer::new(())
}

pub(crate) fn connect(runtime: &Runtime<()>) -> (Incoming<()>, Outgoing) {
    runtime.connect(peer()).split()
}

pub(crate) fn read(frame: &Frame) -> Value {
    serde_json::from_slice(frame.bytes()).expect("every frame is JSON")
}

/// All that comes back, to the end.
pub(crate) async fn all(mut exchange: Exchange) -> Vec<Value> {
    let mut frames = Vec::new();
    while let Some(frame) = exchange.next().await {
        frames.push(read(&frame));
    }
    frames
}

/// All that is still sent, to the end.
pub(crate) async fn rest(mut outgoing: Outgoing) -> Vec<Value> {
    let mut frames = Vec::new();
    while let Some(frame) = outgoing.next().await {
        frames.push(read(&frame));
    }
    frames
}

/// The ids that were answered, in order.
pub(crate) fn ids(frames: &[Value]) -> Vec<Value> {
    frames
        .iter()
        .filter_map(|frame| frame.get("id").cloned())
        .collect()
}

/// What a call's answer says: its first text block.
pub(crate) fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"]
        .as_str()
        .unwrap_or_default()
}

pub(crate) fn code(answer: &Value) -> i64 {
    answer["error"]["code"].as_i64().unwrap_or_default()
}
