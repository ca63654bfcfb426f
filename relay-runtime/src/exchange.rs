//! One frame and what comes back for it, without a connection.

use std::{
    fmt,
    future::poll_fn,
    sync::Arc,
    task::{Context, Poll, ready},
    vec,
};

use bytes::Bytes;
use relay_core::protocol::answer::Answer;

use crate::{
    Frame,
    execute::{Guard, Run},
};

/// What comes back for one frame: any number of notifications, then exactly one answer, then
/// nothing. For a notification, nothing at all.
///
/// A frame that is a batch brings back what each of its members does, one member after the other,
/// within the time and the bytes that one answer may take; see [`is_batch`](Self::is_batch).
///
/// Made by [`Runtime::exchange`](crate::Runtime::exchange). The handler runs inside
/// [`next`](Self::next), in the task of whoever calls it: keep calling until the answer, or drop
/// the exchange.
///
/// Dropped while its handler runs, an exchange cancels it. The handler may then finish what it does
/// in a task of its own, within the [grace](crate::Limits::with_grace); outside the context of a
/// Tokio runtime it is dropped where it stands. A handler that had not started never does. Under a
/// revision whose clients do not take a request back by leaving (LH-17), a handler that has started
/// goes on to its deadline instead.
pub struct Exchange(State);

enum State {
    /// Until it is given away.
    Answer(Option<Answer>),
    Run(Box<Run>),
    Batch(Box<Batch>),
    Over,
}

/// The members of a batch, opened one after the other.
struct Batch {
    members: vec::IntoIter<Bytes>,
    open: Box<Open>,
    current: Exchange,
    /// How many bytes the answers to come may have.
    room: usize,
    guard: Option<Guard>,
}

/// Opens a member, whose answer may have so many bytes.
type Open = dyn FnMut(Bytes, usize) -> Exchange + Send;

impl Exchange {
    /// Holds `guard` until the last handler of this exchange is gone; for a transport that counts
    /// what its requests take up, such as the bytes of a frame.
    ///
    /// A handler can outlive its exchange, and with it the arguments that came in the frame: a
    /// share of a limit that the transport gives back by itself when its peer leaves is given back
    /// too early. Keep a clone of the guard for what lasts longer than the handler, such as sending
    /// the answer.
    ///
    /// ```
    /// # async fn example(
    /// #     runtime: relay_runtime::Runtime<()>,
    /// #     frame: bytes::Bytes,
    /// #     requests: std::sync::Arc<tokio::sync::Semaphore>,
    /// # ) {
    /// use std::sync::Arc;
    /// use relay_core::Peer;
    ///
    /// let slot = Arc::new(requests.acquire_owned().await.expect("an open semaphore"));
    /// let exchange = runtime.exchange(frame, Peer::new(())).holding(slot);
    /// # drop(exchange);
    /// # }
    /// ```
    #[must_use]
    pub fn holding(self, guard: Arc<impl Send + Sync + 'static>) -> Self {
        self.held(guard)
    }

    fn held(mut self, guard: Guard) -> Self {
        match &mut self.0 {
            State::Run(run) => run.hold(guard),
            State::Batch(batch) => batch.guard = Some(guard),
            State::Answer(_) | State::Over => {}
        }
        self
    }

    /// The next frame, or `None` once there is nothing more.
    ///
    /// Waits while as many handlers run as [may](crate::Limits::with_concurrency); the deadline
    /// goes on meanwhile.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the handler stops where it is and goes on with the next call.
    ///
    /// # Panics
    ///
    /// Outside the context of a Tokio runtime that has its timers enabled, if the handler has to
    /// wait for something.
    pub async fn next(&mut self) -> Option<Frame> {
        poll_fn(|cx| self.poll_next(cx)).await
    }

    /// As [`next`](Self::next), for a body or a stream that is polled.
    ///
    /// # Panics
    ///
    /// As [`next`](Self::next).
    pub fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Frame>> {
        match &mut self.0 {
            State::Over => Poll::Ready(None),
            State::Run(run) => run.poll_next(cx),
            State::Batch(batch) => batch.poll_next(cx),
            State::Answer(answer) => Poll::Ready(answer.take().map(Frame::answer)),
        }
    }

    /// Whether the frame was a batch, so that any number of answers may come.
    #[must_use]
    pub fn is_batch(&self) -> bool {
        matches!(self.0, State::Batch(_))
    }

    pub(crate) fn batch(
        members: Vec<Bytes>,
        room: usize,
        open: impl FnMut(Bytes, usize) -> Self + Send + 'static,
    ) -> Self {
        Self(State::Batch(Box::new(Batch {
            members: members.into_iter(),
            open: Box::new(open),
            current: Self::silent(),
            room,
            guard: None,
        })))
    }

    pub(crate) fn silent() -> Self {
        Self(State::Over)
    }

    pub(crate) fn answered(answer: Answer) -> Self {
        Self(State::Answer(Some(answer)))
    }

    pub(crate) fn running(run: Run) -> Self {
        Self(State::Run(Box::new(run)))
    }
}

impl Batch {
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Frame>> {
        if let Some(frame) = ready!(self.current.poll_next(cx)) {
            if frame.is_answer() {
                self.room = self.room.saturating_sub(frame.bytes().len());
            }
            return Poll::Ready(Some(frame));
        }
        let Some(member) = self.members.next() else {
            return Poll::Ready(None);
        };
        let opened = (self.open)(member, self.room);
        self.current = match &self.guard {
            Some(guard) => opened.held(Arc::clone(guard)),
            None => opened,
        };
        // There may be as many as fit in a frame, each done at once: others have their turn between.
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        if let State::Run(run) = &mut self.0 {
            run.leave();
        }
    }
}

impl fmt::Debug for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = match &self.0 {
            State::Answer(_) => "answered",
            State::Run(_) => "running",
            State::Batch(_) => "a batch",
            State::Over => "over",
        };
        f.debug_tuple("Exchange").field(&state).finish()
    }
}
