//! Asking the user, the client's model, or the client itself, from a handler.
//!
//! A question goes out as the answer to the request, and the client sends the request again with
//! what it brought: the handler runs again from the top, on any replica, with every answer so far.
//! So it reads like straight code. Work that must not be done again goes into
//! [`Call::once`](crate::Call::once).
//!
//! ```
//! use std::sync::LazyLock;
//! use relay_core::{Call, codec, elicit, input::Form, tool};
//! use schemars::JsonSchema;
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Serialize, Deserialize, JsonSchema)]
//! struct Seat { row: u8 }
//!
//! static SEAT: LazyLock<Form<Seat>> = LazyLock::new(|| elicit::form(codec::derived()));
//!
//! let book = tool::define("book", codec::object(codec::field("flight", codec::string())), codec::string())
//!     .with_forms(&SEAT)
//!     .handle_call(|call: Call<()>, flight: String| async move {
//!         let seat = call.elicit(SEAT.question("seat", format!("Which seat on {flight}?"))).await?;
//!         Ok(format!("Row {} on {flight} is yours.", seat.accepted()?.row))
//!     });
//! ```
//!
//! The repository's `docs/rounds.md` works through a longer one.

pub mod elicit;
pub mod roots;
pub mod sample;

mod answer;
mod ask;
mod desk;
mod form;
mod forms;
mod interrupt;
mod journal;
mod question;
mod response;
mod subset;

use serde::Serialize;

pub use answer::Answer;
pub use ask::Ask;
pub use desk::Desk;
pub use form::Form;
pub use forms::Forms;
pub(crate) use forms::check;
pub use interrupt::Interrupt;
pub(crate) use interrupt::{Pause, Pending};
pub(crate) use journal::{Journal, Reach, Rounds};
pub use question::Question;

#[derive(Serialize)]
struct Request<'a, P> {
    method: &'a str,
    params: &'a P,
}

/// A request to the client, as JSON (MRTR-04).
fn request(method: &str, params: &impl Serialize) -> serde_json::Result<String> {
    serde_json::to_string(&Request { method, params })
}
