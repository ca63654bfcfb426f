//! A duplex connection: frames come in on one half and go out on the other.

mod incoming;
mod outgoing;

use std::sync::Arc;

pub use incoming::{Closed, Incoming};
pub use outgoing::Outgoing;
use relay_core::Peer;
use tokio::sync::mpsc;

use crate::{
    Frame, Runtime,
    inflight::{Entry, Flight, InFlight},
};

/// How many frames wait for the transport before handlers do.
const QUEUE: usize = 64;

/// A connection over which a peer sends requests and gets its answers, several at a time.
///
/// Made by [`Runtime::connect`] and taken apart by [`split`](Self::split).
#[derive(Debug)]
pub struct Connection<C> {
    incoming: Incoming<C>,
    outgoing: Outgoing,
}

/// A frame on its way to the transport.
#[derive(Debug)]
enum Queued {
    /// The answer to a request that needed no handler.
    Immediate(Frame),
    Notification(Frame, Arc<Flight>),
    Answer(Frame, Entry),
}

impl<C: Send + Sync + 'static> Connection<C> {
    pub(crate) fn new(runtime: Runtime<C>, peer: Peer<C>) -> Self {
        let (sender, frames) = mpsc::channel(QUEUE);
        let in_flight = Arc::new(InFlight::default());
        let closing = runtime.tasks().stopping.child_token();
        let tasks = Arc::clone(runtime.tasks());
        let queue = sender.downgrade();
        Self {
            incoming: Incoming::new(
                runtime,
                peer,
                Arc::clone(&in_flight),
                queue,
                closing.clone(),
            ),
            outgoing: Outgoing::new(tasks, in_flight, sender, frames, closing),
        }
    }

    /// The two halves, which must be driven at the same time: each waits for the other when there
    /// is more to do than may be at once.
    ///
    /// Dropping the incoming half says that the peer will send no more: what runs may still finish.
    /// Dropping the outgoing half says that the peer is gone: what runs is cancelled.
    #[must_use]
    pub fn split(self) -> (Incoming<C>, Outgoing) {
        (self.incoming, self.outgoing)
    }
}

impl Queued {
    /// The frame, unless its request was cancelled while it waited (STDIO-06).
    fn claim(self) -> Option<Frame> {
        match self {
            Self::Immediate(frame) => Some(frame),
            Self::Notification(frame, flight) => (!flight.is_over()).then_some(frame),
            Self::Answer(frame, entry) => entry.leave().then_some(frame),
        }
    }
}
