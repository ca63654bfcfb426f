//! The published schemas, as judges of what a server sends.

use std::{
    collections::HashMap,
    fs,
    sync::{Arc, LazyLock, Mutex, PoisonError},
};

use jsonschema::Validator;
use relay_core::Revision;
use serde_json::{Value, json};

use crate::workspace;

static SCHEMAS: LazyLock<Option<HashMap<Revision, Value>>> = LazyLock::new(|| {
    let folder = workspace::schemas()?;
    let read = |revision: Revision| {
        let file = folder.join(revision.as_str()).join("schema.json");
        let schema = serde_json::from_slice(&fs::read(file).ok()?).ok()?;
        Some((revision, schema))
    };
    Revision::ALL.into_iter().map(read).collect()
});

/// What is wrong with one message that a server sent in a revision; empty where nothing is, and
/// where the published schemas are not there to judge by.
///
/// `method` is the method of the request that an answer is for, if it is for one that could be
/// read.
#[must_use]
pub fn faults(revision: Revision, method: Option<&str>, message: &Value) -> Vec<String> {
    let Some(schema) = SCHEMAS.as_ref().and_then(|schemas| schemas.get(&revision)) else {
        return Vec::new();
    };
    let unreadable =
        revision.facts().null_id_on_unreadable && message.get("id").is_none_or(Value::is_null);
    let mut faults = Vec::new();
    if message.get("method").is_some() {
        faults.extend(judge(schema, revision, "JSONRPCNotification", message));
        faults.extend(judge(schema, revision, "ServerNotification", message));
    } else if message.get("error").is_some() {
        if !unreadable {
            faults.extend(judge(schema, revision, error_type(schema), message));
        }
        faults.extend(error_faults(schema, revision, message));
    } else {
        faults.extend(judge(schema, revision, "JSONRPCMessage", message));
        let result = method.and_then(|method| {
            if !asks(revision, message) {
                result_type(method, revision)
            } else if matches!(method, "tools/call" | "prompts/get" | "resources/read") {
                Some("InputRequiredResult")
            } else {
                // MRTR-02
                faults.push(format!("{method} is answered with questions"));
                None
            }
        });
        faults.extend(result.into_iter().flat_map(|result| {
            judge(
                schema,
                revision,
                result,
                message.get("result").unwrap_or(message),
            )
        }));
    }
    faults.extend(foreign_members(revision, message));
    faults
}

/// A compiled definition of one revision's schema, or why it can't be compiled.
type Compiled = Result<Arc<Validator>, String>;

/// Compiling is what takes time, and every message needs the same few.
static COMPILED: LazyLock<Mutex<HashMap<(Revision, &str), Compiled>>> =
    LazyLock::new(Mutex::default);

fn judge(
    schema: &Value,
    revision: Revision,
    definition: &'static str,
    instance: &Value,
) -> Vec<String> {
    let compiled = COMPILED
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .entry((revision, definition))
        .or_insert_with(|| compile(schema, definition))
        .clone();
    let validator = match compiled {
        Ok(validator) => validator,
        Err(error) => return vec![format!("{definition}: {error}")],
    };
    let fault = |error: jsonschema::ValidationError<'_>| {
        format!("{definition}{}: {error}", error.instance_path())
    };
    validator.iter_errors(instance).map(fault).collect()
}

fn compile(schema: &Value, definition: &str) -> Compiled {
    let definitions = if schema.get("$defs").is_some() {
        "$defs"
    } else {
        "definitions"
    };
    let document = json!({
        "$schema": schema.get("$schema"),
        "$ref": format!("#/{definitions}/{definition}"),
        definitions: schema.get(definitions),
    });
    let compiled = jsonschema::validator_for(&document);
    compiled.map(Arc::new).map_err(|error| error.to_string())
}

fn error_type(schema: &Value) -> &'static str {
    if schema.get("$defs").is_some() {
        "JSONRPCErrorResponse"
    } else {
        "JSONRPCError"
    }
}

/// The code's own type where the revision defines one, and no code that the era does not have.
fn error_faults(schema: &Value, revision: Revision, message: &Value) -> Vec<String> {
    let code = message.pointer("/error/code").and_then(Value::as_i64);
    let typed = match code {
        Some(-32700) => "ParseError",
        Some(-32600) => "InvalidRequestError",
        Some(-32601) => "MethodNotFoundError",
        Some(-32602) => "InvalidParamsError",
        Some(-32603) => "InternalError",
        Some(-32020) => "HeaderMismatchError",
        Some(-32021) => "MissingRequiredClientCapabilityError",
        Some(-32022) => "UnsupportedProtocolVersionError",
        _ => {
            return vec![format!("{revision} has no error code {code:?}")]
                .into_iter()
                .filter(|_| reserved(code, revision))
                .collect();
        }
    };
    if !revision.is_modern() {
        return if matches!(code, Some(-32022..=-32020)) {
            vec![format!("a legacy client got {code:?}")]
        } else {
            Vec::new()
        };
    }
    let instance = if matches!(code, Some(-32022..=-32020)) {
        message
    } else {
        message.get("error").unwrap_or(message)
    };
    judge(schema, revision, typed, instance)
}

fn reserved(code: Option<i64>, revision: Revision) -> bool {
    let legacy_not_found = code == Some(-32002) && !revision.is_modern();
    code.is_none_or(|code| (-32768..=-32000).contains(&code)) && !legacy_not_found
}

fn result_type(method: &str, revision: Revision) -> Option<&'static str> {
    Some(match method {
        "completion/complete" => "CompleteResult",
        "initialize" => "InitializeResult",
        "logging/setLevel" | "ping" => "EmptyResult",
        "prompts/get" => "GetPromptResult",
        "prompts/list" => "ListPromptsResult",
        "resources/list" => "ListResourcesResult",
        "resources/read" => "ReadResourceResult",
        "resources/templates/list" => "ListResourceTemplatesResult",
        "server/discover" if revision.is_modern() => "DiscoverResult",
        "tools/call" => "CallToolResult",
        "tools/list" => "ListToolsResult",
        _ => return None,
    })
}

/// Whether a message asks for input before there is a result.
fn asks(revision: Revision, message: &Value) -> bool {
    let kind = message.pointer("/result/resultType");
    revision.is_modern() && kind.is_some_and(|kind| kind == "input_required")
}

/// The schemas are open, so what a revision must not carry is looked for by name (LF-01).
fn foreign_members(revision: Revision, message: &Value) -> Vec<String> {
    let facts = revision.facts();
    let mut names: Vec<&str> = vec!["execution"];
    if asks(revision, message) {
        // CACHE-05, MRTR-17
        names.extend(["ttlMs", "cacheScope"]);
    } else {
        names.extend(["requestState", "inputRequests"]);
    }
    if !facts.modern {
        names.extend([
            "resultType",
            "ttlMs",
            "cacheScope",
            "extensions",
            "io.modelcontextprotocol/serverInfo",
        ]);
    }
    if !facts.icons {
        names.extend(["icons", "websiteUrl"]);
    }
    if !facts.titles {
        names.push("title");
    }
    if !facts.resource_links {
        names.extend(["structuredContent", "outputSchema", "resource_link"]);
    }
    let mut found = Vec::new();
    let result = message.get("result").or_else(|| message.get("params"));
    if let Some(result) = result {
        walk(result, &names, &mut found);
    }
    found
        .into_iter()
        .map(|name| format!("{revision} has no {name:?}"))
        .collect()
}

/// Looks at the protocol's own objects: what an author put in schemas, structured content and
/// `_meta` is the author's.
fn walk<'a>(value: &Value, names: &[&'a str], found: &mut Vec<&'a str>) {
    const AUTHORS: [&str; 4] = [
        "annotations",
        "inputSchema",
        "outputSchema",
        "structuredContent",
    ];
    match value {
        Value::Array(items) => items.iter().for_each(|item| walk(item, names, found)),
        Value::Object(members) => {
            for (key, value) in members {
                found.extend(names.iter().filter(|name| *name == key));
                if key == "type" {
                    found.extend(names.iter().filter(|name| value == **name));
                }
                if !AUTHORS.contains(&key.as_str()) {
                    walk(value, names, found);
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_modern_member_on_a_legacy_wire_is_a_fault() {
        let message = json!({ "jsonrpc": "2.0", "id": 1, "result": { "resultType": "complete" } });
        assert!(foreign_members(Revision::V2026_07_28, &message).is_empty());
        assert_eq!(foreign_members(Revision::V2025_11_25, &message).len(), 1);
    }

    #[test]
    fn a_result_that_breaks_its_schema_is_a_fault() {
        if workspace::schemas().is_none() {
            return;
        }
        let message = json!({ "jsonrpc": "2.0", "id": 1, "result": { "tools": 7 } });
        assert!(!faults(Revision::V2025_11_25, Some("tools/list"), &message).is_empty());
        let message =
            json!({ "jsonrpc": "2.0", "id": null, "error": { "code": -32700, "message": "x" } });
        assert!(!faults(Revision::V2026_07_28, None, &message).is_empty());
        assert!(faults(Revision::V2025_06_18, None, &message).is_empty());
    }
}
