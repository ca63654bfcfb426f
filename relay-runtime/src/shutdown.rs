//! The end of a runtime.

use std::time::Duration;

use tokio::time::timeout;

use crate::Runtime;

/// How long a stop waits for handlers that were dropped or told to stop and do not let go.
const SETTLE: Duration = Duration::from_secs(1);

impl<C> Runtime<C> {
    /// Stops everything: connections take no more frames, what runs may finish within the
    /// [grace](crate::Limits::with_grace), and what is left then is cancelled and dropped.
    ///
    /// Ready once nothing runs any more; a second after the grace at the latest, whatever blocks.
    /// An exchange is not ended by this: its transport drops it. A clone is the same runtime and
    /// stops with it.
    ///
    /// # Cancel safety
    ///
    /// If this is dropped before it is ready, connections still take no more frames; call it again
    /// to go on.
    ///
    /// # Panics
    ///
    /// Outside the context of a Tokio runtime that has its timers enabled.
    pub async fn shutdown(&self) {
        let tasks = self.tasks();
        tasks.stopping.cancel();
        if timeout(tasks.limits.grace(), tasks.idle()).await.is_err() {
            tasks.ended.cancel();
            if timeout(SETTLE, tasks.idle()).await.is_err() {
                tracing::warn!(
                    running = self.running(),
                    "something still runs after the stop"
                );
            }
        }
    }

    /// Waits until [`shutdown`](Self::shutdown) is called, for a transport that then stops taking
    /// what is new.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    pub async fn stopping(&self) {
        self.tasks().stopping.cancelled().await;
    }

    /// Waits until nothing runs: no handler, neither in its grace, and no task around one.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    pub async fn idle(&self) {
        self.tasks().idle().await;
    }

    /// How much runs: handlers, those in their grace among them, and the tasks around them. Zero
    /// when idle (OPS-04).
    #[must_use]
    pub fn running(&self) -> usize {
        self.tasks().count()
    }
}
