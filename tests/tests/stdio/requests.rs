//! What clients send.

use relay_core::Revision;
use relay_tests::wire;
use serde_json::{Value, json};

/// A modern request.
pub(crate) fn request(id: impl Into<Value>, method: &str, mut params: Value) -> String {
    let mut meta = wire::meta();
    meta.extend(params["_meta"].as_object().cloned().unwrap_or_default());
    params["_meta"] = Value::Object(meta);
    legacy(id, method, params)
}

/// A modern call of a tool.
pub(crate) fn call(id: impl Into<Value>, tool: &str, arguments: Value) -> String {
    request(id, "tools/call", naming(tool, arguments))
}

/// A modern call of a tool with one more entry in its `_meta`.
pub(crate) fn call_with(
    id: impl Into<Value>,
    tool: &str,
    arguments: Value,
    (key, value): (&str, impl Into<Value>),
) -> String {
    let mut params = naming(tool, arguments);
    params["_meta"] = json!({ key: value.into() });
    request(id, "tools/call", params)
}

/// The parameters of a call.
pub(crate) fn naming(tool: &str, arguments: Value) -> Value {
    let mut params = json!({ "name": tool });
    params["arguments"] = arguments;
    params
}

/// The probe that a server which lives answers.
pub(crate) fn ping(id: impl Into<Value>) -> String {
    request(id, "server/discover", json!({}))
}

pub(crate) fn cancel(id: impl Into<Value>) -> String {
    let params = json!({ "requestId": id.into(), "reason": "the user lost patience" });
    json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params }).to_string()
}

/// A request as legacy clients send it.
pub(crate) fn legacy(id: impl Into<Value>, method: &str, params: Value) -> String {
    let mut request = json!({ "jsonrpc": "2.0", "id": id.into(), "method": method });
    request["params"] = params;
    request.to_string()
}

pub(crate) fn initialize(revision: Revision) -> String {
    let params = json!({
        "protocolVersion": revision.as_str(),
        "capabilities": {},
        "clientInfo": { "name": "t", "version": "1" },
    });
    legacy(0, "initialize", params)
}
