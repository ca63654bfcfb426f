//! Content blocks.

/// A block.
#[derive(Debug)]
pub struct Block(());
