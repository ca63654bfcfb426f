//! Whether the mirrored headers say what the body says.

use serde_json::{Map, Value};

use crate::{
    protocol::{
        answer::Refusal,
        headers::{Headers, Mirrored},
        jsonrpc::{ErrorCode, Params, Slot},
    },
    schema::MirroredHeader,
};

/// The integers that every reader of a header keeps exactly (XMH-12).
const EXACT: f64 = 9_007_199_254_740_991.0;

/// HDR-01, HDR-02.
pub(super) fn version(headers: &Headers, version: &str) -> Result<(), Refusal> {
    let what = "the protocol version in `params._meta`";
    expect("MCP-Protocol-Version", headers.version(), version, what)
}

/// HDR-03 to HDR-07: the method, and the name of the target for the methods that have one.
pub(super) fn target(headers: &Headers, method: &str, params: &Params<'_>) -> Result<(), Refusal> {
    expect("Mcp-Method", headers.method(), method, "`method`")?;
    let (name, what) = match method {
        "tools/call" | "prompts/get" => (&params.name, "`params.name`"),
        "resources/read" => (&params.uri, "`params.uri`"),
        // HDR-17
        _ => return Ok(()),
    };
    match (name, headers.name()) {
        (Slot::Value(name), header) => expect("Mcp-Name", header, name, what),
        (_, Mirrored::Unusable(why)) => Err(unusable("Mcp-Name", why)),
        // What is missing in the body is refused for that.
        (_, Mirrored::Absent | Mirrored::Text(_)) => Ok(()),
    }
}

/// XMH-07 to XMH-14.
pub(super) fn parameters(
    headers: &Headers,
    mirrored: &[MirroredHeader],
    arguments: &Map<String, Value>,
) -> Result<(), Refusal> {
    for parameter in mirrored {
        let name = || format!("Mcp-Param-{}", parameter.header());
        let argument = parameter.value(arguments);
        match headers.parameter(parameter.header()) {
            Mirrored::Unusable(why) => return Err(unusable(&name(), why)),
            Mirrored::Absent if argument.is_some_and(is_mirrored) => {
                return Err(mismatch(&format!(
                    "the header {} is missing: it must repeat the argument {}",
                    name(),
                    parameter.pointer()
                )));
            }
            Mirrored::Absent => {}
            Mirrored::Text(text) if argument.is_some_and(|value| equals(value, text)) => {}
            Mirrored::Text(_) => {
                return Err(mismatch(&format!(
                    "the header {} differs from the argument {}",
                    name(),
                    parameter.pointer()
                )));
            }
        }
    }
    Ok(())
}

/// Whether a value has a form in a header. What has none does not fit the tool's schema either,
/// and is refused for that; `null` counts as absent (XMH-10).
fn is_mirrored(value: &Value) -> bool {
    matches!(value, Value::Bool(_) | Value::Number(_) | Value::String(_))
}

fn equals(value: &Value, header: &str) -> bool {
    match value {
        Value::String(text) => text == header,
        Value::Bool(flag) => header == if *flag { "true" } else { "false" },
        Value::Number(number) => {
            // Compared as numbers: 42 and 42.0 are equal.
            let header: Option<f64> = serde_json::from_str(header.trim()).ok();
            let exact = |number: &f64| number.abs() <= EXACT;
            let value = number.as_f64().filter(exact);
            value.is_some() && value == header
        }
        Value::Null | Value::Array(_) | Value::Object(_) => false,
    }
}

fn expect(header: &str, found: &Mirrored, expected: &str, what: &str) -> Result<(), Refusal> {
    match found {
        Mirrored::Text(text) if text == expected => Ok(()),
        Mirrored::Text(_) => Err(mismatch(&format!(
            "the header {header} differs from {what}"
        ))),
        Mirrored::Absent => Err(mismatch(&format!(
            "the header {header} is missing: it must repeat {what}"
        ))),
        Mirrored::Unusable(why) => Err(unusable(header, why)),
    }
}

fn unusable(header: &str, why: &str) -> Refusal {
    mismatch(&format!("the header {header} {why}"))
}

fn mismatch(message: &str) -> Refusal {
    Refusal::new(ErrorCode::HEADER_MISMATCH, message.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    // XMH-07, XMH-09, XMH-12
    #[test]
    fn arguments_equal_what_stands_for_them() {
        for (value, header) in [
            (json!("Köln"), "Köln"),
            (json!(""), ""),
            (json!("42"), "42"),
            (json!(true), "true"),
            (json!(false), "false"),
            (json!(42), "42"),
            (json!(42), "42.0"),
            (json!(42.0), "42"),
            (json!(-7), "-7"),
            (json!(9_007_199_254_740_991_i64), "9007199254740991"),
        ] {
            assert!(equals(&value, header), "{value} {header}");
        }
        for (value, header) in [
            (json!("a"), "A"),
            (json!("42"), "42.0"),
            (json!(true), "True"),
            (json!(true), "1"),
            (json!(42), "43"),
            (json!(42), ""),
            (json!(42), "+42"),
            (json!(42), "0x2a"),
            (json!(42), "\"42\""),
            (json!(9_007_199_254_740_992_i64), "9007199254740992"),
            (json!(null), ""),
            (json!(null), "null"),
            (json!([]), "[]"),
        ] {
            assert!(!equals(&value, header), "{value} {header}");
        }
    }
}
