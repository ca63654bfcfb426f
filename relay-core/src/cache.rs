//! How long, and by whom, a result may be kept.

use std::time::Duration;

use serde::Serialize;

/// A caching hint for a list or a read (CACHE-02, CACHE-03).
///
/// A result that depends on the caller is sent as private whatever the hint says, as far as Relay
/// knows of it: where a policy filters it, or a template's lister feeds it (CACHE-06).
///
/// ```
/// use std::time::Duration;
/// use relay_core::Cache;
///
/// let for_everyone = Cache::public(Duration::from_secs(300));
/// let for_this_caller = Cache::private(Duration::from_secs(60));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cache {
    ttl: Duration,
    scope: Scope,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Scope {
    Private,
    Public,
}

/// The results that carry a caching hint (CACHE-01).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Cacheable {
    /// `server/discover`.
    Discover,
    /// `prompts/list`.
    PromptsList,
    /// `resources/list`.
    ResourcesList,
    /// `resources/read`, for resources that have no hint of their own.
    ResourcesRead,
    /// `resources/templates/list`.
    ResourceTemplatesList,
    /// `tools/list`.
    ToolsList,
}

/// The largest integer that every JSON reader keeps exactly: 285,000 years.
const LONGEST_TTL: u64 = (1 << 53) - 1;

impl Cache {
    /// Anyone may keep the result for this long. Fractions of a millisecond are dropped.
    #[must_use]
    pub const fn public(ttl: Duration) -> Self {
        Self {
            ttl,
            scope: Scope::Public,
        }
    }

    /// Only this caller may keep the result, for this long. Fractions of a millisecond are
    /// dropped.
    #[must_use]
    pub const fn private(ttl: Duration) -> Self {
        Self {
            ttl,
            scope: Scope::Private,
        }
    }

    pub(crate) fn private_if(self, private: bool) -> Self {
        if private {
            Self {
                scope: Scope::Private,
                ..self
            }
        } else {
            self
        }
    }

    pub(crate) fn ttl_millis(self) -> u64 {
        u64::try_from(self.ttl.as_millis())
            .unwrap_or(u64::MAX)
            .min(LONGEST_TTL)
    }

    pub(crate) fn scope(self) -> Scope {
        self.scope
    }
}

/// Private and stale at once (CACHE-07).
impl Default for Cache {
    fn default() -> Self {
        Self::private(Duration::ZERO)
    }
}
