//! Log messages to the client, sent while a call runs.

use std::sync::Arc;

use bytes::Bytes;
use serde::Serialize;
use tokio::sync::mpsc;

use crate::protocol::{answer::notification, legacy::Session, meta::LogLevel};

/// How many log messages of one call wait to be sent before the handler waits (LOG-07).
const QUEUE: usize = 64;

/// Where a call's log messages go, and from which level.
#[derive(Debug)]
pub(crate) struct LogSender {
    threshold: Threshold,
    frames: mpsc::Sender<Bytes>,
}

/// From which level the client wants messages.
#[derive(Debug)]
pub(crate) enum Threshold {
    /// Named by the request itself.
    Request(LogLevel),
    /// Set for a connection, and possibly changed while the call runs (LU-01).
    Session(Arc<Session>),
}

#[derive(Serialize)]
struct Params<T> {
    level: LogLevel,
    data: T,
}

pub(crate) fn channel(threshold: Threshold) -> (LogSender, mpsc::Receiver<Bytes>) {
    let (frames, receiver) = mpsc::channel(QUEUE);
    (LogSender { threshold, frames }, receiver)
}

impl LogSender {
    pub(crate) async fn send(&self, level: LogLevel, data: impl Serialize) {
        let threshold = match &self.threshold {
            Threshold::Request(level) => *level,
            Threshold::Session(session) => session.log_level(),
        };
        if level < threshold {
            return;
        }
        // Sending fails once the call is answered or its client has left: nobody listens.
        if let Some(frame) = notification("notifications/message", &Params { level, data }) {
            drop(self.frames.send(frame).await);
        } else {
            tracing::warn!("a log message could not be written as JSON; it is not sent");
        }
    }
}
