use crate::{
    support::{call, connect, ids, rest, runtime},
    tools::{quick, slow},
};
use serde_json::json;

// STDIO-05, STDIO-13, S09, S12
#[tokio::test(start_paused = true)]
async fn requests_run_side_by_side_and_are_answered_after_the_end_of_input() {
    let runtime = runtime([quick(), slow("slow", 300)]);
    let (mut incoming, outgoing) = connect(&runtime);
    incoming.receive(call(1, "slow")).await.unwrap();
    for id in 2..=11 {
        incoming.receive(call(id, "quick")).await.unwrap();
    }
    drop(incoming);
    let answered = ids(&rest(outgoing).await);
    assert_eq!(answered.len(), 11);
    assert_eq!(answered[10], json!(1));
}
