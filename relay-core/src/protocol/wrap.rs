//! Output that is no object, for revisions whose structured content is always one (LF-02).

use serde_json::{Value, json};

use crate::schema::Schema;

/// The one member of the object around it.
pub(crate) const MEMBER: &str = "result";

/// Keywords whose values are data, not schemas.
const DATA: [&str; 4] = ["const", "default", "enum", "examples"];

/// The schema of the object around an output, or nothing where the output is an object by itself.
pub(crate) fn wrapped(schema: &Schema) -> Option<Value> {
    let mut inner = schema.to_value();
    if inner.get("type").and_then(Value::as_str) == Some("object") {
        return None;
    }
    let dialect = inner
        .as_object_mut()
        .and_then(|inner| inner.remove("$schema"));
    move_references(&mut inner);
    let mut outer =
        json!({ "type": "object", "properties": { MEMBER: inner }, "required": [MEMBER] });
    if let (Some(outer), Some(dialect)) = (outer.as_object_mut(), dialect) {
        outer.insert("$schema".to_owned(), dialect);
    }
    Some(outer)
}

/// Points references that begin at the root to where the root is now.
fn move_references(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(move_references),
        Value::Object(members) => {
            for (key, value) in members {
                match value {
                    Value::String(pointer) if key == "$ref" => move_pointer(pointer),
                    _ if DATA.contains(&key.as_str()) => {}
                    _ => move_references(value),
                }
            }
        }
        _ => {}
    }
}

fn move_pointer(pointer: &mut String) {
    if pointer == "#" || pointer.starts_with("#/") {
        pointer.insert_str(1, &format!("/properties/{MEMBER}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // LF-02
    #[test]
    fn local_references_follow_the_schema_they_are_in() {
        let mut schema = json!({
            "type": "array",
            "items": { "$ref": "#/$defs/node" },
            "$defs": { "node": { "anyOf": [{ "$ref": "#" }, { "$ref": "#anchor" }, { "const": { "$ref": "#" } }] } },
        });
        move_references(&mut schema);
        let expected = json!({
            "type": "array",
            "items": { "$ref": "#/properties/result/$defs/node" },
            "$defs": { "node": { "anyOf": [
                { "$ref": "#/properties/result" },
                { "$ref": "#anchor" },
                { "const": { "$ref": "#" } },
            ] } },
        });
        assert_eq!(schema, expected);
    }
}
