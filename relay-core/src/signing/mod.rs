//! What a server hands to a client and wants back unaltered.
//!
//! Every replica with the same [`KeyRing`] can open what any of them sealed, so nothing of it is
//! remembered. Each kind of token has keys of its own, derived from the ring's by purpose.

pub(crate) mod cursor;
mod digest;
mod key;
mod key_ring;
mod shared;
pub(crate) mod state;

pub(crate) use digest::Digest;
pub(crate) use key::Purpose;
pub use key_ring::{KeyError, KeyRing};
