//! A listener, for those who have none.

mod connection;
mod error;
mod route;

use std::net::SocketAddr;

pub use error::ServeError;
use tokio::{
    net::{TcpListener, ToSocketAddrs},
    task::JoinSet,
    time::sleep,
};

use crate::Endpoint;

/// Listens on `address` and serves the endpoint at `/mcp` and `/mcp/`, over HTTP/1.1 and HTTP/2 on
/// the one port; `/healthz` tells whether the process lives.
///
/// What the [environment](Endpoint::with_environment) sets comes over what the endpoint was set to.
/// Runs until the runtime is [shut down](relay_runtime::Runtime::shutdown); dropped, it ends every
/// connection. A [`Listener`] does the same in two steps, for whoever wants to know the port first.
///
/// ```no_run
/// # async fn example(endpoint: relay_http::Endpoint<()>) -> Result<(), relay_http::ServeError> {
/// relay_http::serve(endpoint, "127.0.0.1:8080").await?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// As [`Listener::bind`].
pub async fn serve<C: Send + Sync + 'static>(
    endpoint: Endpoint<C>,
    address: impl ToSocketAddrs,
) -> Result<(), ServeError> {
    Listener::bind(endpoint, address).await?.serve().await;
    Ok(())
}

/// A port that is listened on, and the endpoint behind it.
#[derive(Debug)]
pub struct Listener<C> {
    endpoint: Endpoint<C>,
    socket: TcpListener,
    address: SocketAddr,
}

impl<C: Send + Sync + 'static> Listener<C> {
    /// Takes the port. Connections wait until [`serve`](Self::serve).
    ///
    /// # Errors
    ///
    /// [`ServeError`], in one sentence for the operator: an environment variable that can't be
    /// used, a port that can't be had, an address beyond this machine without a verifier
    /// (HTTP-29), or keys that the replicas can't share (RS-10).
    pub async fn bind(
        endpoint: Endpoint<C>,
        address: impl ToSocketAddrs,
    ) -> Result<Self, ServeError> {
        let endpoint = endpoint.with_environment()?;
        let socket = TcpListener::bind(address).await.map_err(ServeError::Bind)?;
        let address = socket.local_addr().map_err(ServeError::Bind)?;
        let settings = endpoint.settings();
        let loopback = address.ip().is_loopback();
        if !loopback && !endpoint.is_protected() && !settings.unauthenticated {
            return Err(ServeError::Unprotected { address });
        }
        if endpoint.runtime().server().keys().is_random() {
            if settings.replicated {
                return Err(ServeError::RandomKeys);
            }
            if !loopback {
                tracing::warn!(
                    "the server's keys are random: cursors, and the request state of questions to \
                     users, end with this process and open on no other replica; set keys with \
                     `with_keys`"
                );
            }
        }
        Ok(Self {
            endpoint: endpoint.bound(address.ip()),
            socket,
            address,
        })
    }

    /// The address that is listened on, with its port.
    #[must_use]
    pub fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// Where a client on this machine finds the endpoint.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    /// Serves until the runtime is [shut down](relay_runtime::Runtime::shutdown).
    ///
    /// # Cancel safety
    ///
    /// Dropping it closes the port and ends every connection.
    pub async fn serve(self) {
        let runtime = self.endpoint.runtime().clone();
        let mut connections = JoinSet::new();
        loop {
            let accepted = tokio::select! {
                accepted = self.socket.accept() => accepted,
                Some(_ended) = connections.join_next() => continue,
                () = runtime.stopping() => break,
            };
            match accepted {
                Ok((stream, _peer)) => {
                    connections.spawn(connection::drive(stream, self.endpoint.clone()));
                }
                Err(error) => {
                    // Mostly no file descriptor is free: it will be, in a moment.
                    tracing::warn!(%error, "a connection could not be accepted");
                    sleep(connection::RECOVERY).await;
                }
            }
        }
        drop(self.socket);
        while connections.join_next().await.is_some() {}
    }
}
