//! The stdio transport in processes of its own, over real pipes, with real signals; and its
//! properties, in process. Every message that comes out is judged by the published schemas.

#![cfg(test)]
#![cfg(unix)]

mod cancellation;
mod concurrency;
mod ends;
mod framing;
mod legacy;
mod malformed;
mod notifications;
mod panics;
mod pollution;
mod process;
mod property;
mod requests;
mod signals;
