//! Where file descriptors can't be moved: the standard streams as they are. What else the process
//! writes to stdout, or a child that inherits it, does reach the peer.

use std::io::{self, Read, Write};

pub(super) fn take() -> io::Result<(impl Read + Send, impl Write + Send)> {
    Ok((io::stdin(), io::stdout()))
}
