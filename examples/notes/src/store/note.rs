//! The values that go into and come out of the store.

/// The longest title, in characters.
pub(crate) const MAX_TITLE: usize = 200;

/// The longest text, in characters.
pub(crate) const MAX_TEXT: usize = 100_000;

/// A note without its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Summary {
    pub(crate) id: i64,
    pub(crate) title: String,
    /// Sorted, without repeats.
    pub(crate) tags: Vec<String>,
    /// RFC 3339, UTC, whole seconds.
    pub(crate) created: String,
    /// RFC 3339, UTC, whole seconds.
    pub(crate) updated: String,
}

/// A note with its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Note {
    pub(crate) summary: Summary,
    pub(crate) text: String,
}

/// A note that has not been kept yet.
#[derive(Clone, Debug, Default)]
pub(crate) struct Draft {
    pub(crate) title: String,
    pub(crate) text: String,
    pub(crate) tags: Vec<String>,
}

/// What to change in a note; `None` leaves a part as it is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Edit {
    pub(crate) title: Option<String>,
    pub(crate) text: Option<String>,
    pub(crate) tags: Option<Vec<String>>,
}

/// A note that a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hit {
    pub(crate) id: i64,
    pub(crate) title: String,
    /// Some twenty words around the match, which is in `**bold**`.
    pub(crate) snippet: String,
    pub(crate) tags: Vec<String>,
}

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
