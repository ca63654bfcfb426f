use std::{
    convert::Infallible,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
    },
    task::{Context, Poll},
};

use bytes::Bytes;
use http_body::{Frame, SizeHint};

use super::stream;
use crate::Body;

/// What happens on a connection, noted by all that it consists of. Nothing is ordered by it.
#[derive(Debug, Default)]
pub(super) struct Activity {
    /// A request came.
    reached: AtomicBool,
    /// How many requests are being answered.
    open: AtomicUsize,
    /// The client took something since this was last looked at.
    moved: AtomicBool,
}

impl Activity {
    pub(super) fn open(self: &Arc<Self>) -> Open {
        self.reached.store(true, Relaxed);
        self.open.fetch_add(1, Relaxed);
        Open(Arc::clone(self))
    }

    pub(super) fn moved(&self) {
        self.moved.store(true, Relaxed);
    }

    /// Whether a request ever came.
    pub(super) fn is_reached(&self) -> bool {
        self.reached.load(Relaxed)
    }

    /// Whether nothing is being answered and, since this was last asked, nothing was taken.
    pub(super) fn is_idle(&self) -> bool {
        let moved = self.moved.swap(false, Relaxed);
        !moved && self.open.load(Relaxed) == 0
    }
}

/// One request, until its response is over.
#[derive(Debug)]
pub(super) struct Open(Arc<Activity>);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.open.fetch_sub(1, Relaxed);
    }
}

/// The body of a response on a connection.
#[derive(Debug)]
pub(super) struct Answer {
    body: Body,
    /// It has a stream of HTTP/2 to itself.
    streamed: bool,
    _open: Open,
}

impl Answer {
    pub(super) fn new(body: Body, streamed: bool, open: Open) -> Self {
        Self {
            body,
            streamed,
            _open: open,
        }
    }
}

impl http_body::Body for Answer {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let polled = Pin::new(&mut self.body).poll_frame(cx);
        if self.streamed {
            stream::gave(polled.is_ready());
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
