//! One connection between two byte streams and the runtime.

use std::{
    future::{Future, pending},
    io,
    pin::pin,
    time::Duration,
};

use relay_core::Peer;
use relay_runtime::{Closed, Incoming, Outgoing, Runtime};
use tokio::{
    io::{AsyncRead, AsyncWrite, AsyncWriteExt as _},
    sync::{Notify, SetOnce},
    time::sleep,
};

use crate::{
    error::ServeError,
    frame::{FrameReader, Line, append},
    signals::Signals,
};

/// Up to this size, in bytes, the frames that are ready go out in one write.
const BATCH: usize = 64 * 1024;

/// What a stop waits beyond the runtime's grace: for room to take what was read, and then for the
/// last answers to be written.
const MARGIN: Duration = Duration::from_secs(1);

/// Serves the peer until its input ends, a signal comes, it no longer reads, or the runtime stops.
///
/// Reading and writing share the caller's task: neither needs one of its own, since the runtime
/// spawns what may take time.
pub(crate) async fn run<C>(
    runtime: &Runtime<C>,
    peer: Peer<C>,
    (reader, writer): (impl AsyncRead, impl AsyncWrite),
    limit: usize,
    mut signals: Option<Signals>,
) -> Result<(), ServeError>
where
    C: Send + Sync + 'static,
{
    let grace = runtime.limits().grace() + MARGIN;
    let (incoming, outgoing) = runtime.connect(peer).split();
    let (stop, ended) = (SetOnce::new(), Notify::new());
    let frames = FrameReader::new(Box::pin(reader), limit);

    let exchange = async {
        let reading = bounded(read(frames, incoming, &stop, limit), &stop);
        let mut writing = pin!(write(outgoing, Box::pin(writer)));
        let read = tokio::select! {
            biased;
            written = &mut writing => return written,
            read = reading => read,
        };
        ended.notify_one();
        writing.await.and(read)
    };
    let patience = async {
        tokio::select! {
            () = next_of(&mut signals) => {}
            () = runtime.stopping() => {}
            () = ended.notified() => ended.notify_one(),
        }
        drop(stop.set(()));
        tracing::debug!("no more is read; what was read has the grace to be answered");
        let waited = async {
            ended.notified().await;
            sleep(grace).await;
        };
        tokio::select! {
            () = next_of(&mut signals) => tracing::debug!("a signal ended the wait for answers"),
            () = waited => tracing::warn!("the peer took no answers within the grace"),
        }
    };
    tokio::select! {
        biased;
        done = exchange => done,
        () = patience => Ok(()),
    }
}

/// Hands the runtime one frame after the other; once told to stop, those that are here already.
/// Ending, it drops the incoming half, which tells the runtime that no more will come.
async fn read<C>(
    mut frames: FrameReader<impl AsyncRead + Unpin>,
    mut incoming: Incoming<C>,
    stop: &SetOnce<()>,
    limit: usize,
) -> Result<(), ServeError>
where
    C: Send + Sync + 'static,
{
    loop {
        let line = tokio::select! {
            biased;
            () = stop.wait() => break,
            line = frames.next() => line,
        };
        match line {
            Ok(Some(line)) => {
                if take(&mut incoming, line, limit).await.is_err() {
                    return Ok(());
                }
            }
            Ok(None) => return Ok(()),
            Err(error) if is_gone(&error) => return Ok(()),
            Err(error) => return Err(ServeError::Read(error)),
        }
    }
    while let Some(line) = frames.next_buffered() {
        if take(&mut incoming, line, limit).await.is_err() {
            break;
        }
    }
    Ok(())
}

async fn take<C>(incoming: &mut Incoming<C>, line: Line, limit: usize) -> Result<(), Closed>
where
    C: Send + Sync + 'static,
{
    match line {
        Line::Frame(frame) => incoming.receive(frame).await,
        Line::TooLong => {
            tracing::warn!(limit, "skipped a line over the limit");
            let message = format!("a line may have at most {limit} bytes");
            incoming.reject(message).await
        }
    }
}

/// Where more was read than may run at a time, taking the rest ends soon after the stop.
async fn bounded(
    reading: impl Future<Output = Result<(), ServeError>>,
    stop: &SetOnce<()>,
) -> Result<(), ServeError> {
    let late = async {
        stop.wait().await;
        sleep(MARGIN).await;
    };
    tokio::select! {
        biased;
        read = reading => read,
        () = late => Ok(()),
    }
}

/// Writes what comes, and ends both streams when nothing more will.
async fn write(
    mut outgoing: Outgoing,
    mut writer: impl AsyncWrite + Unpin,
) -> Result<(), ServeError> {
    let mut batch = Vec::new();
    let written: io::Result<()> = async {
        while let Some(frame) = outgoing.next().await {
            append(&mut batch, frame.bytes());
            while batch.len() < BATCH
                && let Some(frame) = outgoing.try_next()
            {
                append(&mut batch, frame.bytes());
            }
            writer.write_all(&batch).await?;
            writer.flush().await?;
            batch.clear();
            batch.shrink_to(BATCH);
        }
        writer.shutdown().await
    }
    .await;
    match written {
        Err(error) if is_gone(&error) => Ok(()),
        done => done.map_err(ServeError::Write),
    }
}

async fn next_of(signals: &mut Option<Signals>) {
    match signals {
        Some(signals) => signals.next().await,
        None => pending().await,
    }
}

/// Whether the peer went away, which is how a connection may end.
fn is_gone(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::BrokenPipe
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
    )
}
