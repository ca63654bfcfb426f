//! What a running handler tells its client, at the pace the client can take.

use std::{
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use bytes::Bytes;
use relay_core::dispatch::Outbox;
use tokio::time::{Instant, Sleep, sleep};

/// The pace of one request's notifications: log messages as they come, the first progress at once
/// and then the latest in each interval (PROG-06).
#[derive(Debug)]
pub(crate) struct Outbound {
    interval: Duration,
    /// Until when the next progress waits.
    pause: Option<Pin<Box<Sleep>>>,
}

impl Outbound {
    pub(crate) fn new(interval: Duration) -> Self {
        Self {
            interval,
            pause: None,
        }
    }

    pub(crate) fn poll(&mut self, outbox: &mut Outbox, cx: &mut Context<'_>) -> Poll<Bytes> {
        if let Poll::Ready(frame) = outbox.poll_log(cx) {
            return Poll::Ready(frame);
        }
        if let Some(pause) = &mut self.pause {
            ready!(pause.as_mut().poll(cx));
        }
        let frame = ready!(outbox.poll_progress(cx));
        match &mut self.pause {
            // A timer of no time would still wait for the clock's next tick.
            None if self.interval.is_zero() => {}
            Some(pause) => pause.as_mut().reset(Instant::now() + self.interval),
            None => self.pause = Some(Box::pin(sleep(self.interval))),
        }
        Poll::Ready(frame)
    }
}
