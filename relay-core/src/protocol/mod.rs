//! The protocol as it is on the wire: messages, their `_meta`, and what each revision knows.

pub mod answer;
pub mod capability;
pub mod headers;
pub mod jsonrpc;
pub mod legacy;
mod log_level;
pub mod meta;
pub(crate) mod method;
pub mod revision;
mod trace_context;
pub(crate) mod wire;
mod wrap;
