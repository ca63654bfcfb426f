//! Reading the body of a request, within its limits.

use std::{error::Error, pin::pin, sync::Arc, time::Duration};

use bytes::{Buf, BufMut, Bytes, BytesMut};
use http::{HeaderMap, Response, StatusCode, header::CONTENT_LENGTH};
use http_body_util::BodyExt as _;
use tokio::{sync::OwnedSemaphorePermit, time::timeout};

use crate::{body::Body, failure, settings::Settings};

/// A body in memory, and its share of what bodies may take up together.
#[derive(Debug)]
pub(crate) struct Received {
    pub(crate) bytes: Bytes,
    pub(crate) permit: Option<OwnedSemaphorePermit>,
}

/// Why a body was not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BodyError {
    /// It has more bytes than one may have.
    TooLarge { limit: usize },
    /// There is no room for it beside the others.
    NoRoom,
    /// It did not come in time.
    TimedOut { after: Duration },
    /// It ended before its end.
    Incomplete,
}

impl BodyError {
    pub(crate) fn into_response(self) -> Response<Body> {
        let (status, message) = match self {
            Self::TooLarge { limit } => (
                StatusCode::PAYLOAD_TOO_LARGE,
                format!("the body has more than the {limit} bytes that are allowed"),
            ),
            Self::NoRoom => {
                return failure::unavailable("too many bodies are being read; try again");
            }
            Self::TimedOut { after } => (
                StatusCode::REQUEST_TIMEOUT,
                format!(
                    "the body did not arrive within {} seconds",
                    after.as_secs_f64()
                ),
            ),
            Self::Incomplete => (
                StatusCode::BAD_REQUEST,
                "the body could not be read to its end".to_owned(),
            ),
        };
        failure::refuse(status, &message)
    }
}

/// Whether the declared length is over the limit already (HTTP-26).
pub(crate) fn declared(headers: &HeaderMap, limit: usize) -> Result<(), BodyError> {
    let declared = headers
        .get(CONTENT_LENGTH)
        .and_then(|value| value.to_str().ok()?.trim().parse::<u128>().ok());
    match declared {
        Some(length) if usize::try_from(length).is_ok_and(|length| length <= limit) => Ok(()),
        None => Ok(()),
        Some(_) => Err(BodyError::TooLarge { limit }),
    }
}

/// Reads a body to its end.
pub(crate) async fn read<B>(body: B, settings: &Settings) -> Result<Received, BodyError>
where
    B: http_body::Body,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    let after = settings.body_timeout;
    let Ok(read) = timeout(after, collect(body, settings)).await else {
        return Err(BodyError::TimedOut { after });
    };
    let mut received = read?;
    if received.bytes.len() > LIGHT {
        // One alone always has room.
        let room = settings.body_memory_limit - received.bytes.len();
        received.hold(weight(&received.bytes).min(room), settings)?;
    }
    Ok(received)
}

/// Bodies of so few bytes are not weighed.
const LIGHT: usize = 16 * 1024;

/// About how much memory JSON takes up beside its own bytes once it is read: an object with a member
/// 640 bytes, an array 128, each further member or item 112 at most.
fn weight(json: &[u8]) -> usize {
    let weights = json.iter().map(|byte| match byte {
        b'{' => 640,
        b'[' => 128,
        b',' => 112,
        _ => 0,
    });
    weights.sum()
}

async fn collect<B>(body: B, settings: &Settings) -> Result<Received, BodyError>
where
    B: http_body::Body,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    let limit = settings.body_limit;
    let mut body = pin!(body);
    let mut received = Received {
        bytes: Bytes::new(),
        permit: None,
    };
    let mut more: Option<BytesMut> = None;
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| {
            tracing::debug!(error = %error.into(), "a body broke off");
            BodyError::Incomplete
        })?;
        let Ok(mut data) = frame.into_data() else {
            continue;
        };
        let length = data.remaining();
        let so_far = more.as_ref().map_or(received.bytes.len(), BytesMut::len);
        if length > limit.saturating_sub(so_far) {
            return Err(BodyError::TooLarge { limit });
        }
        received.hold(length, settings)?;
        match &mut more {
            Some(more) => more.put(data),
            None if received.bytes.is_empty() => received.bytes = data.copy_to_bytes(length),
            None => {
                let mut joined = BytesMut::from(std::mem::take(&mut received.bytes));
                joined.put(data);
                more = Some(joined);
            }
        }
    }
    if let Some(more) = more {
        received.bytes = more.freeze();
    }
    Ok(received)
}

impl Received {
    fn hold(&mut self, bytes: usize, settings: &Settings) -> Result<(), BodyError> {
        let bytes = u32::try_from(bytes).map_err(|_huge| BodyError::NoRoom)?;
        let share = Arc::clone(&settings.bodies)
            .try_acquire_many_owned(bytes)
            .map_err(|_none_left| BodyError::NoRoom)?;
        match &mut self.permit {
            Some(permit) => permit.merge(share),
            None => self.permit = Some(share),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::{
        collections::VecDeque,
        convert::Infallible,
        pin::Pin,
        task::{Context, Poll},
    };

    use http_body::Frame;

    use super::*;

    /// A body of these pieces, which then ends or hangs.
    struct Pieces(VecDeque<&'static [u8]>, bool);

    impl http_body::Body for Pieces {
        type Data = Bytes;
        type Error = Infallible;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            _cx: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
            match self.0.pop_front() {
                Some(piece) => Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(piece))))),
                None if self.1 => Poll::Pending,
                None => Poll::Ready(None),
            }
        }
    }

    fn settings(limit: usize, together: usize) -> Settings {
        let mut settings = Settings::default();
        settings.set_body_limit(limit).unwrap();
        settings.set_body_memory_limit(together).unwrap();
        settings
    }

    async fn read_pieces(
        pieces: &[&'static [u8]],
        settings: &Settings,
    ) -> Result<Received, BodyError> {
        read(Pieces(pieces.iter().copied().collect(), false), settings).await
    }

    // H04, HTTP-26
    #[tokio::test]
    async fn bodies_are_read_up_to_the_limit() {
        let settings = settings(6, 6);
        for pieces in [
            &[&b"abcdef"[..]][..],
            &[b"abc", b"def"],
            &[b"", b"a", b"", b"bcd", b"ef"],
        ] {
            let received = read_pieces(pieces, &settings).await.unwrap();
            assert_eq!(received.bytes, "abcdef");
        }
        assert_eq!(read_pieces(&[], &settings).await.unwrap().bytes, "");
        for pieces in [&[&b"abcdefg"[..]][..], &[b"abcdef", b"g"]] {
            let error = read_pieces(pieces, &settings).await.unwrap_err();
            assert_eq!(error, BodyError::TooLarge { limit: 6 });
        }
        // Whatever came of it, nothing is held any longer.
        assert_eq!(settings.bodies.available_permits(), 6);
    }

    #[tokio::test]
    async fn bodies_share_their_room() {
        let settings = settings(6, 8);
        let first = read_pieces(&[b"abc", b"def"], &settings).await.unwrap();
        let crowded = read_pieces(&[b"ab", b"c"], &settings).await.unwrap_err();
        assert_eq!(crowded, BodyError::NoRoom);
        drop(first);
        assert!(read_pieces(&[b"ab", b"c"], &settings).await.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_does_not_come_is_given_up() {
        let settings = settings(6, 6);
        let body = Pieces([&b"abc"[..]].into(), true);
        let after = Duration::from_secs(30);
        assert_eq!(
            read(body, &settings).await.unwrap_err(),
            BodyError::TimedOut { after }
        );
    }

    // H04
    #[test]
    fn a_declared_length_is_judged_first() {
        let judge = |value: &str| {
            let headers = HeaderMap::from_iter([(CONTENT_LENGTH, value.parse().unwrap())]);
            declared(&headers, 10)
        };
        assert_eq!(judge("10"), Ok(()));
        assert_eq!(judge("11"), Err(BodyError::TooLarge { limit: 10 }));
        assert_eq!(
            judge("99999999999999999999999"),
            Err(BodyError::TooLarge { limit: 10 })
        );
        assert_eq!(declared(&HeaderMap::new(), 10), Ok(()));
    }
}
