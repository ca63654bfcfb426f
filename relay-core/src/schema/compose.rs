//! One schema inside another.

use super::keyword::subschemas_mut;
use super::{Members, Node, Schema};

/// The path that recursive references start with.
const PREFIX: &str = "#/$defs/";

/// The definitions of a schema being put together from others. A reference is relative to the
/// document it stands in, so whatever is nested hands its definitions up to the root.
#[derive(Debug, Default)]
pub(crate) struct Definitions(Members);

impl Definitions {
    /// The root of `schema`, to be placed anywhere in the document whose definitions these are.
    pub(crate) fn adopt(&mut self, schema: &Schema) -> Node {
        let mut root = Node::Object(schema.0.root.clone());
        let incoming = &schema.0.definitions;
        if incoming.is_empty() {
            return root;
        }
        let renames = self.renames(incoming);
        for (name, definition) in incoming {
            let mut definition = definition.clone();
            repoint(&mut definition, &renames);
            self.0
                .insert(renamed(name, &renames).to_owned(), definition);
        }
        repoint(&mut root, &renames);
        root
    }

    pub(crate) fn finish(self, root: Members) -> Schema {
        Schema::with_definitions(root, self.0)
    }

    /// New names for those of `incoming` that mean something else here already.
    fn renames(&self, incoming: &Members) -> Vec<(String, String)> {
        let clashes = incoming
            .iter()
            .any(|(name, node)| self.0.get(name).is_some_and(|known| known != node));
        if !clashes {
            return Vec::new();
        }
        let limit = self.0.len() + incoming.len() + 2;
        incoming
            .keys()
            .filter(|name| self.0.contains_key(*name))
            .map(|name| {
                let free = (2..=limit)
                    .map(|number| format!("{name}{number}"))
                    .find(|candidate| {
                        !self.0.contains_key(candidate) && !incoming.contains_key(candidate)
                    })
                    .unwrap_or_else(|| name.clone());
                (name.clone(), free)
            })
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
        assert_eq!(definitions.0.len(), 1);
    }
}
