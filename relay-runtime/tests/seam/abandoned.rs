//! Exchanges that are dropped before their answer.

use std::{
    task::{Context, Waker},
    time::Duration,
};

use relay_runtime::{Exchange, Limits};
use tokio::time::{Instant, advance};

use crate::{
    support::{all, call, limited, peer, runtime, settle},
    tools::{Drops, polite, quick, slow, stuck},
};

/// Lets the handler run until it waits for something.
fn start(exchange: &mut Exchange) {
    let polled = exchange.poll_next(&mut Context::from_waker(Waker::noop()));
    assert!(polled.is_pending());
}

// CAN-02
#[tokio::test(start_paused = true)]
async fn a_dropped_exchange_cancels_its_handler_which_may_finish_within_the_grace() {
    let finished = Drops::default();
    let runtime = runtime([polite(&finished, 4_000)]);
    let mut exchange = runtime.exchange(call(1, "polite"), peer());
    start(&mut exchange);
    drop(exchange);

    let left = Instant::now();
    runtime.idle().await;
    assert_eq!(left.elapsed(), Duration::from_secs(4));
    assert_eq!(finished.count(), 1);
    assert_eq!(runtime.running(), 0);
}

// CAN-02
#[tokio::test(start_paused = true)]
async fn a_handler_that_ignores_its_cancellation_is_dropped_after_the_grace() {
    let dropped = Drops::default();
    let runtime = runtime([stuck(&dropped)]);
    let mut exchange = runtime.exchange(call(1, "stuck"), peer());
    start(&mut exchange);
    drop(exchange);

    settle().await;
    advance(Duration::from_millis(4_999)).await;
    settle().await;
    assert_eq!(dropped.count(), 0);
    advance(Duration::from_millis(1)).await;
    settle().await;
    assert_eq!(dropped.count(), 1);
    assert_eq!(runtime.running(), 0);
}

#[tokio::test(start_paused = true)]
async fn only_so_many_handlers_linger() {
    let dropped = Drops::default();
    let runtime = limited([stuck(&dropped)], Limits::default().with_lingering(2));
    let mut exchanges: Vec<_> = (0..5)
        .map(|id| runtime.exchange(call(id, "stuck"), peer()))
        .collect();
    exchanges.iter_mut().for_each(start);
    drop(exchanges);
    assert_eq!(dropped.count(), 3);
    runtime.idle().await;
    assert_eq!(dropped.count(), 5);
}

#[test]
fn outside_an_executor_the_handler_is_dropped_at_once() {
    let dropped = Drops::default();
    let runtime = runtime([stuck(&dropped)]);
    let mut exchange = runtime.exchange(call(1, "stuck"), peer());
    let executor = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    executor.block_on(async { start(&mut exchange) });
    assert_eq!(dropped.count(), 0);
    drop(exchange);
    assert_eq!(dropped.count(), 1);
    assert_eq!(runtime.running(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_had_not_started_never_does() {
    let dropped = Drops::default();
    let limits = Limits::default().with_concurrency(1);
    let runtime = limited([stuck(&dropped), slow("slow", 10)], limits);
    let mut running = runtime.exchange(call(1, "slow"), peer());
    start(&mut running);
    let mut waiting = runtime.exchange(call(2, "stuck"), peer());
    start(&mut waiting);
    drop(waiting);
    assert_eq!(dropped.count(), 0, "the handler was never called");
    assert!(running.next().await.is_some());
    assert_eq!(runtime.running(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_lingering_handler_keeps_its_permit() {
    let runtime = limited(
        [stuck(&Drops::default()), quick()],
        Limits::default().with_concurrency(1),
    );
    let mut exchange = runtime.exchange(call(1, "stuck"), peer());
    start(&mut exchange);
    drop(exchange);
    let left = Instant::now();
    assert_eq!(
        all(runtime.exchange(call(2, "quick"), peer())).await.len(),
        1
    );
    assert_eq!(left.elapsed(), runtime.limits().grace());
}
