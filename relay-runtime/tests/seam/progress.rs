//! Progress: paced, increasing, and over with the answer.

use std::{sync::mpsc, time::Duration};

use relay_core::{Call, Progress, Tool, codec, tool};
use relay_runtime::Limits;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use crate::support::{
    all, connect, limited, notified, peer, request, rest, runtime, settle, waiting,
};

fn asked(id: i64, tool: &str, token: &Value) -> bytes::Bytes {
    let meta = json!({ "progressToken": token });
    request(id, "tools/call", json!({ "name": tool, "_meta": meta }))
}

fn values(frames: &[Value]) -> Vec<f64> {
    let value = |params: &Value| params["progress"].as_f64().unwrap();
    notified(frames, "notifications/progress")
        .into_iter()
        .map(value)
        .collect()
}

/// Reports this, with time to be heard after each.
fn reporting(name: &str, values: &'static [f64]) -> Tool<()> {
    tool::define(name, codec::object(()), codec::string()).handle_call(
        move |call: Call<()>, ()| async move {
            for value in values {
                call.progress(Progress::new(*value).with_total(3.0).with_message("so far"));
                sleep(Duration::from_millis(20)).await;
            }
            Ok("reported".to_owned())
        },
    )
}

// PROG-01, PROG-03, PROG-05, N01
#[tokio::test(start_paused = true)]
async fn values_increase_under_the_exact_token() {
    let runtime = runtime([reporting("steps", &[1.0, 1.0, 2.0, 1.5, f64::NAN, 3.0])]);
    for token in [
        json!(0),
        json!(""),
        json!("abc"),
        json!(9_007_199_254_740_993_i64),
    ] {
        let frames = all(runtime.exchange(asked(1, "steps", &token), peer())).await;
        assert_eq!(values(&frames), [1.0, 2.0, 3.0]);
        for params in notified(&frames, "notifications/progress") {
            assert_eq!(params["progressToken"], token);
            assert_eq!(
                (&params["total"], &params["message"]),
                (&json!(3.0), &json!("so far"))
            );
        }
        assert!(frames.last().unwrap().get("result").is_some());
    }
}

// PROG-02, N01
#[tokio::test(start_paused = true)]
async fn without_a_token_there_is_no_progress() {
    let runtime = runtime([reporting("steps", &[1.0, 2.0])]);
    let frame = request(1, "tools/call", json!({ "name": "steps" }));
    assert_eq!(all(runtime.exchange(frame, peer())).await.len(), 1);
}

// PROG-06
#[tokio::test(start_paused = true)]
async fn without_an_interval_every_report_is_told_that_can_be() {
    let yielding: Tool<()> = tool::define("yielding", codec::object(()), codec::string())
        .handle_call(|call: Call<()>, ()| async move {
            for step in 1..=20 {
                call.progress(Progress::new(step.into()));
                tokio::task::yield_now().await;
            }
            Ok(String::new())
        });
    let limits = Limits::default().with_progress_interval(Duration::ZERO);
    let started = Instant::now();
    let exchange = limited([yielding], limits).exchange(asked(1, "yielding", &json!(1)), peer());
    let told = values(&all(exchange).await);
    assert_eq!(told, (1..=20).map(f64::from).collect::<Vec<_>>());
    assert_eq!(started.elapsed(), Duration::ZERO);
}

// PROG-06
#[tokio::test(start_paused = true)]
async fn thousands_of_steps_are_told_at_the_pace_of_the_interval() {
    let flooding: Tool<()> = tool::define("flooding", codec::object(()), codec::string())
        .handle_call(|call: Call<()>, ()| async move {
            let mut step = 0.0;
            for _ in 0..1000 {
                for _ in 0..10 {
                    step += 1.0;
                    call.progress(Progress::new(step));
                }
                sleep(Duration::from_millis(1)).await;
            }
            call.progress(Progress::new(step + 1.0));
            Ok(String::new())
        });
    let runtime = runtime([flooding]);
    let started = Instant::now();
    let mut exchange = runtime.exchange(asked(1, "flooding", &json!(1)), peer());
    let first = exchange.next().await.unwrap();
    assert_eq!(
        started.elapsed(),
        Duration::ZERO,
        "the first is told at once"
    );
    assert!(!first.is_answer());

    let values = values(&all(exchange).await);
    assert!(
        (90..=101).contains(&values.len()),
        "{} in a second",
        values.len()
    );
    assert!(values.is_sorted_by(|one, next| one < next));
    assert_eq!(values.last(), Some(&10_001.0), "the last is never lost");
}

// PROG-04, N01
#[tokio::test(start_paused = true)]
async fn nothing_is_told_after_the_answer() {
    let (keep, kept) = mpsc::channel();
    let keeping: Tool<()> = tool::define("keeping", codec::object(()), codec::string())
        .handle_call(move |call: Call<()>, ()| {
            keep.send(call.clone()).unwrap();
            async move {
                call.progress(Progress::new(1.0));
                Ok(String::new())
            }
        });
    let runtime = runtime([keeping]);
    let (mut incoming, mut outgoing) = connect(&runtime);
    let frame = asked(1, "keeping", &json!("t"));
    incoming.receive(frame).await.unwrap();
    settle().await;
    let call = kept.recv().unwrap();
    call.progress(Progress::new(2.0));
    let frames = waiting(&mut outgoing);
    assert_eq!(values(&frames), [1.0]);
    assert_eq!(frames.last().unwrap()["id"], 1);
    call.progress(Progress::new(3.0));
    drop(incoming);
    assert!(rest(outgoing).await.is_empty());
}

// PROG-08
#[tokio::test(start_paused = true)]
async fn the_progress_of_two_requests_is_never_mixed() {
    let runtime = runtime([
        reporting("low", &[1.0, 2.0, 3.0]),
        reporting("high", &[101.0, 102.0, 103.0]),
    ]);
    let (mut incoming, outgoing) = connect(&runtime);
    incoming
        .receive(asked(1, "low", &json!("low")))
        .await
        .unwrap();
    incoming
        .receive(asked(2, "high", &json!("high")))
        .await
        .unwrap();
    drop(incoming);
    let frames = rest(outgoing).await;
    let told = notified(&frames, "notifications/progress");
    assert_eq!(told.len(), 6);
    for params in told {
        let is_high = params["progress"].as_f64().unwrap() > 100.0;
        assert_eq!(
            params["progressToken"],
            if is_high { "high" } else { "low" }
        );
    }
}
