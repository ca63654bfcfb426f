//! From what an exchange brings to one response: JSON, or events.

use std::time::Duration;

use bytes::{BufMut, Bytes, BytesMut};
use http::{
    HeaderValue, Response, StatusCode,
    header::{CACHE_CONTROL, CONTENT_TYPE},
};
use relay_core::protocol::answer::RefusalClass;
use relay_runtime::{Exchange, Frame};
use tokio::time::sleep;

use crate::{
    body::{Body, Events},
    failure::json_response,
    guard::media::Accepted,
};

/// When a response becomes a stream.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    pub(crate) accepted: Accepted,
    /// How long a handler may be silent before it does.
    pub(crate) patience: Duration,
    /// How often a quiet stream says that it lives.
    pub(crate) keep_alive: Duration,
}

/// What came first.
enum First {
    Answer(Frame),
    Notification(Frame),
    Silence,
    Nothing,
}

/// Waits for what decides the form of the response: plain JSON unless a notification comes first,
/// or nothing comes for a while, and the client takes events (HTTP-15, HTTP-17).
pub(crate) async fn respond(mut exchange: Exchange, pace: Pace) -> Response<Body> {
    loop {
        return match first(&mut exchange, pace).await {
            First::Notification(_) if !pace.accepted.events => continue,
            First::Notification(frame) => events([frame.into()], Some(exchange), pace),
            First::Silence => events([], Some(exchange), pace),
            First::Answer(frame) if exchange.is_batch() => batch(frame, exchange, pace).await,
            First::Answer(frame) => answer(frame, pace),
            First::Nothing => accepted(),
        };
    }
}

async fn first(exchange: &mut Exchange, pace: Pace) -> First {
    let silence = async {
        if pace.accepted.events {
            sleep(pace.patience).await;
        } else {
            std::future::pending::<()>().await;
        }
    };
    tokio::select! {
        biased;
        frame = exchange.next() => match frame {
            Some(frame) if frame.is_answer() => First::Answer(frame),
            Some(frame) => First::Notification(frame),
            None => First::Nothing,
        },
        () = silence => First::Silence,
    }
}

/// HTTP-11
fn accepted() -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::ACCEPTED;
    response
}

/// Errors with a status of their own are JSON whatever the client takes, so that it can tell what
/// refused it (HTTP-27).
fn answer(frame: Frame, pace: Pace) -> Response<Body> {
    let status = status(&frame);
    if pace.accepted.json || status != StatusCode::OK {
        json_response(status, frame.into())
    } else {
        events([frame.into()], None, pace)
    }
}

/// The answers to a batch as one array, unless notifications came first (LJ-02).
async fn batch(first: Frame, mut exchange: Exchange, pace: Pace) -> Response<Body> {
    if !pace.accepted.json {
        return events([first.into()], Some(exchange), pace);
    }
    let mut array = BytesMut::from(&b"["[..]);
    array.put_slice(first.bytes());
    while let Some(frame) = exchange.next().await {
        if frame.is_answer() {
            array.put_u8(b',');
            array.put_slice(frame.bytes());
        }
    }
    array.put_u8(b']');
    json_response(StatusCode::OK, array.freeze())
}

fn events<const N: usize>(
    messages: [Bytes; N],
    exchange: Option<Exchange>,
    pace: Pace,
) -> Response<Body> {
    let mut response = Response::new(Body::events(Events::new(
        messages,
        exchange,
        pace.keep_alive,
    )));
    let headers = response.headers_mut();
    // HTTP-21: proxies neither keep a stream nor hold it back nor change it.
    for (name, value) in [
        (CONTENT_TYPE, "text/event-stream"),
        (CACHE_CONTROL, "no-cache, no-transform"),
        (http::HeaderName::from_static("x-accel-buffering"), "no"),
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
