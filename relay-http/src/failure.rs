//! Errors of the transport's own: a status, and a JSON-RPC error without an id.

use bytes::Bytes;
use http::{
    HeaderValue, Response, StatusCode,
    header::{ALLOW, CONTENT_TYPE, RETRY_AFTER},
};
use relay_core::protocol::jsonrpc::ErrorCode;
use serde_json::json;

use crate::body::Body;

/// What the client can mend (ERR-04: no code that the protocol gives another meaning).
pub(crate) const INVALID_REQUEST: ErrorCode = ErrorCode::INVALID_REQUEST;
/// What it can't.
pub(crate) const INTERNAL: ErrorCode = ErrorCode::INTERNAL_ERROR;

/// A refusal: `message` says which header, setting or field to change.
pub(crate) fn refuse(status: StatusCode, message: &str) -> Response<Body> {
    respond(status, INVALID_REQUEST, message)
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

/// Too much at once (OPS-06).
pub(crate) fn overloaded(message: &str) -> Response<Body> {
    let mut response = respond(StatusCode::SERVICE_UNAVAILABLE, INTERNAL, message);
    response
        .headers_mut()
        .insert(RETRY_AFTER, HeaderValue::from_static("1"));
    response
}

pub(crate) fn internal() -> Response<Body> {
    respond(
        StatusCode::INTERNAL_SERVER_ERROR,
        INTERNAL,
        "internal error",
    )
}

pub(crate) fn respond(status: StatusCode, code: ErrorCode, message: &str) -> Response<Body> {
    tracing::debug!(status = status.as_u16(), message, "refused");
    let error = json!({ "jsonrpc": "2.0", "error": { "code": code, "message": message } });
    json_response(status, error.to_string().into())
}

pub(crate) fn json_response(status: StatusCode, json: Bytes) -> Response<Body> {
    let mut response = Response::new(Body::full(json));
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
