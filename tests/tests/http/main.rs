//! What the endpoint shows over HTTP, row by row of the checklists.

#![cfg(test)]

mod access;
mod batches;
mod bodies;
mod ending;
mod era;
mod guard;
mod headers;
mod heads;
mod leaving;
mod legacy;
mod listener;
mod parameters;
mod property;
mod rows;
mod smoke;
mod sockets;
mod stalled;
mod streams;
mod support;
