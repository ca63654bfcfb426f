use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
};

/// What happens on a connection, noted by all that it consists of. Nothing is ordered by it.
#[derive(Debug, Default)]
pub(super) struct Activity {
    had_request: AtomicBool,
    in_flight: AtomicUsize,
    /// The client took something since this was last looked at.
    wrote: AtomicBool,
}

impl Activity {
    pub(super) fn begin_request(self: &Arc<Self>) -> InFlight {
        self.had_request.store(true, Relaxed);
        self.in_flight.fetch_add(1, Relaxed);
        InFlight(Arc::clone(self))
    }

    pub(super) fn note_write(&self) {
        self.wrote.store(true, Relaxed);
    }

    pub(super) fn has_had_request(&self) -> bool {
        self.had_request.load(Relaxed)
    }

    /// Whether nothing is in flight and, since this was last asked, nothing was written.
    pub(super) fn take_idle(&self) -> bool {
        let wrote = self.wrote.swap(false, Relaxed);
        !wrote && self.in_flight.load(Relaxed) == 0
    }
}

/// One request, until its response is over.
#[derive(Debug)]
pub(super) struct InFlight(Arc<Activity>);

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.in_flight.fetch_sub(1, Relaxed);
    }
}
