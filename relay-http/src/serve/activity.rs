use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
};

/// What happens on a connection, noted by all that it consists of. Nothing is ordered by it.
#[derive(Debug, Default)]
pub(super) struct Activity {
    had_request: AtomicBool,
    in_flight: AtomicUsize,
    /// There was something for the client since this was last looked at.
    answered: AtomicBool,
}

impl Activity {
    pub(super) fn begin_request(self: &Arc<Self>) -> InFlight {
        self.had_request.store(true, Relaxed);
        self.in_flight.fetch_add(1, Relaxed);
        InFlight(Arc::clone(self))
    }

    pub(super) fn has_had_request(&self) -> bool {
        self.had_request.load(Relaxed)
    }

    /// Whether nothing is in flight nor was since this was last asked. What is written besides, such
    /// as the answers to pings, and what still waits for the client, keep no connection.
    pub(super) fn take_idle(&self) -> bool {
        let answered = self.answered.swap(false, Relaxed);
        !answered && self.in_flight.load(Relaxed) == 0
    }
}

/// One request, until its response is over.
#[derive(Debug)]
pub(super) struct InFlight(Arc<Activity>);

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.answered.store(true, Relaxed);
        self.0.in_flight.fetch_sub(1, Relaxed);
    }
}
