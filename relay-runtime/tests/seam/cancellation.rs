//! Requests that their client takes back.

use std::{sync::mpsc, time::Duration};

use relay_core::{Call, LogLevel, Tool, codec, tool};
use serde_json::json;
use tokio::time::{Instant, advance};

use crate::{
    support::{
        call, cancelled, code, connect, ids, next, notification, request, rest, runtime, settle,
        text, waiting,
    },
    tools::{Drops, counting, polite, quick, slow, stuck},
};

// STDIO-06, CAN-02, S12
#[tokio::test(start_paused = true)]
async fn nothing_more_is_sent_for_a_cancelled_request() {
    let finished = Drops::default();
    let runtime = runtime([polite(&finished, 100), quick()]);
    let (mut incoming, outgoing) = connect(&runtime);
    incoming.receive(call(1, "polite")).await.unwrap();
    incoming.receive(call(2, "quick")).await.unwrap();
    settle().await;
    incoming.receive(cancelled(1)).await.unwrap();
    runtime.idle().await;
    assert_eq!(finished.count(), 1, "it finished within its grace");
    drop(incoming);
    assert_eq!(ids(&rest(outgoing).await), [json!(2)]);
}

// STDIO-06
#[tokio::test]
async fn a_handler_that_is_cancelled_before_its_first_step_never_takes_it() {
    let runs = Drops::default();
    let runtime = runtime([counting(&runs)]);
    let (mut incoming, outgoing) = connect(&runtime);
    incoming.receive(call(1, "counting")).await.unwrap();
    incoming.receive(cancelled(1)).await.unwrap();
    runtime.idle().await;
    drop(incoming);
    assert!(rest(outgoing).await.is_empty());
    assert_eq!(runs.count(), 0);
}

// STDIO-06
#[tokio::test]
async fn what_a_cancelled_request_had_sent_is_not_handed_out_any_more() {
    let chatty: Tool<()> = tool::define("chatty", codec::object(()), codec::string()).handle_call(
        |call: Call<()>, ()| async move {
            for number in 0..5 {
                call.log(LogLevel::Info, number).await;
            }
            Ok(String::new())
        },
    );
    let runtime = runtime([chatty, quick()]);
    let (mut incoming, mut outgoing) = connect(&runtime);
    let meta = json!({ "io.modelcontextprotocol/logLevel": "info" });
    let params = json!({ "name": "chatty", "_meta": meta });
    incoming
        .receive(request(1, "tools/call", params))
        .await
        .unwrap();
    settle().await;
    assert_eq!(next(&mut outgoing).await["params"]["data"], 0);
    incoming.receive(cancelled(1)).await.unwrap();
    assert!(
        waiting(&mut outgoing).is_empty(),
        "four messages and an answer were waiting"
    );
}

// STDIO-06
#[tokio::test(start_paused = true)]
async fn a_handler_that_ignores_its_cancellation_is_dropped_after_the_grace() {
    let dropped = Drops::default();
    let runtime = runtime([stuck(&dropped)]);
    let (mut incoming, _outgoing) = connect(&runtime);
    incoming.receive(call(1, "stuck")).await.unwrap();
    settle().await;
    let taken_back = Instant::now();
    incoming.receive(cancelled(1)).await.unwrap();
    runtime.idle().await;
    assert_eq!(
        (taken_back.elapsed(), dropped.count()),
        (Duration::from_secs(5), 1)
    );
}

// STDIO-07
#[tokio::test]
async fn a_cancellation_that_fits_nothing_is_ignored() {
    let runtime = runtime([quick()]);
    let (mut incoming, mut outgoing) = connect(&runtime);
    incoming.receive(call(1, "quick")).await.unwrap();
    assert_eq!(text(&next(&mut outgoing).await), "done");
    incoming.receive(cancelled(1)).await.unwrap();
    incoming.receive(cancelled("never")).await.unwrap();
    for params in [
        json!(null),
        json!({}),
        json!({ "requestId": 1.5 }),
        json!([1]),
    ] {
        let frame = notification("notifications/cancelled", &params);
        incoming.receive(frame).await.unwrap();
    }
    incoming.receive(call(2, "quick")).await.unwrap();
    drop(incoming);
    assert_eq!(ids(&rest(outgoing).await), [json!(2)]);
}

// JR-02, STDIO-06, J01
#[tokio::test(start_paused = true)]
async fn a_string_and_an_integer_are_different_requests() {
    let runtime = runtime([slow("slow", 50)]);
    let (mut incoming, outgoing) = connect(&runtime);
    incoming.receive(call(1, "slow")).await.unwrap();
    incoming.receive(call("1", "slow")).await.unwrap();
    settle().await;
    incoming.receive(cancelled(1)).await.unwrap();
    drop(incoming);
    assert_eq!(ids(&rest(outgoing).await), [json!("1")]);
}

// JR-13
#[tokio::test(start_paused = true)]
async fn an_id_in_flight_is_refused_and_its_request_completes() {
    let runtime = runtime([slow("slow", 50), quick()]);
    let (mut incoming, mut outgoing) = connect(&runtime);
    incoming.receive(call(1, "slow")).await.unwrap();
    for again in [
        call(1, "quick"),
        request(1, "tools/list", json!({})),
        request(1, "no/such/method", json!({})),
    ] {
        incoming.receive(again).await.unwrap();
        let refused = next(&mut outgoing).await;
        assert_eq!((code(&refused), &refused["id"]), (-32600, &json!(1)));
    }
    advance(Duration::from_millis(50)).await;
    assert_eq!(text(&next(&mut outgoing).await), "slept");

    incoming.receive(call(1, "quick")).await.unwrap();
    assert_eq!(
        text(&next(&mut outgoing).await),
        "done",
        "the id is free again"
    );
}

// LJ-13
#[tokio::test(start_paused = true)]
async fn ids_belong_to_their_connection() {
    let runtime = runtime([slow("slow", 50), quick()]);
    let (mut one, answers_of_one) = connect(&runtime);
    let (mut two, answers_of_two) = connect(&runtime);
    one.receive(call(1, "slow")).await.unwrap();
    two.receive(call(1, "quick")).await.unwrap();
    two.receive(cancelled(1)).await.unwrap();
    drop((one, two));
    assert_eq!(text(&rest(answers_of_one).await[0]), "slept");
    assert!(rest(answers_of_two).await.is_empty());
}

// STDIO-05, S12
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_blocking_handler_stops_nobody_and_sees_its_cancellation() {
    let (report, reported) = mpsc::channel();
    let blocking: Tool<()> = tool::define("blocking", codec::object(()), codec::string())
        .handle_call(move |call: Call<()>, ()| {
            report.send("started").unwrap();
            while !call.is_cancelled() {
                std::thread::yield_now();
            }
            report.send("cancelled").unwrap();
            std::future::ready(Ok(String::new()))
        });
    let runtime = runtime([blocking, quick()]);
    let (mut incoming, mut outgoing) = connect(&runtime);
    incoming.receive(call(1, "blocking")).await.unwrap();
    assert_eq!(reported.recv().unwrap(), "started");
    incoming.receive(call(2, "quick")).await.unwrap();
    incoming
        .receive(request(3, "server/discover", json!({})))
        .await
        .unwrap();
    let mut answered = [next(&mut outgoing).await, next(&mut outgoing).await];
    answered.sort_by_key(|answer| answer["id"].as_i64());
    assert_eq!(ids(&answered), [json!(2), json!(3)]);

    incoming.receive(cancelled(1)).await.unwrap();
    assert_eq!(reported.recv().unwrap(), "cancelled");
    runtime.idle().await;
    drop(incoming);
    assert!(rest(outgoing).await.is_empty());
}
