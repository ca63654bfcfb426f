//! The description of an MCP server and the protocol it speaks.
//!
//! An author composes one immutable [`Server`] from typed [tools](tool), [resources](resource) and
//! [prompts](prompt). [`Server::dispatch`] judges one frame from a [`Peer`] and says what has to be
//! done about it; a runtime (`relay-runtime`) does it, and a transport (`relay-stdio`, `relay-http`)
//! carries the bytes. This crate opens no sockets, spawns nothing and reads no clock but the one it
//! is given.
//!
//! ```
//! use relay_core::{Server, codec, tool};
//!
//! let add = tool::define(
//!     "add",
//!     codec::object((codec::field("a", codec::integer::<i64>()), codec::field("b", codec::integer::<i64>()))),
//!     codec::integer::<i64>(),
//! )
//! .with_description("Adds two numbers")
//! .handle(|(a, b): (i64, i64)| async move { Ok(a.saturating_add(b)) });
//!
//! let server: Server<()> = Server::new([add]).with_info("calculator", "1.0.0");
//! ```
//!
//! Marks such as (TOOL-05) name the rows of the protocol checklists in the repository's
//! `docs/protocol/`.

pub mod cache;
pub mod call;
pub mod cancellation;
pub mod clock;
pub mod codec;
pub mod completion;
pub mod content;
pub mod dispatch;
pub mod error;
pub mod input;
pub mod peer;
pub mod principal;
pub mod progress;
pub mod prompt;
pub mod protocol;
pub mod reply;
pub mod resource;
pub mod schema;
pub mod server;
pub mod signing;
pub mod tool;
pub mod uri_template;

mod access;
mod catalog;
mod handler;
mod logging;
mod uri;

pub use cache::{Cache, Cacheable};
pub use call::{Call, Client};
pub use cancellation::Cancellation;
pub use clock::{Clock, ManualClock};
pub use error::Error;
pub use handler::BoxFuture;
pub use input::{elicit, roots, sample};
pub use peer::{IntoContext, Peer};
pub use principal::Principal;
pub use progress::Progress;
pub use prompt::Prompt;
pub use protocol::{
    capability::{ClientCapabilities, Implementation},
    meta::{LogLevel, Meta},
    revision::Revision,
};
pub use reply::{IntoReply, Reply};
pub use resource::{Read, Resource};
pub use server::Server;
pub use signing::{KeyError, KeyRing};
pub use tool::Tool;
