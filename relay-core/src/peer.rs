//! Who is at the other end.

use std::{fmt, sync::Arc};

use crate::Principal;

/// The far end of a connection or an exchange: the context its calls run in, and who it is.
///
/// A transport makes one for each connection (stdio) or each request (HTTP).
///
/// ```
/// use relay_core::{Peer, Principal};
///
/// struct Tenant;
/// let peer: Peer<Tenant> = Peer::new(Tenant).with_principal(Principal::new("https://id.example", "ada"));
/// ```
pub struct Peer<C> {
    context: Arc<C>,
    principal: Option<Arc<Principal>>,
}

impl<C> Peer<C> {
    /// An anonymous peer whose calls run in `context`.
    pub fn new(context: impl IntoContext<C>) -> Self {
        Self {
            context: context.into_context(),
            principal: None,
        }
    }

    /// Says who the peer is.
    #[must_use]
    pub fn with_principal(self, principal: impl Into<Arc<Principal>>) -> Self {
        Self {
            principal: Some(principal.into()),
            ..self
        }
    }

    /// The context of the peer's calls.
    #[must_use]
    pub fn context(&self) -> &Arc<C> {
        &self.context
    }

    /// Who the peer is; `None` when anonymous.
    #[must_use]
    pub fn principal(&self) -> Option<&Arc<Principal>> {
        self.principal.as_ref()
    }
}

impl<C> Clone for Peer<C> {
    fn clone(&self) -> Self {
        Self {
            context: Arc::clone(&self.context),
            principal: self.principal.clone(),
        }
    }
}

impl<C> fmt::Debug for Peer<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Peer")
            .field("principal", &self.principal)
            .finish_non_exhaustive()
    }
}

/// What can be the context of a server over `C`: a `C`, or an `Arc` of one.
#[diagnostic::on_unimplemented(
    message = "this server's context is `{C}`, but it was given `{Self}`",
    label = "not a `{C}`",
    note = "pass a `{C}` or an `Arc<{C}>`; a tool written for a smaller context is lifted with `map_context`"
)]
pub trait IntoContext<C> {
    /// The shared context.
    fn into_context(self) -> Arc<C>;
}

impl<C> IntoContext<C> for C {
    fn into_context(self) -> Arc<C> {
        Arc::new(self)
    }
}

impl<C> IntoContext<C> for Arc<C> {
    fn into_context(self) -> Self {
        self
    }
}
