//! A server that runs.

use std::{
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    time::Duration,
};

use bytes::Bytes;
use relay_core::{
    Peer, Server,
    dispatch::{Bounds, Dispatch, Invocation},
    protocol::{
        answer::Answer,
        headers::Headers,
        jsonrpc::{self, ErrorCode, Id, Message},
        legacy::Handshake,
    },
};
use tokio::time::Instant;
use tracing::Span;

use crate::{
    Connection, Exchange, Limits, Store,
    execute::{Run, log_panic},
    single_use,
    store::MemoryStore,
    tasks::Tasks,
    trace,
};

/// A [`Server`] with what it takes to run it: limits, permits, and the handlers that run.
///
/// One runtime serves any number of transports at a time. Cheap to clone; a clone is the same
/// runtime. Whatever serves takes `impl Into<Runtime<C>>`, so a plain [`Server`] does where the
/// defaults do.
///
/// ```
/// use std::time::Duration;
/// use relay_core::{Server, codec, tool};
/// use relay_runtime::{Limits, Runtime};
///
/// let ping = tool::define("ping", codec::object(()), codec::string())
///     .handle(|()| async { Ok("pong".to_owned()) });
/// let server: Server<()> = Server::new([ping]);
///
/// let runtime = Runtime::new(server)
///     .with_limits(Limits::default().with_deadline(Duration::from_secs(10)));
/// ```
pub struct Runtime<C> {
    server: Server<C>,
    tasks: Arc<Tasks>,
    store: Arc<dyn Store>,
    has_store: bool,
}

/// What a frame comes to, in the runtime's hands.
pub(crate) enum Judged {
    Silent,
    Answer(Answer),
    Cancel { id: Id, reason: Option<String> },
    Run(Invocation, Span),
    Batch(Vec<Bytes>),
}

impl<C> Runtime<C> {
    /// Runs this server, within the default limits.
    #[must_use]
    pub fn new(server: Server<C>) -> Self {
        Self {
            server,
            tasks: Arc::new(Tasks::new(Limits::default())),
            store: Arc::new(MemoryStore::default()),
            has_store: false,
        }
    }

    /// Sets the limits. For a runtime that serves nothing yet: a clone made earlier keeps its own
    /// and shares nothing with this one.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self {
            tasks: Arc::new(Tasks::new(limits)),
            ..self
        }
    }

    /// Sets where it is remembered what has been used: in this process's memory by default, so
    /// replicas that answer for one another need a [`Store`] that all of them reach.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use relay_runtime::{Runtime, store::MemoryStore};
    /// # use relay_core::Server;
    ///
    /// # let server: Server<()> = Server::new([]);
    /// let store = Arc::new(MemoryStore::with_capacity(1000));
    /// let one = Runtime::new(server.clone()).with_store(Arc::clone(&store));
    /// let other = Runtime::new(server).with_store(store);
    /// ```
    #[must_use]
    pub fn with_store(self, store: impl Store) -> Self {
        Self {
            store: Arc::new(store),
            has_store: true,
            ..self
        }
    }

    /// Whether a [store](Self::with_store) was given. Without one, other replicas don't know what
    /// was used here.
    #[must_use]
    pub fn has_store(&self) -> bool {
        self.has_store
    }

    /// The limits.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.tasks.limits
    }

    /// The server that runs.
    #[must_use]
    pub fn server(&self) -> Server<C> {
        self.server.clone()
    }

    pub(crate) fn tasks(&self) -> &Arc<Tasks> {
        &self.tasks
    }
}

impl<C: Send + Sync + 'static> Runtime<C> {
    /// Judges one frame from `peer` and gives what comes back for it; for transports that pair each
    /// frame with its answer, as HTTP does.
    ///
    /// A frame is one JSON message. It stands alone: nothing is remembered from one exchange to the
    /// next, so two of them may use one id (JR-12).
    ///
    /// ```
    /// # async fn example(runtime: relay_runtime::Runtime<()>) {
    /// use relay_core::Peer;
    ///
    /// let mut exchange = runtime.exchange("garbage".into(), Peer::new(()));
    /// let answer = exchange.next().await.expect("every request has an answer");
    /// assert!(answer.is_answer());
    /// # }
    /// ```
    #[must_use]
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a peer is made for its exchange; a handler that asks its client something keeps it"
    )]
    pub fn exchange(&self, frame: Bytes, peer: Peer<C>) -> Exchange {
        self.exchange_in(frame, &peer, &mut Handshake::new())
    }

    /// As [`exchange`](Self::exchange), for a frame that came with mirrored headers: they have to
    /// say what it says, and name the revision of one that is not modern.
    ///
    /// ```
    /// # async fn example(runtime: relay_runtime::Runtime<()>) {
    /// use relay_core::{Peer, protocol::{answer::RefusalClass, headers::Headers}};
    ///
    /// let frame = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{
    ///     "io.modelcontextprotocol/protocolVersion":"2026-07-28",
    ///     "io.modelcontextprotocol/clientCapabilities":{}}}}"#;
    /// let mut exchange = runtime.exchange_with_headers(frame.into(), Peer::new(()), Headers::new());
    /// let answer = exchange.next().await.expect("every request has an answer");
    /// assert_eq!(answer.refusal(), Some(RefusalClass::HeaderMismatch));
    /// # }
    /// ```
    #[must_use]
    pub fn exchange_with_headers(&self, frame: Bytes, peer: Peer<C>, headers: Headers) -> Exchange {
        self.exchange_after(Duration::ZERO, frame, peer, headers)
    }

    /// As [`exchange_with_headers`](Self::exchange_with_headers), for a transport whose own part of
    /// the work took time, such as finding out who the peer is: so much of the handler's
    /// [deadline](crate::Limits::with_deadline) is spent.
    ///
    /// ```
    /// # async fn example(runtime: relay_runtime::Runtime<()>, frame: bytes::Bytes) {
    /// use relay_core::{Peer, protocol::headers::Headers};
    ///
    /// let began = std::time::Instant::now();
    /// let peer = Peer::new(());
    /// let exchange = runtime.exchange_after(began.elapsed(), frame, peer, Headers::new());
    /// # drop(exchange);
    /// # }
    /// ```
    #[must_use]
    pub fn exchange_after(
        &self,
        spent: Duration,
        frame: Bytes,
        peer: Peer<C>,
        headers: Headers,
    ) -> Exchange {
        let mut handshake = Handshake::of_exchange(headers);
        let bounds = self.bounds(spent);
        match self.judge_within(&bounds, &frame, &peer, &mut handshake, |_| false) {
            Judged::Batch(members) => {
                let runtime = self.clone();
                Exchange::batch(members, bounds.answer_limit, move |member, room| {
                    let mut bounds = bounds;
                    bounds.answer_limit = room;
                    let judged =
                        runtime.judge_within(&bounds, &member, &peer, &mut handshake, |_| false);
                    runtime.opened(judged, member)
                })
            }
            judged => self.opened(judged, frame),
        }
    }

    pub(crate) fn exchange_in(
        &self,
        frame: Bytes,
        peer: &Peer<C>,
        handshake: &mut Handshake,
    ) -> Exchange {
        let judged = self.judge(&frame, peer, handshake, |_| false);
        self.opened(judged, frame)
    }

    fn opened(&self, judged: Judged, frame: Bytes) -> Exchange {
        match judged {
            Judged::Answer(answer) => Exchange::answered(answer),
            Judged::Run(invocation, span) => {
                Exchange::running(Run::new(&self.tasks, frame, invocation, span, None))
            }
            Judged::Silent | Judged::Cancel { .. } | Judged::Batch(_) => Exchange::silent(),
        }
    }

    /// Opens a connection with `peer`; for transports that carry frames both ways, as stdio does.
    ///
    /// ```
    /// # async fn example(runtime: relay_runtime::Runtime<()>) {
    /// use relay_core::Peer;
    ///
    /// let (mut incoming, mut outgoing) = runtime.connect(Peer::new(())).split();
    /// let read = async move {
    ///     for line in ["garbage", "{}"] {
    ///         incoming.receive(line.into()).await.expect("an open connection");
    ///     }
    /// };
    /// let write = async move {
    ///     while let Some(frame) = outgoing.next().await {
    ///         assert!(frame.is_answer());
    ///     }
    /// };
    /// tokio::join!(read, write);
    /// # }
    /// ```
    #[must_use]
    pub fn connect(&self, peer: Peer<C>) -> Connection<C> {
        Connection::new(self.clone(), peer)
    }

    /// Judges one frame; `busy` tells whether a request of that id is in flight (JR-13).
    pub(crate) fn judge(
        &self,
        frame: &[u8],
        peer: &Peer<C>,
        handshake: &mut Handshake,
        busy: impl FnOnce(&Id) -> bool,
    ) -> Judged {
        self.judge_within(&self.bounds(Duration::ZERO), frame, peer, handshake, busy)
    }

    fn judge_within(
        &self,
        bounds: &Bounds,
        frame: &[u8],
        peer: &Peer<C>,
        handshake: &mut Handshake,
        busy: impl FnOnce(&Id) -> bool,
    ) -> Judged {
        let parsed = jsonrpc::parse(frame);
        let (id, span) = match &parsed {
            Ok(Message::Request(request)) => (Some(request.id.clone()), trace::open(request)),
            Err(malformed) if !malformed.notification => {
                trace::unreadable(malformed);
                (None, Span::none())
            }
            _ => (None, Span::none()),
        };
        if let Some(id) = id.as_ref().filter(|id| busy(id)) {
            let message = "a request with this id is still in flight";
            return answered(
                &span,
                Answer::failure(id, ErrorCode::INVALID_REQUEST, message),
            );
        }
        let dispatched = span.in_scope(|| {
            let judge = || self.server.dispatch(parsed, peer, handshake, bounds);
            catch_unwind(AssertUnwindSafe(judge)).map_err(|panic| log_panic(&*panic))
        });
        match (dispatched, id) {
            (Ok(Dispatch::Answer(subject, answer)), _) => {
                trace::judged(&span, &subject);
                answered(&span, answer)
            }
            (Ok(Dispatch::Invoke(mut invocation)), _) => {
                single_use::guard(&mut invocation, &self.store);
                trace::judged(&span, invocation.subject());
                Judged::Run(invocation, span)
            }
            (Ok(Dispatch::Cancel { id, reason }), _) => Judged::Cancel { id, reason },
            (Ok(Dispatch::Batch(members)), _) => Judged::Batch(members),
            // A policy of the author's panicked.
            (Err(()), Some(id)) => {
                let code = ErrorCode::INTERNAL_ERROR;
                answered(&span, Answer::failure(&id, code, "internal error"))
            }
            (Ok(_) | Err(()), _) => Judged::Silent,
        }
    }

    fn bounds(&self, spent: Duration) -> Bounds {
        let now = Instant::now().into_std();
        let mut bounds = Bounds::new(now.checked_sub(spent).unwrap_or(now));
        bounds.deadline = self.tasks.limits.deadline();
        bounds.answer_limit = self.tasks.limits.answer_limit();
        bounds.rounds = self.tasks.limits.rounds();
        bounds.state_limit = self.tasks.limits.state_limit();
        bounds
    }
}

fn answered(span: &Span, answer: Answer) -> Judged {
    trace::answered(span, &answer);
    Judged::Answer(answer)
}

impl<C> From<Server<C>> for Runtime<C> {
    fn from(server: Server<C>) -> Self {
        Self::new(server)
    }
}

impl<C> Clone for Runtime<C> {
    fn clone(&self) -> Self {
        Self {
            server: self.server.clone(),
            tasks: Arc::clone(&self.tasks),
            store: Arc::clone(&self.store),
            has_store: self.has_store,
        }
    }
}

impl<C> fmt::Debug for Runtime<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Runtime")
            .field("server", &self.server)
            .field("limits", &self.tasks.limits)
            .finish_non_exhaustive()
    }
}
