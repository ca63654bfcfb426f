//! One span for each request, under the names that OpenTelemetry gives to MCP (OPS-01).
//!
//! No argument, result or URI goes into it. Where nobody listens, it costs one check.

use relay_core::{
    Revision,
    dispatch::Subject,
    protocol::{
        answer::Answer,
        jsonrpc::{Malformed, Request},
    },
};
use tracing::{Span, field::Empty};

/// How much of an id, which is the client's to choose, goes into a span.
const LONGEST_ID: usize = 64;

/// The span of a request that has arrived.
pub(crate) fn open(request: &Request<'_>) -> Span {
    let span = tracing::info_span!(
        "request",
        otel.name = Empty,
        otel.kind = "server",
        otel.status_code = Empty,
        mcp.method.name = Empty,
        mcp.protocol.version = Empty,
        jsonrpc.request.id = Empty,
        gen_ai.tool.name = Empty,
        gen_ai.prompt.name = Empty,
        error.type = Empty,
        rpc.response.status_code = Empty,
        trace_id = Empty,
    );
    if !span.is_disabled() {
        let id: String = request.id.as_json().chars().take(LONGEST_ID).collect();
        span.record("jsonrpc.request.id", id);
        let meta = request.params.meta.value();
        span.record("trace_id", meta.and_then(|meta| meta.trace_id()));
    }
    span
}

/// Notes a frame that is answered though it is no request; it has no span.
pub(crate) fn unreadable(malformed: &Malformed) {
    let (code, message) = (malformed.code, &malformed.message);
    tracing::warn!(%code, %message, "a message could not be read");
}

/// Notes what the request turned out to be about.
pub(crate) fn judged(span: &Span, subject: &Subject) {
    if span.is_disabled() {
        return;
    }
    let method = subject.method();
    let target = subject.target();
    span.record("mcp.method.name", method);
    span.record(
        "mcp.protocol.version",
        subject.revision().map(Revision::as_str),
    );
    match (method, target) {
        (Some(method), Some(target)) => span.record("otel.name", format!("{method} {target}")),
        (method, _) => span.record("otel.name", method.unwrap_or("unknown")),
    };
    match method {
        Some("tools/call") => span.record("gen_ai.tool.name", target),
        Some("prompts/get") => span.record("gen_ai.prompt.name", target),
        _ => span,
    };
}

/// Notes how the request was answered.
pub(crate) fn answered(span: &Span, answer: &Answer) {
    if span.is_disabled() {
        return;
    }
    if let Some(code) = answer.error() {
        failed(span, &code.to_string());
        span.record("rpc.response.status_code", code.to_string());
    } else if answer.is_tool_error() {
        failed(span, "tool_error");
    }
}

/// Notes that the request is not answered, because nobody waits for it any more.
pub(crate) fn cancelled(span: &Span) {
    failed(span, "cancelled");
}

fn failed(span: &Span, error: &str) {
    span.record("error.type", error);
    span.record("otel.status_code", "ERROR");
}
