use std::{borrow::Cow, fmt};

use http::{HeaderValue, Response, StatusCode, header::WWW_AUTHENTICATE};

use crate::{body::Body, failure};

/// Why a request is not served for whoever sent it, and how that is answered.
///
/// ```
/// use relay_http::Refusal;
///
/// let refusal = Refusal::insufficient_scope(["notes:write"])
///     .with_resource_metadata("https://notes.example/.well-known/oauth-protected-resource/mcp");
/// assert_eq!(refusal.status(), 403);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal(Box<Parts>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Parts {
    kind: Kind,
    description: Option<Cow<'static, str>>,
    scopes: Vec<String>,
    resource_metadata: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Forbidden,
    InsufficientScope,
    InvalidRequest,
    InvalidToken,
    Unauthenticated,
    Unavailable,
}

impl Refusal {
    /// 401: the request has no credentials (AUTH-01).
    #[must_use]
    pub fn unauthenticated() -> Self {
        Self::of(Kind::Unauthenticated, None)
    }

    /// 401 `invalid_token`: the token has ended, or is not for this server, or is not one at all
    /// (AUTH-02, AUTH-03). The client sees the description.
    #[must_use]
    pub fn invalid_token(description: impl Into<Cow<'static, str>>) -> Self {
        Self::of(Kind::InvalidToken, Some(description.into()))
    }

    /// 403 `insufficient_scope`: the token does not go as far; with everything that the request
    /// needs (AUTH-08).
    #[must_use]
    pub fn insufficient_scope<S: Into<String>>(scopes: impl IntoIterator<Item = S>) -> Self {
        Self::of(Kind::InsufficientScope, None).with_scopes(scopes)
    }

    /// 400 `invalid_request`: the credentials are malformed (AUTH-10). The client sees the
    /// description.
    #[must_use]
    pub fn invalid_request(description: impl Into<Cow<'static, str>>) -> Self {
        Self::of(Kind::InvalidRequest, Some(description.into()))
    }

    /// 403 without a challenge: no other token would help. The client sees the description.
    #[must_use]
    pub fn forbidden(description: impl Into<Cow<'static, str>>) -> Self {
        Self::of(Kind::Forbidden, Some(description.into()))
    }

    /// 503: it can't be decided now (AUTH-18).
    #[must_use]
    pub fn unavailable() -> Self {
        Self::of(Kind::Unavailable, None)
    }

    fn of(kind: Kind, description: Option<Cow<'static, str>>) -> Self {
        Self(Box::new(Parts {
            kind,
            description,
            scopes: Vec::new(),
            resource_metadata: None,
        }))
    }

    /// The scopes that the challenge asks for.
    #[must_use]
    pub fn with_scopes<S: Into<String>>(mut self, scopes: impl IntoIterator<Item = S>) -> Self {
        self.0.scopes = scopes.into_iter().map(Into::into).collect();
        self
    }

    /// Where the challenge says that the protected resource is described (AUTH-05).
    #[must_use]
    pub fn with_resource_metadata(mut self, url: impl Into<String>) -> Self {
        self.0.resource_metadata = Some(url.into());
        self
    }

    /// The status that the request is answered with.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        match self.0.kind {
            Kind::Forbidden | Kind::InsufficientScope => StatusCode::FORBIDDEN,
            Kind::InvalidRequest => StatusCode::BAD_REQUEST,
            Kind::InvalidToken | Kind::Unauthenticated => StatusCode::UNAUTHORIZED,
            Kind::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    /// The value of `WWW-Authenticate`, where there is one.
    fn challenge(&self) -> Option<String> {
        let error = match self.0.kind {
            Kind::Forbidden | Kind::Unavailable => return None,
            // RFC 6750: no error where no credentials were tried.
            Kind::Unauthenticated => None,
            Kind::InsufficientScope => Some("insufficient_scope"),
            Kind::InvalidRequest => Some("invalid_request"),
            Kind::InvalidToken => Some("invalid_token"),
        };
        let scope = self.0.scopes.join(" ");
        let attributes = [
            ("error", error),
            ("error_description", self.0.description.as_deref()),
            (
                "scope",
                Some(scope.as_str()).filter(|scope| !scope.is_empty()),
            ),
            ("resource_metadata", self.0.resource_metadata.as_deref()),
        ];
        let given: Vec<_> = attributes
            .into_iter()
            .filter_map(|(name, value)| Some(format!("{name}=\"{}\"", quotable(value?))))
            .collect();
        let separator = if given.is_empty() { "" } else { " " };
        Some(format!("Bearer{separator}{}", given.join(", ")))
    }

    pub(crate) fn into_response(self) -> Response<Body> {
        let message = self.to_string();
        let mut response = match self.0.kind {
            Kind::Unavailable => failure::unavailable(&message),
            _ => failure::refuse(self.status(), &message),
        };
        let challenge = self.challenge().map(HeaderValue::try_from);
        if let Some(Ok(challenge)) = challenge {
            response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
        }
        response
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(description) = &self.0.description {
            return f.write_str(description);
        }
        f.write_str(match self.0.kind {
            Kind::Forbidden => "this is not allowed",
            Kind::InsufficientScope => "the token lacks a scope that this needs",
            Kind::InvalidRequest => "the credentials are malformed",
            Kind::InvalidToken => "the token is not valid here",
            Kind::Unauthenticated => "a bearer token is needed: send it as Authorization: Bearer",
            Kind::Unavailable => "the credentials can't be checked now; try again",
        })
    }
}

impl std::error::Error for Refusal {}

/// What may stand between the quotes of a challenge, the rest left out (RFC 6750).
fn quotable(text: &str) -> String {
    text.chars()
        .filter(|c| matches!(c, ' '..='~') && !matches!(c, '"' | '\\'))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    // AUTH-01, AUTH-02, AUTH-08, AUTH-10
    #[test]
    fn challenges_say_what_would_help() {
        for (refusal, status, challenge) in [
            (Refusal::unauthenticated(), 401, Some("Bearer")),
            (
                Refusal::unauthenticated()
                    .with_scopes(["a", "b"])
                    .with_resource_metadata("https://x.example/m"),
                401,
                Some("Bearer scope=\"a b\", resource_metadata=\"https://x.example/m\""),
            ),
            (
                Refusal::invalid_token("it has \"ended\"\r\n"),
                401,
                Some("Bearer error=\"invalid_token\", error_description=\"it has ended\""),
            ),
            (
                Refusal::insufficient_scope(["w"]),
                403,
                Some("Bearer error=\"insufficient_scope\", scope=\"w\""),
            ),
            (
                Refusal::invalid_request("two tokens"),
                400,
                Some("Bearer error=\"invalid_request\", error_description=\"two tokens\""),
            ),
            (Refusal::forbidden("not you"), 403, None),
            (Refusal::unavailable(), 503, None),
        ] {
            let response = refusal.clone().into_response();
            assert_eq!(response.status(), status, "{refusal}");
            let found = response.headers().get(WWW_AUTHENTICATE);
            assert_eq!(found.map(|value| value.to_str().unwrap()), challenge);
        }
    }
}
