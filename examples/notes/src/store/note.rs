//! The values that go into and come out of the store.
//!
//! [`Summary`] and [`Hit`] are also what tools answer with: their comments are published.

use std::hash::{DefaultHasher, Hash, Hasher};

use schemars::JsonSchema;
use serde::Serialize;

/// The longest title, in characters.
pub(crate) const MAX_TITLE: usize = 200;

/// The longest text, in characters.
pub(crate) const MAX_TEXT: usize = 100_000;

/// The longest tag, in characters.
pub(crate) const MAX_TAG: usize = 50;

/// How many tags a note may carry.
pub(crate) const MAX_TAGS: usize = 20;

/// The longest query, in characters.
pub(crate) const MAX_QUERY: usize = 200;

/// A note without its text
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
pub(crate) struct Summary {
    /// The note is the resource `note://{id}`
    pub(crate) id: u32,
    pub(crate) title: String,
    /// Sorted, without repeats
    pub(crate) tags: Vec<String>,
    /// RFC 3339, UTC
    pub(crate) created: String,
    /// RFC 3339, UTC
    pub(crate) updated: String,
}

/// A note with its text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Note {
    pub(crate) summary: Summary,
    pub(crate) text: String,
}

impl Note {
    /// What tells the note from what it may become.
    pub(crate) fn mark(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.hash(&mut hasher);
        hasher.finish()
    }
}

/// A note that has not been kept yet.
#[derive(Clone, Debug, Default)]
pub(crate) struct Draft {
    pub(crate) title: String,
    pub(crate) text: String,
    pub(crate) tags: Vec<String>,
}

/// What to change in a note; `None` leaves a part as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Edit {
    pub(crate) title: Option<String>,
    pub(crate) text: Option<String>,
    pub(crate) tags: Option<Vec<String>>,
}

/// A note that a search found
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Hit {
    /// The note is the resource `note://{id}`
    pub(crate) id: u32,
    pub(crate) title: String,
    /// Some twenty words around the match, which is in `**bold**`
    pub(crate) snippet: String,
    pub(crate) tags: Vec<String>,
}

/// Makes a tag of what was typed: without the spaces around it, and such that it can be part of a
/// URI.
///
/// # Errors
///
/// [`BadTag`], whose text tells a model what to write instead.
pub(crate) fn tag(typed: &str) -> Result<String, BadTag> {
    let tag = typed.trim();
    let leads_elsewhere = tag.contains(['/', '\\', ':']) || tag.contains("..");
    if tag.is_empty() || leads_elsewhere || tag.contains(char::is_control) {
        Err(BadTag)
    } else {
        Ok(tag.to_owned())
    }
}

/// What was typed is no tag.
#[derive(Debug, thiserror::Error)]
#[error("expected a word or a few, without `/`, `\\`, `:` and `..`")]
pub(crate) struct BadTag;

/// A tag and how many notes carry it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tag {
    pub(crate) name: String,
    pub(crate) notes: u32,
}

/// How many notes were written in a week.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Week {
    /// The week's Monday, `YYYY-MM-DD`.
    pub(crate) monday: String,
    pub(crate) notes: u32,
}
