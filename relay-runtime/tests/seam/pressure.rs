//! More than may be at once: receiving waits, and nothing is lost.

use std::{
    pin::pin,
    task::{Context, Poll, Waker},
    time::Duration,
};

use relay_core::{Call, LogLevel, Tool, codec, tool};
use relay_runtime::Limits;
use serde_json::{Value, json};
use tokio::time::{Instant, advance};

use crate::{
    support::{call, connect, ids, limited, next, request, rest, runtime, settle, text, waiting},
    tools::{Drops, polite, quick, slow, stuck},
};

/// Polls once.
fn poll<F: Future>(future: F) -> Poll<F::Output> {
    pin!(future).poll(&mut Context::from_waker(Waker::noop()))
}

// S12
#[tokio::test(start_paused = true)]
async fn beyond_the_limit_a_connection_waits() {
    let limits = Limits::default().with_concurrency(2);
    let runtime = limited([slow("slow", 100)], limits);
    let (mut incoming, mut outgoing) = connect(&runtime);
    let started = Instant::now();
    let write = async {
        let mut answered = Vec::new();
        while let Some(frame) = outgoing.next().await {
            assert!(frame.is_answer());
            answered.push(started.elapsed().as_millis());
        }
        answered
    };
    let read = async move {
        for id in 0..6 {
            incoming.receive(call(id, "slow")).await.unwrap();
        }
    };
    let (answered, ()) = tokio::join!(write, read);
    assert_eq!(answered, [100, 100, 200, 200, 300, 300]);
}

#[tokio::test(start_paused = true)]
async fn a_frame_is_kept_when_receiving_it_is_given_up() {
    let limits = Limits::default().with_concurrency(1);
    let runtime = limited([slow("slow", 100), quick()], limits);
    let (mut incoming, mut outgoing) = connect(&runtime);
    incoming.receive(call(1, "slow")).await.unwrap();
    assert!(poll(incoming.receive(call(2, "quick"))).is_pending());
    assert!(poll(incoming.receive(call(3, "quick"))).is_pending());
    assert_eq!(text(&next(&mut outgoing).await), "slept");
    incoming
        .receive(request(4, "tools/list", json!({})))
        .await
        .unwrap();
    drop(incoming);
    let mut answered = ids(&rest(outgoing).await);
    answered.sort_by_key(Value::as_i64);
    assert_eq!(answered, [json!(2), json!(3), json!(4)]);
}

#[tokio::test]
async fn what_nobody_takes_holds_the_reader_up() {
    let runtime = runtime([quick()]);
    let (mut incoming, mut outgoing) = connect(&runtime);
    let list = |id: i64| request(id, "tools/list", json!({}));
    let mut taken = 0;
    while poll(incoming.receive(list(taken))).is_ready() {
        taken += 1;
    }
    assert_eq!(taken, 64);
    assert!(poll(incoming.receive(list(65))).is_pending());
    assert_eq!(waiting(&mut outgoing).len(), 64);
    incoming.receive(list(66)).await.unwrap();
    drop(incoming);
    assert_eq!(
        ids(&rest(outgoing).await),
        [json!(64), json!(65), json!(66)]
    );
}

#[tokio::test(start_paused = true)]
async fn a_client_that_does_not_read_holds_a_handler_no_longer_than_its_deadline() {
    let endless: Tool<()> = tool::define("endless", codec::object(()), codec::string())
        .handle_call(|call: Call<()>, ()| async move {
            while !call.is_cancelled() {
                call.log(LogLevel::Info, "still here").await;
            }
            Ok(String::new())
        });
    let runtime = limited([endless, quick()], Limits::default().with_concurrency(1));
    let (mut incoming, _outgoing) = connect(&runtime);
    let meta = json!({ "io.modelcontextprotocol/logLevel": "info" });
    let params = json!({ "name": "endless", "_meta": meta });
    let asked = Instant::now();
    incoming
        .receive(request(1, "tools/call", params))
        .await
        .unwrap();

    advance(Duration::from_secs(1)).await;
    let (mut other, mut answers) = connect(&runtime);
    other.receive(call(1, "quick")).await.unwrap();
    assert_eq!(text(&next(&mut answers).await), "done");
    assert!(asked.elapsed() <= Duration::from_secs(35));
}

#[tokio::test(start_paused = true)]
async fn without_a_taker_what_runs_is_cancelled_and_nothing_more_is_received() {
    let finished = Drops::default();
    let dropped = Drops::default();
    let limits = Limits::default().with_concurrency(2);
    let runtime = limited([polite(&finished, 100), stuck(&dropped)], limits);
    let (mut incoming, outgoing) = connect(&runtime);
    incoming.receive(call(1, "polite")).await.unwrap();
    incoming.receive(call(2, "stuck")).await.unwrap();
    settle().await;
    let (waits, gone) = tokio::join!(incoming.receive(call(3, "stuck")), async {
        settle().await;
        drop(outgoing);
        Instant::now()
    });
    assert!(waits.is_err());
    assert!(incoming.receive(call(4, "stuck")).await.is_err());
    assert!(incoming.reject("too long").await.is_err());
    runtime.idle().await;
    assert_eq!((finished.count(), dropped.count()), (1, 1));
    assert_eq!(gone.elapsed(), Duration::from_secs(5));
}
