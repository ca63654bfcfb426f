use std::{convert::Infallible, pin::pin, sync::Arc};

use hyper::service::service_fn;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::conn::auto::Builder,
};
use tokio::{
    net::TcpStream,
    time::{Instant, sleep},
};

use super::{activity::Activity, bounds::Bounds, route::route, socket::Socket, stream::Streams};
use crate::{Endpoint, body::PIECE};

/// How many bytes of a response wait for a client of HTTP/1.1, and how many the head of its request
/// may have, in the 100 headers that hyper has room for: the same number, set here, would cost an
/// allocation a request.
const BUFFER: usize = 64 * 1024;

/// How many bytes the head of a request may have over HTTP/2.
const HEAD: u32 = 16 * 1024;

/// How many bytes of a body an HTTP/2 client may send before any is read, and a quarter of what it
/// may on all its streams.
const WINDOW: u32 = 64 * 1024;

/// How many streams an HTTP/2 connection may have open at a time. On each wait two pieces at most.
const STREAMS: u32 = 100;

/// Serves one connection to its end, or until the runtime is shut down and what it has open is
/// answered.
pub(super) async fn drive<C: Send + Sync + 'static>(
    stream: TcpStream,
    endpoint: Endpoint<C>,
    bounds: Bounds,
) {
    // Small answers leave at once.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "a connection delays its answers");
    }
    let runtime = endpoint.runtime().clone();
    let activity = Arc::new(Activity::default());
    let builder = builder(bounds);
    let socket = Socket::new(stream, bounds.write);
    let service = service_fn(|request| {
        let answering = route(endpoint.clone(), request, activity.begin_request());
        async { Ok::<_, Infallible>(answering.await) }
    });
    let mut connection = pin!(builder.serve_connection(TokioIo::new(socket), service));
    let mut stopping = pin!(runtime.stopping());
    let mut idle_check = pin!(sleep(bounds.header));
    // By the runtime's stop, and for being idle.
    let (mut stopped, mut told_to_end) = (false, false);
    let ended = loop {
        tokio::select! {
            ended = connection.as_mut() => break ended,
            () = stopping.as_mut(), if !stopped => {
                stopped = true;
                connection.as_mut().graceful_shutdown();
            }
            () = idle_check.as_mut() => {
                idle_check.as_mut().reset(Instant::now() + bounds.header);
                let idle = activity.take_idle();
                if !activity.has_had_request() || (idle && told_to_end) {
                    tracing::debug!("a connection is given up: no request comes");
                    return;
                }
                if idle {
                    told_to_end = true;
                    connection.as_mut().graceful_shutdown();
                }
            }
        }
    };
    if let Err(error) = ended {
        tracing::debug!(error, "a connection ended");
    }
}

fn builder(bounds: Bounds) -> Builder<Streams> {
    let mut builder = Builder::new(Streams::new(bounds.write));
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(bounds.header)
        .max_buf_size(BUFFER);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_header_list_size(HEAD)
        .initial_stream_window_size(WINDOW)
        .initial_connection_window_size(4 * WINDOW)
        .max_send_buf_size(PIECE)
        .max_concurrent_streams(STREAMS);
    builder
}
