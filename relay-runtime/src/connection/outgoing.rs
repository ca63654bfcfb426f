use std::{collections::VecDeque, fmt, pin::Pin, sync::Arc};

use relay_core::protocol::{
    answer::Answer,
    jsonrpc::{ErrorCode, Id},
};
use tokio::{
    sync::mpsc,
    time::{Sleep, sleep},
};
use tokio_util::sync::CancellationToken;

use super::Queued;
use crate::{Frame, inflight::InFlight, tasks::Tasks};

/// The half of a connection that gives frames to send.
///
/// Drop it when the peer is gone: what runs for it is cancelled.
pub struct Outgoing {
    tasks: Arc<Tasks>,
    in_flight: Arc<InFlight>,
    /// Keeps the queue open until the connection closes.
    open: Option<mpsc::Sender<Queued>>,
    frames: mpsc::Receiver<Queued>,
    closing: CancellationToken,
    /// Until when what runs at the end may finish.
    grace: Option<Pin<Box<Sleep>>>,
    /// What is sent after the grace, and then nothing more.
    last: Option<VecDeque<Frame>>,
}

impl Outgoing {
    pub(super) fn new(
        tasks: Arc<Tasks>,
        in_flight: Arc<InFlight>,
        open: mpsc::Sender<Queued>,
        frames: mpsc::Receiver<Queued>,
        closing: CancellationToken,
    ) -> Self {
        Self {
            tasks,
            in_flight,
            open: Some(open),
            frames,
            closing,
            grace: None,
            last: None,
        }
    }

    /// The next frame to send.
    ///
    /// `None` once the incoming half was dropped, or the runtime is stopping, and every request is
    /// answered. Requests that take longer than the [grace](crate::Limits::with_grace) from then on
    /// are answered -32603 and cancelled (STDIO-08, STDIO-13).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: no frame is lost.
    ///
    /// # Panics
    ///
    /// Outside the context of a Tokio runtime that has its timers enabled.
    pub async fn next(&mut self) -> Option<Frame> {
        loop {
            if let Some(last) = &mut self.last {
                return last.pop_front();
            }
            let queued = tokio::select! {
                biased;
                () = self.closing.cancelled(), if self.open.is_some() => {
                    self.open = None;
                    self.grace = Some(Box::pin(sleep(self.tasks.limits.grace())));
                    continue;
                }
                () = over(&self.tasks, &mut self.grace), if self.open.is_none() => {
                    self.end();
                    continue;
                }
                queued = self.frames.recv() => queued?,
            };
            if let Some(frame) = queued.claim() {
                return Some(frame);
            }
        }
    }

    /// A frame that is there to be sent at once, for a transport that writes several together.
    /// `None` says nothing about the end.
    pub fn try_next(&mut self) -> Option<Frame> {
        if let Some(last) = &mut self.last {
            return last.pop_front();
        }
        while let Ok(queued) = self.frames.try_recv() {
            if let Some(frame) = queued.claim() {
                return Some(frame);
            }
        }
        None
    }

    /// The grace is over: what is answered goes out, what is not is answered here.
    fn end(&mut self) {
        let mut last = VecDeque::new();
        self.frames.close();
        while let Ok(queued) = self.frames.try_recv() {
            last.extend(queued.claim());
        }
        let stopped = |id: Id| {
            let message = "the server is stopping";
            Frame::answer(Answer::failure(&id, ErrorCode::INTERNAL_ERROR, message))
        };
        last.extend(self.in_flight.end().into_iter().map(stopped));
        self.last = Some(last);
    }
}

impl Drop for Outgoing {
    fn drop(&mut self) {
        self.closing.cancel();
        drop(self.in_flight.end());
    }
}

impl fmt::Debug for Outgoing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outgoing")
            .field("in_flight", &self.in_flight)
            .finish_non_exhaustive()
    }
}

/// Waits until what runs has had its grace.
async fn over(tasks: &Tasks, grace: &mut Option<Pin<Box<Sleep>>>) {
    let grace = async {
        match grace {
            Some(grace) => grace.as_mut().await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        biased;
        () = tasks.ended.cancelled() => {}
        () = grace => {}
    }
}
