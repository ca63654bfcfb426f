use std::{
    fmt,
    sync::{Arc, OnceLock},
    task::{Context, Poll},
    time::{Duration, Instant},
};

use bytes::Bytes;
use tokio::sync::mpsc;

use super::{Asked, Asking, Dispatch, SingleUse, rounds};
use crate::{
    BoxFuture, Call, Cancellation,
    call::Scope,
    cancellation::Signal,
    input::Reach,
    logging::{self, Threshold},
    progress::ProgressSlot,
    protocol::{
        answer::{Answer, Refusal, Responder},
        jsonrpc::Id,
        method::Method,
        revision::Revision,
    },
};

/// As good as never, for deadlines further away than the clock can tell.
const NEVER: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);

/// What a request is about, for logs and spans.
#[derive(Clone, Debug)]
pub struct Subject {
    method: Option<Method>,
    revision: Option<Revision>,
    target: Option<Arc<str>>,
}

/// A handler that has to run, and what belongs to its run.
///
/// The future holds all it needs and may be driven anywhere. Dropping the invocation drops the
/// handler where it stands.
#[expect(
    clippy::partial_pub_fields,
    reason = "the driver polls and drains two of them in place, and only reads the rest"
)]
pub struct Invocation {
    /// Gives what the run comes to when polled to its end.
    pub future: BoxFuture<Ended>,
    /// What the handler sends before its answer.
    pub outbox: Outbox,
    subject: Subject,
    deadline: Instant,
    responder: Responder,
    scope: Arc<Scope>,
    single_use: Option<Arc<SingleUse>>,
}

/// What a run came to.
#[derive(Debug)]
#[non_exhaustive]
pub enum Ended {
    /// This is the answer.
    Answer(Answer),
    /// The client has to answer questions first.
    Asks(Box<Asking>),
}

/// What a running handler has for the client.
#[derive(Debug)]
pub struct Outbox {
    progress: Option<Arc<ProgressSlot>>,
    logs: Option<mpsc::Receiver<Bytes>>,
}

/// Why a handler's run gave no answer of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Failure {
    /// It ran past its deadline.
    Deadline,
    /// It panicked.
    Panic,
}

impl Subject {
    pub(super) fn of(method: Method, revision: Revision) -> Self {
        Self {
            method: Some(method),
            revision: Some(revision),
            target: None,
        }
    }

    pub(super) fn refused(method: Option<Method>) -> Self {
        Self {
            method,
            revision: None,
            target: None,
        }
    }

    pub(super) fn unreadable() -> Self {
        Self::refused(None)
    }

    /// The method, where it is one of the protocol's.
    #[must_use]
    pub fn method(&self) -> Option<&'static str> {
        self.method.map(Method::as_str)
    }

    /// The revision the request was judged by, where it got that far.
    #[must_use]
    pub fn revision(&self) -> Option<Revision> {
        self.revision
    }

    /// The tool, prompt or resource template that was found for the request, by its declared name.
    #[must_use]
    pub fn target(&self) -> Option<&str> {
        self.target.as_deref()
    }
}

impl From<Answer> for Ended {
    fn from(answer: Answer) -> Self {
        Self::Answer(answer)
    }
}

impl Ended {
    /// The answer to the request; `frame` is the one that the run was dispatched for, wherever it
    /// [may ask](Invocation::may_ask).
    #[must_use]
    pub fn answer(self, frame: &[u8]) -> Answer {
        match self {
            Self::Answer(answer) => answer,
            Self::Asks(asking) => asking.answer(frame),
        }
    }
}

impl Invocation {
    /// Whether the run may end in questions: what drives it keeps the frame until then.
    #[must_use]
    pub fn may_ask(&self) -> bool {
        self.scope.rounds.reach == Reach::Rounds
    }

    /// The state that has to be [settled](SingleUse::settle) before the handler runs, where the
    /// request came with such state.
    #[must_use]
    pub fn single_use(&self) -> Option<&Arc<SingleUse>> {
        self.single_use.as_ref()
    }

    /// The request's id.
    #[must_use]
    pub fn id(&self) -> &Id {
        &self.responder.id
    }

    /// What the request is about.
    #[must_use]
    pub fn subject(&self) -> &Subject {
        &self.subject
    }

    /// When the handler has had its time.
    #[must_use]
    pub fn deadline(&self) -> Instant {
        self.deadline
    }

    /// Fires what the handler sees as [`Call::cancelled`].
    #[must_use]
    pub fn cancellation(&self) -> Cancellation {
        let scope = Arc::clone(&self.scope);
        Cancellation::within(scope)
    }

    /// The name of this request in logs; see [`Call::correlation`].
    #[must_use]
    pub fn correlation(&self) -> &str {
        self.scope.correlation()
    }

    /// The answer to a request whose handler gave none: -32603 with a fixed text (ERR-10, CAN-04).
    #[must_use]
    pub fn failed(&self, failure: Failure) -> Answer {
        self.responder.refuse(&Refusal::internal(match failure {
            Failure::Deadline => "the request took too long and was stopped",
            Failure::Panic => "internal error",
        }))
    }
}

impl Outbox {
    /// The frame of the latest progress not yet taken, as soon as there is some.
    pub fn poll_progress(&mut self, cx: &mut Context<'_>) -> Poll<Bytes> {
        match &self.progress {
            Some(slot) => slot.poll(cx),
            None => Poll::Pending,
        }
    }

    /// The frame of the next log message, as soon as there is one.
    pub fn poll_log(&mut self, cx: &mut Context<'_>) -> Poll<Bytes> {
        let next = match &mut self.logs {
            Some(logs) => logs.poll_recv(cx),
            None => Poll::Pending,
        };
        match next {
            Poll::Ready(Some(frame)) => Poll::Ready(frame),
            Poll::Ready(None) | Poll::Pending => Poll::Pending,
        }
    }

    /// Takes the frames that wait, and lets no more in: a handler that goes on logging no longer
    /// waits for anyone.
    pub fn close(&mut self) -> Vec<Bytes> {
        let mut waiting = Vec::new();
        if let Some(mut logs) = self.logs.take() {
            logs.close();
            while let Ok(frame) = logs.try_recv() {
                waiting.push(frame);
            }
        }
        waiting.extend(self.progress.take().and_then(|slot| slot.take()));
        waiting
    }
}

impl<C: Send + Sync + 'static> Asked<'_, C> {
    /// Opens a call and hands it on; `run` gives the handler's future, or an answer at once.
    pub(super) fn invoke(
        self,
        target: Option<&Arc<str>>,
        deadline: Option<Duration>,
        run: impl FnOnce(Call<C>, Responder) -> Result<BoxFuture<Ended>, Answer>,
    ) -> Dispatch {
        let subject = Subject {
            target: target.cloned(),
            ..self.subject()
        };
        let (progress, logs, log_receiver) = self.channels();
        let now = self.bounds.now;
        let deadline = now
            .checked_add(deadline.unwrap_or(self.bounds.deadline))
            .unwrap_or_else(|| now + NEVER);
        let facts = self.responder.revision.facts();
        let completed = self
            .params
            .context
            .into_value()
            .filter(|_| facts.completion_context);
        let scope = Arc::new(Scope {
            id: self.responder.id.clone(),
            client: self.client,
            meta: self.meta,
            principal: self.peer.principal().cloned(),
            cancellation: Signal::default(),
            deadline,
            progress: progress.clone(),
            logs,
            completed: completed.unwrap_or_default(),
            rounds: self.input.rounds,
            correlation: OnceLock::new(),
        });
        let single_use = self.input.single_use;
        let call = Call::new(Arc::clone(self.peer.context()), Arc::clone(&scope));
        match run(call, self.responder.clone()) {
            Err(answer) => Dispatch::Answer(subject, answer),
            Ok(future) => Dispatch::Invoke(Invocation {
                future: match &single_use {
                    Some(state) => once(Arc::clone(state), self.responder.clone(), future),
                    None => future,
                },
                outbox: Outbox {
                    progress,
                    logs: log_receiver,
                },
                subject,
                deadline,
                responder: self.responder,
                scope,
                single_use,
            }),
        }
    }

    fn channels(
        &self,
    ) -> (
        Option<Arc<ProgressSlot>>,
        Option<logging::LogSender>,
        Option<mpsc::Receiver<Bytes>>,
    ) {
        let token = self.meta.progress_token().value();
        let progress = token.map(|token| Arc::new(ProgressSlot::new(token.clone())));
        let threshold = match &self.session {
            _ if !self.server.logging => None,
            Some(session) => Some(Threshold::Session(Arc::clone(session))),
            None => self
                .meta
                .log_level()
                .value()
                .copied()
                .map(Threshold::Request),
        };
        let (logs, receiver) = threshold.map(logging::channel).unzip();
        (progress, logs, receiver)
    }
}

/// Runs a handler if the state it was called with was not used before, as far as its driver knows
/// (RS-06).
fn once(
    state: Arc<SingleUse>,
    responder: Responder,
    handler: BoxFuture<Ended>,
) -> BoxFuture<Ended> {
    Box::pin(async move {
        let refusal = match state.is_first() {
            Some(true) => return handler.await,
            Some(false) => rounds::bad_state(),
            None => Refusal::internal("internal error"),
        };
        responder.refuse(&refusal).into()
    })
}

impl fmt::Debug for Invocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Invocation")
            .field("id", &self.responder.id)
            .field("subject", &self.subject)
            .finish_non_exhaustive()
    }
}
