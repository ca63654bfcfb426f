//! Words about a value, which constrain nothing.

use crate::schema::{Members, Node, Schema};

/// The title and the description that a builder was given.
#[derive(Clone, Debug, Default)]
pub(crate) struct Annotation {
    pub(crate) title: Option<String>,
    pub(crate) description: Option<String>,
}

impl Annotation {
    /// The start of a schema: its type, then these words, so that a model reads them first.
    pub(crate) fn members(&self, kind: &str) -> Members {
        let mut members = Members::new();
        members.insert("type".to_owned(), Node::from(kind));
        for (keyword, text) in [("title", &self.title), ("description", &self.description)] {
            if let Some(text) = text {
                members.insert(keyword.to_owned(), Node::from(text.as_str()));
            }
        }
        members
    }
}

/// `schema` with the annotation `keyword`, placed where [`Annotation::members`] would place it.
pub(crate) fn annotated(schema: &Schema, keyword: &str, text: String) -> Schema {
    schema.edited(|members| {
        if let Some(known) = members.get_mut(keyword) {
            *known = Node::String(text);
            return;
        }
        let place = ["type", "title"]
            .iter()
            .filter_map(|before| members.get_index_of(*before))
            .max()
            .map_or(0, |index| index + 1);
        members.shift_insert(place, keyword.to_owned(), Node::String(text));
    })
}
