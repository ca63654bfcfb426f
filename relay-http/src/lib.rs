//! Serves a relay server over Streamable HTTP: an [`Endpoint`] to mount in any stack of `tower`
//! services, and [`serve()`] for those who have none.
//!
//! ```no_run
//! use relay_http::{Endpoint, relay_core::{Server, codec, tool}};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let add = tool::define(
//!     "add",
//!     codec::object((codec::field("a", codec::integer::<i64>()), codec::field("b", codec::integer::<i64>()))),
//!     codec::integer::<i64>(),
//! )
//! .handle(|(a, b): (i64, i64)| async move { Ok(a.saturating_add(b)) });
//!
//! let endpoint = Endpoint::new(Server::new([add]).with_info("calculator", "1.0.0"));
//! relay_http::serve(endpoint, "127.0.0.1:8080").await?;
//! # Ok(())
//! # }
//! ```
//!
//! # Who may reach it
//!
//! Out of the box an endpoint answers requests that were sent to a loopback name, by no page or by
//! a page of this machine, and [`serve()`] listens beyond this machine only with a [`Verifier`].
//! [`Endpoint::with_allowed_hosts`] and [`Endpoint::with_allowed_origins`] widen that in code,
//! `RELAY_ALLOWED_HOSTS` and `RELAY_ALLOWED_ORIGINS` at the operator's end.
//!
//! # What comes back
//!
//! A request is answered with plain JSON, or with a stream of events where its handler has
//! something to say before the answer, or is silent for a while, and the client takes events. A
//! client that leaves cancels its call. Every refusal is a JSON-RPC error that names the header,
//! setting or field to change.

mod body;
mod endpoint;
mod failure;
mod guard;
mod handle;
mod mirror;
mod receive;
mod respond;
mod serve;
mod settings;
mod verifier;

pub use body::Body;
pub use endpoint::Endpoint;
pub use relay_core;
pub use relay_runtime;
pub use serve::{Listener, ServeError, serve};
pub use settings::{ALLOWED_HOSTS, ALLOWED_ORIGINS, SettingError};
pub use verifier::{Refusal, StaticTokens, TokenError, Verifier, bearer};
