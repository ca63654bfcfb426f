//! The stdio transport of a Relay server: newline-delimited JSON messages over this process's
//! stdin and stdout, or over any pair of byte streams.
//!
//! Blank lines, a trailing CR and a leading byte order mark are tolerated. A line that is no
//! message is answered with an error, and the next one is read.

mod error;
#[cfg_attr(
    not(test),
    expect(dead_code, reason = "serving, which reads and writes frames, follows")
)]
mod frame;
#[expect(dead_code, reason = "serving, which takes the streams, follows")]
mod streams;

pub use relay_core;
pub use relay_runtime;

pub use self::error::ServeError;
