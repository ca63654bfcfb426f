//! Runs a relay server: deadlines, cancellation, limits, and the seam transports are built on.

pub mod connection;
pub mod exchange;
pub mod frame;
pub mod limits;
pub mod runtime;

mod execute;
mod inflight;
mod outbound;
mod shutdown;
mod tasks;
mod trace;

pub use connection::{Closed, Connection, Incoming, Outgoing};
pub use exchange::Exchange;
pub use frame::Frame;
pub use limits::Limits;
pub use relay_core;
pub use runtime::Runtime;
