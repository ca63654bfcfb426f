//! The shape of the workspace: which crate may know which, what lies where, how files are kept.
//!
//! Every rule is a function over what it judges, so that each test also shows that it can fail.

mod checklists;
mod dependencies;
mod layout;
mod lints;
mod signatures;
mod sizes;
mod words;
