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
    patience: Duration,
}

/// Whose turn it is.
#[derive(Clone, Copy, Debug)]
enum Turn {
    /// The response's, to have more.
    Ours,
    /// The client's, to take what it was just given.
    New,
    /// The client's still.
    Theirs,
}

tokio::task_local! {
    static TURN: Cell<Turn>;
}

/// Says, in the task of a stream, whether the response gave something when it was asked. It is
/// asked again once there is room for more.
pub(super) fn gave(something: bool) {
    let turn = if something { Turn::New } else { Turn::Ours };
    // Elsewhere nobody wants to know.
    let _elsewhere = TURN.try_with(|cell| cell.set(turn));
}

impl Streams {
    pub(super) fn new(patience: Duration) -> Self {
        Self {
            tasks: TokioExecutor::new(),
            patience,
        }
    }
}

impl<F> Executor<F> for Streams
where
    F: Future<Output = ()> + Send + 'static,
{
    fn execute(&self, stream: F) {
        let patience = self.patience;
        let bounded = async move {
            let mut stream = pin!(stream);
            let mut stalled = pin!(None::<Sleep>);
            poll_fn(|cx| {
                if stream.as_mut().poll(cx).is_ready() {
                    return Poll::Ready(());
                }
                match TURN.with(Cell::get) {
                    Turn::Ours => stalled.set(None),
                    Turn::New => {
                        TURN.with(|turn| turn.set(Turn::Theirs));
                        match stalled.as_mut().as_pin_mut() {
                            Some(timer) => timer.reset(Instant::now() + patience),
                            None => stalled.set(Some(sleep(patience))),
                        }
                    }
                    Turn::Theirs => {}
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
            .execute(TURN.scope(Cell::new(Turn::Ours), bounded));
    }
}
