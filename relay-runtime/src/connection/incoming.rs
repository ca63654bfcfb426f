use std::{collections::VecDeque, fmt, sync::Arc};

use bytes::Bytes;
use relay_core::{
    Peer,
    dispatch::{Invocation, reject},
    protocol::{answer::Answer, jsonrpc::ErrorCode, legacy::Handshake},
};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore, mpsc},
    task::consume_budget,
};
use tokio_util::sync::{CancellationToken, DropGuard};
use tracing::Span;

use super::Queued;
use crate::{
    Frame, Runtime,
    execute::Run,
    inflight::{Entry, InFlight},
    runtime::Judged,
};

/// The half of a connection that takes frames.
///
/// Drop it when the peer will send no more.
pub struct Incoming<C> {
    runtime: Runtime<C>,
    peer: Peer<C>,
    handshake: Handshake,
    in_flight: Arc<InFlight>,
    /// Weak, so that the outgoing half knows when the last request is answered.
    queue: mpsc::WeakSender<Queued>,
    /// What was received and is not done yet, in order.
    backlog: VecDeque<Work>,
    closing: CancellationToken,
    _close: DropGuard,
}

enum Work {
    Frame(Bytes),
    /// A frame that came in a batch.
    Member(Bytes),
    Answer(Answer),
    Run(Bytes, Invocation, Span),
}

/// The connection takes no more frames: its outgoing half was dropped or the runtime is stopping.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the connection takes no more frames")]
#[non_exhaustive]
pub struct Closed;

impl<C: Send + Sync + 'static> Incoming<C> {
    pub(super) fn new(
        runtime: Runtime<C>,
        peer: Peer<C>,
        in_flight: Arc<InFlight>,
        queue: mpsc::WeakSender<Queued>,
        closing: CancellationToken,
    ) -> Self {
        Self {
            runtime,
            peer,
            handshake: Handshake::new(),
            in_flight,
            queue,
            backlog: VecDeque::new(),
            _close: closing.clone().drop_guard(),
            closing,
        }
    }

    /// Takes one frame: one JSON message without its line end, in the order of arrival.
    ///
    /// Ready once the frame is dealt with as far as it can be: answered, ignored, or given to a
    /// handler that runs in a task of its own (STDIO-05). Waits while the outgoing half is full or
    /// as many handlers run as [may](crate::Limits::with_concurrency); so the two halves must be
    /// driven at the same time.
    ///
    /// # Errors
    ///
    /// [`Closed`] once the outgoing half was dropped or the runtime is stopping; stop reading then.
    ///
    /// # Cancel safety
    ///
    /// The frame is kept from the first poll on: if this is dropped before it is ready, the rest is
    /// done by the next call. Do not give the frame again.
    ///
    /// # Panics
    ///
    /// Outside the context of a Tokio runtime.
    pub async fn receive(&mut self, frame: Bytes) -> Result<(), Closed> {
        self.backlog.push_back(Work::Frame(frame));
        self.work_off().await
    }

    /// Answers something that was not even a frame, such as a line over the transport's limit:
    /// -32600 with this message and no id (STDIO-11).
    ///
    /// # Errors
    ///
    /// As [`receive`](Self::receive).
    ///
    /// # Cancel safety
    ///
    /// As [`receive`](Self::receive).
    pub async fn reject(&mut self, message: impl Into<String>) -> Result<(), Closed> {
        let answer = self.refusal(message.into());
        self.backlog.push_back(Work::Answer(answer));
        self.work_off().await
    }

    fn refusal(&self, message: String) -> Answer {
        reject(None, ErrorCode::INVALID_REQUEST, message, &self.handshake)
    }

    async fn work_off(&mut self) -> Result<(), Closed> {
        let done = self.try_work_off().await;
        if done.is_err() {
            self.backlog.clear();
        }
        done
    }

    async fn try_work_off(&mut self) -> Result<(), Closed> {
        if self.closing.is_cancelled() {
            return Err(Closed);
        }
        // Each piece of work leaves the backlog only after the last await that it needs.
        while let Some(next) = self.backlog.front() {
            match next {
                Work::Frame(_) => self.judge(),
                Work::Member(_) => {
                    // There may be as many as fit in a frame, each done at once.
                    consume_budget().await;
                    self.judge();
                }
                Work::Answer(_) => {
                    let slot = self
                        .queue()?
                        .reserve_owned()
                        .await
                        .map_err(|_full| Closed)?;
                    if let Some(Work::Answer(answer)) = self.backlog.pop_front() {
                        slot.send(Queued::Immediate(Frame::answer(answer)));
                    }
                }
                Work::Run(..) => {
                    let permits = Arc::clone(&self.runtime.tasks().permits);
                    let permit = admitted(permits, &self.closing).await?;
                    let queue = self.queue()?;
                    if let Some(Work::Run(frame, invocation, span)) = self.backlog.pop_front() {
                        self.run(frame, invocation, span, permit, queue);
                    }
                }
            }
        }
        Ok(())
    }

    fn judge(&mut self) {
        let (frame, member) = match self.backlog.pop_front() {
            Some(Work::Frame(frame)) => (frame, false),
            Some(Work::Member(frame)) => (frame, true),
            Some(work) => return self.backlog.push_front(work),
            None => return,
        };
        let judged = self
            .runtime
            .judge(&frame, &self.peer, &mut self.handshake, |id| {
                self.in_flight.contains(id)
            });
        match judged {
            Judged::Silent => {}
            Judged::Answer(answer) => self.backlog.push_front(Work::Answer(answer)),
            Judged::Run(invocation, span) => {
                self.backlog.push_front(Work::Run(frame, invocation, span));
            }
            Judged::Cancel { id, reason } => self.in_flight.cancel(&id, reason.as_deref()),
            Judged::Batch(_) if member => {
                let answer = self.refusal("a batch can't be part of a batch".to_owned());
                self.backlog.push_front(Work::Answer(answer));
            }
            Judged::Batch(members) => {
                for member in members.into_iter().rev() {
                    self.backlog.push_front(Work::Member(member));
                }
            }
        }
    }

    fn run(
        &self,
        frame: Bytes,
        invocation: Invocation,
        span: Span,
        permit: OwnedSemaphorePermit,
        queue: mpsc::Sender<Queued>,
    ) {
        let tasks = self.runtime.tasks();
        let cancellation = invocation.cancellation();
        let entry = self
            .in_flight
            .enter(invocation.id().clone(), cancellation, span.clone());
        let run = Run::new(tasks, frame, invocation, span, Some(permit));
        tasks.spawn(serve(run, entry, queue));
    }

    fn queue(&self) -> Result<mpsc::Sender<Queued>, Closed> {
        self.queue.upgrade().ok_or(Closed)
    }
}

/// The right to run a handler, unless the connection closes first.
async fn admitted(
    permits: Arc<Semaphore>,
    closing: &CancellationToken,
) -> Result<OwnedSemaphorePermit, Closed> {
    if let Ok(permit) = Arc::clone(&permits).try_acquire_owned() {
        return Ok(permit);
    }
    tokio::select! {
        biased;
        () = closing.cancelled() => Err(Closed),
        permit = permits.acquire_owned() => permit.map_err(|_closed| Closed),
    }
}

impl<C> fmt::Debug for Incoming<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Incoming")
            .field("peer", &self.peer)
            .field("in_flight", &self.in_flight)
            .finish_non_exhaustive()
    }
}

/// Runs one request to its answer, or until nobody waits for it.
async fn serve(mut run: Run, entry: Entry, queue: mpsc::Sender<Queued>) {
    while !entry.flight().is_over() {
        // The run comes first: at its deadline it cancels the handler itself, and then answers.
        let frame = tokio::select! {
            biased;
            frame = run.next() => frame,
            () = entry.cancelled() => return,
        };
        let Some(frame) = frame else { return };
        // A handler whose client does not read stands still, but not beyond its deadline.
        let slot = tokio::select! {
            biased;
            slot = queue.reserve() => slot,
            () = run.expired() => queue.reserve().await,
        };
        // The outgoing half is gone: nobody waits.
        let Ok(slot) = slot else { return };
        if frame.is_answer() {
            return slot.send(Queued::Answer(frame, entry));
        }
        slot.send(Queued::Notification(frame, Arc::clone(entry.flight())));
    }
}
