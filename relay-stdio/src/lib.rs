//! relay-stdio
