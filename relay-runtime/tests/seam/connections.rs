//! What comes in on a connection, and what goes out.

use serde_json::{Value, json};
use tokio::time::Instant;

use crate::{
    support::{
        call, code, connect, ids, initialize, legacy, next, notification, request, rest, runtime,
        text,
    },
    tools::{quick, slow},
};

// STDIO-05, STDIO-13, S09, S12
#[tokio::test(start_paused = true)]
async fn requests_run_side_by_side_and_are_answered_after_the_end_of_input() {
    let runtime = runtime([quick(), slow("slow", 300)]);
    let (mut incoming, outgoing) = connect(&runtime);
    let asked = Instant::now();
    incoming.receive(call(1, "slow")).await.unwrap();
    for id in 2..=11 {
        incoming.receive(call(id, "quick")).await.unwrap();
    }
    drop(incoming);
    let answered = ids(&rest(outgoing).await);
    assert_eq!(answered.len(), 11);
    assert_eq!(answered[10], json!(1));
    assert_eq!(
        asked.elapsed().as_millis(),
        300,
        "no grace is waited for in vain"
    );
}

// JR-08, LJ-09, J03
#[tokio::test]
async fn notifications_are_never_answered() {
    let runtime = runtime([quick()]);
    let (mut incoming, outgoing) = connect(&runtime);
    for (method, params) in [
        ("notifications/initialized", json!({})),
        ("notifications/does_not_exist", json!([])),
        ("tools/call", json!({ "name": "quick" })),
        ("notifications/cancelled", json!(null)),
    ] {
        incoming
            .receive(notification(method, &params))
            .await
            .unwrap();
    }
    drop(incoming);
    assert!(rest(outgoing).await.is_empty());
}

// STDIO-11, LJ-08, S05
#[tokio::test]
async fn what_is_no_frame_is_answered_in_the_way_of_the_session() {
    for (revision, id) in [
        (None, None),
        (Some("2025-11-25"), None),
        (Some("2025-06-18"), Some(Value::Null)),
        (Some("2025-03-26"), Some(Value::Null)),
    ] {
        let runtime = runtime([quick()]);
        let (mut incoming, mut outgoing) = connect(&runtime);
        if let Some(revision) = revision {
            incoming.receive(initialize(revision)).await.unwrap();
            assert!(next(&mut outgoing).await.get("result").is_some());
        }
        incoming
            .reject("a line may have 16777216 bytes")
            .await
            .unwrap();
        let refused = next(&mut outgoing).await;
        assert_eq!(code(&refused), -32600);
        assert_eq!(
            refused["error"]["message"],
            "a line may have 16777216 bytes"
        );
        assert_eq!(refused.get("id").cloned(), id, "{revision:?}");
    }
}

// LJ-02, LJ-03, LJ-04, LJ-05, LJ-06
#[tokio::test]
async fn the_members_of_a_batch_are_answered_one_by_one() {
    let runtime = runtime([quick()]);
    let (mut incoming, mut outgoing) = connect(&runtime);
    incoming.receive(initialize("2025-03-26")).await.unwrap();
    assert!(next(&mut outgoing).await.get("result").is_some());

    let one: Value =
        serde_json::from_slice(&legacy(1, "tools/call", &json!({ "name": "quick" }))).unwrap();
    let two: Value = serde_json::from_slice(&legacy(2, "ping", &json!({}))).unwrap();
    let told: Value =
        serde_json::from_slice(&notification("notifications/initialized", &json!({}))).unwrap();
    let batch = json!([one, 42, told, [two], two]).to_string();
    incoming.receive(batch.into()).await.unwrap();
    let mut answers = Vec::new();
    for _ in 0..4 {
        answers.push(next(&mut outgoing).await);
    }
    let answer = |id: i64| answers.iter().find(|answer| answer["id"] == id).unwrap();
    assert_eq!(text(answer(1)), "done");
    assert_eq!(answer(2)["result"], json!({}));
    let refused = answers.iter().filter(|answer| code(answer) == -32600);
    assert_eq!(refused.count(), 2, "a number and a batch are no members");

    incoming
        .receive(json!([told, told]).to_string().into())
        .await
        .unwrap();
    let initialize: Value = serde_json::from_slice(&initialize("2025-03-26")).unwrap();
    for whole in [json!([]), json!([initialize])] {
        incoming.receive(whole.to_string().into()).await.unwrap();
        assert_eq!(code(&next(&mut outgoing).await), -32600);
    }
    drop(incoming);
    assert!(rest(outgoing).await.is_empty());
}

// JR-06, LJ-07
#[tokio::test]
async fn elsewhere_a_batch_is_refused_whole() {
    let runtime = runtime([quick()]);
    let (mut incoming, outgoing) = connect(&runtime);
    let member: Value = serde_json::from_slice(&call(1, "quick")).unwrap();
    incoming
        .receive(json!([member, member]).to_string().into())
        .await
        .unwrap();
    incoming.receive(initialize("2025-06-18")).await.unwrap();
    incoming
        .receive(json!([member]).to_string().into())
        .await
        .unwrap();
    drop(incoming);
    let frames = rest(outgoing).await;
    assert_eq!(
        frames.iter().map(code).collect::<Vec<_>>(),
        [-32600, 0, -32600]
    );
}

// STDIO-04, JR-11
#[tokio::test]
async fn a_modern_and_a_legacy_session_share_a_connection() {
    let runtime = runtime([quick()]);
    let (mut incoming, outgoing) = connect(&runtime);
    incoming.receive(initialize("2025-11-25")).await.unwrap();
    incoming
        .receive(request(1, "tools/list", json!({})))
        .await
        .unwrap();
    incoming
        .receive(legacy(2, "tools/list", &json!({})))
        .await
        .unwrap();
    drop(incoming);
    let frames = rest(outgoing).await;
    assert!(frames.iter().all(|frame| frame.get("method").is_none()));
    assert_eq!(frames[1]["result"]["resultType"], "complete");
    assert!(frames[2]["result"].get("resultType").is_none());
}
