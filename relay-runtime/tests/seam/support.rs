//! Frames to send, and what comes back.

use std::sync::Once;

use bytes::Bytes;
use relay_core::{
    Peer, Server, Tool,
    protocol::headers::{Headers, Mirrored},
};
use relay_runtime::{Exchange, Frame, Incoming, Limits, Outgoing, Runtime};
use serde_json::{Value, json};
use tracing::{
    Event, Metadata, Subscriber,
    span::{Attributes, Id, Record},
};

pub(crate) fn runtime(tools: impl IntoIterator<Item = Tool<()>>) -> Runtime<()> {
    limited(tools, Limits::default())
}

pub(crate) fn limited(tools: impl IntoIterator<Item = Tool<()>>, limits: Limits) -> Runtime<()> {
    run(Server::new(tools).with_logging(true)).with_limits(limits)
}

pub(crate) fn run<C>(server: Server<C>) -> Runtime<C> {
    // A place in the code that is first reached while nobody listens may stay silent for a listener
    // that comes at that moment: so there is one from the start.
    static LISTENING: Once = Once::new();
    LISTENING.call_once(|| tracing::subscriber::set_global_default(Deaf).unwrap());
    Runtime::new(server)
}

/// Wants to hear everything and does nothing with it.
struct Deaf;

impl Subscriber for Deaf {
    fn enabled(&self, _metadata: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _attributes: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _span: &Id, _values: &Record<'_>) {}

    fn record_follows_from(&self, _span: &Id, _follows: &Id) {}

    fn event(&self, _event: &Event<'_>) {}

    fn enter(&self, _span: &Id) {}

    fn exit(&self, _span: &Id) {}
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

/// A legacy request.
pub(crate) fn legacy(id: impl Into<Value>, method: &str, params: &Value) -> Bytes {
    json!({ "jsonrpc": "2.0", "id": id.into(), "method": method, "params": params })
        .to_string()
        .into()
}

/// Opens a legacy session.
pub(crate) fn initialize(revision: &str) -> Bytes {
    let client = json!({ "name": "test", "version": "1" });
    let params = json!({ "protocolVersion": revision, "capabilities": {}, "clientInfo": client });
    legacy("init", "initialize", &params)
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

/// An exchange with a legacy client, which takes nothing back by leaving.
pub(crate) fn detached(runtime: &Runtime<()>, version: &str, frame: &Value) -> Exchange {
    let headers = Headers::new().with_version(Mirrored::Text(version.to_owned()));
    runtime.exchange_with_headers(frame.to_string().into(), peer(), headers)
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

/// The next frame of an exchange or a connection that has one.
pub(crate) async fn next(outgoing: &mut Outgoing) -> Value {
    read(&outgoing.next().await.expect("a frame"))
}

/// What is there to be sent, without waiting for more.
pub(crate) fn waiting(outgoing: &mut Outgoing) -> Vec<Value> {
    std::iter::from_fn(|| outgoing.try_next())
        .map(|frame| read(&frame))
        .collect()
}

/// Lets every task that can go on do so.
pub(crate) async fn settle() {
    for _ in 0..64 {
        tokio::task::yield_now().await;
    }
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

/// The parameters of the notifications of this method.
pub(crate) fn notified<'a>(frames: &'a [Value], method: &str) -> Vec<&'a Value> {
    let of_method = |frame: &&Value| frame["method"] == method;
    frames
        .iter()
        .filter(of_method)
        .map(|frame| &frame["params"])
        .collect()
}

pub(crate) fn code(answer: &Value) -> i64 {
    answer["error"]["code"].as_i64().unwrap_or_default()
}
