//! What has to hold of a request and its response, read from the rows and not from the code.

use base64::{Engine, prelude::BASE64_STANDARD};
use http::Method;
use proptest::prelude::*;
use relay_tests::{
    fixture::HIDDEN,
    web::{Post, Reply},
};
use serde_json::Value;

const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

/// The property, of one request, its response, and how often the tool `where` ran.
pub(super) fn judge(post: &Post, reply: &Reply, runs: usize) -> Result<(), TestCaseError> {
    prop_assert!(runs <= allowed(post), "it ran {} times", runs);
    well_formed(reply)?;
    answers(post, reply)?;
    let shown = format!(
        "{:?}{}",
        reply.headers,
        String::from_utf8_lossy(&reply.body)
    );
    prop_assert!(!shown.contains(HIDDEN), "{}", shown);
    for name in ["mcp-session-id", "set-cookie"] {
        prop_assert!(!reply.headers.contains_key(name), "{}", name);
    }
    Ok(())
}

fn well_formed(reply: &Reply) -> Result<(), TestCaseError> {
    let media = reply.header("content-type");
    match reply.status.as_u16() {
        202 => prop_assert!(reply.body.is_empty() && media.is_empty()),
        200 => prop_assert!(["application/json", "text/event-stream"].contains(&media)),
        400 | 403..=406 | 413 | 415 => prop_assert_eq!(media, "application/json"),
        other => prop_assert!(false, "{}", other),
    }
    if reply.status == 405 {
        prop_assert_eq!(reply.header("allow"), "POST");
    }
    for message in reply.messages() {
        prop_assert_eq!(&message["jsonrpc"], "2.0", "{}", message);
        let kinds = ["method", "result", "error"].map(|kind| message.get(kind).is_some());
        prop_assert_eq!(kinds.iter().filter(|kind| **kind).count(), 1, "{}", message);
        // `modern.md` §0.2
        let status = reply.status.as_u16();
        let Some(code) = message.pointer("/error/code") else {
            prop_assert_eq!(status, 200, "{}", message);
            continue;
        };
        let fits = match code.as_i64() {
            Some(-32700 | -32022..=-32020) => status == 400,
            // A member of a batch has no status of its own.
            Some(-32600) => status != 404,
            Some(-32601) => status == 404 || status == 200,
            Some(-32602) => status == 400 || status == 200,
            Some(-32603 | -32002) => status == 200,
            _ => false,
        };
        prop_assert!(fits, "{} {}", status, message);
    }
    Ok(())
}

/// Each request has one answer, the last of what is sent; what comes before it is a notification.
fn answers(post: &Post, reply: &Reply) -> Result<(), TestCaseError> {
    let messages = reply.messages();
    let is_answer = |message: &&Value| message.get("method").is_none();
    let found = messages.iter().filter(is_answer).count();
    let asked = post.json();
    if let (Some(members), true) = (asked.as_array(), reply.status == 200) {
        prop_assert!(0 < found && found <= members.len());
        return Ok(());
    }
    prop_assert_eq!(found, usize::from(reply.status != 202));
    let Some((answer, before)) = messages.split_last() else {
        return Ok(());
    };
    prop_assert!(is_answer(&answer));
    for notification in before {
        prop_assert_eq!(reply.header("content-type"), "text/event-stream");
        prop_assert!(notification.get("id").is_none(), "{}", notification);
        let method = &notification["method"];
        let known = method == "notifications/progress" || method == "notifications/message";
        prop_assert!(known, "{}", method);
    }
    let given = answer.get("id").filter(|id| !id.is_null());
    prop_assert!(given.is_none() || given == asked.get("id"), "{}", answer);
    prop_assert!(given.is_some() || !matches!(reply.status.as_u16(), 200 | 404));
    Ok(())
}

/// How often the tool `where` may run for this request.
pub(super) fn allowed(post: &Post) -> usize {
    let only = |name: &str| {
        let mut values = post.headers().get_all(name).iter();
        let value = values.next().map(http::HeaderValue::as_bytes);
        (value, values.next().is_none())
    };
    let host = only("host");
    let ours = matches!(host.0, Some(b"localhost" | b"localhost:8080"));
    let page = matches!(only("origin"), (None | Some(b"http://localhost"), true));
    let json = only("content-type");
    let json = json.1
        && json
            .0
            .is_some_and(|media| media.starts_with(b"application/json"));
    if post.method() != Method::POST || !ours || !page || !json {
        return 0;
    }
    match post.json() {
        Value::Array(members) if only("mcp-protocol-version").0.is_none_or(is_oldest) => members
            .iter()
            .filter(|member| is_call(member, post))
            .count(),
        message => usize::from(is_call(&message, post)),
    }
}

fn is_oldest(version: &[u8]) -> bool {
    version == b"2025-03-26"
}

fn is_call(message: &Value, post: &Post) -> bool {
    let id = &message["id"];
    let params = &message["params"];
    let arguments = &params["arguments"];
    let fits =
        |name: &str, is: fn(&Value) -> bool| arguments[name].is_null() || is(&arguments[name]);
    message["jsonrpc"] == "2.0"
        && (id.is_string() || id.is_i64() || id.is_u64())
        && message["method"] == "tools/call"
        && params["name"] == "where"
        && (arguments.is_null() || arguments.is_object())
        && fits("region", Value::is_string)
        && fits("urgent", Value::is_boolean)
        && is_of_its_era(params, post)
}

fn is_of_its_era(params: &Value, post: &Post) -> bool {
    let named = header(post, "mcp-protocol-version");
    let meta = &params["_meta"];
    let Some(version) = meta.get(VERSION) else {
        return match named {
            Header::Absent => true,
            Header::Says(named) => ["2025-11-25", "2025-06-18", "2025-03-26"].contains(&&*named),
            Header::Unreadable => false,
        };
    };
    let says = |name: &str, expected: &str| header(post, name) == Header::Says(expected.to_owned());
    let region = match params["arguments"]["region"].as_str() {
        Some(region) => {
            decoded(header(post, "mcp-param-region")) == Header::Says(region.to_owned())
        }
        None => header(post, "mcp-param-region") == Header::Absent,
    };
    let urgent = match params["arguments"]["urgent"].as_bool() {
        Some(urgent) => says("mcp-param-urgent", &urgent.to_string()),
        None => header(post, "mcp-param-urgent") == Header::Absent,
    };
    version == "2026-07-28"
        && meta[CAPABILITIES].is_object()
        && says("mcp-protocol-version", "2026-07-28")
        && says("mcp-method", "tools/call")
        && decoded(header(post, "mcp-name")) == Header::Says("where".to_owned())
        && region
        && urgent
}

#[derive(Debug, PartialEq)]
enum Header {
    Absent,
    Says(String),
    Unreadable,
}

fn header(post: &Post, name: &str) -> Header {
    let values: Vec<_> = post.headers().get_all(name).iter().collect();
    match values.as_slice() {
        [] => Header::Absent,
        [value] => match value.to_str() {
            Ok(text) => Header::Says(text.trim().to_owned()),
            Err(_) => Header::Unreadable,
        },
        _ => Header::Unreadable,
    }
}

fn decoded(header: Header) -> Header {
    let Header::Says(text) = &header else {
        return header;
    };
    let inner = text.strip_prefix("=?base64?");
    let Some(inner) = inner.and_then(|text| text.strip_suffix("?=")) else {
        return header;
    };
    let bytes = BASE64_STANDARD.decode(inner).ok();
    let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
    text.map_or(Header::Unreadable, Header::Says)
}
