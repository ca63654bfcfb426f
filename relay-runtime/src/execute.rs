//! One run of a handler: its permit, its deadline, its panics, and what comes of it.

use std::{
    any::Any,
    collections::VecDeque,
    future::{pending, poll_fn},
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use relay_core::{
    dispatch::{Failure, Invocation},
    protocol::answer::Answer,
};
use tokio::{
    sync::OwnedSemaphorePermit,
    task::unconstrained,
    time::{Instant, Sleep, sleep_until},
};
use tokio_util::{sync::PollSemaphore, task::task_tracker::TaskTrackerToken};
use tracing::Span;

use crate::{Frame, outbound::Outbound, tasks::Tasks, trace};

/// A handler's run as its client sees it: notifications, then one answer.
///
/// Dropped before its end, it cancels the handler, which has the grace to finish.
pub(crate) struct Run {
    tasks: Arc<Tasks>,
    /// Until there is an answer.
    running: Option<Running>,
    queue: PollSemaphore,
    outbound: Outbound,
    deadline: Instant,
    /// Armed once the handler has not finished at its first poll.
    timer: Option<Pin<Box<Sleep>>>,
    /// What the handler had sent when it ended.
    left: VecDeque<Bytes>,
    answer: Option<Answer>,
}

/// What a transport wants held for as long as a handler is there.
pub(crate) type Guard = Arc<dyn Send + Sync>;

/// A handler with all that belongs to it until it ends, wherever it is driven.
pub(crate) struct Running {
    /// Always there, until dropped.
    invocation: Option<Invocation>,
    /// What the handler was dispatched for, where it may ask its client something.
    frame: Bytes,
    span: Span,
    /// Whether the handler was polled: one that was not never is once it is cancelled or late.
    started: bool,
    /// Held from the first poll on, at the latest.
    permit: Option<OwnedSemaphorePermit>,
    guard: Option<Guard>,
    _tracked: TaskTrackerToken,
}

impl Run {
    /// A run that waits for its permit by itself, unless it is given one.
    pub(crate) fn new(
        tasks: &Arc<Tasks>,
        frame: Bytes,
        invocation: Invocation,
        span: Span,
        permit: Option<OwnedSemaphorePermit>,
    ) -> Self {
        Self {
            tasks: Arc::clone(tasks),
            queue: PollSemaphore::new(Arc::clone(&tasks.permits)),
            outbound: Outbound::new(tasks.limits.progress_interval()),
            deadline: Instant::from_std(invocation.deadline()),
            timer: None,
            left: VecDeque::new(),
            answer: None,
            running: Some(Running {
                frame: if invocation.may_ask() {
                    frame
                } else {
                    Bytes::new()
                },
                invocation: Some(invocation),
                span,
                started: false,
                permit,
                guard: None,
                _tracked: tasks.track(),
            }),
        }
    }

    /// Holds this until the handler is gone, wherever it is driven until then.
    pub(crate) fn hold(&mut self, guard: Guard) {
        if let Some(running) = &mut self.running {
            running.guard = Some(guard);
        }
    }

    /// The next notification; after the last one the answer; after that nothing.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the run stays where it is.
    pub(crate) async fn next(&mut self) -> Option<Frame> {
        poll_fn(|cx| self.poll_next(cx)).await
    }

    /// Waits for the deadline without driving the handler, which is then cancelled; for as long as
    /// what it has sent finds no taker.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    pub(crate) async fn expired(&mut self) {
        if self.running.is_some() {
            poll_fn(|cx| self.poll_deadline(cx)).await;
        }
        match self.running.take() {
            Some(running) => self.expire(running),
            None => pending().await,
        }
    }

    pub(crate) fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Frame>> {
        if let Some(running) = self.running.take() {
            match self.poll_running(running, cx) {
                Poll::Ready(Some(frame)) => return Poll::Ready(Some(Frame::notification(frame))),
                Poll::Ready(None) => {}
                Poll::Pending => return Poll::Pending,
            }
        }
        if let Some(frame) = self.left.pop_front() {
            return Poll::Ready(Some(Frame::notification(frame)));
        }
        Poll::Ready(self.answer.take().map(Frame::answer))
    }

    /// Drives the handler to its next notification, or to its end.
    fn poll_running(&mut self, mut running: Running, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        if !running.started && self.deadline <= Instant::now() {
            self.expire(running);
            return Poll::Ready(None);
        }
        let finished = match running.admit(&mut self.queue, cx) {
            Poll::Ready(()) => Pin::new(&mut running).poll(cx),
            Poll::Pending => Poll::Pending,
        };
        if let Poll::Ready(answer) = finished {
            self.end(running.close(), answer, &running.span);
            return Poll::Ready(None);
        }
        if self.poll_deadline(cx).is_ready() {
            self.expire(running);
            return Poll::Ready(None);
        }
        let sent = running.poll_outbox(&mut self.outbound, cx);
        self.running = Some(running);
        Poll::Ready(Some(ready!(sent)))
    }

    /// Lets the handler go on although nobody waits for its answer, where its revision says so.
    pub(crate) fn leave(&mut self) {
        let Some(mut running) = self
            .running
            .take_if(|running| running.outlives_its_client())
        else {
            return;
        };
        drop(running.close());
        self.tasks.detach(running, self.deadline);
    }

    fn poll_deadline(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let deadline = self.deadline;
        let timer = self
            .timer
            .get_or_insert_with(|| Box::pin(sleep_until(deadline)));
        // A handler that never lets its task's budget recover has a deadline like any other.
        Pin::new(&mut unconstrained(timer.as_mut())).poll(cx)
    }

    /// The handler has had its time; what is left of it may use the grace.
    fn expire(&mut self, mut running: Running) {
        if let Some(answer) = running.failed(Failure::Deadline) {
            self.end(running.close(), answer, &running.span);
        }
        running.abandon(&self.tasks);
    }

    fn end(&mut self, left: Vec<Bytes>, answer: Answer, span: &Span) {
        trace::answered(span, &answer);
        self.left = left.into();
        self.answer = Some(answer);
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        if let Some(running) = self.running.take() {
            trace::cancelled(&running.span);
            running.abandon(&self.tasks);
        }
    }
}

impl Running {
    fn admit(&mut self, queue: &mut PollSemaphore, cx: &mut Context<'_>) -> Poll<()> {
        if self.permit.is_none() {
            self.permit = ready!(queue.poll_acquire(cx));
        }
        Poll::Ready(())
    }

    fn poll_outbox(&mut self, outbound: &mut Outbound, cx: &mut Context<'_>) -> Poll<Bytes> {
        match &mut self.invocation {
            Some(invocation) => outbound.poll(&mut invocation.outbox, cx),
            None => Poll::Pending,
        }
    }

    /// What is still to be sent; what the handler says from now on is not.
    fn close(&mut self) -> Vec<Bytes> {
        match &mut self.invocation {
            Some(invocation) => invocation.outbox.close(),
            None => Vec::new(),
        }
    }

    fn failed(&self, failure: Failure) -> Option<Answer> {
        Some(self.invocation.as_ref()?.failed(failure))
    }

    /// Whether the handler has started, and a client that leaves does not stop it.
    fn outlives_its_client(&self) -> bool {
        let revision = self
            .invocation
            .as_ref()
            .and_then(|invocation| invocation.subject().revision());
        self.started && revision.is_some_and(|revision| !revision.facts().disconnect_cancels)
    }

    /// Cancels the handler; one that has started may use its grace.
    pub(crate) fn abandon(mut self, tasks: &Tasks) {
        drop(self.close());
        if let Some(invocation) = &self.invocation {
            invocation.cancellation().cancel();
        }
        if self.started {
            tasks.linger(self);
        }
    }
}

/// Gives the handler's answer, or the one that says it panicked.
impl Future for Running {
    type Output = Answer;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Answer> {
        let Self {
            invocation,
            frame,
            span,
            started,
            ..
        } = self.get_mut();
        let Some(invocation) = invocation else {
            return Poll::Pending;
        };
        *started = true;
        let _entered = span.enter();
        let polled = catch_unwind(AssertUnwindSafe(|| {
            let ended = ready!(invocation.future.as_mut().poll(cx));
            Poll::Ready(ended.answer(frame))
        }));
        polled.unwrap_or_else(|panic| {
            log_panic(&*panic);
            Poll::Ready(invocation.failed(Failure::Panic))
        })
    }
}

/// What a handler holds is dropped in its span, and may panic there.
impl Drop for Running {
    fn drop(&mut self) {
        let _entered = self.span.enter();
        let invocation = self.invocation.take();
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| drop(invocation))) {
            log_panic(&*panic);
        }
    }
}

/// Logs what a panic says, for the operator alone (OPS-05).
pub(crate) fn log_panic(panic: &(dyn Any + Send)) {
    let said = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    tracing::error!(panic = said.unwrap_or("no text"), "a handler panicked");
}
