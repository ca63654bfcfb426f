//! A client that refuses what clients are known to refuse in the schema of a tool's input.

use serde_json::{Map, Value, json};

const FORMATS: [&str; 11] = [
    "date",
    "date-time",
    "duration",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "time",
    "uri",
    "uri-reference",
    "uuid",
];

/// What a strict client has against the schema of a tool's input.
#[must_use]
pub fn complaints(schema: &Value) -> Vec<String> {
    let mut complaints = Vec::new();
    if schema.get("type") != Some(&json!("object"))
        || !schema.get("properties").is_some_and(Value::is_object)
    {
        complaints.push("the root is no object of properties".to_owned());
    }
    for keyword in ["oneOf", "anyOf", "allOf", "not", "enum"] {
        if schema.get(keyword).is_some() {
            complaints.push(format!("{keyword} at the root"));
        }
    }
    look(schema, schema, "", &mut complaints);
    complaints
}

fn look(root: &Value, schema: &Value, at: &str, complaints: &mut Vec<String>) {
    let Some(members) = schema.as_object() else {
        complaints.push(format!("{at}: a boolean schema"));
        return;
    };
    if let Some(format) = members.get("format").and_then(Value::as_str)
        && !FORMATS.contains(&format)
    {
        complaints.push(format!("{at}: the format {format}"));
    }
    if let Some(target) = members.get("$ref").and_then(Value::as_str)
        && root.pointer(target.trim_start_matches('#')).is_none()
    {
        complaints.push(format!("{at}: the dangling reference {target}"));
    }
    if members.get("type") == Some(&json!("array"))
        && !members.get("items").is_some_and(Value::is_object)
        && !members.get("prefixItems").is_some_and(Value::is_array)
    {
        complaints.push(format!("{at}: a list of what"));
    }
    let required = list(members, "required");
    for (name, property) in map(members, "properties") {
        let kinds = property
            .as_object()
            .map(|property| list(property, "type"))
            .unwrap_or_default();
        if !required.contains(&json!(name)) && kinds.contains(&json!("null")) {
            complaints.push(format!("{at}/{name}: a null union for an optional member"));
        }
        look(root, property, &format!("{at}/{name}"), complaints);
    }
    for name in required {
        if !map(members, "properties").any(|(known, _)| name == known.as_str()) {
            complaints.push(format!("{at}: {name} is required and unknown"));
        }
    }
    for (name, definition) in map(members, "$defs") {
        look(root, definition, &format!("{at}/$defs/{name}"), complaints);
    }
    for keyword in ["items", "not"] {
        if let Some(inside) = members.get(keyword) {
            look(root, inside, &format!("{at}/{keyword}"), complaints);
        }
    }
    if let Some(inside) = members
        .get("additionalProperties")
        .filter(|inside| **inside != false)
    {
        look(root, inside, &format!("{at}/*"), complaints);
    }
    for keyword in ["oneOf", "anyOf", "allOf", "prefixItems"] {
        for branch in list(members, keyword) {
            look(root, &branch, &format!("{at}/{keyword}"), complaints);
        }
    }
}

fn list(members: &Map<String, Value>, keyword: &str) -> Vec<Value> {
    members
        .get(keyword)
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_default()
}

fn map<'a>(
    members: &'a Map<String, Value>,
    keyword: &str,
) -> impl Iterator<Item = (&'a String, &'a Value)> {
    members
        .get(keyword)
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    // T01, T05
    #[test]
    fn what_clients_refuse_is_found() {
        let good = json!({ "type": "object", "properties": { "a": { "type": "integer" } }, "additionalProperties": false });
        assert_eq!(complaints(&good), Vec::<String>::new());
        for bad in [
            json!({ "type": "object" }),
            json!({ "type": "object", "properties": { "a": true } }),
            json!({ "type": "object", "properties": { "a": { "type": "array" } } }),
            json!({ "type": "object", "properties": { "a": { "type": ["string", "null"] } } }),
            json!({ "type": "object", "properties": { "a": { "format": "uint32" } } }),
            json!({ "type": "object", "properties": { "a": { "$ref": "#/$defs/a" } } }),
            json!({ "type": "object", "properties": {}, "required": ["a"] }),
            json!({ "type": "object", "properties": {}, "oneOf": [] }),
        ] {
            assert_eq!(complaints(&bad).len(), 1, "{bad}");
        }
    }
}
