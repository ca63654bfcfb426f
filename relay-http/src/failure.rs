//! Errors of the transport's own: a status, and a JSON-RPC error without an id.

use http::{
    HeaderValue, Response, StatusCode,
    header::{ALLOW, RETRY_AFTER},
};
use relay_core::protocol::jsonrpc::ErrorCode;
use serde_json::json;

use crate::{body::Body, respond};

/// What the client can mend: `message` says which header, setting or field to change.
pub(crate) fn refuse(status: StatusCode, message: &str) -> Response<Body> {
    error(status, ErrorCode::INVALID_REQUEST, message)
}

/// Another method than those that are allowed here (HTTP-07, HTTP-08, LH-21, LH-23).
pub(crate) fn method_not_allowed(allow: &'static str) -> Response<Body> {
    let message = format!("this method is not allowed here; use {allow}");
    let mut response = refuse(StatusCode::METHOD_NOT_ALLOWED, &message);
    response
        .headers_mut()
        .insert(ALLOW, HeaderValue::from_static(allow));
    response
}

/// What may go well in a moment (OPS-06, AUTH-18).
pub(crate) fn unavailable(message: &str) -> Response<Body> {
    let status = StatusCode::SERVICE_UNAVAILABLE;
    let mut response = error(status, ErrorCode::INTERNAL_ERROR, message);
    response
        .headers_mut()
        .insert(RETRY_AFTER, HeaderValue::from_static("1"));
    response
}

pub(crate) fn internal() -> Response<Body> {
    let status = StatusCode::INTERNAL_SERVER_ERROR;
    error(status, ErrorCode::INTERNAL_ERROR, "internal error")
}

/// ERR-04: no code that the protocol gives another meaning.
fn error(status: StatusCode, code: ErrorCode, message: &str) -> Response<Body> {
    tracing::debug!(status = status.as_u16(), message, "refused");
    let error = json!({ "jsonrpc": "2.0", "error": { "code": code, "message": message } });
    respond::json(status, error.to_string().into())
}
