//! How a running handler is told to stop.

use std::{fmt, sync::Arc};

use tokio::sync::SetOnce;

/// Tells one call that it is cancelled; what fires it and what the handler sees through
/// [`Call::cancelled`](crate::Call::cancelled) are clones of one.
///
/// ```
/// use relay_core::Cancellation;
///
/// let cancellation = Cancellation::new();
/// let seen_by_the_handler = cancellation.clone();
/// cancellation.cancel();
/// assert!(seen_by_the_handler.is_cancelled());
/// ```
#[derive(Clone)]
pub struct Cancellation(Arc<dyn AsRef<Signal> + Send + Sync>);

/// The state of a cancellation. A call has its own within what it is about, so that it costs
/// nothing until somebody wants to fire it.
#[derive(Debug, Default)]
pub(crate) struct Signal(SetOnce<()>);

impl Signal {
    fn cancel(&self) {
        // Cancelling twice is cancelling.
        drop(self.0.set(()));
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.0.initialized()
    }

    pub(crate) async fn cancelled(&self) {
        self.0.wait().await;
    }
}

impl AsRef<Self> for Signal {
    fn as_ref(&self) -> &Self {
        self
    }
}

impl Cancellation {
    /// Not cancelled yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The one whose state is in there.
    pub(crate) fn within(holder: Arc<dyn AsRef<Signal> + Send + Sync>) -> Self {
        Self(holder)
    }

    fn signal(&self) -> &Signal {
        (*self.0).as_ref()
    }

    /// Cancels, for good.
    pub fn cancel(&self) {
        self.signal().cancel();
    }

    /// Whether it is cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.signal().is_cancelled()
    }

    /// Waits until it is cancelled.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: what is cancelled stays so.
    pub async fn cancelled(&self) {
        self.signal().cancelled().await;
    }
}

impl Default for Cancellation {
    fn default() -> Self {
        Self(Arc::new(Signal::default()))
    }
}

impl fmt::Debug for Cancellation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cancellation")
            .field("cancelled", &self.is_cancelled())
            .finish()
    }
}
