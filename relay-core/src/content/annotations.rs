use serde::{Deserialize, Serialize};

/// Who a content block or message is from or for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(
    clippy::exhaustive_enums,
    reason = "the protocol has exactly two roles"
)]
pub enum Role {
    /// The model.
    Assistant,
    /// The person.
    User,
}

/// Hints for the client about a content block or a resource (RES-11).
///
/// ```
/// use relay_core::content::{Annotations, Role};
///
/// let hints = Annotations::new().with_audience([Role::User]).with_priority(0.8);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Annotations {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    audience: Vec<Role>,
    #[serde(skip_serializing_if = "Option::is_none")]
    priority: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_modified: Option<String>,
}

impl Annotations {
    /// No hints yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Who the item is meant for.
    #[must_use]
    pub fn with_audience(self, audience: impl IntoIterator<Item = Role>) -> Self {
        Self {
            audience: audience.into_iter().collect(),
            ..self
        }
    }

    /// How important the item is, from 0 (optional) to 1 (required). Values outside are moved to
    /// the nearer end; NaN counts as unset.
    #[must_use]
    pub fn with_priority(self, priority: f64) -> Self {
        Self {
            priority: (!priority.is_nan()).then(|| priority.clamp(0.0, 1.0)),
            ..self
        }
    }

    /// When the item was last changed, as ISO 8601 text such as `2026-07-28T09:30:00Z`.
    #[must_use]
    pub fn with_last_modified(self, last_modified: impl Into<String>) -> Self {
        Self {
            last_modified: Some(last_modified.into()),
            ..self
        }
    }

    /// The same without the date, for a revision that has none.
    pub(crate) fn undated(self) -> Self {
        Self {
            last_modified: None,
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // RES-11
    #[test]
    fn priority_stays_within_its_range() {
        let priority = |value| {
            serde_json::to_value(Annotations::new().with_priority(value)).expect("serializable")
        };
        assert_eq!(priority(7.0)["priority"], 1.0);
        assert_eq!(priority(-7.0)["priority"], 0.0);
        assert_eq!(priority(f64::NAN), serde_json::json!({}));
    }
}
