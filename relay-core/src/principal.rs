//! Who a request is made for.

use std::time::SystemTime;

/// The party a request is made for, as whoever verified it says: an issuer, a subject and,
/// where there is one, the client acting for the subject.
///
/// These three are the *identity*. Whatever a server hands to a client for later use (cursors,
/// request state, subscriptions) works only for the identity it was made for (AUTH-19). Scopes
/// and expiry are no part of it, so a renewed token continues where the old one stopped. `==`
/// compares all five.
///
/// # Examples
///
/// ```
/// use relay_core::Principal;
///
/// let ada = Principal::new("https://login.example", "ada")
///     .with_client("desktop")
///     .with_scopes(["notes:read", "notes:write"]);
/// assert_eq!(ada.subject(), "ada");
/// assert!(ada.has_scope("notes:read"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Principal {
    issuer: String,
    subject: String,
    client: Option<String>,
    scopes: Vec<String>,
    expires_at: Option<SystemTime>,
}

impl Principal {
    /// A principal without client, scopes or expiry.
    ///
    /// A subject is unique within its issuer only, which is why both are asked for.
    #[must_use]
    pub fn new(issuer: impl Into<String>, subject: impl Into<String>) -> Self {
        Self {
            issuer: issuer.into(),
            subject: subject.into(),
            client: None,
            scopes: Vec::new(),
            expires_at: None,
        }
    }

    /// Names the client that acts for the subject.
    #[must_use]
    pub fn with_client(self, client: impl Into<String>) -> Self {
        Self {
            client: Some(client.into()),
            ..self
        }
    }

    /// Sets what the principal was granted, replacing earlier scopes.
    #[must_use]
    pub fn with_scopes<S: Into<String>>(self, scopes: impl IntoIterator<Item = S>) -> Self {
        Self {
            scopes: scopes.into_iter().map(Into::into).collect(),
            ..self
        }
    }

    /// Sets when the credential behind this principal ends.
    #[must_use]
    pub fn with_expiry(self, expires_at: SystemTime) -> Self {
        Self {
            expires_at: Some(expires_at),
            ..self
        }
    }

    /// Who vouches for the subject, such as an authorization server's URL.
    #[must_use]
    pub fn issuer(&self) -> &str {
        &self.issuer
    }

    /// The user or service, unique within the issuer.
    #[must_use]
    pub fn subject(&self) -> &str {
        &self.subject
    }

    /// The client that acts for the subject, if known.
    #[must_use]
    pub fn client(&self) -> Option<&str> {
        self.client.as_deref()
    }

    /// What the principal was granted, in the order given.
    #[must_use]
    pub fn scopes(&self) -> &[String] {
        &self.scopes
    }

    /// Whether `scope` is among the scopes, compared as a whole and by case.
    #[must_use]
    pub fn has_scope(&self, scope: &str) -> bool {
        self.scopes.iter().any(|granted| granted == scope)
    }

    /// When the credential ends; `None` if it does not say.
    #[must_use]
    pub fn expires_at(&self) -> Option<SystemTime> {
        self.expires_at
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn each_part_is_given_back() {
        let expiry = SystemTime::UNIX_EPOCH + Duration::from_secs(9);
        let principal = Principal::new("i", "s")
            .with_client("c")
            .with_scopes(["old"])
            .with_scopes(["a", "b"])
            .with_expiry(expiry);
        assert_eq!((principal.issuer(), principal.subject()), ("i", "s"));
        assert_eq!(principal.client(), Some("c"));
        assert_eq!(principal.scopes(), ["a", "b"]);
        assert!(principal.has_scope("b") && !principal.has_scope("B"));
        assert_eq!(principal.expires_at(), Some(expiry));
        assert_eq!(Principal::new("i", "s").expires_at(), None);
    }
}
