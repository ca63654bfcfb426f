//! What an author calls to serve.

use relay_core::{IntoContext, Peer, Principal};
use relay_runtime::Runtime;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::{connection, error::ServeError, signals::Signals, streams};

/// How many bytes a line may have unless the settings say otherwise.
const LINE_LIMIT: usize = 16 * 1024 * 1024;

/// Serves one client on this process's stdin and stdout, with the default [`Stdio`] settings.
///
/// This is what a server that a desktop client starts does in its `main`; see [`Stdio::serve`].
///
/// # Errors
///
/// As [`Stdio::serve`].
///
/// # Panics
///
/// As [`Stdio::serve`].
///
/// # Cancel safety
///
/// As [`Stdio::serve`].
///
/// # Examples
///
/// ```no_run
/// # fn service() -> relay_core::Server<()> { relay_core::Server::new([]) }
/// #[tokio::main]
/// async fn main() -> Result<(), relay_stdio::ServeError> {
///     relay_stdio::serve(service(), ()).await
/// }
/// ```
pub async fn serve<C>(
    runtime: impl Into<Runtime<C>>,
    context: impl IntoContext<C>,
) -> Result<(), ServeError>
where
    C: Send + Sync + 'static,
{
    Stdio::new().serve(runtime, context).await
}

/// How to serve a client over a pair of byte streams: one JSON message a line.
///
/// # Examples
///
/// ```no_run
/// use relay_core::Principal;
/// use relay_stdio::Stdio;
///
/// # async fn run(runtime: relay_runtime::Runtime<()>) -> Result<(), relay_stdio::ServeError> {
/// Stdio::new()
///     .with_line_limit(1024 * 1024)
///     .with_principal(Principal::new("https://desk.example", "ada"))
///     .serve(runtime, ())
///     .await
/// # }
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct Stdio {
    line_limit: usize,
    principal: Option<Principal>,
}

impl Default for Stdio {
    fn default() -> Self {
        Self::new()
    }
}

impl Stdio {
    /// Lines of up to 16 MiB, an anonymous peer.
    pub fn new() -> Self {
        Self {
            line_limit: LINE_LIMIT,
            principal: None,
        }
    }

    /// The longest line that is read, in bytes without its newline; 16 MiB by default (STDIO-11).
    ///
    /// A longer one is answered with an error that names the limit and is skipped without being
    /// held in memory.
    pub fn with_line_limit(mut self, bytes: usize) -> Self {
        self.line_limit = bytes;
        self
    }

    /// Who the peer is; by default it is anonymous.
    ///
    /// Authorization as HTTP has it does not apply to a pipe (STDIO-14). The caller knows who
    /// started the process, and gets its credentials from the environment.
    pub fn with_principal(mut self, principal: Principal) -> Self {
        self.principal = Some(principal);
        self
    }

    /// Serves one client on this process's stdin and stdout until it closes stdin, SIGTERM or
    /// Ctrl-C arrives, or it no longer reads (STDIO-08, STDIO-09, STDIO-15).
    ///
    /// At the end of the input and at the first signal no more is read; what was read is answered
    /// within the [grace](relay_runtime::Limits::with_grace) of the runtime's limits (STDIO-13). On
    /// Unix the next signal ends the process at once, as it would have without this, and so does
    /// any signal once this has ended; elsewhere a second one ends the wait.
    ///
    /// On Unix the protocol is moved away from descriptors 0 and 1 for good, and is closed in
    /// child processes: from then on stdin is empty and whatever is printed to stdout goes to
    /// stderr (STDIO-02, STDIO-12). Elsewhere stdout stays as it is, so print nothing there and
    /// redirect the output of child processes.
    ///
    /// Both streams are served by threads that hold up neither this future nor the end of the
    /// process; see the [crate's page](crate#handlers-that-block) for handlers that would.
    ///
    /// # Errors
    ///
    /// When this process already served on its standard streams, when they cannot be set up, and
    /// when reading or writing fails. A client that is gone is not an error. Returned from `main`,
    /// an error gives one line on stderr and a failing exit code.
    ///
    /// # Panics
    ///
    /// Outside a tokio runtime with time and I/O enabled.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future cancels what is in flight; the standard streams stay taken.
    pub async fn serve<C>(
        self,
        runtime: impl Into<Runtime<C>>,
        context: impl IntoContext<C>,
    ) -> Result<(), ServeError>
    where
        C: Send + Sync + 'static,
    {
        let (input, output) = streams::take()?;
        let signals = Signals::new().map_err(ServeError::Setup)?;
        let peer = self.peer(context);
        connection::run(
            &runtime.into(),
            peer,
            (input, output),
            self.line_limit,
            Some(signals),
        )
        .await
    }

    /// Serves one client on any pair of byte streams, until the reader ends, the peer no longer
    /// reads, or the runtime shuts down. Signals are left to the caller.
    ///
    /// # Errors
    ///
    /// When reading or writing fails. A peer that is gone is not an error.
    ///
    /// # Panics
    ///
    /// Outside a tokio runtime with time enabled.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future cancels what is in flight.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), relay_stdio::ServeError> {
    /// # let server = relay_core::Server::<()>::new([]);
    /// use relay_stdio::Stdio;
    ///
    /// let mut answers = Vec::new();
    /// Stdio::new().serve_streams(server, (), &b"not JSON\n"[..], &mut answers).await?;
    /// assert!(answers.ends_with(b"}\n"));
    /// # Ok(())
    /// # }
    /// ```
    pub async fn serve_streams<C>(
        self,
        runtime: impl Into<Runtime<C>>,
        context: impl IntoContext<C>,
        reader: impl AsyncRead,
        writer: impl AsyncWrite,
    ) -> Result<(), ServeError>
    where
        C: Send + Sync + 'static,
    {
        let peer = self.peer(context);
        connection::run(
            &runtime.into(),
            peer,
            (reader, writer),
            self.line_limit,
            None,
        )
        .await
    }

    fn peer<C>(&self, context: impl IntoContext<C>) -> Peer<C> {
        let peer = Peer::new(context);
        match &self.principal {
            Some(principal) => peer.with_principal(principal.clone()),
            None => peer,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use relay_core::{Error, Server, codec, tool};
    use relay_runtime::Limits;
    use serde_json::{Value, json};
    use tokio::{
        io::{AsyncWriteExt as _, duplex},
        time::Instant,
    };

    use super::*;

    /// A server with one tool, which never ends by itself.
    fn server() -> Server<()> {
        let hold = tool::define("hold", codec::object(()), codec::string())
            .handle(|()| std::future::pending::<Result<String, Error>>());
        Server::new([hold])
    }

    fn request(id: u32, method: &str, name: &str) -> String {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": { "name": "t", "version": "1" },
        });
        let params = json!({ "name": name, "_meta": meta });
        json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string()
    }

    /// Serves these bytes to their end.
    async fn answers(stdio: Stdio, input: &[u8]) -> Vec<Value> {
        let mut output = Vec::new();
        let served = stdio.serve_streams(server(), (), input, &mut output).await;
        served.unwrap();
        let lines = output.split_inclusive(|byte| *byte == b'\n');
        lines
            .map(|line| serde_json::from_slice(line).unwrap())
            .collect()
    }

    // STDIO-11, S05
    #[tokio::test]
    async fn a_line_over_the_limit_is_answered_and_the_next_one_read() {
        let ping = request(2, "server/discover", "");
        let input = format!("{}\n{ping}", "1".repeat(1025));
        let answers = answers(Stdio::new().with_line_limit(1024), input.as_bytes()).await;
        let message = "a line may have at most 1024 bytes";
        assert_eq!(
            answers[0],
            json!({ "jsonrpc": "2.0", "error": { "code": -32600, "message": message } })
        );
        assert_eq!(answers[1]["id"], 2);
        assert_eq!(answers.len(), 2);
    }

    // STDIO-08, STDIO-13, S09
    #[tokio::test(start_paused = true)]
    async fn what_runs_at_the_end_of_the_input_has_the_grace() {
        let input = request(1, "tools/call", "hold") + "\n" + &request(2, "server/discover", "");
        let started = Instant::now();
        let answers = answers(Stdio::new(), input.as_bytes()).await;
        assert_eq!(started.elapsed().as_secs(), 5);
        let ids: Vec<_> = answers.iter().map(|answer| &answer["id"]).collect();
        assert_eq!(ids, [2, 1]);
        assert_eq!(answers[1]["error"]["code"], -32603);
    }

    // STDIO-09: a peer that is there but does not read
    #[tokio::test(start_paused = true)]
    async fn a_peer_that_takes_no_answers_holds_up_the_end_for_a_while_only() {
        let (mine, _theirs) = duplex(4);
        let limits = Limits::default().with_grace(Duration::from_secs(2));
        let runtime = Runtime::new(server()).with_limits(limits);
        let started = Instant::now();
        let served = Stdio::new().serve_streams(runtime, (), &b"garbage\n"[..], mine);
        served.await.unwrap();
        assert_eq!(started.elapsed().as_secs(), 3);
    }

    // STDIO-09
    #[tokio::test]
    async fn a_peer_that_is_gone_ends_the_serving_though_the_input_is_open() {
        let (mine, theirs) = duplex(4);
        drop(theirs);
        let (reader, mut kept) = duplex(64);
        kept.write_all(b"garbage\n").await.unwrap();
        let served = Stdio::new().serve_streams(server(), (), reader, mine);
        served.await.unwrap();
    }

    // STDIO-15, S10
    #[tokio::test(start_paused = true)]
    async fn a_runtime_that_stops_ends_the_serving_though_the_input_is_open() {
        let runtime = Runtime::new(server());
        let (reader, mut kept) = duplex(4096);
        let input = request(1, "tools/call", "hold") + "\n";
        kept.write_all(input.as_bytes()).await.unwrap();
        let mut output = Vec::new();
        let served = Stdio::new().serve_streams(runtime.clone(), (), reader, &mut output);
        let (served, ()) = tokio::join!(served, async {
            while runtime.running() == 0 {
                tokio::task::yield_now().await;
            }
            runtime.shutdown().await;
        });
        served.unwrap();
        let answer: Value = serde_json::from_slice(&output).unwrap();
        assert_eq!(answer["id"], 1);
        assert_eq!(answer["error"]["code"], -32603);
    }
}
