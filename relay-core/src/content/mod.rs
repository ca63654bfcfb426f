//! What tools, prompts and resources answer with.

mod icon;

pub use icon::{Icon, Theme};
//! Content blocks.

/// A block.
#[derive(Debug)]
pub struct Block(());
