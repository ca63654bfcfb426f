//! How much one runtime does at a time, and for how long.

use std::time::Duration;

/// The bounds of a [`Runtime`](crate::Runtime).
///
/// ```
/// use std::time::Duration;
/// use relay_runtime::Limits;
///
/// let limits = Limits::default()
///     .with_deadline(Duration::from_secs(5))
///     .with_concurrency(64);
/// assert_eq!(limits.deadline(), Duration::from_secs(5));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    deadline: Duration,
    answer_limit: usize,
    concurrency: usize,
    grace: Duration,
    lingering: usize,
    progress_interval: Duration,
    rounds: u8,
    state_limit: usize,
}

impl Limits {
    /// How long one run of a handler may take, from the arrival of its request: 30 seconds by
    /// default. A tool's own deadline comes first. Over HTTP the time that a verifier and a context
    /// function take is part of it, and the members of a batch arrive together.
    ///
    /// A handler that takes longer is cancelled and the request answered -32603 at once (CAN-04);
    /// what is left of it has the [grace](Self::with_grace) to finish.
    #[must_use]
    pub fn with_deadline(self, deadline: Duration) -> Self {
        Self { deadline, ..self }
    }

    /// How many bytes one answer may have, and over HTTP all answers to a batch together: 16 MiB by
    /// default.
    ///
    /// A tool's result above it becomes one that tells the model to ask for less; any other
    /// becomes -32603 (TOOL-20).
    #[must_use]
    pub fn with_answer_limit(self, bytes: usize) -> Self {
        Self {
            answer_limit: bytes,
            ..self
        }
    }

    /// How many handlers may run at one time, over all connections and exchanges, those in their
    /// grace among them: 1,024 by default, at least 1.
    ///
    /// Beyond it a request waits, and with it the connection it came on.
    #[must_use]
    pub fn with_concurrency(self, handlers: usize) -> Self {
        Self {
            concurrency: handlers.clamp(1, tokio::sync::Semaphore::MAX_PERMITS),
            ..self
        }
    }

    /// How long a handler may go on once nobody waits for its answer (because it was cancelled, its
    /// client left, or its deadline passed), and how long the end of a connection or of the runtime
    /// waits for the handlers that run: 5 seconds by default.
    ///
    /// After it the handler is dropped where it stands.
    #[must_use]
    pub fn with_grace(self, grace: Duration) -> Self {
        Self { grace, ..self }
    }

    /// How many handlers may be in their [grace](Self::with_grace) at one time: 256 by default.
    ///
    /// One more is dropped at once.
    #[must_use]
    pub fn with_lingering(self, handlers: usize) -> Self {
        Self {
            lingering: handlers.min(tokio::sync::Semaphore::MAX_PERMITS),
            ..self
        }
    }

    /// How much time passes at least between two progress notifications of one request: 10
    /// milliseconds by default; none, if zero.
    ///
    /// Of what a handler reports in between, the latest is sent; the last of all always is
    /// (PROG-06).
    #[must_use]
    pub fn with_progress_interval(self, interval: Duration) -> Self {
        Self {
            progress_interval: interval,
            ..self
        }
    }

    /// How many times one request may be answered with questions: 8 by default.
    ///
    /// A tool that asks once more fails, with a text that says so; a prompt or a resource is
    /// answered -32603 (MRTR-15).
    #[must_use]
    pub fn with_rounds(self, rounds: u8) -> Self {
        Self { rounds, ..self }
    }

    /// How many bytes of request state may go to a client and come back: 64 KiB by default.
    ///
    /// It holds what a handler's questions brought, and what it recorded. A handler that collects
    /// more is answered -32603 (RS-12).
    #[must_use]
    pub fn with_state_limit(self, bytes: usize) -> Self {
        Self {
            state_limit: bytes,
            ..self
        }
    }

    /// See [`with_deadline`](Self::with_deadline).
    #[must_use]
    pub fn deadline(&self) -> Duration {
        self.deadline
    }

    /// See [`with_answer_limit`](Self::with_answer_limit).
    #[must_use]
    pub fn answer_limit(&self) -> usize {
        self.answer_limit
    }

    /// See [`with_concurrency`](Self::with_concurrency).
    #[must_use]
    pub fn concurrency(&self) -> usize {
        self.concurrency
    }

    /// See [`with_grace`](Self::with_grace).
    #[must_use]
    pub fn grace(&self) -> Duration {
        self.grace
    }

    /// See [`with_lingering`](Self::with_lingering).
    #[must_use]
    pub fn lingering(&self) -> usize {
        self.lingering
    }

    /// See [`with_progress_interval`](Self::with_progress_interval).
    #[must_use]
    pub fn progress_interval(&self) -> Duration {
        self.progress_interval
    }

    /// See [`with_rounds`](Self::with_rounds).
    #[must_use]
    pub fn rounds(&self) -> u8 {
        self.rounds
    }

    /// See [`with_state_limit`](Self::with_state_limit).
    #[must_use]
    pub fn state_limit(&self) -> usize {
        self.state_limit
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            deadline: Duration::from_secs(30),
            answer_limit: 16 * 1024 * 1024,
            concurrency: 1024,
            grace: Duration::from_secs(5),
            lingering: 256,
            progress_interval: Duration::from_millis(10),
            rounds: 8,
            state_limit: 64 * 1024,
        }
    }
}
