//! The transport seam, driven as a transport drives it.

#![cfg(test)]

mod abandoned;
mod batches;
mod bounds;
mod cancellation;
mod client;
mod connections;
mod deadlines;
mod ending;
mod exchanges;
mod guards;
mod logs;
mod panics;
mod pressure;
mod progress;
mod property;
mod rounds;
mod spans;
mod support;
mod tools;
