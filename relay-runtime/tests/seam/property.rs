//! Whatever arrives, each request is answered once or was cancelled.

use std::collections::HashMap;

use bytes::Bytes;
use proptest::prelude::*;
use relay_runtime::Limits;
use serde_json::{Value, json};

use crate::{
    support::{call, cancelled, connect, limited, notification, rest},
    tools::{Drops, panicking, polite, quick, slow, stuck},
};

#[derive(Clone, Debug)]
enum Step {
    Call(&'static str),
    /// Of the call that many steps before.
    Cancel(usize),
    Again(usize),
    Notify,
    Garbage(Vec<u8>),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    const TOOLS: &[&str] = &["quick", "slow", "stuck", "polite", "panicking", "unknown"];
    let step = prop_oneof![
        6 => prop::sample::select(TOOLS).prop_map(Step::Call),
        2 => (1..8_usize).prop_map(Step::Cancel),
        1 => (1..8_usize).prop_map(Step::Again),
        1 => Just(Step::Notify),
        1 => prop::collection::vec(any::<u8>(), 0..40).prop_map(Step::Garbage),
    ];
    prop::collection::vec(step, 0..40)
}

/// What is sent, and how often each id may be answered.
fn script(steps: &[Step]) -> (Vec<Bytes>, HashMap<usize, (usize, usize)>) {
    let mut expected = HashMap::new();
    let frame = |(at, step): (usize, &Step)| match step {
        Step::Call(tool) => {
            expected.insert(at, (1, 1));
            call(at, tool)
        }
        Step::Cancel(back) => {
            // It may have been answered before it was cancelled.
            if let Some((least, _)) = expected.get_mut(&at.wrapping_sub(*back)) {
                *least = 0;
            }
            cancelled(at.wrapping_sub(*back))
        }
        Step::Again(back) => {
            let id = at.wrapping_sub(*back);
            let (least, most) = expected.entry(id).or_insert((0, 0));
            (*least, *most) = (*least + 1, *most + 1);
            call(id, "quick")
        }
        Step::Notify => notification("notifications/initialized", &json!({})),
        Step::Garbage(bytes) => bytes.clone().into(),
    };
    let frames = steps.iter().enumerate().map(frame).collect();
    (frames, expected)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    // JR-02, STDIO-06, STDIO-13, OPS-05
    #[test]
    fn each_request_is_answered_once_or_was_cancelled(
        steps in steps(),
        concurrency in 1..4_usize,
    ) {
        let executor = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .unwrap();
        let (frames, expected) = script(&steps);
        let (answers, left) = executor.block_on(async {
            let tools = [
                quick(),
                slow("slow", 7),
                stuck(&Drops::default()),
                polite(&Drops::default(), 3),
                panicking("at random"),
            ];
            let runtime = limited(tools, Limits::default().with_concurrency(concurrency));
            let (mut incoming, outgoing) = connect(&runtime);
            let read = async move {
                for frame in frames {
                    incoming.receive(frame).await.unwrap();
                }
            };
            let (answers, ()) = tokio::join!(rest(outgoing), read);
            runtime.idle().await;
            (answers, runtime.running())
        });
        prop_assert_eq!(left, 0);
        let mut counts: HashMap<usize, usize> = HashMap::new();
        for id in answers.iter().filter_map(|answer| answer.get("id").and_then(Value::as_u64)) {
            *counts.entry(usize::try_from(id).unwrap()).or_default() += 1;
        }
        for (id, (least, most)) in expected {
            let count = counts.remove(&id).unwrap_or(0);
            prop_assert!((least..=most).contains(&count), "{} answered {} times", id, count);
        }
        prop_assert!(counts.is_empty());
    }
}
