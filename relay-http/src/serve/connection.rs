use std::{pin::pin, sync::Arc, time::Duration};

use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::conn::auto::Builder,
    service::TowerToHyperService,
};
use tokio::{
    net::TcpStream,
    time::{Instant, sleep},
};

use super::{activity::Activity, bounds::Bounds, route::Route, socket::Socket, stream::Streams};
use crate::{Endpoint, body::PIECE};

/// How long to wait when no connection can be accepted.
pub(super) const RECOVERY: Duration = Duration::from_millis(100);

/// How many bytes of a response wait for a client of HTTP/1.1, and how many the head of its request
/// may have.
const BUFFER: usize = 64 * 1024;

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
    let socket = Socket::new(stream, bounds.write, Arc::clone(&activity));
    let service = TowerToHyperService::new(Route::new(endpoint, Arc::clone(&activity)));
    let mut connection = pin!(builder.serve_connection(TokioIo::new(socket), service));
    let mut stopping = pin!(runtime.stopping());
    let mut look = pin!(sleep(bounds.header));
    // Whether it was asked to end, by the runtime's stop and for being idle.
    let (mut stopped, mut dismissed) = (false, false);
    let ended = loop {
        tokio::select! {
            ended = connection.as_mut() => break ended,
            () = stopping.as_mut(), if !stopped => {
                stopped = true;
                connection.as_mut().graceful_shutdown();
            }
            () = look.as_mut() => {
                look.as_mut().reset(Instant::now() + bounds.header);
                let idle = activity.is_idle();
                if !activity.is_reached() || (idle && dismissed) {
                    tracing::debug!("a connection is given up: no request comes");
                    return;
                }
                if idle {
                    dismissed = true;
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
        .max_send_buf_size(PIECE)
        .max_concurrent_streams(STREAMS);
    builder
}
