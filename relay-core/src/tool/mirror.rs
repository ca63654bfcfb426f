use serde_json::{Map, Value};

use crate::{
    codec::DefinitionFault,
    schema::{Holds, Members, Node, Schema, holds},
};

/// The keyword under which a property says that a header repeats it.
const KEYWORD: &str = "x-mcp-header";

/// An argument that a header `Mcp-Param-…` repeats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MirroredParameter {
    name: String,
    key: String,
    path: Vec<String>,
}

impl MirroredParameter {
    /// The name as published, without the prefix.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The name in lower case.
    pub(crate) fn key(&self) -> &str {
        &self.key
    }

    /// Where in the arguments it is, as a JSON pointer.
    pub(crate) fn pointer(&self) -> String {
        self.path
            .iter()
            .flat_map(|step| ["/".to_owned(), step.replace('~', "~0").replace('/', "~1")])
            .collect()
    }

    /// The argument: at exactly the path of its declaration (XMH-05).
    pub(crate) fn find<'a>(&self, arguments: &'a Map<String, Value>) -> Option<&'a Value> {
        let (first, rest) = self.path.split_first()?;
        let mut found = arguments.get(first)?;
        for step in rest {
            found = found.as_object()?.get(step)?;
        }
        Some(found)
    }
}

/// The arguments that headers repeat, as the published schema declares them (XMH-01 to XMH-05).
pub(super) fn parameters(schema: &Schema) -> Result<Vec<MirroredParameter>, Vec<DefinitionFault>> {
    let mut search = Search::default();
    if let Node::Object(root) = Node::from(schema.to_value()) {
        search.walk(&root, &Place::Root);
    }
    for (index, one) in search.found.iter().enumerate() {
        if search
            .found
            .iter()
            .skip(index + 1)
            .any(|other| other.key == one.key)
        {
            search.faults.push(DefinitionFault::new(format!(
                "two properties are mirrored in the header Mcp-Param-{}; letter case does not tell \
                 headers apart",
                one.name
            )));
        }
    }
    if search.faults.is_empty() {
        Ok(search.found)
    } else {
        Err(search.faults)
    }
}

#[derive(Default)]
struct Search {
    found: Vec<MirroredParameter>,
    faults: Vec<DefinitionFault>,
}

/// Where a schema stands in another.
enum Place {
    Root,
    /// Reached through `properties` alone.
    Property(Vec<String>),
    Elsewhere,
}

impl Search {
    fn walk(&mut self, schema: &Members, place: &Place) {
        if let Some(name) = schema.get(KEYWORD) {
            match declare(name, schema, place) {
                Ok(parameter) => self.found.push(parameter),
                Err(problem) => self.faults.push(DefinitionFault::new(problem)),
            }
        }
        for (keyword, held) in schema {
            match (holds(keyword, held), held) {
                (Holds::Schema, Node::Object(schema)) => self.walk(schema, &Place::Elsewhere),
                (Holds::List, Node::Array(schemas)) => {
                    for schema in schemas.iter().filter_map(Node::as_object) {
                        self.walk(schema, &Place::Elsewhere);
                    }
                }
                (Holds::Map, Node::Object(schemas)) => {
                    for (name, schema) in schemas {
                        let Some(schema) = schema.as_object() else {
                            continue;
                        };
                        let place = match place {
                            _ if keyword != "properties" => Place::Elsewhere,
                            Place::Root => Place::Property(vec![name.clone()]),
                            Place::Property(path) => Place::Property(
                                [path.as_slice(), std::slice::from_ref(name)].concat(),
                            ),
                            Place::Elsewhere => Place::Elsewhere,
                        };
                        self.walk(schema, &place);
                    }
                }
                _ => {}
            }
        }
    }
}

fn declare(name: &Node, schema: &Members, place: &Place) -> Result<MirroredParameter, String> {
    let Some(name) = name.as_str().filter(|name| is_token(name)) else {
        return Err(format!(
            "`{KEYWORD}` must be the end of a header's name: letters, digits and any of \
             !#$%&'*+-.^_`|~"
        ));
    };
    let Place::Property(path) = place else {
        return Err(format!(
            "`{KEYWORD}` ({name}) must stand on a property that is reached through `properties` \
             alone"
        ));
    };
    if !is_scalar(schema) {
        return Err(format!(
            "`{KEYWORD}` ({name}) must stand on a property of type string, integer or boolean"
        ));
    }
    if let Some(last) = path.last().filter(|last| is_secret(last)) {
        // XMH-06
        tracing::warn!(
            property = last,
            header = name,
            "this argument looks like a secret, and headers are logged by proxies: do not mirror it"
        );
    }
    Ok(MirroredParameter {
        key: name.to_ascii_lowercase(),
        name: name.to_owned(),
        path: path.clone(),
    })
}

/// A token of RFC 9110.
fn is_token(name: &str) -> bool {
    let token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    !name.is_empty() && name.chars().all(token)
}

/// Whether the schema has one type that a header can spell, with or without `null`.
fn is_scalar(schema: &Members) -> bool {
    let scalar = |name: &str| matches!(name, "boolean" | "integer" | "string");
    match schema.get("type") {
        Some(Node::String(name)) => scalar(name),
        Some(Node::Array(names)) => {
            let mut others = names
                .iter()
                .filter_map(Node::as_str)
                .filter(|name| *name != "null");
            others.next().is_some_and(scalar) && others.next().is_none()
        }
        _ => false,
    }
}

fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase().replace(['_', '-'], "");
    ["apikey", "credential", "password", "secret", "token"]
        .iter()
        .any(|word| name.contains(word))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn searched(schema: &Value) -> Result<Vec<MirroredParameter>, Vec<DefinitionFault>> {
        let Node::Object(root) = Node::from(schema.clone()) else {
            panic!("an object");
        };
        parameters(&Schema::new(root))
    }

    // XMH-05
    #[test]
    fn paths_follow_properties() {
        let found = searched(&json!({
            "type": "object",
            "properties": {
                "region": { "type": "string", "x-mcp-header": "Region" },
                "x-mcp-header": { "type": "string" },
                "where": { "type": "object", "properties": {
                    "a/b": { "type": ["integer", "null"], "x-mcp-header": "Zone-Id" },
                    "deep": { "properties": { "on": { "type": "boolean", "x-mcp-header": "on" } } },
                } },
            },
        }))
        .unwrap();
        let mut shown: Vec<_> = found
            .iter()
            .map(|one| (one.name(), one.key(), one.pointer()))
            .collect();
        shown.sort_unstable();
        assert_eq!(
            shown,
            [
                ("Region", "region", "/region".to_owned()),
                ("Zone-Id", "zone-id", "/where/a~1b".to_owned()),
                ("on", "on", "/where/deep/on".to_owned()),
            ]
        );
        let arguments = json!({ "where": { "a/b": 5, "deep": [] }, "a/b": 6 });
        let arguments = arguments.as_object().unwrap();
        let at = |key: &str| {
            found
                .iter()
                .find(|one| one.key() == key)
                .unwrap()
                .find(arguments)
        };
        assert_eq!(at("zone-id"), Some(&json!(5)));
        assert_eq!((at("region"), at("on")), (None, None));
    }

    // XMH-01, XMH-02, XMH-03, XMH-04
    #[test]
    fn annotations_that_no_client_could_follow_are_faults() {
        let mirrored = json!({ "type": "string", "x-mcp-header": "R" });
        let property = |schema: Value| json!({ "type": "object", "properties": { "p": schema } });
        for bad in [
            property(json!({ "type": "string", "x-mcp-header": "" })),
            property(json!({ "type": "string", "x-mcp-header": "a b" })),
            property(json!({ "type": "string", "x-mcp-header": "a\r\nb" })),
            property(json!({ "type": "string", "x-mcp-header": "é" })),
            property(json!({ "type": "string", "x-mcp-header": 5 })),
            property(json!({ "type": "number", "x-mcp-header": "R" })),
            property(json!({ "type": "object", "x-mcp-header": "R" })),
            property(json!({ "type": "array", "x-mcp-header": "R" })),
            property(json!({ "type": ["string", "integer"], "x-mcp-header": "R" })),
            property(json!({ "x-mcp-header": "R" })),
            property(json!({ "type": "array", "items": mirrored })),
            property(json!({ "anyOf": [mirrored] })),
            property(json!({ "not": mirrored })),
            property(json!({ "type": "array", "items": { "properties": { "q": mirrored } } })),
            json!({ "type": "object", "x-mcp-header": "R" }),
            json!({ "$defs": { "d": mirrored }, "properties": { "p": { "$ref": "#/$defs/d" } } }),
            json!({ "if": { "properties": { "p": mirrored } } }),
            json!({ "properties": {
                "a": { "type": "string", "x-mcp-header": "Region" },
                "b": { "type": "string", "x-mcp-header": "REGION" },
            } }),
        ] {
            assert_eq!(
                searched(&bad).map_err(|faults| faults.len()),
                Err(1),
                "{bad}"
            );
        }
    }
}
