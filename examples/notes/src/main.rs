//! A notes server: a database of notes, full text search, a chart, and the import of a folder.
#![cfg_attr(not(test), expect(dead_code, reason = "the tools and resources that call it follow"))]

mod blocking;
mod chart;
mod import;
mod store;

fn main() {}
