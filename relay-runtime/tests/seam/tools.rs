//! Tools that behave in one way each.

use std::{
    future::pending,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use relay_core::{Call, Tool, codec, tool};
use tokio::time::sleep;

/// Answers at once.
pub(crate) fn quick() -> Tool<()> {
    tool::define("quick", codec::object(()), codec::string())
        .handle(|()| async { Ok("done".to_owned()) })
}

/// Answers at once, and counts its runs.
pub(crate) fn counting(runs: &Drops) -> Tool<()> {
    let runs = runs.clone();
    tool::define("counting", codec::object(()), codec::string()).handle(move |()| {
        drop(runs.one());
        async { Ok("counted".to_owned()) }
    })
}

/// Answers after this many milliseconds.
pub(crate) fn slow(name: &str, millis: u64) -> Tool<()> {
    tool::define(name, codec::object(()), codec::string()).handle(move |()| async move {
        sleep(Duration::from_millis(millis)).await;
        Ok("slept".to_owned())
    })
}

/// Never answers, whatever happens.
pub(crate) fn stuck(dropped: &Drops) -> Tool<()> {
    let dropped = dropped.clone();
    tool::define("stuck", codec::object(()), codec::string()).handle(move |()| {
        let dropped = dropped.clone();
        async move {
            let _counted = dropped.one();
            pending::<()>().await;
            Ok(String::new())
        }
    })
}

/// Waits for its cancellation, then for so many milliseconds more, and finishes.
pub(crate) fn polite(finished: &Drops, millis: u64) -> Tool<()> {
    let finished = finished.clone();
    tool::define("polite", codec::object(()), codec::string()).handle_call(
        move |call: Call<()>, ()| {
            let finished = finished.clone();
            async move {
                call.cancelled().await;
                sleep(Duration::from_millis(millis)).await;
                drop(finished.one());
                Ok("cleaned up".to_owned())
            }
        },
    )
}

/// Panics with this text once it runs.
pub(crate) fn panicking(said: &'static str) -> Tool<()> {
    tool::define("panicking", codec::object(()), codec::string()).handle(move |()| async move {
        assert!(said.is_empty(), "{said}");
        Ok(String::new())
    })
}

/// Counts drops.
#[derive(Clone, Default)]
pub(crate) struct Drops(Arc<AtomicUsize>);

pub(crate) struct Counted(Drops);

impl Drops {
    pub(crate) fn one(&self) -> Counted {
        Counted(self.clone())
    }

    pub(crate) fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.0.fetch_add(1, Ordering::SeqCst);
    }
}
