//! Schemas that the author wrote out.

use std::sync::Arc;

use serde_json::Value;

use super::about::About;
use super::decoder::Decode;
use super::encoder::Encode;
use super::fault::{Location, Report};
use super::{Codec, Decoder, DefinitionFault, Encoder};
use crate::schema::{Enforced, Schema};

/// A JSON Schema of your own over [`Value`], published unchanged (SCH-04) and enforced.
///
/// It is 2020-12, unless its `$schema` says draft-07; formats are asserted. What does not hold
/// together is a mistake of the definition: see [`Validator::new`](crate::schema::Validator::new)
/// for what is refused. As for every codec, a `null` in an optional place that does not admit it
/// counts as absent.
///
/// ```
/// use relay_core::codec;
/// use serde_json::json;
///
/// let codec = codec::schema(json!({
///     "type": "object",
///     "properties": {"from": {"type": "integer"}, "to": {"type": "integer"}},
///     "anyOf": [{"required": ["from"]}, {"required": ["to"]}],
/// }));
/// codec.decode(json!({"to": 3})).unwrap();
/// assert_eq!(
///     codec.decode(json!({"from": "1"})).unwrap_err().to_string(),
///     "/from: expected an integer, got the string \"1\"",
/// );
/// ```
#[must_use]
pub fn schema(json: impl Into<Value>) -> Codec<Value> {
    let mut faults = Vec::new();
    let schema = Schema::handwritten(&json.into()).unwrap_or_else(|problem| {
        faults.push(DefinitionFault::new(problem));
        Schema::default()
    });
    let (enforced, unenforceable) = Enforced::new(&schema);
    faults.extend(unenforceable);
    let admits_null = schema.admits_null();
    let about = About::new(schema, "a value of its schema", faults).with_null(admits_null);
    let enforced = Arc::new(enforced);
    let read = Handwritten(Arc::clone(&enforced));
    Codec::new(
        Decoder::new(about.clone(), Arc::new(read)),
        Encoder::new(about, Arc::new(Handwritten(enforced))),
    )
}

struct Handwritten(Arc<Enforced>);

impl Decode<Value> for Handwritten {
    fn decode(&self, mut value: Value, at: &Location<'_>, report: &mut Report) -> Option<Value> {
        self.0.judge(&mut value, at, report)?;
        Some(value)
    }
}

impl Encode<Value> for Handwritten {
    fn encode(&self, mut value: Value, at: &Location<'_>, report: &mut Report) -> Option<Value> {
        self.0.judge(&mut value, at, report)?;
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::{IntoCodec, IntoDecoder, Output, field, list, object};
    use serde_json::json;

    fn problems(json: Value) -> String {
        schema(json)
            .into_decoder()
            .map(|_| ())
            .unwrap_err()
            .to_string()
    }

    // SCH-04, SCH-01
    #[test]
    fn a_schema_is_published_unchanged() {
        let json = json!({
            "type": "object",
            "$defs": {"N": {"$anchor": "n", "type": ["integer", "null"]}},
            "properties": {"n": {"$ref": "#n"}, "any": true},
            "if": {"required": ["n"]},
            "then": {"required": ["any"]},
            "oneOf": [{"required": ["n"]}, {"required": ["any"]}],
            "x-own": [1],
        });
        let decoder = schema(json.clone()).into_decoder().unwrap();
        assert_eq!(decoder.schema().to_value(), json);
        let bare = json!({"type": "object"});
        let decoder = schema(bare.clone()).into_decoder().unwrap();
        assert_eq!(decoder.schema().to_value(), bare);
    }

    // SCH-04
    #[test]
    fn composition_is_enforced() {
        let codec = schema(json!({
            "type": "object",
            "properties": {"kind": {"enum": ["a", "b"]}},
            "if": {"properties": {"kind": {"const": "a"}}},
            "then": {"required": ["extra"]},
            "unevaluatedProperties": false,
        }));
        codec.decode(json!({"kind": "b"})).unwrap();
        assert_eq!(
            codec.decode(json!({"kind": "a"})).unwrap_err().to_string(),
            "/extra: missing, expected a value"
        );
        assert_eq!(
            codec
                .decode(json!({"kind": "b", "zz": 1}))
                .unwrap_err()
                .to_string(),
            "/zz: expected only the field `kind`, got an unknown field"
        );
    }

    // SCH-02
    #[test]
    fn a_dialect_is_supported_or_named() {
        let draft_07 = json!({
            "$schema": "http://json-schema.org/draft-07/schema#",
            "type": "object",
            "definitions": {"n": {"type": "integer"}},
            "properties": {"pair": {"items": [{"$ref": "#/definitions/n"}]}},
        });
        let codec = schema(draft_07);
        assert!(codec.decode(json!({"pair": [1, "x"]})).is_ok());
        assert!(codec.decode(json!({"pair": ["x"]})).is_err());
        let draft_04 = json!({"$schema": "http://json-schema.org/draft-04/schema#"});
        let faults = problems(draft_04);
        assert!(faults.contains("`http://json-schema.org/draft-04/schema` is not supported"));
    }

    // SCH-03
    #[test]
    fn a_schema_that_its_dialect_refuses_is_a_mistake() {
        let faults = problems(json!({"type": "object", "properties": {"a": {"type": "text"}}}));
        assert!(
            faults.contains("the schema is not valid at /properties/a/type"),
            "{faults}"
        );
        assert!(problems(json!({"type": "object", "required": "a"})).contains("/required"));
        assert!(problems(json!(true)).contains("a schema is an object"));
        assert!(problems(json!({"type": "object", "pattern": "(?=a)b"})).contains("/pattern"));
    }

    #[test]
    fn a_format_is_enforced_or_refused() {
        let json = json!({"type": "object", "properties": {"a": {"format": "idn-email"}}});
        assert!(problems(json).contains("`idn-email` is not enforced"));
        let own = schema(json!({"type": "object", "properties": {"a": {"format": "our-id"}}}));
        own.decode(json!({"a": "x"})).unwrap();
    }

    // SCH-05
    #[test]
    fn a_reference_that_leads_outside_is_a_mistake() {
        for target in [
            "https://example.com/schema.json",
            "file:///etc/passwd",
            "other.json",
        ] {
            let json = json!({"type": "object", "properties": {"a": {"$ref": target}}});
            assert!(problems(json).contains("not valid"), "{target}");
        }
        assert!(problems(json!({"type": "object", "$ref": "#/$defs/none"})).contains("not valid"));
    }

    // SCH-09, TOOL-15
    #[test]
    fn an_output_may_be_anything() {
        for json in [json!({"type": "array"}), json!({"type": "null"}), json!({})] {
            schema(json).into_output().unwrap();
        }
    }

    #[test]
    fn references_keep_their_meaning_where_a_schema_is_nested() {
        let tree = json!({
            "type": "object",
            "properties": {"leaves": {"items": {"$ref": "#/$defs/Leaf"}}, "next": {"$ref": "#"}},
            "$defs": {"Leaf": {"type": "string"}},
        });
        let codec = object(field("trees", list(schema(tree)))).into_codec();
        let published = codec.decoder().schema().to_value();
        assert_eq!(
            published["properties"]["trees"]["items"],
            json!({"$ref": "#/$defs/Schema"})
        );
        assert_eq!(
            published["$defs"]["Schema"]["properties"],
            json!({
                "leaves": {"items": {"$ref": "#/$defs/Schema/$defs/Leaf"}},
                "next": {"$ref": "#/$defs/Schema"},
            })
        );
        let validator = crate::schema::Validator::new(&published).unwrap();
        for (value, fits) in [
            (
                json!({"trees": [{"leaves": ["a"], "next": {"next": {"leaves": []}}}]}),
                true,
            ),
            (
                json!({"trees": [{"next": {"next": {"leaves": [1]}}}]}),
                false,
            ),
        ] {
            assert_eq!(validator.is_valid(&value), fits, "{value}");
            assert_eq!(codec.decode(value).is_ok(), fits);
        }
    }

    #[test]
    fn another_dialect_cannot_be_nested() {
        let old = schema(json!({"$schema": "http://json-schema.org/draft-07/schema#"}));
        let faults = object(field("a", old))
            .into_decoder()
            .unwrap_err()
            .to_string();
        assert!(
            faults.contains("can only be a whole input or output"),
            "{faults}"
        );
    }
}
