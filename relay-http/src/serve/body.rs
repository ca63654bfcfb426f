use std::{
    convert::Infallible,
    pin::Pin,
    task::{Context, Poll},
};

use bytes::Bytes;
use http_body::{Frame, SizeHint};

use super::{activity::InFlight, stream};
use crate::Body;

/// The body of a response on a connection.
#[derive(Debug)]
pub(super) struct TrackedBody {
    body: Body,
    /// It has a stream of HTTP/2 to itself.
    is_multiplexed: bool,
    _in_flight: InFlight,
}

impl TrackedBody {
    pub(super) fn new(body: Body, is_multiplexed: bool, in_flight: InFlight) -> Self {
        Self {
            body,
            is_multiplexed,
            _in_flight: in_flight,
        }
    }
}

impl http_body::Body for TrackedBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let polled = Pin::new(&mut self.body).poll_frame(cx);
        if self.is_multiplexed {
            stream::note_poll(polled.is_ready());
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
