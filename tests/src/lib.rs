//! What the tests of the whole workspace share: a view of its packages and files, and the search
//! for checklist rows that no passing test names.

pub mod claims;
pub mod fixture;
pub mod requests;
pub mod schema;
pub mod starting;
pub mod strict;
pub mod web;
pub mod wire;
pub mod workspace;

/// The example of the README compiles.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
