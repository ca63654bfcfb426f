//! Which keywords of a schema hold schemas.

use super::node::{Members, Node};

/// What a keyword holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Holds {
    /// One schema.
    Schema,
    /// A list of schemas.
    List,
    /// Schemas by name, where the names are the author's and not keywords.
    Map,
    /// Anything else, in which nothing is a schema.
    Data,
}

/// What `keyword` holds in 2020-12 and draft-07.
pub(crate) fn holds(keyword: &str, held: &Node) -> Holds {
    match keyword {
        "allOf" | "anyOf" | "oneOf" | "prefixItems" => Holds::List,
        "$defs" | "definitions" | "dependentSchemas" | "patternProperties" | "properties" => {
            Holds::Map
        }
        // Draft-07 knows the list as well.
        "items" if held.as_array().is_some() => Holds::List,
        "additionalItems"
        | "additionalProperties"
        | "contains"
        | "contentSchema"
        | "else"
        | "if"
        | "items"
        | "not"
        | "propertyNames"
        | "then"
        | "unevaluatedItems"
        | "unevaluatedProperties" => Holds::Schema,
        _ => Holds::Data,
    }
}

/// Hands every schema directly inside `members` to `visit`, together with the keyword it is under.
pub(crate) fn subschemas_mut(members: &mut Members, mut visit: impl FnMut(&str, &mut Node)) {
    for (keyword, held) in members {
        match (holds(keyword, held), held) {
            (Holds::Schema, schema) => visit(keyword, schema),
            (Holds::List, Node::Array(schemas)) => {
                for schema in schemas {
                    visit(keyword, schema);
                }
            }
            (Holds::Map, Node::Object(schemas)) => {
                for schema in schemas.values_mut() {
                    visit(keyword, schema);
                }
            }
            _ => {}
        }
    }
}

/// The schemas directly inside `members`, each with its keyword.
#[cfg(feature = "validate")]
pub(crate) fn subschemas(members: &Members) -> impl Iterator<Item = (&str, &Node)> {
    members.iter().flat_map(|(keyword, held)| {
        let inside: Vec<&Node> = match (holds(keyword, held), held) {
            (Holds::Schema, schema) => vec![schema],
            (Holds::List, Node::Array(schemas)) => schemas.iter().collect(),
            (Holds::Map, Node::Object(schemas)) => schemas.values().collect(),
            _ => Vec::new(),
        };
        inside
            .into_iter()
            .map(move |schema| (keyword.as_str(), schema))
    })
}

/// What a local reference points at. Anchors and embedded resources are left to the validator.
#[cfg(feature = "validate")]
pub(crate) fn resolve<'a>(root: &'a Node, reference: &str) -> Option<&'a Node> {
    let pointer = reference.strip_prefix('#')?;
    if pointer.is_empty() {
        return Some(root);
    }
    let mut node = root;
    for step in pointer.strip_prefix('/')?.split('/') {
        let step = step.replace("~1", "/").replace("~0", "~");
        node = match node {
            Node::Object(members) => members.get(&step)?,
            Node::Array(items) => items.get(step.parse::<usize>().ok()?)?,
            Node::Null | Node::Bool(_) | Node::Number(_) | Node::String(_) => return None,
        };
    }
    Some(node)
}
