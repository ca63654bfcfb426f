//! Frames that are batches, in an exchange and on a connection.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

use relay_core::{codec, tool};
use serde_json::{Value, json};
use tokio::task::{JoinSet, yield_now};

use crate::{
    support::{all, code, connect, detached, ids, initialize, next, runtime, text},
    tools::{Drops, counting, slow},
};

const MEMBERS: usize = 300;

fn member(id: usize, name: &str) -> Value {
    let params = json!({ "name": name });
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params })
}

/// Takes a turn whenever it may, and counts its turns.
fn bystander() -> (Arc<AtomicUsize>, JoinSet<()>) {
    let turns = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&turns);
    let mut task = JoinSet::new();
    task.spawn(async move {
        loop {
            counted.fetch_add(1, Ordering::SeqCst);
            yield_now().await;
        }
    });
    (turns, task)
}

// LJ-02
#[tokio::test]
async fn others_have_their_turn_between_the_members_of_a_batch() {
    let (turns, _bystander) = bystander();
    let seen: Arc<Mutex<Vec<usize>>> = Arc::default();
    let noting = {
        let (seen, turns) = (Arc::clone(&seen), Arc::clone(&turns));
        tool::define("noting", codec::object(()), codec::string()).handle(move |()| {
            seen.lock().unwrap().push(turns.load(Ordering::SeqCst));
            async { Ok(String::new()) }
        })
    };
    let runtime = runtime([noting]);
    let calls: Value = (0..MEMBERS).map(|id| member(id, "noting")).collect();
    assert_eq!(
        all(detached(&runtime, "2025-03-26", &calls)).await.len(),
        MEMBERS
    );
    let seen = std::mem::take(&mut *seen.lock().unwrap());
    assert_eq!(seen.len(), MEMBERS);
    assert!(seen.is_sorted_by(|one, next| one < next), "{seen:?}");

    // Members that are not answered take their time as well.
    let note = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let notes = Value::from(vec![note; MEMBERS]);
    let before = turns.load(Ordering::SeqCst);
    assert!(
        all(detached(&runtime, "2025-03-26", &notes))
            .await
            .is_empty()
    );
    assert!(turns.load(Ordering::SeqCst) >= before + MEMBERS);

    let (mut incoming, mut outgoing) = connect(&runtime);
    incoming.receive(initialize("2025-03-26")).await.unwrap();
    next(&mut outgoing).await;
    let before = turns.load(Ordering::SeqCst);
    incoming.receive(notes.to_string().into()).await.unwrap();
    assert!(turns.load(Ordering::SeqCst) > before);
}

// LJ-02, CAN-04
#[tokio::test(start_paused = true)]
async fn no_member_starts_after_the_deadline_of_its_batch() {
    let runs = Drops::default();
    let runtime = runtime([slow("slow", 30_000), counting(&runs)]);
    let ping = json!({ "jsonrpc": "2.0", "id": 4, "method": "ping" });
    let batch = json!([
        member(1, "slow"),
        member(2, "counting"),
        member(3, "counting"),
        ping
    ]);
    let answers = all(detached(&runtime, "2025-03-26", &batch)).await;
    assert_eq!(ids(&answers), [1, 2, 3, 4]);
    assert_eq!(text(&answers[0]), "slept", "just in time");
    assert_eq!(
        answers.iter().map(code).collect::<Vec<_>>(),
        [0, -32603, -32603, 0]
    );
    assert_eq!(runs.count(), 0);
    assert_eq!(runtime.running(), 0);
}
