//! Questions to the user.

use super::{Form, Question};
use crate::{codec::IntoCodec, uri};

/// A form of the fields of an object, built once and asked as often as wanted.
///
/// What a form can't hold is found here, and told where the form is declared with `with_forms`, or
/// else where it is first asked: fields in fields, fields that look like secrets (ELIC-03). What
/// comes back is read by the codec, whatever the client made of the form (ELIC-09).
///
/// ```
/// use std::sync::LazyLock;
/// use relay_core::{codec, elicit, input::Form};
/// use schemars::JsonSchema;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Serialize, Deserialize, JsonSchema)]
/// struct Seat { row: u8, window: bool }
/// static SEAT: LazyLock<Form<Seat>> = LazyLock::new(|| elicit::form(codec::derived()));
/// assert!(SEAT.check().is_ok());
///
/// let login = elicit::form(codec::object((
///     codec::field("name", codec::string()),
///     codec::field("password", codec::string()),
/// )));
/// let fault = login.check().unwrap_err().to_string();
/// assert!(fault.starts_with("/password: this looks like a secret"), "{fault}");
/// ```
pub fn form<C: IntoCodec>(codec: C) -> Form<C::Value> {
    Form::new(codec)
}

/// Asks the user to open a page, where the answer is given to you and never passes the client: for
/// all that a form must not hold, such as credentials (ELIC-03).
///
/// That the user [accepts](super::Answer::Accepted) means that the page may be opened, not that
/// anything was done there: look that up yourself (ELIC-14). Make sure there that it is the same
/// user (ELIC-08). The URL is one of https (http on this machine) and holds neither credentials
/// nor what it tells of the user (ELIC-05, ELIC-06): [`check_url`] says of one that is configured
/// whether it will do.
///
/// ```
/// # use relay_core::{Call, Error, elicit};
/// # async fn link(call: Call<()>) -> Result<(), Error> {
/// let consent = elicit::url("consent", "Connect your calendar", "https://notes.example/connect/7");
/// call.elicit(consent).await?.accepted()?;
/// # Ok(())
/// # }
/// ```
pub fn url(
    key: impl Into<String>,
    message: impl Into<String>,
    url: impl Into<String>,
) -> Question<()> {
    Question::of_url(key.into(), message.into(), url.into())
}

/// Tells whether a user may be sent to a URL (ELIC-04, ELIC-05, ELIC-06), as [`url`] judges it.
///
/// ```
/// use relay_core::elicit;
///
/// assert!(elicit::check_url("https://notes.example/connect").is_ok());
/// let fault = elicit::check_url("http://localhost.example").unwrap_err();
/// assert_eq!(
///     fault.to_string(),
///     "the URL is not one of https, nor of http on this machine"
/// );
/// ```
///
/// # Errors
///
/// [`UrlFault`], which says why not.
pub fn check_url(url: &str) -> Result<(), UrlFault> {
    let Some((scheme, rest)) = url.split_once("://").filter(|_| uri::is_valid(url)) else {
        return Err(UrlFault("is none"));
    };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let authority = rest.get(..end).unwrap_or_default();
    if authority.contains('@') {
        return Err(UrlFault("has credentials in it"));
    }
    let host = match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => authority,
    };
    let here = host.eq_ignore_ascii_case("localhost") || host == "127.0.0.1" || host == "[::1]";
    if host.is_empty() {
        Err(UrlFault("has no host"))
    } else if scheme.eq_ignore_ascii_case("https") || scheme.eq_ignore_ascii_case("http") && here {
        Ok(())
    } else {
        Err(UrlFault("is not one of https, nor of http on this machine"))
    }
}

/// Why no user may be sent to a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the URL {0}")]
pub struct UrlFault(pub(super) &'static str);

#[cfg(test)]
mod tests {
    use super::check_url;

    // ELIC-04, ELIC-05, ELIC-06
    #[test]
    fn users_are_sent_to_https_only_and_without_credentials() {
        for good in [
            "https://example.org",
            "HTTPS://example.org:8443/a?b=c#d",
            "http://localhost:8080/consent",
            "http://127.0.0.1/",
            "http://[::1]:3000",
        ] {
            assert_eq!(check_url(good), Ok(()), "{good}");
        }
        for bad in [
            "",
            "example.org",
            "https:example.org",
            "https://",
            "https:///path",
            "https://a b",
            "http://example.org",
            "http://localhost.example.org",
            "http://[::2]/",
            "javascript://alert",
            "file:///etc/passwd",
            "https://ada@example.org",
            "https://ada:lovelace@example.org/",
        ] {
            assert!(check_url(bad).is_err(), "{bad}");
        }
    }
}
