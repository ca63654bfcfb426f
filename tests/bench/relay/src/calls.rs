//! Calls from frame to frame, without a transport: what `valgrind` counts the instructions of.

use std::io::{Write as _, stdout};

use bench_shared::Options;
use bytes::Bytes;
use relay_http::{relay_core::Peer, relay_runtime::Runtime};
use tokio::runtime::{Builder, Runtime as Executor};

use crate::Failure;

/// Makes the calls, and says how many bytes came back.
pub(crate) fn run(runtime: &Runtime<()>, options: &Options) -> Result<(), Failure> {
    let executor = Builder::new_current_thread().enable_time().build()?;
    let frame = frame(&options.work)?;
    // What is done once only is done, and what comes back is looked at.
    let answer = executor.block_on(answer(runtime, &frame));
    if !answer.windows(9).any(|bytes| bytes == b"\"result\":") {
        return Err(String::from_utf8_lossy(&answer).into());
    }
    writeln!(
        stdout(),
        "{}",
        measured(&executor, runtime, &frame, options.calls)
    )?;
    Ok(())
}

/// The name that `valgrind` is told: what happens in here is counted, and nothing else.
#[inline(never)]
fn measured(executor: &Executor, runtime: &Runtime<()>, frame: &Bytes, calls: usize) -> usize {
    executor.block_on(async {
        let mut bytes = 0;
        for _ in 0..calls {
            bytes += answer(runtime, frame).await.len();
        }
        bytes
    })
}

async fn answer(runtime: &Runtime<()>, frame: &Bytes) -> Bytes {
    let mut exchange = runtime.exchange(frame.clone(), Peer::new(()));
    let answer = exchange.next().await;
    answer.map(Bytes::from).unwrap_or_default()
}

fn frame(work: &str) -> Result<Bytes, Failure> {
    let frame = bench_shared::frame(work, 1);
    Ok(frame.ok_or_else(|| format!("{work} is no work"))?.into())
}
