//! relay-core

pub mod codec;
pub mod content;
pub mod schema;
