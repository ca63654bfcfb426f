//! Tools: what a model can call.
//!
//! ```
//! use relay_core::{Server, codec, tool};
//!
//! let say = tool::define(
//!     "say",
//!     codec::object((
//!         codec::field("text", codec::string().max_length(200).describe("What to say")),
//!         codec::defaulted("times", codec::integer::<i64>().range(1..=9), 1),
//!     )),
//!     codec::string(),
//! )
//! .with_description("Repeats a text")
//! .read_only(true)
//! .handle(|(text, times)| async move { Ok(text.repeat(usize::try_from(times)?)) });
//!
//! let server: Server<()> = Server::new([say]);
//! ```

mod declaration;
mod definition;
mod handler;
mod mirror;

pub use declaration::Declaration;
pub(crate) use declaration::{name_fault, warn_of_narrow_clients};
pub use definition::{Content, Definition, DefinitionError, content, define, try_define};
pub use handler::Tool;
pub(crate) use handler::{CallResult, Outcome};
pub(crate) use mirror::MirroredParameter;
