//! One connection, over anything that bytes can be read from and written to.

use std::future::pending;
use std::io;

use relay_core::Peer;
use relay_runtime::{Incoming, Outgoing, Runtime};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};

use crate::frame::{self, MAX_LENGTH, Received};

/// Serves one client until it sends no more and all it asked is answered, until it is gone, or
/// until the runtime stops.
///
/// # Errors
///
/// What reading or writing failed with.
///
/// # Cancel safety
///
/// Dropping the future hangs up: what runs for the client is cancelled.
pub async fn serve<C: Send + Sync + 'static>(
    runtime: &Runtime<C>,
    peer: Peer<C>,
    reader: impl AsyncRead + Unpin,
    writer: impl AsyncWrite + Unpin,
) -> io::Result<()> {
    let (incoming, outgoing) = runtime.connect(peer).split();
    let mut received = Ok(());
    let reading = async {
        received = receive(incoming, reader).await;
        // However the reading ended, what is running is answered.
        pending::<()>().await;
    };
    // Both at the same time: when there is much to do, each half waits for the other.
    let sent = tokio::select! {
        sent = send(outgoing, writer) => sent,
        () = reading => Ok(()),
    };
    received.and(sent)
}

/// Gives the runtime what the client sends. Returning drops the incoming half, which tells the
/// runtime that nothing more comes.
async fn receive<C: Send + Sync + 'static>(
    mut incoming: Incoming<C>,
    mut reader: impl AsyncRead + Unpin,
) -> io::Result<()> {
    loop {
        let taken = match frame::read(&mut reader).await? {
            Received::Frame(frame) => incoming.receive(frame).await,
            Received::TooLong => {
                let refusal = format!("a message has at most {MAX_LENGTH} bytes");
                let _closed = incoming.reject(refusal).await;
                return Ok(());
            }
            Received::End => return Ok(()),
        };
        if taken.is_err() {
            // The runtime is stopping, or nobody writes answers any more.
            return Ok(());
        }
    }
}

/// Gives the client what the runtime sends. Returning early drops the outgoing half, which tells
/// the runtime that the client is gone.
async fn send(mut outgoing: Outgoing, mut writer: impl AsyncWrite + Unpin) -> io::Result<()> {
    while let Some(frame) = outgoing.next().await {
        frame::write(&mut writer, frame.bytes()).await?;
    }
    writer.shutdown().await
}
