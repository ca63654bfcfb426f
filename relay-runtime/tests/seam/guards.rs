//! What a transport has an exchange hold.

use std::{
    sync::{Arc, OnceLock},
    task::{Context, Waker},
    time::Duration,
};

use relay_runtime::{Exchange, Limits};
use serde_json::json;
use tokio::time::{Instant, advance};

use crate::{
    support::{all, call, code, detached, limited, peer, runtime, settle},
    tools::{Drops, quick, stuck},
};

/// Tells, once it is dropped, how many handlers had gone before.
struct Guard {
    gone: Drops,
    told: Told,
}

type Told = Arc<OnceLock<usize>>;

impl Drop for Guard {
    fn drop(&mut self) {
        self.told.set(self.gone.count()).expect("one drop");
    }
}

fn guard(gone: &Drops) -> (Arc<Guard>, Told) {
    let told = Told::default();
    let guard = Guard {
        gone: gone.clone(),
        told: Arc::clone(&told),
    };
    (Arc::new(guard), told)
}

fn start(exchange: &mut Exchange) {
    let polled = exchange.poll_next(&mut Context::from_waker(Waker::noop()));
    assert!(polled.is_pending());
}

// CAN-02, OPS-04
#[tokio::test(start_paused = true)]
async fn a_lingering_handler_is_held_for() {
    let dropped = Drops::default();
    let runtime = runtime([stuck(&dropped)]);
    let (guard, told) = guard(&dropped);
    let mut exchange = runtime.exchange(call(1, "stuck"), peer()).holding(guard);
    start(&mut exchange);
    drop(exchange);
    settle().await;
    advance(Duration::from_millis(4_999)).await;
    settle().await;
    assert_eq!(told.get(), None);
    runtime.idle().await;
    assert_eq!(told.get(), Some(&1), "the handler went first");
}

// LH-17, OPS-04
#[tokio::test(start_paused = true)]
async fn a_handler_whose_client_left_is_held_for_to_its_end() {
    let dropped = Drops::default();
    let runtime = runtime([stuck(&dropped)]);
    let (guard, told) = guard(&dropped);
    let frame =
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "stuck" } });
    let mut exchange = detached(&runtime, "2025-06-18", &frame).holding(guard);
    start(&mut exchange);
    let left = Instant::now();
    drop(exchange);
    settle().await;
    // Its deadline, and nearly all of its grace.
    for millis in [30_000, 4_999] {
        advance(Duration::from_millis(millis)).await;
        settle().await;
        assert_eq!(told.get(), None);
    }
    runtime.idle().await;
    assert_eq!(left.elapsed(), Duration::from_secs(35));
    assert_eq!(told.get(), Some(&1), "the handler went first");
}

// LJ-02, LH-17, OPS-04
#[tokio::test(start_paused = true)]
async fn every_handler_of_a_batch_is_held_for() {
    let dropped = Drops::default();
    let limits = Limits::default().with_grace(Duration::from_secs(9));
    let runtime = limited([stuck(&dropped), quick()], limits);
    let (guard, told) = guard(&dropped);
    let member = |id, name| {
        let params = json!({ "name": name });
        json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params })
    };
    let batch = json!([member(1, "quick"), member(2, "stuck"), member(3, "quick")]);
    let exchange = detached(&runtime, "2025-03-26", &batch).holding(guard);
    let answers = all(exchange).await;
    // The second had its time, and the third with it.
    assert_eq!(
        answers.iter().map(code).collect::<Vec<_>>(),
        [0, -32603, -32603]
    );
    assert_eq!((told.get(), runtime.running() > 0), (None, true));
    runtime.idle().await;
    assert_eq!(told.get(), Some(&1), "the handler went first");
}

// OPS-04
#[tokio::test]
async fn nothing_is_held_for_what_is_over_or_does_not_run() {
    let runtime = runtime([quick()]);
    let (first, told) = guard(&Drops::default());
    let exchange = runtime.exchange("garbage".into(), peer()).holding(first);
    assert!(told.get().is_some(), "it is answered already");
    drop(exchange);

    let (second, told) = guard(&Drops::default());
    let mut exchange = runtime.exchange(call(1, "quick"), peer()).holding(second);
    assert!(told.get().is_none());
    assert!(exchange.next().await.is_some_and(|frame| frame.is_answer()));
    assert!(told.get().is_some());

    let (third, told) = guard(&Drops::default());
    drop(runtime.exchange(call(1, "quick"), peer()).holding(third));
    assert!(told.get().is_some(), "it never started");
}
