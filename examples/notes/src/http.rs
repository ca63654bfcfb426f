//! The server over HTTP: the port, what is said about it, and its end.

use std::io::{self, Write};
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;

use relay_core::Server;
use relay_http::{Endpoint, Listener, ServeError};

use crate::signals::Signals;
use crate::tenant::Tenant;

/// Serves the tenant's notes to whoever reaches the port, until a signal: what runs then may still
/// finish. A second signal ends that too.
///
/// # Errors
///
/// [`HttpError`] when the port can't be served.
pub(crate) async fn serve(
    server: Server<Tenant>,
    tenant: Tenant,
    listen: &str,
) -> Result<(), HttpError> {
    let mut signals = Signals::new().map_err(HttpError::Signals)?;
    let tenant = Arc::new(tenant);
    let endpoint = Endpoint::from_context(server, move |_head| {
        let tenant = Arc::clone(&tenant);
        async move { Ok(tenant) }
    });
    let runtime = endpoint.runtime().clone();
    let listener = Listener::bind(endpoint, listen)
        .await
        .and_then(|listener| Ok(listener.with_shutdown_timeout(runtime.limits().grace())?))
        .map_err(|error| HttpError::from_serving(error, listen))?;
    // Whoever started this may have closed the output.
    drop(write!(io::stdout(), "{}", welcome(&listener.url())));

    let mut serving = pin!(listener.serve());
    tokio::select! {
        () = serving.as_mut() => return Ok(()),
        () = signals.next() => {}
    }
    tokio::select! {
        ((), ()) = async { tokio::join!(runtime.shutdown(), serving) } => {}
        () = signals.next() => {}
    }
    Ok(())
}

/// What to say once the port is open: where it is, and a command that shows that it works.
fn welcome(url: &str) -> String {
    format!(
        "Serving MCP at {url}\nTry it:\n\
         curl -sS --noproxy '*' '{url}' -H 'Content-Type: application/json' \
         -H 'Accept: application/json, text/event-stream' \
         -H 'MCP-Protocol-Version: {REVISION}' -H 'Mcp-Method: tools/list' \
         -d '{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{{\"_meta\":{{\
         \"io.modelcontextprotocol/protocolVersion\":\"{REVISION}\",\
         \"io.modelcontextprotocol/clientCapabilities\":{{}}}}}}}}'\n"
    )
}

const REVISION: &str = "2026-07-28";

/// Why the port is not served.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HttpError {
    #[error("can't listen on {listen}, choose another address with --listen")]
    Listen { listen: String, source: io::Error },
    #[error(
        "{address} is reachable from other machines, where anyone could change the notes; listen \
         on a loopback address, such as --listen 127.0.0.1:8080"
    )]
    Unprotected { address: SocketAddr },
    #[error(transparent)]
    Serve(ServeError),
    #[error("can't wait for the signals that end the server")]
    Signals(#[source] io::Error),
}

impl HttpError {
    /// In the terms of the command line.
    fn from_serving(error: ServeError, listen: &str) -> Self {
        match error {
            ServeError::Bind(source) => Self::Listen {
                listen: listen.to_owned(),
                source,
            },
            ServeError::Unprotected { address } => Self::Unprotected { address },
            other => Self::Serve(other),
        }
    }
}
