use std::{collections::HashMap, fmt};

use http::request::Parts;
use relay_core::{Clock, Principal};
use sha2::{Digest, Sha256};

use super::{Refusal, Verifier, bearer, bearer::is_token};

/// A fixed set of bearer tokens, each for one principal: for tests, for one's own machines, and
/// wherever tokens are handed out by hand.
///
/// Only digests are kept, and a token is looked up by its digest, so that the time a request takes
/// says nothing about a token.
///
/// ```
/// use relay_http::{StaticTokens, TokenError, relay_core::Principal};
///
/// let ada = Principal::new("https://notes.example", "ada");
/// let tokens = StaticTokens::new([("8f14e45fceea167a5a36dedd4bea2543", ada)])?;
/// # Ok::<(), TokenError>(())
/// ```
#[derive(Clone)]
pub struct StaticTokens {
    principals: HashMap<[u8; 32], Principal>,
    clock: Clock,
}

/// Why a token can't be one of a [`StaticTokens`]. The token itself is in no message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TokenError {
    /// No request could carry it.
    #[error(
        "token {position} can't be a bearer token: use letters, digits and any of -._~+/, such as \
         the output of `openssl rand -hex 32`"
    )]
    Malformed {
        /// Its place in the list, from 1.
        position: usize,
    },
    /// It is another's already.
    #[error("token {position} is in the list twice")]
    Repeated {
        /// Its place in the list, from 1.
        position: usize,
    },
}

impl StaticTokens {
    /// These tokens. A principal with an expiry is refused once it has passed.
    ///
    /// # Errors
    ///
    /// [`TokenError`] for a token that no request could carry, and for one that is there twice.
    pub fn new<T: AsRef<str>>(
        tokens: impl IntoIterator<Item = (T, Principal)>,
    ) -> Result<Self, TokenError> {
        let mut principals = HashMap::new();
        for ((token, principal), position) in tokens.into_iter().zip(1..) {
            let token = token.as_ref();
            if !is_token(token) {
                return Err(TokenError::Malformed { position });
            }
            if principals.insert(digest(token), principal).is_some() {
                return Err(TokenError::Repeated { position });
            }
        }
        Ok(Self {
            principals,
            clock: Clock::system(),
        })
    }

    /// Where the time is read from that expiries are compared with; the system by default.
    #[must_use]
    pub fn with_clock(self, clock: impl Into<Clock>) -> Self {
        Self {
            clock: clock.into(),
            ..self
        }
    }
}

impl Verifier for StaticTokens {
    async fn verify(&self, parts: &Parts) -> Result<Principal, Refusal> {
        let token = bearer(parts)?;
        let principal = self
            .principals
            .get(&digest(token))
            .ok_or_else(|| Refusal::invalid_token("the token is not valid here"))?;
        let ended = |end| end <= self.clock.now();
        if principal.expires_at().is_some_and(ended) {
            return Err(Refusal::invalid_token("the token has ended"));
        }
        Ok(principal.clone())
    }
}

fn digest(token: &str) -> [u8; 32] {
    Sha256::digest(token).into()
}

impl fmt::Debug for StaticTokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StaticTokens")
            .field("tokens", &self.principals.len())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::*;

    fn request(token: &str) -> Parts {
        let request =
            http::Request::post("/mcp").header("authorization", format!("Bearer {token}"));
        request.body(()).unwrap().into_parts().0
    }

    // AUTH-02, AUTH-12, AUTH-21
    #[tokio::test]
    async fn a_token_stands_for_its_principal_until_it_ends() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000);
        let clock = Clock::manual(now);
        let ada = Principal::new("i", "ada").with_expiry(now + Duration::from_secs(5));
        let bob = Principal::new("i", "bob");
        let tokens = StaticTokens::new([("aaaa", ada.clone()), ("bbbb", bob.clone())])
            .unwrap()
            .with_clock(&clock);
        assert_eq!(tokens.verify(&request("aaaa")).await, Ok(ada));
        assert_eq!(tokens.verify(&request("bbbb")).await, Ok(bob));
        for token in ["aaa", "aaaaa", "AAAA", "cccc"] {
            assert_eq!(
                tokens.verify(&request(token)).await.unwrap_err().status(),
                401
            );
        }
        clock.advance(Duration::from_secs(5));
        assert_eq!(
            tokens.verify(&request("aaaa")).await.unwrap_err().status(),
            401
        );
        assert!(tokens.verify(&request("bbbb")).await.is_ok());
    }

    #[test]
    fn tokens_that_could_not_work_are_refused_unseen() {
        let someone = || Principal::new("i", "s");
        let error = StaticTokens::new([("good", someone()), ("no good", someone())]).unwrap_err();
        assert_eq!(error, TokenError::Malformed { position: 2 });
        assert!(!error.to_string().contains("no good"));
        let error = StaticTokens::new([("good", someone()), ("good", someone())]).unwrap_err();
        assert_eq!(error, TokenError::Repeated { position: 2 });
        let tokens = StaticTokens::new([("hunter2", someone())]).unwrap();
        assert!(!format!("{tokens:?}").contains("hunter2"));
    }
}
