//! Who may see and use what.

use std::{fmt, sync::Arc};

/// A policy over the caller's context and a declaration.
pub(crate) struct Policy<C, D>(Option<Arc<Decide<C, D>>>);

type Decide<C, D> = dyn Fn(&C, &D) -> bool + Send + Sync;

impl<C, D> Policy<C, D> {
    pub(crate) fn new(policy: impl Fn(&C, &D) -> bool + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(policy)))
    }

    /// Whether the policy lets this caller through; without one, everyone is.
    pub(crate) fn admits(&self, context: &C, declaration: &D) -> bool {
        self.0
            .as_ref()
            .is_none_or(|policy| policy(context, declaration))
    }

    /// Whether there is a policy, so that a list depends on the caller (CACHE-06).
    pub(crate) fn is_set(&self) -> bool {
        self.0.is_some()
    }
}

impl<C, D> Default for Policy<C, D> {
    fn default() -> Self {
        Self(None)
    }
}

impl<C, D> Clone for Policy<C, D> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<C, D> fmt::Debug for Policy<C, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Policy").field(&self.is_set()).finish()
    }
}
