use std::time::Duration;

use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::conn::auto::Builder,
    service::TowerToHyperService,
};
use tokio::net::TcpStream;

use super::route::Route;
use crate::Endpoint;

/// How long a client may take to send the head of a request.
const HEAD: Duration = Duration::from_secs(10);

/// How long to wait when no connection can be accepted.
pub(super) const RECOVERY: Duration = Duration::from_millis(100);

/// Serves one connection to its end, or until the runtime is shut down and what it has open is
/// answered.
pub(super) async fn drive<C: Send + Sync + 'static>(stream: TcpStream, endpoint: Endpoint<C>) {
    // Small answers leave at once.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "a connection delays its answers");
    }
    let runtime = endpoint.runtime().clone();
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD);
    builder.http2().timer(TokioTimer::new());
    let service = TowerToHyperService::new(Route::new(endpoint));
    let connection = builder.serve_connection(TokioIo::new(stream), service);
    let mut connection = std::pin::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = runtime.stopping() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(error, "a connection ended");
    }
}
