//! `legacy.md` §2 over HTTP.

use std::time::Duration;

use relay_core::{Revision, Server, codec, tool};
use relay_http::Endpoint;
use relay_runtime::{Limits, Runtime};
use relay_tests::web::{Post, Reply, Web};
use serde_json::{Value, json};

use super::support::{endpoint_of, server, web};

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

// LJ-02, TOOL-20
#[tokio::test]
async fn the_answers_to_a_batch_have_the_room_of_one() {
    let text = "x".repeat(3000);
    let echo = |id: u8| {
        let params = json!({ "name": "echo", "arguments": { "text": text } });
        json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params })
    };
    let runtime = Runtime::new(server().0);
    let runtime = runtime.with_limits(Limits::default().with_answer_limit(10_000));
    let batch = json!([echo(1), echo(2), echo(3), echo(4), call(5, "noargs")]);
    let post = Post::legacy(Revision::V2025_03_26, "tools/list", &json!({}));
    let web = Web::new(endpoint_of(runtime));
    let reply = web.send(&post.saying(batch.to_string())).await;
    let answers = reply.messages();
    let whole = |answer: &Value| answer.to_string().contains(&text);
    let ids: Vec<_> = answers.iter().map(|answer| answer["id"].clone()).collect();
    assert_eq!(ids, [1, 2, 3, 4, 5]);
    assert!(answers[..3].iter().all(whole));
    // The one that does not fit says so; a small one still does.
    assert_eq!(answers[3]["result"]["isError"], true, "{}", answers[3]);
    assert!(answers[3].to_string().len() < 1000);
    assert_eq!(answers[4]["result"]["content"][0]["text"], "done");
    assert!(reply.body.len() < 10_010, "{}", reply.body.len());
}

// LJ-02, CAN-04
#[tokio::test(start_paused = true)]
async fn the_members_of_a_batch_share_one_deadline() {
    let wait = tool::define("wait", codec::object(()), codec::string()).handle(|()| async {
        tokio::time::sleep(Duration::from_secs(20)).await;
        Ok("waited".to_owned())
    });
    let web = Web::new(Endpoint::new(Server::new([wait])));
    let batch =
        json!([call(1, "wait"), call(2, "wait"), { "jsonrpc": "2.0", "id": 3, "method": "ping" }]);
    let began = tokio::time::Instant::now();
    let post = Post::legacy(Revision::V2025_03_26, "tools/list", &json!({}))
        .with("accept", "application/json")
        .saying(batch.to_string());
    let answers = web.send(&post).await.messages();
    assert_eq!(began.elapsed().as_secs(), 30);
    assert_eq!(answers[0]["result"]["content"][0]["text"], "waited");
    assert_eq!(answers[1]["error"]["code"], -32603);
    assert_eq!(answers[2]["result"], json!({}));
}
