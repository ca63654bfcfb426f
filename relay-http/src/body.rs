//! The body of a response: one JSON message, or an SSE stream that ends with the answer.

use std::{
    convert::Infallible,
    fmt,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use bytes::{BufMut, Bytes, BytesMut};
use http_body::{Frame, SizeHint};
use relay_runtime::Exchange;
use tokio::{
    sync::OwnedSemaphorePermit,
    time::{Instant, Sleep, sleep},
};

/// The body of a response: one JSON message, or an SSE stream (`text/event-stream`).
///
/// Dropped before its end, as it is when the client leaves, it drops the exchange behind it, and
/// with it cancels the call (HTTP-24).
pub struct Body {
    content: Content,
    _permits: Option<Arc<Permits>>,
}

/// What a request has of its endpoint's limits, until its response is over and its handler is gone.
#[derive(Debug)]
#[expect(dead_code, reason = "they are held until they are dropped")]
pub(crate) struct Permits {
    /// One of the requests at a time.
    pub(crate) request: OwnedSemaphorePermit,
    /// The bytes of its body.
    pub(crate) body: Option<OwnedSemaphorePermit>,
}

enum Content {
    /// What is left of one message.
    Full(Bytes),
    Sse(Box<SseStream>),
}

/// An SSE stream (HTTP-18 to HTTP-23).
pub(crate) struct SseStream {
    exchange: Option<Exchange>,
    /// What is left of the event that is being sent.
    rest: Bytes,
    comment_timer: Pin<Box<Sleep>>,
    keep_alive_interval: Duration,
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

    pub(crate) fn sse(stream: SseStream) -> Self {
        Self::of(Content::Sse(Box::new(stream)))
    }

    fn of(content: Content) -> Self {
        Self {
            content,
            _permits: None,
        }
    }

    /// The same body, holding these until it is dropped.
    pub(crate) fn with_permits(self, permits: Arc<Permits>) -> Self {
        Self {
            _permits: Some(permits),
            ..self
        }
    }
}

impl SseStream {
    /// What an exchange brings from now on, after what it has brought already.
    pub(crate) fn new(
        first: Option<Bytes>,
        exchange: Option<Exchange>,
        keep_alive_interval: Duration,
    ) -> Self {
        Self {
            exchange,
            rest: first.map_or_else(Bytes::new, |message| event(&message)),
            comment_timer: Box::pin(sleep(keep_alive_interval)),
            keep_alive_interval,
        }
    }

    fn poll_piece(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        if self.rest.is_empty() {
            match ready!(self.poll_next(cx)) {
                Some(next) => self.rest = next,
                None => return Poll::Ready(None),
            }
        }
        Poll::Ready(Some(piece(&mut self.rest)))
    }

    /// The next event, or a comment.
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        let Some(exchange) = &mut self.exchange else {
            return Poll::Ready(None);
        };
        let next = match exchange.poll_next(cx) {
            Poll::Ready(Some(frame)) => {
                // HTTP-19
                if frame.is_answer() && !exchange.is_batch() {
                    self.exchange = None;
                }
                event(frame.bytes())
            }
            Poll::Ready(None) => {
                self.exchange = None;
                return Poll::Ready(None);
            }
            Poll::Pending => {
                ready!(self.comment_timer.as_mut().poll(cx));
                COMMENT
            }
        };
        self.restart_timer();
        Poll::Ready(Some(next))
    }

    /// Something is sent: the next comment is due a whole interval later. The poll after this one
    /// arms the timer.
    fn restart_timer(&mut self) {
        let due = Instant::now() + self.keep_alive_interval;
        self.comment_timer.as_mut().reset(due);
    }
}

/// The next piece; what is left stays.
///
/// What sends the last two may have them still when nothing else of the request is left: they are
/// copied, so that they don't keep all of a long message.
fn piece(bytes: &mut Bytes) -> Bytes {
    let next = bytes.split_to(bytes.len().min(PIECE));
    if (1..=2 * PIECE).contains(&bytes.len()) {
        *bytes = Bytes::copy_from_slice(bytes);
    }
    next
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
            Content::Sse(stream) => stream.poll_piece(cx),
        };
        next.map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        match &self.content {
            Content::Full(rest) => rest.is_empty(),
            Content::Sse(stream) => stream.exchange.is_none() && stream.rest.is_empty(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.content {
            Content::Full(rest) => {
                SizeHint::with_exact(u64::try_from(rest.len()).unwrap_or(u64::MAX))
            }
            Content::Sse(_) => SizeHint::default(),
        }
    }
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match &self.content {
            Content::Full(_) => "one message",
            Content::Sse(_) => "an SSE stream",
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
            let stream = SseStream::new(Some(message.clone()), None, Duration::from_secs(15));
            let bodies = [
                (Body::full(message.clone()), message.clone()),
                (Body::sse(stream), event(&message)),
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
