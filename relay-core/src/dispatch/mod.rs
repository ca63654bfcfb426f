//! From one frame to what has to be done about it.
//!
//! [`Server::dispatch`] judges a frame and gives a [`Dispatch`]: nothing to do, an answer, or an
//! [`Invocation`] whose future runs a handler. It does no waiting, no spawning and no reading of
//! clocks: what drives it decides where and how long a handler runs. `relay-runtime` is one such
//! driver, and what transports are written against.

mod batch;
mod completion;
mod discover;
mod gate;
mod headers;
mod initialize;
mod invocation;
mod lists;
mod posted;
mod prompts;
mod resources;
mod rounds;
mod single_use;
mod tools;

use std::{borrow::Cow, sync::Arc, time::Instant};

use bytes::Bytes;

pub use invocation::{Ended, Failure, Invocation, Outbox, Subject};
pub use rounds::Asking;
use rounds::Input;
pub use single_use::SingleUse;

use crate::{
    Error, Peer, Server,
    call::{Client, Scope},
    error::Kind,
    protocol::{
        answer::{Answer, Refusal, Responder, refuse},
        headers::Headers,
        jsonrpc::{self, Id, Malformed, Message, Notification, Params},
        legacy::{Handshake, Session},
        meta::Meta,
        method::Method,
    },
    server::Inner,
};

/// What a frame comes to.
#[derive(Debug)]
#[non_exhaustive]
pub enum Dispatch {
    /// Nothing is sent: the frame was a notification, or an answer nobody waits for.
    Silent,
    /// This is the answer.
    Answer(Subject, Answer),
    /// The client takes back a request of its own: whoever runs it should stop (CAN-03).
    Cancel {
        /// The request's id.
        id: Id,
        /// Why, in the client's words.
        reason: Option<String>,
    },
    /// A handler has to run; it gives the answer.
    Invoke(Invocation),
    /// Frames that came as one batch, each to be dispatched on its own with the same handshake
    /// (LJ-02).
    Batch(Vec<Bytes>),
}

/// What the driver sets for one frame.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Bounds {
    /// When the frame arrived.
    pub now: Instant,
    /// How long a handler may run that has no deadline of its own.
    pub deadline: std::time::Duration,
    /// How many bytes an answer may have.
    pub answer_limit: usize,
    /// How many times one request may be answered with questions (MRTR-15).
    pub rounds: u8,
    /// How many bytes request state may have, as sent (RS-12).
    pub state_limit: usize,
}

impl Bounds {
    /// Bounds of 30 seconds, 16 MiB, 8 rounds and 64 KiB for a frame that arrived at `now`.
    #[must_use]
    pub fn new(now: Instant) -> Self {
        Self {
            now,
            deadline: std::time::Duration::from_secs(30),
            answer_limit: 16 * 1024 * 1024,
            rounds: 8,
            state_limit: 64 * 1024,
        }
    }
}

/// A request that passed the gate, with all that its method needs.
struct Asked<'a, C> {
    server: &'a Arc<Inner<C>>,
    peer: &'a Peer<C>,
    bounds: &'a Bounds,
    method: Method,
    params: Params<'a>,
    meta: Meta,
    client: Client,
    /// The legacy session the request belongs to.
    session: Option<Arc<Session>>,
    /// The mirrored headers, where the request's era and transport have them.
    headers: Option<Arc<Headers>>,
    input: Input<C>,
    responder: Responder,
}

impl<C: Send + Sync + 'static> Server<C> {
    /// Judges one [parsed](jsonrpc::parse) frame from `peer` and says what has to be done about it.
    ///
    /// A frame is one JSON message without its line end. `handshake` is the state of the
    /// connection it came on, or of the exchange and its mirrored headers. The order in which a
    /// request is judged, and so which of several mistakes is answered, is the protocol's.
    ///
    /// ```
    /// use std::time::Instant;
    /// use relay_core::{
    ///     Peer, Server,
    ///     dispatch::{Bounds, Dispatch},
    ///     protocol::{jsonrpc, legacy::Handshake},
    /// };
    ///
    /// let server: Server<()> = Server::new([]);
    /// let frame = jsonrpc::parse(br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
    /// let bounds = Bounds::new(Instant::now());
    /// let dispatch = server.dispatch(frame, &Peer::new(()), &mut Handshake::new(), &bounds);
    /// let Dispatch::Answer(_, answer) = dispatch else { panic!("answered at once") };
    /// assert_eq!(&answer.bytes()[..], br#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    /// ```
    ///
    /// # Panics
    ///
    /// Where a policy of the author's panics.
    pub fn dispatch(
        &self,
        frame: Result<Message<'_>, Malformed>,
        peer: &Peer<C>,
        handshake: &mut Handshake,
        bounds: &Bounds,
    ) -> Dispatch {
        match frame {
            Ok(Message::Request(request)) => {
                gate::admit(self.inner(), request, peer, handshake, bounds)
            }
            Ok(Message::Notification(notification)) => {
                let refusal = handshake
                    .headers()
                    .and_then(|headers| posted::notification(self.inner(), &notification, headers));
                match refusal {
                    Some(refusal) => posted::refused(&refusal),
                    None => notified(notification),
                }
            }
            Ok(Message::Response(_)) if handshake.headers().is_some() => posted::response(),
            Ok(Message::Response(_)) => {
                tracing::debug!("a response was sent, but nothing was asked; ignored");
                Dispatch::Silent
            }
            Ok(Message::Batch(members)) => batch::open(self.inner(), &members, handshake),
            Err(malformed) => unreadable(self.inner(), malformed, handshake),
        }
    }
}

/// A notification is never answered, whatever is wrong with it (JR-08).
fn notified(notification: Notification<'_>) -> Dispatch {
    if notification.method != "notifications/cancelled" {
        tracing::debug!(method = %notification.method, "notified");
        return Dispatch::Silent;
    }
    let Params {
        request_id, reason, ..
    } = notification.params;
    match request_id.into_value() {
        Some(id) => Dispatch::Cancel {
            id,
            reason: reason.into_value().map(Into::into),
        },
        None => Dispatch::Silent,
    }
}

fn unreadable<C>(server: &Inner<C>, malformed: Malformed, handshake: &Handshake) -> Dispatch {
    if malformed.notification && handshake.headers().is_none() {
        tracing::debug!(message = %malformed.message, "a notification is malformed; ignored");
        return Dispatch::Silent;
    }
    let null_id = !malformed.notification
        && handshake
            .facts(&server.revisions)
            .is_some_and(|facts| facts.null_id_on_unreadable);
    let refusal = Refusal::new(malformed.code, malformed.message);
    let answer = refuse(id_or_null(malformed.id.as_ref(), null_id), &refusal);
    Dispatch::Answer(Subject::unreadable(), answer)
}

fn id_or_null(id: Option<&Id>, null_id: bool) -> Option<&str> {
    id.map(Id::as_json).or_else(|| null_id.then_some("null"))
}

/// An error for a frame that is no request as far as can be told, or that the driver does not take:
/// under its id where that is known, else without one (JR-05, LJ-08).
pub fn reject(
    id: Option<&Id>,
    code: jsonrpc::ErrorCode,
    message: impl Into<Cow<'static, str>>,
    handshake: &Handshake,
) -> Answer {
    let null_id = handshake
        .session()
        .is_some_and(|session| session.client.revision.facts().null_id_on_unreadable);
    refuse(id_or_null(id, null_id), &Refusal::new(code, message))
}

fn log_private(error: &(dyn std::error::Error + Send + Sync + 'static), scope: &Scope) {
    let chain = std::iter::successors(error.source(), |error| error.source());
    let sources: Vec<_> = chain.map(ToString::to_string).collect();
    tracing::error!(%error, ?sources, correlation = scope.correlation(), "a handler failed");
}

/// How a prompt, a resource or a completer answers with an error.
fn refusal_of(error: Error, scope: &Scope) -> Refusal {
    match error.into_kind() {
        Kind::NotFound => Refusal::invalid_params("not found"),
        Kind::Pause(_) => Refusal::internal("internal error"),
        Kind::Private(source) => {
            log_private(&*source, scope);
            Refusal::internal("internal error")
        }
        Kind::Protocol {
            code,
            message,
            data,
        } => author_refusal(code, message, data),
        Kind::Public { text, .. } => Refusal::internal(text),
    }
}

/// Codes that the protocol reserves are not an author's to send (ERR-05).
fn author_refusal(code: i64, message: String, data: Option<serde_json::Value>) -> Refusal {
    const RESERVED: std::ops::RangeInclusive<i64> = -32768..=-32000;
    let code = if RESERVED.contains(&code) {
        jsonrpc::ErrorCode::INTERNAL_ERROR
    } else {
        jsonrpc::ErrorCode::new(code)
    };
    Refusal {
        data: data.map(Box::new),
        ..Refusal::new(code, message)
    }
}
