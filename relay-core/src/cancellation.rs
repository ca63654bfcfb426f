//! How a running handler is told to stop.

use tokio_util::sync::CancellationToken;

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
#[derive(Clone, Debug, Default)]
pub struct Cancellation(CancellationToken);

impl Cancellation {
    /// Not cancelled yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Cancels, for good.
    pub fn cancel(&self) {
        self.0.cancel();
    }

    /// Whether it is cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }

    /// Waits until it is cancelled.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: what is cancelled stays so.
    pub async fn cancelled(&self) {
        self.0.cancelled().await;
    }
}
