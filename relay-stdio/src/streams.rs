//! The process's standard streams, made fit to carry a protocol.
//!
//! Each is served by a thread of its own. A thread that blocks on a read or a write holds up
//! neither the executor nor the end of the process, which tokio's own standard streams do.

mod input;
mod output;
#[cfg(not(unix))]
mod plain;
#[cfg(unix)]
mod unix;

use std::{
    io,
    sync::atomic::{AtomicBool, Ordering},
};

use crate::error::ServeError;

#[cfg(not(unix))]
use self::plain as system;
#[cfg(unix)]
use self::unix as system;
pub(crate) use self::{input::Input, output::Output};

static TAKEN: AtomicBool = AtomicBool::new(false);

/// Takes stdin and stdout for the protocol, once in the life of a process.
pub(crate) fn take() -> Result<(Input, Output), ServeError> {
    if TAKEN.swap(true, Ordering::Relaxed) {
        return Err(ServeError::AlreadyServing);
    }
    open().map_err(ServeError::Setup)
}

fn open() -> io::Result<(Input, Output)> {
    let (source, sink) = system::take()?;
    Ok((Input::spawn(source)?, Output::spawn(sink)?))
}
