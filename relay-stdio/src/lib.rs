//! The stdio transport of a Relay server: newline-delimited JSON messages over this process's
//! stdin and stdout, or over any pair of byte streams.
//!
//! A whole server:
//!
//! ```no_run
//! use relay_stdio::relay_core::{Server, codec, tool};
//!
//! #[tokio::main]
//! async fn main() -> Result<(), relay_stdio::ServeError> {
//!     let add = tool::define(
//!         "add",
//!         codec::object((
//!             codec::field("a", codec::integer::<i64>()),
//!             codec::field("b", codec::integer::<i64>()),
//!         )),
//!         codec::integer::<i64>(),
//!     )
//!     .handle(|(a, b): (i64, i64)| async move { Ok(a.saturating_add(b)) });
//!
//!     relay_stdio::serve(Server::<()>::new([add]), ()).await
//! }
//! ```
//!
//! [`serve`] keeps stdout for the protocol, ends cleanly when the client closes stdin or a signal
//! asks the process to end, and bounds what it holds. [`Stdio`] has the settings, and serves other
//! streams (a Unix socket, an in-memory pipe) with the same framing.
//!
//! Blank lines, a trailing CR and a leading byte order mark are tolerated. A line that is no
//! message is answered with an error, and the next one is read (STDIO-10).
//!
//! # Handlers that block
//!
//! A server that `serve` has left must end, or its client waits and then kills it. Dropping a Tokio
//! runtime, as `#[tokio::main]` does, waits for every thread that is blocked: a `spawn_blocking`
//! that has not come back, or a handler that computes without an await. Where a tool may do that
//! for long, build the executor by hand and leave it without waiting:
//!
//! ```no_run
//! # fn server() -> relay_core::Server<()> { relay_core::Server::new([]) }
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let executor = tokio::runtime::Runtime::new()?;
//!     let served = executor.block_on(relay_stdio::serve(server(), ()));
//!     executor.shutdown_background();
//!     Ok(served?)
//! }
//! ```

mod connection;
mod error;
mod frame;
mod serve;
mod signals;
mod streams;

pub use relay_core;
pub use relay_runtime;

pub use self::{
    error::ServeError,
    serve::{Stdio, serve},
};
