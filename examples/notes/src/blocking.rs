//! Work that blocks, away from the threads that serve.

use std::panic;

use tokio::task;

/// The process is shutting down, so that the work was not begun.
#[derive(Debug, thiserror::Error)]
#[error("the server is shutting down")]
pub(crate) struct Stopped;

/// Runs `work` on a thread of its own. A panic in it goes on in the caller.
///
/// # Cancel safety
///
/// Dropping the future loses the answer; the work is finished all the same.
pub(crate) async fn run<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Stopped> {
    match task::spawn_blocking(work).await {
        Ok(answer) => Ok(answer),
        Err(ended) => match ended.try_into_panic() {
            Ok(panic) => panic::resume_unwind(panic),
            Err(_) => Err(Stopped),
        },
    }
}
