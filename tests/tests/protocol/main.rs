//! What the server shows on the wire, row by row of the checklists, without a transport.

#![cfg(test)]

mod access;
mod asking;
mod batches;
mod caching;
mod calls;
mod completion;
mod discovery;
mod dressed;
mod elicitation;
mod era_selection;
mod eras;
mod errors;
mod events;
mod extremes;
mod jsonrpc;
mod legacy_features;
mod lifecycle;
mod lists;
mod meta;
mod outputs;
mod pagination;
mod params;
mod prompts;
mod request_state;
mod requests;
mod resources;
mod rounds;
mod sampling;
mod state;
mod templates;
mod tools;
mod uris;
mod utilities;
mod versions;
mod wire_shape;
