use std::{sync::OnceLock, time::Duration};

/// State that came with a request and opens one run only, of a tool that is
/// [so defined](crate::tool::Definition::single_use).
///
/// The handler does not run before the driver has found out whether it is the first to use the
/// state, of all that share a store, and has said so.
#[derive(Debug)]
pub struct SingleUse {
    name: String,
    lifetime: Duration,
    first: OnceLock<bool>,
}

impl SingleUse {
    pub(super) fn new(name: String, lifetime: Duration) -> Self {
        Self {
            name,
            lifetime,
            first: OnceLock::new(),
        }
    }

    /// A name that no other state has, to remember its use by.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// For how long the use has to be remembered: no longer does any replica open the state.
    #[must_use]
    pub fn lifetime(&self) -> Duration {
        self.lifetime
    }

    /// Says whether this is the first use; what is said first holds.
    pub fn settle(&self, first: bool) {
        self.first.get_or_init(|| first);
    }

    pub(super) fn is_first(&self) -> Option<bool> {
        self.first.get().copied()
    }
}
