//! What the server shows on the wire, row by row of the checklists, without a transport.

mod errors;
mod extremes;
mod jsonrpc;
mod requests;
mod tools;
