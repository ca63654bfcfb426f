//! Content blocks: what a tool shows the model, and what a prompt message holds.
//!
//! ```
//! use relay_core::content::{self, Annotations, Role};
//!
//! let blocks = vec![
//!     content::text("Two charts follow."),
//!     content::image(vec![0x89, b'P', b'N', b'G'], "image/png")
//!         .with_annotations(Annotations::new().with_audience([Role::User])),
//! ];
//! # assert_eq!(blocks[0].as_text(), Some("Two charts follow."));
//! ```

mod annotations;
mod block;
mod icon;

pub use annotations::{Annotations, Role};
pub(crate) use block::Kind;
pub use block::{Block, audio, image, link, resource, text};
pub use icon::{Icon, Theme};
