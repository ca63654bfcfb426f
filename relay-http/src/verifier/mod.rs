//! Who a request is made for, and how it is refused.

mod bearer;
mod refusal;
mod tokens;

use std::{fmt, future::Future, pin::Pin, sync::Arc};

pub use bearer::bearer;
use http::request::Parts;
pub use refusal::Refusal;
use relay_core::Principal;
pub use tokens::{StaticTokens, TokenError};

/// Says who a request is made for, from its head alone. An endpoint that has one is protected:
/// every request passes it, before its body is read (AUTH-12, AUTH-13).
///
/// ```
/// use http::request::Parts;
/// use relay_http::{Refusal, Verifier, bearer, relay_core::Principal};
///
/// struct Directory;
///
/// impl Verifier for Directory {
///     async fn verify(&self, parts: &Parts) -> Result<Principal, Refusal> {
///         match self.look_up(bearer(parts)?).await {
///             Ok(Some(user)) => Ok(Principal::new("https://directory.example", user)),
///             Ok(None) => Err(Refusal::invalid_token("the token is unknown or has ended")),
///             Err(_) => Err(Refusal::unavailable()),
///         }
///     }
/// }
///
/// impl Directory {
///     async fn look_up(&self, token: &str) -> Result<Option<String>, std::io::Error> {
///         Ok(token.strip_prefix("user-").map(str::to_owned))
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't verify requests",
    label = "not a verifier",
    note = "implement `relay_http::Verifier` for it, or use `relay_http::StaticTokens`"
)]
pub trait Verifier: Send + Sync + 'static {
    /// The principal that the request's credentials prove.
    ///
    /// # Errors
    ///
    /// A [`Refusal`]: what is answered instead.
    fn verify(&self, parts: &Parts) -> impl Future<Output = Result<Principal, Refusal>> + Send;
}

/// A verifier of whatever type.
#[derive(Clone)]
pub(crate) struct AnyVerifier(Arc<dyn Erased>);

type Verifying<'a> = Pin<Box<dyn Future<Output = Result<Principal, Refusal>> + Send + 'a>>;

trait Erased: Send + Sync {
    fn verify<'a>(&'a self, parts: &'a Parts) -> Verifying<'a>;
}

struct Typed<V>(V);

impl<V: Verifier> Erased for Typed<V> {
    fn verify<'a>(&'a self, parts: &'a Parts) -> Verifying<'a> {
        Box::pin(self.0.verify(parts))
    }
}

impl AnyVerifier {
    pub(crate) fn new(verifier: impl Verifier) -> Self {
        Self(Arc::new(Typed(verifier)))
    }

    pub(crate) fn verify<'a>(&'a self, parts: &'a Parts) -> Verifying<'a> {
        self.0.verify(parts)
    }
}

impl<V: Verifier> Verifier for Arc<V> {
    async fn verify(&self, parts: &Parts) -> Result<Principal, Refusal> {
        V::verify(self, parts).await
    }
}

impl fmt::Debug for AnyVerifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AnyVerifier")
    }
}
