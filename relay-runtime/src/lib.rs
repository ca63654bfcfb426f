//! Runs a relay server: deadlines, cancellation, limits, and the seam transports are built on.
//!
//! A [`Runtime`] is a [`Server`](relay_core::Server) with what it takes to run it. To serve one
//! over stdio, see `relay-stdio`, over HTTP, `relay-http`; to test one, see [`testing`].
//!
//! # Transports
//!
//! A transport carries frames, each one JSON message without a line end, and knows nothing of what
//! they mean. There are two ways to run them:
//!
//! - [`Runtime::exchange`] pairs a frame with what comes back for it: notifications, then one
//!   answer. The handler runs in the task that asks for them. For HTTP and its like.
//! - [`Runtime::connect`] opens a [`Connection`] of two halves. The handlers run in tasks of their
//!   own, several at a time, and answer in the order they finish. For pipes and sockets.
//!
//! ```
//! use relay_core::{Peer, Server, codec, tool};
//! use relay_runtime::Runtime;
//! use tokio::sync::mpsc;
//!
//! /// Serves a peer that sends and receives through queues.
//! async fn serve(
//!     runtime: impl Into<Runtime<()>>,
//!     mut from_peer: mpsc::Receiver<String>,
//!     to_peer: mpsc::Sender<String>,
//! ) {
//!     let (mut incoming, mut outgoing) = runtime.into().connect(Peer::new(())).split();
//!     let read = async move {
//!         while let Some(message) = from_peer.recv().await {
//!             if incoming.receive(message.into()).await.is_err() {
//!                 break;
//!             }
//!         }
//!         // Dropping the incoming half is the end of input: what runs is still answered.
//!     };
//!     let write = async move {
//!         while let Some(frame) = outgoing.next().await {
//!             let message = String::from_utf8_lossy(frame.bytes()).into_owned();
//!             if to_peer.send(message).await.is_err() {
//!                 break;
//!             }
//!         }
//!         // Dropping the outgoing half says that the peer is gone: what runs is cancelled.
//!     };
//!     tokio::join!(read, write);
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let ping = tool::define("ping", codec::object(()), codec::string())
//!     .handle(|()| async { Ok("pong".to_owned()) });
//! let server: Server<()> = Server::new([ping]);
//!
//! let (ask, from_peer) = mpsc::channel(8);
//! let (to_peer, mut answers) = mpsc::channel(8);
//! ask.send("garbage".to_owned()).await.unwrap();
//! drop(ask);
//! serve(server, from_peer, to_peer).await;
//! assert!(answers.recv().await.unwrap().contains("-32700"));
//! # }
//! ```
//!
//! # What is bounded
//!
//! Everything, by [`Limits`]: how long a handler runs, how many run, how large an answer is, how
//! fast progress is told, how long an end waits. A handler that panics, or whose policy does, costs
//! one answer (with `panic = "abort"` it costs the process: leave that off). One that blocks its
//! thread stops nothing else on a connection, but can't be stopped either.
//!
//! # What is traced
//!
//! One `tracing` span for each request, under the names that OpenTelemetry gives to MCP servers, and
//! private errors and panics in it. Of what is asked and answered, nothing but names: no arguments,
//! no results, no URIs.

pub mod connection;
pub mod exchange;
pub mod frame;
pub mod limits;
pub mod runtime;
pub mod store;
pub mod testing;

mod execute;
mod inflight;
mod outbound;
mod shutdown;
mod single_use;
mod tasks;
mod trace;

pub use connection::{Closed, Connection, Incoming, Outgoing};
pub use exchange::Exchange;
pub use frame::Frame;
pub use limits::Limits;
pub use relay_core;
pub use runtime::Runtime;
pub use store::Store;

/// The page on asking, so that it stays true.
#[cfg(doctest)]
#[doc = include_str!("../../docs/rounds.md")]
struct Page;
