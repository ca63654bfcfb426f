//! The end of a connection, and of a runtime.

use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;

use crate::{
    support::{
        all, call, code, connect, ids, limited, notification, peer, rest, runtime, settle, text,
    },
    tools::{Drops, polite, quick, slow, stuck},
};
use relay_runtime::Limits;

// STDIO-08, STDIO-13, S09
#[tokio::test(start_paused = true)]
async fn at_the_end_of_input_what_runs_has_the_grace() {
    let dropped = Drops::default();
    let runtime = runtime([stuck(&dropped), slow("slow", 4_000)]);
    let (mut incoming, mut outgoing) = connect(&runtime);
    incoming.receive(call(1, "stuck")).await.unwrap();
    incoming.receive(call(2, "slow")).await.unwrap();
    drop(incoming);
    let ended = Instant::now();
    let finished = outgoing.next().await.unwrap();
    assert_eq!(ended.elapsed(), Duration::from_secs(4));
    assert!(finished.error().is_none());
    let frames = rest(outgoing).await;
    assert_eq!(ended.elapsed(), Duration::from_secs(5));
    assert_eq!(ids(&frames), [json!(1)]);
    assert_eq!(code(&frames[0]), -32603);
    runtime.idle().await;
    assert_eq!(dropped.count(), 1);
}

// STDIO-08
#[tokio::test(start_paused = true)]
async fn an_idle_connection_ends_at_once() {
    let runtime = runtime([quick()]);
    let (incoming, outgoing) = connect(&runtime);
    let ended = Instant::now();
    drop(incoming);
    assert!(rest(outgoing).await.is_empty());
    assert_eq!(ended.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn a_stop_lets_what_runs_finish_and_ends_every_connection() {
    let runtime = runtime([slow("slow", 1_000)]);
    let (mut incoming, outgoing) = connect(&runtime);
    incoming.receive(call(1, "slow")).await.unwrap();
    let asked = Instant::now();
    let ((), frames) = tokio::join!(runtime.shutdown(), rest(outgoing));
    assert_eq!(text(&frames[0]), "slept");
    assert_eq!(asked.elapsed(), Duration::from_secs(1));
    assert!(incoming.receive(call(2, "slow")).await.is_err());
    let told = notification("notifications/initialized", &json!({}));
    assert!(incoming.receive(told).await.is_err());
    runtime.stopping().await;
    assert_eq!(runtime.running(), 0);
}

#[tokio::test(start_paused = true)]
async fn after_the_grace_a_stop_drops_what_is_left() {
    let dropped = Drops::default();
    let limits = Limits::default().with_grace(Duration::from_secs(2));
    let runtime = limited([stuck(&dropped)], limits);
    let (mut incoming, outgoing) = connect(&runtime);
    incoming.receive(call(1, "stuck")).await.unwrap();
    let asked = Instant::now();
    let ((), frames) = tokio::join!(runtime.shutdown(), rest(outgoing));
    assert_eq!(asked.elapsed(), Duration::from_secs(2));
    assert_eq!((ids(&frames), code(&frames[0])), (vec![json!(1)], -32603));
    assert_eq!((dropped.count(), runtime.running()), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn a_stop_ends_though_somebody_holds_on() {
    let runtime = runtime([stuck(&Drops::default()), polite(&Drops::default(), 60_000)]);
    let exchange = runtime.exchange(call(1, "stuck"), peer());
    let (mut incoming, _outgoing) = connect(&runtime);
    incoming.receive(call(1, "polite")).await.unwrap();
    settle().await;
    let asked = Instant::now();
    runtime.shutdown().await;
    assert_eq!(asked.elapsed(), Duration::from_secs(6));
    drop(exchange);
}

// OPS-04
#[tokio::test]
async fn ten_thousand_requests_leave_nothing_behind() {
    let runtime = runtime([quick()]);
    for id in 0..10_000 {
        assert_eq!(
            all(runtime.exchange(call(id, "quick"), peer())).await.len(),
            1
        );
    }
    assert_eq!(runtime.running(), 0);

    let (mut incoming, mut outgoing) = connect(&runtime);
    let read = async {
        for id in 0..10_000 {
            incoming.receive(call(id, "quick")).await.unwrap();
        }
        incoming
    };
    let write = async {
        for _ in 0..10_000 {
            assert!(outgoing.next().await.unwrap().is_answer());
        }
    };
    let (_incoming, ()) = tokio::join!(read, write);
    settle().await;
    assert_eq!(runtime.running(), 0);
}
