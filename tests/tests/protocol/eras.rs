//! The same conversation in every era.

use std::io;

use relay_core::{IntoContext, Revision, Server};
use relay_tests::wire::Wire;
use tokio::runtime::{Builder, Runtime};

/// A connection that speaks one revision, ready for requests.
pub(crate) async fn connect<C: Send + Sync + 'static>(
    server: &Server<C>,
    context: impl IntoContext<C>,
    revision: Revision,
) -> Wire<C> {
    let wire = Wire::new(server.clone(), context);
    if revision.is_modern() {
        wire
    } else {
        wire.initialized(revision).await
    }
}

/// What drives a property's conversation; a test function that is not `async` needs one.
pub(crate) fn runtime() -> io::Result<Runtime> {
    Builder::new_current_thread().build()
}
