//! The JSON Schema that a codec publishes.

#[cfg(feature = "validate")]
mod bounds;
mod compose;
mod enforce;
mod equality;
#[cfg(feature = "validate")]
mod explain;
mod keyword;
mod merge;
mod mirror;
mod node;
mod order;
mod prepare;
mod profile;
mod secret;
#[cfg(feature = "validate")]
mod validate;

use std::fmt;
use std::sync::Arc;

use serde::{Serialize, Serializer, ser::SerializeMap as _};
use serde_json::Value;

pub(crate) use compose::Definitions;
pub(crate) use enforce::Enforced;
#[cfg(test)]
pub(crate) use equality::equal;
pub(crate) use equality::repeated;
pub use mirror::MirroredHeader;
pub(crate) use mirror::{KEYWORD as MIRROR, Mirrors};
pub(crate) use node::{Members, Node};
pub(crate) use order::Order;
use prepare::Preparation;
#[cfg(feature = "validate")]
pub use validate::{SchemaError, Validator};

pub(crate) use profile::{Side, admits_null, derive};
pub(crate) use secret::is_secret;

/// A JSON Schema (2020-12) as it is published: its members, and the properties inside it, stay in
/// the order they were written, because models fill arguments in that order.
///
/// It is cheap to clone. Serialize it to publish it, or take it apart with
/// [`to_value`](Self::to_value).
///
/// ```
/// use relay_core::codec::{self, IntoCodec};
///
/// let codec = codec::string().max_length(200).describe("What to say").into_codec();
/// assert_eq!(
///     codec.decoder().schema().to_string(),
///     r#"{"type":"string","description":"What to say","maxLength":200}"#,
/// );
/// ```
#[derive(Clone, Default, PartialEq)]
pub struct Schema(Arc<Document>);

#[derive(Clone, Debug, Default, PartialEq)]
struct Document {
    root: Members,
    /// What recursive references in `root` point at, published under `$defs`.
    definitions: Members,
    /// Whether the author wrote it out: then it is published unchanged, and its definitions, if it
    /// has any, stand in `root`.
    handwritten: bool,
    /// Why it cannot be published.
    problem: Option<String>,
}

impl Schema {
    pub(crate) fn new(root: Members) -> Self {
        Self::with_definitions(root, Members::new())
    }

    pub(crate) fn with_definitions(root: Members, definitions: Members) -> Self {
        Self(Arc::new(Document {
            root,
            definitions,
            ..Document::default()
        }))
    }

    /// A schema that the author wrote out. The error is a sentence.
    #[cfg(feature = "validate")]
    pub(crate) fn handwritten(json: &Value) -> Result<Self, String> {
        match Node::bounded(json, bounds::DEPTH) {
            Some(Node::Object(root)) => Ok(Self(Arc::new(Document {
                root,
                handwritten: true,
                ..Document::default()
            }))),
            Some(_) => Err("a schema is an object".to_owned()),
            None => Err(format!(
                "the schema nests deeper than {} levels",
                bounds::DEPTH
            )),
        }
    }

    pub(crate) fn is_handwritten(&self) -> bool {
        self.0.handwritten
    }

    /// Why the schema cannot be published, if it cannot.
    pub(crate) fn problem(&self) -> Option<&str> {
        self.0.problem.as_deref()
    }

    /// What references can point at: each definition by its reference.
    pub(crate) fn definitions(&self) -> Members {
        let own = ["$defs", "definitions"].into_iter().filter_map(|keyword| {
            let definitions = self.0.root.get(keyword)?.as_object()?;
            Some((keyword, definitions))
        });
        own.chain([("$defs", &self.0.definitions)])
            .flat_map(|(keyword, definitions)| {
                definitions
                    .iter()
                    .map(move |(name, node)| (format!("#/{keyword}/{name}"), node.clone()))
            })
            .collect()
    }

    /// The schema as a [`Value`], which does not keep the order of members.
    ///
    /// ```
    /// use relay_core::codec::{self, IntoCodec};
    ///
    /// let schema = codec::boolean().into_codec().decoder().schema().to_value();
    /// assert_eq!(schema, serde_json::json!({"type": "boolean"}));
    /// ```
    #[must_use]
    pub fn to_value(&self) -> Value {
        self.document().to_value()
    }

    /// The root with its definitions, as it is published.
    pub(crate) fn document(&self) -> Node {
        let mut root = self.0.root.clone();
        if !self.0.definitions.is_empty() {
            root.insert("$defs".to_owned(), Node::Object(self.0.definitions.clone()));
        }
        Node::Object(root)
    }

    pub(crate) fn admits_null(&self) -> bool {
        admits_null(&Node::Object(self.0.root.clone()), &self.definitions())
    }

    /// The same schema with `properties`, if it is one of objects: many clients insist on them at
    /// the root of a tool's input.
    pub(crate) fn with_object_root(&self) -> Self {
        if self.0.handwritten
            || self.0.root.get("type").and_then(Node::as_str) != Some("object")
            || self.0.root.contains_key("properties")
        {
            return self.clone();
        }
        self.edited(|members| {
            let place = members
                .get_index_of("description")
                .map_or(1, |index| index + 1);
            members.shift_insert(place, "properties".to_owned(), Node::Object(Members::new()));
        })
    }

    pub(crate) fn root(&self) -> &Members {
        &self.0.root
    }

    /// The same schema after `change` to its root.
    pub(crate) fn edited(&self, change: impl FnOnce(&mut Members)) -> Self {
        let mut document = (*self.0).clone();
        change(&mut document.root);
        Self(Arc::new(document))
    }
}

impl Serialize for Schema {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Document {
            root, definitions, ..
        } = &*self.0;
        let mut map = serializer.serialize_map(None)?;
        for (name, node) in root {
            map.serialize_entry(name, node)?;
        }
        if !definitions.is_empty() {
            map.serialize_entry("$defs", &Node::Object(definitions.clone()))?;
        }
        map.end()
    }
}

impl fmt::Debug for Schema {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Schema({self})")
    }
}

impl fmt::Display for Schema {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&serde_json::to_string(self).map_err(|_unwritable| fmt::Error)?)
    }
}
