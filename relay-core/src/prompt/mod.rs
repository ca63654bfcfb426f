//! Prompts: messages that a person picks and the client sends to the model.
//!
//! ```
//! use relay_core::{Server, prompt};
//!
//! let review = prompt::define("code_review", (prompt::required("code"), prompt::defaulted("language", "rust")))
//!     .with_description("Reviews a piece of code")
//!     .handle(|(code, language)| async move {
//!         Ok(vec![prompt::user(format!("Review this {language} code:\n{code}"))])
//!     });
//!
//! let server: Server<()> = Server::new([]).with_prompts([review]);
//! ```

mod argument;
mod definition;
mod message;

pub use argument::{
    Argument, ArgumentDeclaration, Arguments, Defaulted, Optional, Required, defaulted, optional,
    required,
};
pub use definition::{Declaration, Definition, Prompt, define, try_define};
pub use message::{Message, assistant, user};
