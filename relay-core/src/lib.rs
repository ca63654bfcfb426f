//! relay-core

pub mod content;
pub mod protocol;
