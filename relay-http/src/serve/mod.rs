//! A listener, for those who have none.

mod activity;
mod body;
mod bounds;
mod connection;
mod error;
mod route;
mod socket;
mod stream;

use std::{net::SocketAddr, time::Duration};

use bounds::Bounds;

pub use error::ServeError;
use tokio::{
    net::{TcpListener, ToSocketAddrs},
    task::JoinSet,
    time::{sleep, timeout},
};

use crate::{Endpoint, SettingError, settings};

/// How long to wait when no connection can be accepted.
const ACCEPT_RETRY: Duration = Duration::from_millis(100);

/// Listens on `address` and serves the endpoint at `/mcp` and `/mcp/`, over HTTP/1.1 and HTTP/2 on
/// the one port; `/healthz` answers 200 for as long as the process does.
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
///
/// What an [`Endpoint`] can't bound by itself, because it never sees the connection, is bounded
/// here.
///
/// ```no_run
/// use std::time::Duration;
/// use relay_http::Listener;
///
/// # async fn example(endpoint: relay_http::Endpoint<()>) -> Result<(), relay_http::ServeError> {
/// let listener = Listener::bind(endpoint, "127.0.0.1:0")
///     .await?
///     .with_write_timeout(Duration::from_secs(10))?;
/// println!("{}", listener.url());
/// listener.serve().await;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Listener<C> {
    endpoint: Endpoint<C>,
    socket: TcpListener,
    address: SocketAddr,
    bounds: Bounds,
}

impl<C: Send + Sync + 'static> Listener<C> {
    /// Takes the port. Connections wait until [`serve`](Self::serve).
    ///
    /// # Errors
    ///
    /// [`ServeError`], in one sentence for the operator: an environment variable that can't be
    /// used, a port that can't be had, an address beyond this machine without a verifier
    /// (HTTP-29), or keys (RS-10) or a store (RS-06) that the replicas can't share.
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
        let server = endpoint.runtime().server();
        if server.keys().is_random() {
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
        if settings.replicated && !endpoint.runtime().has_store() {
            let single_use = server.tools().find(|tool| tool.is_single_use());
            if let Some(tool) = single_use {
                let tool = tool.name().to_owned();
                return Err(ServeError::OwnStore { tool });
            }
        }
        Ok(Self {
            endpoint: endpoint.bound(address.ip()),
            socket,
            address,
            bounds: Bounds::default(),
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

    /// Serves until the runtime is [shut down](relay_runtime::Runtime::shutdown): then no more
    /// connections are taken, and what is in flight has the
    /// [shutdown timeout](Self::with_shutdown_timeout).
    ///
    /// # Cancel safety
    ///
    /// Dropping it closes the port and ends every connection.
    pub async fn serve(self) {
        let runtime = self.endpoint.runtime().clone();
        let mut connections = JoinSet::new();
        loop {
            let room = connections.len() < self.bounds.connections;
            let accepted = tokio::select! {
                accepted = self.socket.accept(), if room => accepted,
                Some(_ended) = connections.join_next() => continue,
                () = runtime.stopping() => break,
            };
            match accepted {
                Ok((stream, _peer)) => {
                    let endpoint = self.endpoint.clone();
                    connections.spawn(connection::drive(stream, endpoint, self.bounds));
                }
                Err(error) => {
                    // Mostly no file descriptor is free: it will be, in a moment.
                    tracing::warn!(%error, "a connection could not be accepted");
                    sleep(ACCEPT_RETRY).await;
                }
            }
        }
        drop(self.socket);
        let ended = async { while connections.join_next().await.is_some() {} };
        if timeout(self.bounds.shutdown, ended).await.is_err() {
            let connections_left = connections.len();
            tracing::warn!(connections_left, "what was still in flight is cut off");
            connections.shutdown().await;
        }
    }
}

impl<C> Listener<C> {
    /// How long a client may take to send the head of a request: 10 seconds by default. Then the
    /// connection is closed, without an answer.
    ///
    /// The time runs from the moment the connection is taken or, over HTTP/1.1, the answer before
    /// is over: so long an idle connection stays open, and a proxy in front should give up its idle
    /// ones sooner. Over HTTP/2, a connection on which nothing is asked and nothing moves is told
    /// to end after one to two times as long, and closed after four times if it does not.
    ///
    /// # Errors
    ///
    /// [`SettingError::OutOfRange`] under 1 millisecond and over 24 hours.
    pub fn with_header_timeout(mut self, timeout: Duration) -> Result<Self, SettingError> {
        self.bounds.header = settings::time("with_header_timeout", timeout)?;
        Ok(self)
    }

    /// How long a client may make no room for what it is sent: 30 seconds by default. Then its
    /// connection is closed; over HTTP/2 the one stream is reset whose client makes no room for the
    /// next 16 KiB in that time. The call behind it is cancelled, as when the client leaves, and all
    /// it held is free again.
    ///
    /// # Errors
    ///
    /// [`SettingError::OutOfRange`] under 1 millisecond and over 24 hours.
    pub fn with_write_timeout(mut self, timeout: Duration) -> Result<Self, SettingError> {
        self.bounds.write = settings::time("with_write_timeout", timeout)?;
        Ok(self)
    }

    /// How long what is in flight has to end, once the runtime is
    /// [shut down](relay_runtime::Runtime::shutdown): 10 seconds by default. What is left then is
    /// cut off and its calls cancelled.
    ///
    /// # Errors
    ///
    /// [`SettingError::OutOfRange`] under 1 millisecond and over 24 hours.
    pub fn with_shutdown_timeout(mut self, timeout: Duration) -> Result<Self, SettingError> {
        self.bounds.shutdown = settings::time("with_shutdown_timeout", timeout)?;
        Ok(self)
    }

    /// How many connections there may be at a time: 4,096 by default. The next one waits, in the
    /// operating system's queue, until one of them ends.
    ///
    /// # Errors
    ///
    /// [`SettingError::OutOfRange`] for 0.
    pub fn with_connection_limit(mut self, connections: usize) -> Result<Self, SettingError> {
        self.bounds.connections = settings::within(
            "with_connection_limit",
            connections,
            1..=usize::MAX,
            "there is room for at least 1 connection",
        )?;
        Ok(self)
    }
}
