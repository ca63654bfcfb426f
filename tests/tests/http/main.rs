//! What the endpoint shows over HTTP, row by row of the checklists.

#![cfg(test)]

mod access;
mod batches;
mod bodies;
mod cases;
mod ending;
mod era;
mod guard;
mod headers;
mod heads;
mod hidden;
mod keys;
mod leaving;
mod legacy;
mod listener;
mod order;
mod parameters;
mod property;
mod refusals;
mod replicas;
mod rounds;
mod rows;
mod smoke;
mod sockets;
mod stalled;
mod streams;
mod support;
mod verifiers;
