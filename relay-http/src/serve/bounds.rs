use std::time::Duration;

/// What a listener bounds of the connections it has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// How long a client may take to send the head of a request.
    pub(super) header: Duration,
    /// How long it may take nothing of what it is sent.
    pub(super) write: Duration,
    /// How long what is in flight has once the runtime stops.
    pub(super) shutdown: Duration,
    /// How many connections there may be at a time.
    pub(super) connections: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            header: Duration::from_secs(10),
            write: Duration::from_secs(30),
            shutdown: Duration::from_secs(10),
            connections: 4096,
        }
    }
}
