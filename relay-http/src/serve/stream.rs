use std::{
    cell::Cell,
    future::poll_fn,
    pin::pin,
    task::{Poll, ready},
    time::Duration,
};

use hyper::rt::Executor;
use hyper_util::rt::TokioExecutor;
use tokio::time::{Instant, Sleep, sleep};

/// Runs the streams of an HTTP/2 connection, each in a task of its own, until its client makes no
/// room for the next [piece](crate::body::PIECE) for a while: the connection goes on, whatever
/// becomes of one stream.
#[derive(Clone, Debug)]
pub(super) struct Streams {
    tasks: TokioExecutor,
    write_timeout: Duration,
}

/// Whom a stream waits for.
#[derive(Clone, Copy, Debug)]
enum WaitsFor {
    /// The response, to have more.
    Server,
    /// The client, to make room for what was just given.
    ClientAnew,
    /// The client still.
    Client,
}

// hyper shows neither the stream to the body that it sends on it nor the body to the executor that
// runs it: the task that they share carries the word.
tokio::task_local! {
    static WAITS_FOR: Cell<WaitsFor>;
}

/// Says, in the task of a stream, whether the response had a piece when it was asked. It is asked
/// again once there is room for more.
pub(super) fn note_poll(has_piece: bool) {
    let waits_for = if has_piece {
        WaitsFor::ClientAnew
    } else {
        WaitsFor::Server
    };
    // Elsewhere nobody wants to know.
    let _elsewhere = WAITS_FOR.try_with(|cell| cell.set(waits_for));
}

impl Streams {
    pub(super) fn new(write_timeout: Duration) -> Self {
        Self {
            tasks: TokioExecutor::new(),
            write_timeout,
        }
    }
}

impl<F> Executor<F> for Streams
where
    F: Future<Output = ()> + Send + 'static,
{
    fn execute(&self, stream: F) {
        let write_timeout = self.write_timeout;
        let bounded = async move {
            let mut stream = pin!(stream);
            let mut stalled = pin!(None::<Sleep>);
            poll_fn(|cx| {
                if stream.as_mut().poll(cx).is_ready() {
                    return Poll::Ready(());
                }
                match WAITS_FOR.with(Cell::get) {
                    WaitsFor::Server => stalled.set(None),
                    WaitsFor::ClientAnew => {
                        WAITS_FOR.with(|cell| cell.set(WaitsFor::Client));
                        match stalled.as_mut().as_pin_mut() {
                            Some(timer) => timer.reset(Instant::now() + write_timeout),
                            None => stalled.set(Some(sleep(write_timeout))),
                        }
                    }
                    WaitsFor::Client => {}
                }
                if let Some(timer) = stalled.as_mut().as_pin_mut() {
                    ready!(timer.poll(cx));
                    tracing::debug!("a response is given up: its client makes no room for it");
                    return Poll::Ready(());
                }
                Poll::Pending
            })
            .await;
        };
        self.tasks
            .execute(WAITS_FOR.scope(Cell::new(WaitsFor::Server), bounded));
    }
}
