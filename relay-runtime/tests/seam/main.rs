//! The transport seam, driven as a transport drives it.

mod connections;
mod exchanges;
mod support;
mod tools;
