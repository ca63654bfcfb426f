//! The revisions of the protocol, and what the wire of each knows.

use std::fmt;

use serde::{Serialize, Serializer};

use super::jsonrpc::ErrorCode;

/// A published revision of the protocol, ordered by date.
///
/// ```
/// use relay_core::protocol::revision::Revision;
///
/// let revision = Revision::parse("2025-06-18").expect("a known revision");
/// assert!(revision < Revision::V2026_07_28);
/// assert!(!revision.is_modern());
/// assert!(!revision.facts().icons);
/// ```
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub enum Revision {
    /// 2025-03-26, the one with batches.
    V2025_03_26,
    /// 2025-06-18, which brought structured results and elicitation.
    V2025_06_18,
    /// 2025-11-25, the last that opens with `initialize`.
    V2025_11_25,
    /// 2026-07-28, stateless: every request says what it needs to.
    V2026_07_28,
}

impl Revision {
    /// Every revision, newest first.
    pub const ALL: [Self; 4] = [
        Self::V2026_07_28,
        Self::V2025_11_25,
        Self::V2025_06_18,
        Self::V2025_03_26,
    ];

    /// The revision of this name; `None` for any other text.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|revision| revision.as_str() == name)
    }

    /// The name on the wire, a date.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::V2025_03_26 => "2025-03-26",
            Self::V2025_06_18 => "2025-06-18",
            Self::V2025_11_25 => "2025-11-25",
            Self::V2026_07_28 => "2026-07-28",
        }
    }

    /// Whether requests stand alone, rather than after an `initialize`.
    #[must_use]
    pub const fn is_modern(self) -> bool {
        self.facts().modern
    }

    /// What the wire of this revision knows.
    #[must_use]
    pub const fn facts(self) -> &'static Facts {
        match self {
            Self::V2025_03_26 => &MARCH_2025,
            Self::V2025_06_18 => &JUNE_2025,
            Self::V2025_11_25 => &NOVEMBER_2025,
            Self::V2026_07_28 => &JULY_2026,
        }
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Revision {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// What the wire of one revision knows: a row of the table that decides what may appear on it.
///
/// ```
/// use relay_core::protocol::revision::{Revision, StructuredContent};
///
/// let facts = Revision::V2025_03_26.facts();
/// assert_eq!(facts.structured_content, StructuredContent::None);
/// assert!(facts.batches);
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a column of the published table, independent of the others"
)]
#[non_exhaustive]
pub struct Facts {
    /// Requests carry their revision and capabilities in `_meta`; results carry `resultType`,
    /// cache hints and the server's information.
    pub modern: bool,
    /// `title` on tools, prompts, resources, arguments and implementations.
    pub titles: bool,
    /// `icons`, and an implementation's `description` and `websiteUrl`.
    pub icons: bool,
    /// `_meta` on tools, prompts, resources and content, rather than on results only.
    pub item_meta: bool,
    /// Annotations say when an item was last changed.
    pub last_modified: bool,
    /// What `structuredContent` and `outputSchema` may hold.
    pub structured_content: StructuredContent,
    /// `resource_link` content.
    pub resource_links: bool,
    /// A client that leaves takes its request back (HTTP-24), rather than only its interest in the
    /// answer (LH-17).
    pub disconnect_cancels: bool,
    /// Several messages in one array (LJ-02).
    pub batches: bool,
    /// An answer to an unreadable request has `"id": null`, rather than no `id` (LJ-08).
    pub null_id_on_unreadable: bool,
    /// `context` in `completion/complete` (LU-09).
    pub completion_context: bool,
    /// `extensions` among the capabilities.
    pub extensions: bool,
    /// A request may be answered with questions, and sent again with what they brought (MRTR-01).
    pub input_rounds: bool,
    /// The code for a resource that is not there (ERR-01, LF-07).
    pub resource_not_found: ErrorCode,
}

/// What `structuredContent` and `outputSchema` may hold.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum StructuredContent {
    /// They do not exist.
    None,
    /// Only an object at the root.
    ObjectOnly,
    /// Any JSON value.
    Any,
}

const MARCH_2025: Facts = Facts {
    modern: false,
    titles: false,
    icons: false,
    item_meta: false,
    last_modified: false,
    structured_content: StructuredContent::None,
    resource_links: false,
    disconnect_cancels: false,
    batches: true,
    null_id_on_unreadable: true,
    completion_context: false,
    extensions: false,
    input_rounds: false,
    resource_not_found: ErrorCode::RESOURCE_NOT_FOUND,
};

const JUNE_2025: Facts = Facts {
    titles: true,
    item_meta: true,
    last_modified: true,
    structured_content: StructuredContent::ObjectOnly,
    resource_links: true,
    batches: false,
    completion_context: true,
    ..MARCH_2025
};

const NOVEMBER_2025: Facts = Facts {
    icons: true,
    null_id_on_unreadable: false,
    ..JUNE_2025
};

const JULY_2026: Facts = Facts {
    modern: true,
    disconnect_cancels: true,
    structured_content: StructuredContent::Any,
    extensions: true,
    input_rounds: true,
    resource_not_found: ErrorCode::INVALID_PARAMS,
    ..NOVEMBER_2025
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip_and_newest_comes_first() {
        assert!(Revision::ALL.iter().rev().is_sorted());
        for revision in Revision::ALL {
            assert_eq!(Revision::parse(revision.as_str()), Some(revision));
        }
        for other in ["2024-11-05", "", "2026-07-28 ", "draft"] {
            assert_eq!(Revision::parse(other), None, "{other}");
        }
    }

    // LF-01, LH-17, LJ-02, LJ-07, LJ-08, LU-09, LF-07, ERR-01
    #[test]
    fn facts_follow_the_published_table() {
        let column = |fact: fn(&Facts) -> bool| {
            let mut revisions = Revision::ALL;
            revisions.sort();
            revisions.map(|revision| fact(revision.facts()))
        };
        assert_eq!(column(|f| f.modern), [false, false, false, true]);
        assert_eq!(column(|f| f.titles), [false, true, true, true]);
        assert_eq!(column(|f| f.icons), [false, false, true, true]);
        assert_eq!(column(|f| f.item_meta), [false, true, true, true]);
        assert_eq!(column(|f| f.last_modified), [false, true, true, true]);
        assert_eq!(column(|f| f.resource_links), [false, true, true, true]);
        assert_eq!(
            column(|f| f.disconnect_cancels),
            [false, false, false, true]
        );
        assert_eq!(column(|f| f.batches), [true, false, false, false]);
        assert_eq!(
            column(|f| f.null_id_on_unreadable),
            [true, true, false, false]
        );
        assert_eq!(column(|f| f.completion_context), [false, true, true, true]);
        assert_eq!(column(|f| f.extensions), [false, false, false, true]);
        assert_eq!(column(|f| f.input_rounds), [false, false, false, true]);
        assert_eq!(
            column(|f| f.resource_not_found == ErrorCode::RESOURCE_NOT_FOUND),
            [true, true, true, false]
        );
        assert_eq!(
            column(|f| f.structured_content == StructuredContent::ObjectOnly),
            [false, true, true, false]
        );
        assert_eq!(
            column(|f| f.structured_content == StructuredContent::Any),
            [false, false, false, true]
        );
    }
}
