//! One schema inside another.

use std::sync::Arc;

use super::keyword::subschemas_mut;
use super::{Document, Members, Node, Schema};

/// The path that recursive references start with.
const PREFIX: &str = "#/$defs/";

/// The definitions of a schema being put together from others. A reference is relative to the
/// document it stands in, so whatever is nested hands its definitions up to the root.
#[derive(Debug, Default)]
pub(crate) struct Definitions {
    by_name: Members,
    problem: Option<String>,
}

impl Definitions {
    /// The root of `schema`, to be placed anywhere in the document whose definitions these are.
    pub(crate) fn adopt(&mut self, schema: &Schema) -> Node {
        if self.problem.is_none() {
            self.problem.clone_from(&schema.0.problem);
        }
        if schema.is_handwritten() {
            return self.adopt_handwritten(schema.0.root.clone());
        }
        let mut root = Node::Object(schema.0.root.clone());
        let incoming = &schema.0.definitions;
        if incoming.is_empty() {
            return root;
        }
        let renames = self.renames(incoming);
        for (name, definition) in incoming {
            let mut definition = definition.clone();
            repoint(&mut definition, &renames);
            self.by_name
                .insert(renamed(name, &renames).to_owned(), definition);
        }
        repoint(&mut root, &renames);
        root
    }

    pub(crate) fn finish(self, root: Members) -> Schema {
        Schema(Arc::new(Document {
            root,
            definitions: self.by_name,
            handwritten: false,
            problem: self.problem,
        }))
    }

    /// A schema that the author wrote out, with references into itself, becomes a definition.
    fn adopt_handwritten(&mut self, mut root: Members) -> Node {
        if let Some(dialect) = root.shift_remove("$schema")
            && dialect
                .as_str()
                .is_some_and(|dialect| dialect.contains("draft-07"))
        {
            self.problem = Some(
                "a schema of draft-07 can only be a whole input or output, not a part of one"
                    .to_owned(),
            );
        }
        // With an identifier, references are relative to it, wherever it stands.
        if root.contains_key("$id") {
            return Node::Object(root);
        }
        let mut schema = Node::Object(root);
        let name = self.free_name("Schema", &Members::new());
        if rebase(&mut schema, &format!("{PREFIX}{name}")) {
            self.by_name.insert(name.clone(), schema);
            Node::object([("$ref", Node::String(format!("{PREFIX}{name}")))])
        } else {
            schema
        }
    }

    /// A name like `name` that is not taken.
    fn free_name(&self, name: &str, incoming: &Members) -> String {
        let limit = self.by_name.len() + incoming.len() + 2;
        let free = |candidate: &String| {
            !self.by_name.contains_key(candidate) && !incoming.contains_key(candidate)
        };
        std::iter::once(name.to_owned())
            .chain((2..=limit).map(|number| format!("{name}{number}")))
            .find(free)
            .unwrap_or_else(|| name.to_owned())
    }

    /// New names for those of `incoming` that mean something else here already.
    fn renames(&self, incoming: &Members) -> Vec<(String, String)> {
        let clashes = incoming
            .iter()
            .any(|(name, node)| self.by_name.get(name).is_some_and(|known| known != node));
        if !clashes {
            return Vec::new();
        }
        incoming
            .keys()
            .filter(|name| self.by_name.contains_key(*name))
            .map(|name| (name.clone(), self.free_name(name, incoming)))
            .collect()
    }
}

fn renamed<'a>(name: &'a str, renames: &'a [(String, String)]) -> &'a str {
    renames
        .iter()
        .find(|(old, _)| old == name)
        .map_or(name, |(_, new)| new)
}

/// Points the references of a schema, and of every schema inside it, at the new names.
fn repoint(schema: &mut Node, renames: &[(String, String)]) {
    let Node::Object(members) = schema else {
        return;
    };
    if renames.is_empty() {
        return;
    }
    if let Some(Node::String(target)) = members.get_mut("$ref")
        && let Some(name) = target.strip_prefix(PREFIX)
    {
        *target = format!("{PREFIX}{}", renamed(name, renames));
    }
    subschemas_mut(members, |_, schema| repoint(schema, renames));
}

/// Points references into the document at `base` in it; `false` if there are none.
fn rebase(schema: &mut Node, base: &str) -> bool {
    let Node::Object(members) = schema else {
        return false;
    };
    let mut any = false;
    for keyword in ["$ref", "$dynamicRef"] {
        if let Some(Node::String(target)) = members.get_mut(keyword)
            && let Some(pointer) = target.strip_prefix('#')
            && (pointer.is_empty() || pointer.starts_with('/'))
        {
            *target = format!("{base}{pointer}");
            any = true;
        }
    }
    subschemas_mut(members, |_, schema| {
        let embedded = schema
            .as_object()
            .is_some_and(|inside| inside.contains_key("$id"));
        if !embedded {
            any |= rebase(schema, base);
        }
    });
    any
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn recursive(kind: &str) -> Schema {
        let members = |value| match Node::from(value) {
            Node::Object(members) => members,
            _ => Members::new(),
        };
        Schema::with_definitions(
            members(json!({"$ref": "#/$defs/Tree"})),
            members(json!({"Tree": {"type": kind, "items": {"$ref": "#/$defs/Tree"}}})),
        )
    }

    #[test]
    fn definitions_of_one_name_stay_apart_when_they_differ() {
        let mut definitions = Definitions::default();
        let first = definitions.adopt(&recursive("array"));
        let second = definitions.adopt(&recursive("object"));
        let mut root = Members::new();
        root.insert("anyOf".to_owned(), Node::Array(vec![first, second]));
        assert_eq!(
            definitions.finish(root).to_value(),
            json!({
                "anyOf": [{"$ref": "#/$defs/Tree"}, {"$ref": "#/$defs/Tree2"}],
                "$defs": {
                    "Tree": {"type": "array", "items": {"$ref": "#/$defs/Tree"}},
                    "Tree2": {"type": "object", "items": {"$ref": "#/$defs/Tree2"}},
                },
            })
        );
    }

    #[test]
    fn equal_definitions_are_shared() {
        let mut definitions = Definitions::default();
        let first = definitions.adopt(&recursive("array"));
        let second = definitions.adopt(&recursive("array"));
        assert_eq!(first, second);
        assert_eq!(definitions.by_name.len(), 1);
    }
}
