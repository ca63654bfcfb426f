//! A client in the same process, for the tests of a server.
//!
//! [`Client`] speaks to a server as a real client does, frame by frame and through the same
//! runtime, but without a transport: no process, no socket, no port. What a tool declares, what it
//! refuses, what it tells while it runs and what it answers can be asserted in one ordinary async
//! test.
//!
//! ```
//! use relay_core::{Call, Progress, Server, codec, tool};
//! use relay_runtime::testing::Client;
//! use serde_json::json;
//!
//! fn server() -> Server<()> {
//!     let input = codec::object((
//!         codec::field("text", codec::string().max_length(200)),
//!         codec::defaulted("times", codec::integer::<i64>().range(1..=9), 1),
//!     ));
//!     let say = tool::define("say", input, codec::string()).handle_call(
//!         |call: Call<()>, (text, times): (String, i64)| async move {
//!             call.progress(Progress::new(1.0));
//!             Ok(text.repeat(usize::try_from(times)?))
//!         },
//!     );
//!     Server::new([say])
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), relay_runtime::testing::RpcError> {
//! let client = Client::new(server());
//! assert_eq!(client.list_tools().await?[0].name(), "say");
//!
//! let said = client.call("say", json!({ "text": "ho", "times": 3 })).await?;
//! assert_eq!(said.text(), "hohoho");
//! assert_eq!(said.notifications()[0].params()["progress"], 1.0);
//!
//! // Arguments that do not fit are for the model to read.
//! let refused = client.call("say", json!({ "text": "ho", "times": 99 })).await?;
//! assert!(refused.is_error());
//! assert!(refused.text().contains("/times"), "{}", refused.text());
//!
//! // A tool that is not there is an error of the protocol.
//! let error = client.call("shout", json!({})).await.unwrap_err();
//! assert_eq!(error.code.as_i64(), -32602);
//! # Ok(())
//! # }
//! ```
//!
//! Where a server asks its user something, a script has the [`Answers`].
//!
//! The same test with [`with_revision`](Client::with_revision) shows what a client of an earlier
//! revision gets. Time is Tokio's, so that a test with a paused clock passes deadlines at once.

mod answers;
mod client;
mod completing;
mod error;
mod notification;
mod open;
mod outcome;

pub use answers::Answers;
pub use client::Client;
pub use completing::Completing;
pub use error::RpcError;
pub use notification::Notification;
pub use outcome::{Asked, CallResult, Completed, Discovered, Item, PromptResult, ReadResult};
