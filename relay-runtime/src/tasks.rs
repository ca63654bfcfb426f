//! What one runtime has running, and how much more it may.

use std::sync::Arc;

use tokio::{
    runtime::Handle,
    sync::Semaphore,
    time::{Instant, timeout, timeout_at},
};
use tokio_util::{
    sync::CancellationToken,
    task::{TaskTracker, task_tracker::TaskTrackerToken},
};

use crate::{Limits, execute::Running};

/// Shared by all that runs in one runtime, whatever its context type.
#[derive(Debug)]
pub(crate) struct Tasks {
    pub(crate) limits: Limits,
    /// One for each handler that may run.
    pub(crate) permits: Arc<Semaphore>,
    /// One for each handler that may be in its grace.
    lingering: Arc<Semaphore>,
    tracker: TaskTracker,
    /// No connection takes more frames.
    pub(crate) stopping: CancellationToken,
    /// Nothing is waited for any longer.
    pub(crate) ended: CancellationToken,
}

impl Tasks {
    pub(crate) fn new(limits: Limits) -> Self {
        let tracker = TaskTracker::new();
        // A closed tracker still tracks; it also tells when it is empty.
        tracker.close();
        Self {
            permits: Arc::new(Semaphore::new(limits.concurrency())),
            lingering: Arc::new(Semaphore::new(limits.lingering())),
            tracker,
            stopping: CancellationToken::new(),
            ended: CancellationToken::new(),
            limits,
        }
    }

    /// Runs a task of a connection; needs the context of a Tokio runtime.
    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.tracker.spawn(task);
    }

    /// Counts something that runs in a task of the transport's.
    pub(crate) fn track(&self) -> TaskTrackerToken {
        self.tracker.token()
    }

    /// Lets a cancelled handler go on for the grace, where there is room for it and something to
    /// run it.
    pub(crate) fn linger(&self, running: Running) {
        let slot = Arc::clone(&self.lingering).try_acquire_owned();
        let (Ok(slot), Ok(executor)) = (slot, Handle::try_current()) else {
            return;
        };
        let ended = self.ended.clone();
        let grace = self.limits.grace();
        let task = async move {
            let _slot = slot;
            tokio::select! {
                biased;
                () = ended.cancelled() => {}
                _ = timeout(grace, running) => {}
            }
        };
        self.tracker.spawn_on(task, &executor);
    }

    /// Lets a handler whose client left go on until its deadline, where there is something to run
    /// it (LH-17).
    pub(crate) fn detach(self: &Arc<Self>, mut running: Running, deadline: Instant) {
        let Ok(executor) = Handle::try_current() else {
            return;
        };
        let tasks = Arc::clone(self);
        let task = async move {
            let late = tokio::select! {
                biased;
                () = tasks.ended.cancelled() => false,
                done = timeout_at(deadline, &mut running) => done.is_err(),
            };
            if late {
                running.abandon(&tasks);
            }
        };
        self.tracker.spawn_on(task, &executor);
    }

    /// How much runs: handlers, and the tasks around them.
    pub(crate) fn count(&self) -> usize {
        self.tracker.len()
    }

    /// Waits until nothing runs.
    pub(crate) async fn idle(&self) {
        self.tracker.wait().await;
    }
}
