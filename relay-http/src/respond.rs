//! From what an exchange brings to one response: JSON, or an SSE stream.

use bytes::{BufMut, Bytes, BytesMut};
use http::{
    HeaderName, HeaderValue, Response, StatusCode,
    header::{CACHE_CONTROL, CONTENT_TYPE},
};
use relay_core::protocol::answer::RefusalClass;
use relay_runtime::{Exchange, Frame};
use tokio::time::sleep;

use crate::{
    body::{Body, SseStream},
    guard::media::Accepted,
    settings::Settings,
};

/// What came first.
enum First {
    Answer(Frame),
    Notification(Frame),
    Silence,
    Nothing,
}

/// Waits for what decides the form of the response: plain JSON unless a notification comes first,
/// or nothing comes for a while, and the client takes SSE (HTTP-15, HTTP-17).
pub(crate) async fn respond(
    mut exchange: Exchange,
    accepted: Accepted,
    settings: &Settings,
) -> Response<Body> {
    loop {
        return match first(&mut exchange, accepted, settings).await {
            First::Notification(_) if !accepted.sse => continue,
            First::Notification(frame) => sse(Some(frame), Some(exchange), settings),
            First::Silence => sse(None, Some(exchange), settings),
            First::Answer(frame) if exchange.is_batch() && accepted.json => {
                batch(&frame, exchange).await
            }
            First::Answer(frame) if exchange.is_batch() => {
                sse(Some(frame), Some(exchange), settings)
            }
            First::Answer(frame) => answer(frame, accepted, settings),
            First::Nothing => acknowledged(),
        };
    }
}

async fn first(exchange: &mut Exchange, accepted: Accepted, settings: &Settings) -> First {
    tokio::select! {
        biased;
        frame = exchange.next() => match frame {
            Some(frame) if frame.is_answer() => First::Answer(frame),
            Some(frame) => First::Notification(frame),
            None => First::Nothing,
        },
        () = sleep(settings.stream_delay), if accepted.sse => First::Silence,
    }
}

/// HTTP-11
fn acknowledged() -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::ACCEPTED;
    response
}

/// Errors with a status of their own are JSON whatever the client takes, so that it can tell what
/// refused it (HTTP-27).
fn answer(frame: Frame, accepted: Accepted, settings: &Settings) -> Response<Body> {
    let status = status(&frame);
    if accepted.json || status != StatusCode::OK {
        json(status, frame.into())
    } else {
        sse(Some(frame), None, settings)
    }
}

/// The answers to a batch as one array (LJ-02).
async fn batch(first: &Frame, mut exchange: Exchange) -> Response<Body> {
    let mut array = BytesMut::from(&b"["[..]);
    array.put_slice(first.bytes());
    while let Some(frame) = exchange.next().await {
        if frame.is_answer() {
            array.put_u8(b',');
            array.put_slice(frame.bytes());
        }
    }
    array.put_u8(b']');
    json(StatusCode::OK, array.freeze())
}

/// A response of one JSON message.
pub(crate) fn json(status: StatusCode, message: Bytes) -> Response<Body> {
    let mut response = Response::new(Body::full(message));
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

fn sse(first: Option<Frame>, exchange: Option<Exchange>, settings: &Settings) -> Response<Body> {
    let first = first.map(Into::into);
    let stream = SseStream::new(first, exchange, settings.keep_alive_interval);
    let mut response = Response::new(Body::sse(stream));
    let headers = response.headers_mut();
    // HTTP-21: proxies neither keep a stream nor hold it back nor change it.
    for (name, value) in [
        (CONTENT_TYPE, "text/event-stream"),
        (CACHE_CONTROL, "no-cache, no-transform"),
        (HeaderName::from_static("x-accel-buffering"), "no"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// The status that goes with an answer's refusal class; everything else is an answer like any
/// other.
fn status(frame: &Frame) -> StatusCode {
    match frame.refusal() {
        None => StatusCode::OK,
        Some(RefusalClass::UnknownMethod) => StatusCode::NOT_FOUND,
        Some(_) => StatusCode::BAD_REQUEST,
    }
}
