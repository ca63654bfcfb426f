//! Handlers that take too long.

use std::time::Duration;

use relay_core::{Call, LogLevel, Progress, Tool, codec, tool};
use relay_runtime::Limits;
use serde_json::json;
use tokio::{
    task::consume_budget,
    time::{Instant, sleep},
};

use crate::{
    support::{all, call, code, connect, limited, next, notified, peer, request, runtime, text},
    tools::{Drops, counting, polite, quick, slow, stuck},
};

// CAN-04
#[tokio::test(start_paused = true)]
async fn a_handler_over_its_deadline_is_answered_at_once_and_dropped_after_the_grace() {
    let dropped = Drops::default();
    let runtime = runtime([stuck(&dropped)]);
    let asked = Instant::now();
    let frames = all(runtime.exchange(call(1, "stuck"), peer())).await;
    assert_eq!(asked.elapsed(), Duration::from_secs(30));
    assert_eq!((frames.len(), code(&frames[0])), (1, -32603));
    assert_eq!(frames[0]["id"], 1);
    assert_eq!(dropped.count(), 0);
    runtime.idle().await;
    assert_eq!(asked.elapsed(), Duration::from_secs(35));
    assert_eq!(dropped.count(), 1);
}

// CAN-04
#[tokio::test(start_paused = true)]
async fn the_deadline_cancels_the_handler_and_its_late_answer_is_dropped() {
    let finished = Drops::default();
    let runtime = runtime([polite(&finished, 100)]);
    let (mut incoming, mut outgoing) = connect(&runtime);
    incoming.receive(call(1, "polite")).await.unwrap();
    assert_eq!(code(&next(&mut outgoing).await), -32603);
    drop(incoming);
    assert!(outgoing.next().await.is_none());
    runtime.idle().await;
    assert_eq!(finished.count(), 1);
}

// CAN-04
#[tokio::test(start_paused = true)]
async fn a_tool_s_own_deadline_comes_before_the_server_s() {
    let patient = tool::define("patient", codec::object(()), codec::string())
        .with_deadline(Duration::from_secs(60))
        .handle(|()| async {
            sleep(Duration::from_secs(50)).await;
            Ok("waited".to_owned())
        });
    let hasty = tool::define("hasty", codec::object(()), codec::string())
        .with_deadline(Duration::from_secs(1))
        .handle(|()| async {
            sleep(Duration::from_secs(5)).await;
            Ok(String::new())
        });
    let runtime = runtime([patient, hasty]);
    let frames = all(runtime.exchange(call(1, "patient"), peer())).await;
    assert_eq!(text(&frames[0]), "waited");
    let asked = Instant::now();
    let frames = all(runtime.exchange(call(2, "hasty"), peer())).await;
    assert_eq!(code(&frames[0]), -32603);
    assert_eq!(asked.elapsed(), Duration::from_secs(1));
}

#[tokio::test(start_paused = true)]
async fn what_was_sent_before_the_deadline_comes_before_its_answer() {
    let chatty: Tool<()> = tool::define("chatty", codec::object(()), codec::string()).handle_call(
        |call: Call<()>, ()| async move {
            call.progress(Progress::new(1.0));
            call.progress(Progress::new(2.0));
            call.log(LogLevel::Info, "started").await;
            std::future::pending::<()>().await;
            Ok(String::new())
        },
    );
    let limits = Limits::default()
        .with_deadline(Duration::from_millis(5))
        .with_progress_interval(Duration::from_secs(1));
    let runtime = limited([chatty], limits);
    let meta = json!({ "progressToken": 7, "io.modelcontextprotocol/logLevel": "info" });
    let params = json!({ "name": "chatty", "_meta": meta });
    let frames = all(runtime.exchange(request(1, "tools/call", params), peer())).await;
    assert_eq!(notified(&frames, "notifications/message").len(), 1);
    assert_eq!(
        notified(&frames, "notifications/progress")[0]["progress"],
        2.0
    );
    assert_eq!(code(frames.last().unwrap()), -32603);
}

#[tokio::test(start_paused = true)]
async fn waiting_for_a_permit_counts() {
    let limits = Limits::default()
        .with_concurrency(1)
        .with_deadline(Duration::from_secs(1));
    let runtime = limited([stuck(&Drops::default()), quick()], limits);
    let (_, late) = tokio::join!(
        all(runtime.exchange(call(1, "stuck"), peer())),
        all(runtime.exchange(call(2, "quick"), peer())),
    );
    assert_eq!(code(&late[0]), -32603);
}

// CAN-04
#[tokio::test(start_paused = true)]
async fn a_handler_whose_permit_comes_after_its_deadline_never_starts() {
    let (dropped, runs) = (Drops::default(), Drops::default());
    let limits = Limits::default().with_concurrency(1);
    let runtime = limited([stuck(&dropped), counting(&runs)], limits);
    let (mut incoming, mut outgoing) = connect(&runtime);
    incoming.receive(call(1, "stuck")).await.unwrap();
    let asked = Instant::now();
    let (received, stopped) =
        tokio::join!(incoming.receive(call(2, "counting")), next(&mut outgoing));
    received.unwrap();
    let late = next(&mut outgoing).await;
    assert_eq!((&stopped["id"], code(&stopped)), (&json!(1), -32603));
    assert_eq!((&late["id"], code(&late)), (&json!(2), -32603));
    assert_eq!(
        asked.elapsed(),
        Duration::from_secs(35),
        "after the grace of the first"
    );
    assert_eq!((dropped.count(), runs.count()), (1, 0));
}

// The clock runs: what this proves is that a task whose budget is spent looks at it all the same.
#[tokio::test]
async fn a_handler_that_never_rests_has_a_deadline_too() {
    let restless: Tool<()> = tool::define("restless", codec::object(()), codec::string())
        .handle_call(|_call: Call<()>, ()| async {
            while !std::hint::black_box(false) {
                consume_budget().await;
            }
            Ok(String::new())
        });
    let limits = Limits::default()
        .with_deadline(Duration::from_millis(20))
        .with_grace(Duration::ZERO);
    let runtime = limited([restless], limits);
    let frames = all(runtime.exchange(call(1, "restless"), peer())).await;
    assert_eq!(code(&frames[0]), -32603);
    runtime.idle().await;
}

#[tokio::test(start_paused = true)]
async fn an_answer_just_in_time_is_the_answer() {
    let runtime = runtime([slow("slow", 30_000)]);
    let frames = all(runtime.exchange(call(1, "slow"), peer())).await;
    assert_eq!(text(&frames[0]), "slept");
}
