//! relay-core

pub mod content;
pub mod protocol;
mod clock;
mod principal;
#[cfg_attr(
    not(test),
    expect(dead_code, reason = "the list methods seal and open cursors")
)]
mod signing;
#[cfg_attr(not(test), expect(dead_code, reason = "resources check their URIs"))]
mod uri;
pub mod uri_template;

pub use clock::{Clock, ManualClock};
pub use principal::Principal;
pub use signing::{KeyError, KeyRing};
pub mod codec;
pub mod content;
pub mod schema;
