//! Questions to the user.

use super::{Form, Question};
use crate::codec::IntoCodec;

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
/// nor what it tells of the user (ELIC-05, ELIC-06).
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
