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
//! Out of the box an endpoint answers requests that were sent to a loopback name, by no browser or
//! by a page of this machine, and [`serve()`] listens beyond this machine only with a [`Verifier`].
//! [`Endpoint::with_allowed_hosts`] and [`Endpoint::with_allowed_origins`] widen that in code,
//! `RELAY_ALLOWED_HOSTS` and `RELAY_ALLOWED_ORIGINS` at the operator's end.
//!
//! # What comes back
//!
//! A request is answered with plain JSON, or an SSE stream (`text/event-stream`) where its handler
//! has something to say before the answer, or is silent for a while, and the client takes SSE. A
//! client that leaves cancels its call. Every refusal is a JSON-RPC error that names the header,
//! setting or field to change.
//!
//! # What it bounds
//!
//! | what | default | beyond |
//! |---|---|---|
//! | [body of a request](Endpoint::with_body_limit) | 4 MiB | 413 |
//! | [its arrival](Endpoint::with_body_timeout) | 30 s | 408 |
//! | [all bodies together](Endpoint::with_body_memory_limit) | 256 MiB | 503 with `Retry-After` |
//! | [requests at a time](Endpoint::with_request_limit) | 1,024 | 503 with `Retry-After` |
//! | [run of a handler](relay_runtime::Limits::with_deadline) | 30 s | -32603; 503 before the body is read |
//! | [answer, or all answers to a batch](relay_runtime::Limits::with_answer_limit) | 16 MiB | a tool's result that says so, or -32603 |
//!
//! What only a listener can, [`Listener`] does; where an endpoint is mounted, the stack around it
//! has to:
//!
//! | what | default | beyond |
//! |---|---|---|
//! | [head of a request](Listener::with_header_timeout) | 10 s | the connection is closed |
//! | its size | 64 KiB and 100 headers over HTTP/1.1, 16 KiB over HTTP/2 | 431 |
//! | [client that makes no room](Listener::with_write_timeout) | 30 s | the connection is closed; over HTTP/2 the one stream is reset whose client makes no room for the next 16 KiB in that time; the call is cancelled |
//! | [connections](Listener::with_connection_limit) | 4,096 | the next one waits |
//! | streams of an HTTP/2 connection | 100 | the client waits |
//! | [idle connection](Listener::with_header_timeout) | 10 s over HTTP/1.1, 10 to 20 s over HTTP/2 | it is closed; over HTTP/2 told to end, closed after 40 s |
//! | bytes that wait for a client | 80 KiB on HTTP/1.1, 32 KiB on a stream of HTTP/2 | the response waits |
//! | [end of what is in flight](Listener::with_shutdown_timeout) | 10 s | it is cut off, its calls are cancelled |

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
pub use settings::SettingError;
pub use verifier::{Refusal, StaticTokens, TokenError, Verifier, bearer};
