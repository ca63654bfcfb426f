//! The body of a response: one JSON message, or a stream of events that ends with the answer.

use std::{
    collections::VecDeque,
    convert::Infallible,
    fmt,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use bytes::{BufMut, Bytes, BytesMut};
use http_body::{Frame, SizeHint};
use relay_runtime::Exchange;
use tokio::{
    sync::OwnedSemaphorePermit,
    time::{Instant, Sleep, sleep},
};

/// The body of a response.
///
/// Dropped before its end, as it is when the client leaves, it drops the exchange behind it, and
/// with it cancels the call (HTTP-24).
pub struct Body {
    content: Content,
    /// What the request holds of the endpoint's limits, until its response is over.
    _held: Option<Arc<Held>>,
}

/// What a request holds of its endpoint's limits: its slot, and the bytes of its body.
pub(crate) type Held = [Option<OwnedSemaphorePermit>; 2];

enum Content {
    /// What is left of one message.
    Full(Bytes),
    Events(Box<Events>),
}

/// A stream of events (HTTP-18 to HTTP-23).
pub(crate) struct Events {
    exchange: Option<Exchange>,
    ready: VecDeque<Bytes>,
    pause: Pin<Box<Sleep>>,
    keep_alive: Duration,
}

/// How many bytes are handed over at a time. What sends them takes the next piece once it has room,
/// so that a long message counts as held until the client has taken nearly all of it.
pub(crate) const PIECE: usize = 16 * 1024;

/// A comment: it says that the stream lives, and is no event.
const COMMENT: Bytes = Bytes::from_static(b":\n\n");

impl Body {
    pub(crate) fn empty() -> Self {
        Self::full(Bytes::new())
    }

    pub(crate) fn full(bytes: Bytes) -> Self {
        Self::of(Content::Full(bytes))
    }

    pub(crate) fn events(events: Events) -> Self {
        Self::of(Content::Events(Box::new(events)))
    }

    fn of(content: Content) -> Self {
        Self {
            content,
            _held: None,
        }
    }

    /// The same body, holding this until it is dropped.
    pub(crate) fn holding(self, held: Arc<Held>) -> Self {
        Self {
            _held: Some(held),
            ..self
        }
    }
}

impl Events {
    /// What an exchange brings from now on, after these messages.
    pub(crate) fn new(
        messages: impl IntoIterator<Item = Bytes>,
        exchange: Option<Exchange>,
        keep_alive: Duration,
    ) -> Self {
        Self {
            exchange,
            ready: messages
                .into_iter()
                .map(|message| event(&message))
                .collect(),
            pause: Box::pin(sleep(keep_alive)),
            keep_alive,
        }
    }

    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        if let Some(mut event) = self.ready.pop_front() {
            let next = piece(&mut event);
            if !event.is_empty() {
                self.ready.push_front(event);
            }
            return Poll::Ready(Some(next));
        }
        let Some(exchange) = &mut self.exchange else {
            return Poll::Ready(None);
        };
        match exchange.poll_next(cx) {
            Poll::Ready(Some(frame)) => {
                // HTTP-19
                if frame.is_answer() && !exchange.is_batch() {
                    self.exchange = None;
                }
                self.rest();
                let mut event = event(frame.bytes());
                let first = piece(&mut event);
                if !event.is_empty() {
                    self.ready.push_back(event);
                }
                Poll::Ready(Some(first))
            }
            Poll::Ready(None) => {
                self.exchange = None;
                Poll::Ready(None)
            }
            Poll::Pending if self.pause.as_mut().poll(cx).is_ready() => {
                self.rest();
                // The timer is armed again by the poll that takes the comment's successor.
                Poll::Ready(Some(COMMENT))
            }
            Poll::Pending => Poll::Pending,
        }
    }

    /// Something was sent: the next comment is due a whole pause later.
    fn rest(&mut self) {
        let until = Instant::now() + self.keep_alive;
        self.pause.as_mut().reset(until);
    }
}

/// The next piece; what is left stays.
fn piece(bytes: &mut Bytes) -> Bytes {
    bytes.split_to(bytes.len().min(PIECE))
}

/// One message as one event, without an id: nothing is ever replayed (HTTP-22).
fn event(message: &Bytes) -> Bytes {
    const BEFORE: &[u8] = b"event: message\ndata: ";
    const AFTER: &[u8] = b"\n\n";
    let mut event = BytesMut::with_capacity(BEFORE.len() + message.len() + AFTER.len());
    event.put_slice(BEFORE);
    event.put_slice(message);
    event.put_slice(AFTER);
    event.freeze()
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let next = match &mut self.get_mut().content {
            Content::Full(rest) => Poll::Ready((!rest.is_empty()).then(|| piece(rest))),
            Content::Events(events) => events.poll_next(cx),
        };
        next.map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        match &self.content {
            Content::Full(rest) => rest.is_empty(),
            Content::Events(events) => events.exchange.is_none() && events.ready.is_empty(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.content {
            Content::Full(rest) => {
                SizeHint::with_exact(u64::try_from(rest.len()).unwrap_or(u64::MAX))
            }
            Content::Events(_) => SizeHint::default(),
        }
    }
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match &self.content {
            Content::Full(_) => "one message",
            Content::Events(_) => "events",
        };
        f.debug_tuple("Body").field(&kind).finish()
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt as _;

    use super::*;

    // HTTP-18, HTTP-22
    #[tokio::test]
    async fn long_messages_come_in_pieces() {
        for length in [0, 1, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE + 5] {
            let message = Bytes::from(vec![b'x'; length]);
            let events = Events::new([message.clone()], None, Duration::from_secs(15));
            let bodies = [
                (Body::full(message.clone()), message.clone()),
                (Body::events(events), event(&message)),
            ];
            for (mut body, whole) in bodies {
                let exact = http_body::Body::size_hint(&body).exact();
                let length = u64::try_from(whole.len()).ok();
                assert!(exact.is_none() || exact == length);
                let mut taken = Vec::new();
                while let Some(Ok(frame)) = body.frame().await {
                    let piece = frame.into_data().unwrap();
                    assert!(!piece.is_empty() && piece.len() <= PIECE);
                    taken.extend_from_slice(&piece);
                    let over = http_body::Body::is_end_stream(&body);
                    assert_eq!(over, taken.len() == whole.len());
                }
                assert_eq!(taken, whole);
            }
        }
    }
}
