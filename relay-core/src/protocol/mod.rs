//! The protocol as it is on the wire: messages, their `_meta`, and what each revision knows.

pub mod capability;
pub mod jsonrpc;
mod log_level;
pub mod meta;
pub mod revision;
