//! What the endpoint shows over HTTP, row by row of the checklists.

#![cfg(test)]

mod access;
mod batches;
mod bodies;
mod era;
mod guard;
mod headers;
mod leaving;
mod legacy;
mod listener;
mod parameters;
mod property;
mod replicas;
mod rounds;
mod rows;
mod smoke;
mod streams;
mod support;
