//! What the server shows on the wire, row by row of the checklists, without a transport.

mod batches;
mod discovery;
mod era_selection;
mod errors;
mod extremes;
mod jsonrpc;
mod lifecycle;
mod meta;
mod requests;
mod state;
mod tools;
mod utilities;
mod versions;
mod wire_shape;
