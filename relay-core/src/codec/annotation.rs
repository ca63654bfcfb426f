//! Words about a value, which constrain nothing.

use crate::schema::{Members, Node};

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
        self.apply(&mut members);
        members
    }

    /// These words alone.
    pub(crate) fn words(&self) -> Members {
        let mut members = Members::new();
        self.apply(&mut members);
        members
    }

    /// Puts these words into a schema, instead of those that it has.
    pub(crate) fn apply(&self, members: &mut Members) {
        for (keyword, text) in [("title", &self.title), ("description", &self.description)] {
            if let Some(text) = text {
                place(members, keyword, text);
            }
        }
    }
}

/// Sets a keyword that is only words, where a model reads it first.
pub(crate) fn place(members: &mut Members, keyword: &str, text: &str) {
    let text = Node::from(text);
    if let Some(known) = members.get_mut(keyword) {
        *known = text;
        return;
    }
    let place = ["type", "title"]
        .iter()
        .filter_map(|before| members.get_index_of(*before))
        .max()
        .map_or(0, |index| index + 1);
    members.shift_insert(place, keyword.to_owned(), text);
}
