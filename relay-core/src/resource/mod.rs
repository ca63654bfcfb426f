//! Resources: what a client can read by URI.
//!
//! A *direct* resource has one URI; a *template* has as many as its variables have values.
//!
//! ```
//! use relay_core::{Error, Read, Server, resource};
//!
//! let about = resource::direct("notes://about", "about")
//!     .with_mime_type("text/plain")
//!     .handle(|_read: Read<()>| async { Ok(vec![resource::text("A place for notes.")]) });
//!
//! let note = resource::template("note://{id}", "note")
//!     .with_mime_type("text/markdown")
//!     .handle(|read: Read<()>| async move {
//!         match read.parse::<i64>("id")? {
//!             7 => Ok(vec![resource::text("# Groceries")]),
//!             _ => Err(Error::not_found()),
//!         }
//!     });
//!
//! let server = Server::new([]).with_resources([about, note]);
//! ```

mod contents;
mod declaration;
mod definition;
mod entry;
mod read;

pub(crate) use contents::Body;
pub use contents::{Contents, blob, text};
pub use declaration::Declaration;
pub use definition::{
    Definition, Direct, Resource, Template, direct, template, try_direct, try_template,
};
pub(crate) use definition::{Kind, Lister, Outcome};
pub use entry::Entry;
pub use read::Read;
pub(crate) use read::Target;
