//! The socket: who connects, and for how long clients are served.

use std::io;
use std::sync::Arc;

use relay_core::{IntoContext, Peer, Principal};
use relay_runtime::Runtime;
use tokio::net::{UnixListener, UnixStream};
use tokio::task::JoinSet;

use crate::pipe;

/// Serves every client that connects, all of them in one context, until
/// [`Runtime::shutdown`] is called; then until the clients that are connected have their answers.
///
/// # Errors
///
/// What accepting a connection failed with. A connection that fails ends alone.
///
/// # Cancel safety
///
/// Dropping the future hangs up on every client.
pub async fn serve<C: Send + Sync + 'static>(
    listener: UnixListener,
    runtime: impl Into<Runtime<C>>,
    context: impl IntoContext<C>,
) -> io::Result<()> {
    let (runtime, context) = (runtime.into(), context.into_context());
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            () = runtime.stopping() => break,
            Some(_ended) = connections.join_next() => {}
            accepted = listener.accept() => {
                let (stream, _address) = accepted?;
                connections.spawn(connect(stream, runtime.clone(), Arc::clone(&context)));
            }
        }
    }
    drop(listener);
    while connections.join_next().await.is_some() {}
    Ok(())
}

async fn connect<C: Send + Sync + 'static>(
    mut stream: UnixStream,
    runtime: Runtime<C>,
    context: Arc<C>,
) -> io::Result<()> {
    let peer = Peer::new(context).with_principal(user(&stream)?);
    let (reader, writer) = stream.split();
    pipe::serve(&runtime, peer, reader, writer).await
}

/// The user whose process connected, by the kernel's word.
fn user(stream: &UnixStream) -> io::Result<Principal> {
    let user = stream.peer_cred()?.uid();
    Ok(Principal::new("unix", user.to_string()))
}
