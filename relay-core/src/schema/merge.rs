//! A union at the root of a tool's input, published as one object.
//!
//! Many hosts refuse every tool of a server when one input has a union at its root. So the members
//! of all branches are published side by side, none of them required but what all branches share
//! as a tag; the decoder still enforces the union.

use super::{Members, Node, Schema};

/// The keywords that make a root a union.
const UNIONS: [&str; 2] = ["oneOf", "anyOf"];

impl Schema {
    /// The same schema as one object, if its root is a union of objects of known members.
    pub(crate) fn merged_root(&self) -> Option<Self> {
        let root = self.object(&Node::Object(self.0.root.clone()))?;
        let keyword = UNIONS.iter().find(|keyword| root.contains_key(**keyword))?;
        let branches: Vec<Members> = root
            .get(*keyword)?
            .as_array()?
            .iter()
            .map(|branch| self.object(branch))
            .collect::<Option<_>>()?;
        let mut merged = Merged::default();
        for branch in &branches {
            merged.add(branch, branches.len())?;
        }
        merged.add_own(&root);
        let mut members = Members::new();
        members.insert("type".to_owned(), Node::from("object"));
        for word in ["title", "description"] {
            if let Some(text) = root.get(word) {
                members.insert(word.to_owned(), text.clone());
            }
        }
        merged.finish(&mut members);
        Some(Self::with_definitions(members, self.0.definitions.clone()))
    }

    /// The members of an object schema, through its reference if it is one.
    fn object(&self, schema: &Node) -> Option<Members> {
        let mut members = schema.as_object()?;
        for _ in 0..8 {
            let Some(target) = members.get("$ref").and_then(Node::as_str) else {
                break;
            };
            let name = target.strip_prefix("#/$defs/")?;
            members = self.0.definitions.get(name)?.as_object()?;
        }
        let kind = members.get("type").and_then(Node::as_str);
        let union = UNIONS.iter().any(|keyword| members.contains_key(*keyword));
        (kind == Some("object") || (kind.is_none() && union)).then(|| members.clone())
    }
}

/// The members of several objects, side by side.
#[derive(Default)]
struct Merged {
    /// Each member with every schema that it has somewhere.
    properties: indexmap::IndexMap<String, Vec<Node>>,
    /// What every branch requires to be one constant or another.
    tags: Vec<String>,
    required: Vec<Node>,
    seen: usize,
    open: bool,
}

impl Merged {
    fn add(&mut self, branch: &Members, of: usize) -> Option<()> {
        let properties = branch.get("properties")?.as_object()?;
        for (name, property) in properties {
            let known = self.properties.entry(name.clone()).or_default();
            if !known.contains(property) {
                known.push(property.clone());
            }
        }
        let tags = properties
            .iter()
            .filter(|(_, property)| constant(property).is_some());
        let tags: Vec<&String> = tags.map(|(name, _)| name).collect();
        if self.seen == 0 && of > 0 {
            self.tags = tags.into_iter().cloned().collect();
        } else {
            self.tags.retain(|tag| tags.contains(&tag));
        }
        self.seen += 1;
        self.open |= branch.get("additionalProperties") != Some(&Node::Bool(false));
        Some(())
    }

    /// Adds what stands beside the union.
    fn add_own(&mut self, root: &Members) {
        let own = root
            .get("properties")
            .and_then(Node::as_object)
            .into_iter()
            .flatten();
        for (place, (name, property)) in own.enumerate() {
            self.properties
                .shift_insert(place, name.clone(), vec![property.clone()]);
        }
        if let Some(Node::Array(required)) = root.get("required") {
            self.required.clone_from(required);
        }
    }

    fn finish(mut self, members: &mut Members) {
        let mut properties = Members::new();
        for tag in &self.tags {
            if let Some(schemas) = self.properties.shift_remove(tag) {
                let names = schemas.iter().filter_map(constant).cloned().collect();
                let choices = [("type", Node::from("string")), ("enum", Node::Array(names))];
                properties.insert(tag.clone(), Node::object(choices));
                self.required.push(Node::from(tag.as_str()));
            }
        }
        for (name, mut schemas) in self.properties {
            let schema = match (schemas.len(), schemas.pop()) {
                (1, Some(only)) => only,
                (_, last) => {
                    schemas.extend(last);
                    Node::object([("anyOf", Node::Array(schemas))])
                }
            };
            properties.insert(name, schema);
        }
        members.insert("properties".to_owned(), Node::Object(properties));
        if !self.required.is_empty() {
            members.insert("required".to_owned(), Node::Array(self.required));
        }
        if !self.open {
            members.insert("additionalProperties".to_owned(), Node::Bool(false));
        }
    }
}

/// The one string that a schema admits.
fn constant(schema: &Node) -> Option<&Node> {
    let members = schema.as_object()?;
    let constant = match (
        members.get("const"),
        members.get("enum").and_then(Node::as_array),
    ) {
        (Some(constant), _) => constant,
        (None, Some([only])) => only,
        _ => return None,
    };
    constant.as_str().map(|_| constant)
}
