//! `legacy.md` §2 over HTTP.

use relay_core::Revision;
use relay_tests::web::{Post, Reply};
use serde_json::{Value, json};

use super::support::web;

async fn send(revision: Revision, body: &Value) -> Reply {
    let post = Post::legacy(revision, "tools/list", &json!({})).saying(body.to_string());
    web().send(&post).await
}

fn call(id: u8, name: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": name } })
}

// LJ-02, LJ-03, LJ-06, J06
#[tokio::test]
async fn the_oldest_revision_has_batches() {
    let revision = Revision::V2025_03_26;
    let note = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let response = json!({ "jsonrpc": "2.0", "id": 7, "result": {} });
    let batch = json!([call(1, "noargs"), note, { "id": 3 }, call(2, "nothing"), response, [1]]);
    let reply = send(revision, &batch).await;
    assert_eq!(reply.status, 200);
    assert!(reply.body.starts_with(b"["));
    let answers = reply.messages();
    assert_eq!(answers.len(), 4, "{answers:?}");
    assert_eq!(answers[0]["id"], 1);
    assert!(answers[0]["result"].is_object());
    assert_eq!(
        (&answers[1]["id"], &answers[1]["error"]["code"]),
        (&json!(3), &json!(-32600))
    );
    assert_eq!(
        (&answers[2]["id"], &answers[2]["error"]["code"]),
        (&json!(2), &json!(-32602))
    );
    assert_eq!(answers[3]["error"]["code"], -32600);

    let one = send(revision, &json!([call(1, "noargs")])).await;
    assert_eq!((one.status.as_u16(), one.messages().len()), (200, 1));
    assert!(one.body.starts_with(b"["));

    let silent = send(revision, &json!([note, response])).await;
    assert_eq!(silent.status, 202);
    assert!(silent.body.is_empty());
}

// LJ-02
#[tokio::test]
async fn a_client_of_events_gets_one_for_each_answer() {
    let batch = json!([call(1, "noargs"), call(2, "noargs")]);
    let post = Post::legacy(Revision::V2025_03_26, "tools/list", &json!({}))
        .with("accept", "text/event-stream")
        .saying(batch.to_string());
    let reply = web().send(&post).await;
    assert_eq!(reply.header("content-type"), "text/event-stream");
    assert_eq!(reply.messages().len(), 2);
}

// LJ-04, LJ-05, LJ-07, ERA-07
#[tokio::test]
async fn batches_that_are_none_are_refused_whole() {
    let initialize = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {} });
    let modern = Post::modern("tools/list", &json!({})).json();
    let oldest = Revision::V2025_03_26;
    for (revision, body) in [
        (oldest, json!([])),
        (oldest, json!([call(1, "noargs"), initialize])),
        (oldest, json!([call(1, "noargs"), modern])),
        (Revision::V2025_06_18, json!([call(1, "noargs")])),
        (Revision::V2025_11_25, json!([call(1, "noargs")])),
        (Revision::V2026_07_28, json!([call(1, "noargs")])),
    ] {
        let reply = send(revision, &body).await;
        assert_eq!(reply.outcome(), (400, -32600), "{revision} {body}");
        assert_eq!(reply.messages().len(), 1);
    }
}
