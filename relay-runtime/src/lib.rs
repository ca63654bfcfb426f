//! relay-runtime
