//! The tools that every contender serves: the same names, inputs and outputs, whatever library
//! declares them.
//!
//! `echo` gives its text back, `book` takes a nested input and gives a structured output, `count`
//! reports progress twenty times, and the rest are there to be listed.

mod booking;
mod frame;
mod options;

pub use booking::{Booking, Leg, Meal, Passenger, Ticket, book};
pub use frame::{REVISION, arguments, frame, message};
pub use options::Options;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How many tools there are, unless the options say otherwise.
pub const TOOLS: usize = 52;

/// How many of them do something.
pub const WORKING: usize = 4;

/// How often `count` reports progress.
pub const STEPS: u32 = 20;

/// What `echo` takes.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Text {
    /// What to say
    pub text: String,
}

/// What the tools take that are there to be listed.
#[derive(Debug, Deserialize, JsonSchema, Serialize)]
pub struct Query {
    /// What to look for
    #[schemars(length(min = 1, max = 200))]
    pub query: String,
    /// How many results to give
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<u32>,
    /// Whether archived entries count
    pub archived: Option<bool>,
}

/// The names of the tools that are there to be listed, in their order.
pub fn fillers(tools: usize) -> impl Iterator<Item = String> {
    (0..tools.saturating_sub(WORKING)).map(|number| format!("search_{number:05}"))
}

/// What each of them says of itself.
pub const FILLER: &str = "Searches one shelf of the archive and gives the entries that match";
