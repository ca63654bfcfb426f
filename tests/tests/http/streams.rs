//! `modern.md` §5: responses that are streams.

use std::time::Duration;

use relay_tests::{
    fixture,
    web::{Post, Web},
};
use serde_json::{Value, json};

use super::support::{endpoint_of, web};

fn sleeping(ms: u32, meta: &Value) -> Post {
    let params = json!({ "name": "sleep", "arguments": { "ms": ms }, "_meta": meta });
    Post::modern("tools/call", &params)
}

// HTTP-15, HTTP-18, HTTP-19, HTTP-21, HTTP-22, H11, JR-11, PROG-01, PROG-04
#[tokio::test]
async fn a_notification_before_the_answer_makes_a_stream() {
    let reply = web()
        .send(&sleeping(100, &json!({ "progressToken": 0 })))
        .await;
    assert_eq!(reply.status, 200);
    assert_eq!(reply.header("content-type"), "text/event-stream");
    assert_eq!(reply.header("x-accel-buffering"), "no");
    assert_eq!(reply.header("cache-control"), "no-cache, no-transform");
    let text = String::from_utf8_lossy(&reply.body).into_owned();
    for event in text.split_terminator("\n\n") {
        let lines: Vec<_> = event.lines().collect();
        assert_eq!(lines.len(), 2, "{event}");
        assert_eq!(lines[0], "event: message");
        assert!(lines[1].starts_with("data: {"), "{event}");
    }
    let messages = reply.messages();
    let (answer, before) = messages.split_last().expect("an answer");
    assert_eq!(answer["id"], 1);
    assert!(!before.is_empty());
    for message in before {
        assert_eq!(message["method"], "notifications/progress");
        assert_eq!(message["params"]["progressToken"], 0);
        assert!(message.get("id").is_none());
    }
}

// HTTP-17, LOG-01, PROG-02
#[tokio::test]
async fn a_client_of_json_gets_the_answer_alone() {
    let post = sleeping(50, &json!({ "progressToken": 0 })).with("accept", "application/json");
    let reply = web().send(&post).await;
    assert_eq!(reply.header("content-type"), "application/json");
    assert_eq!(reply.messages().len(), 1);
    // Nothing asked for, nothing to stream.
    let reply = web().send(&sleeping(50, &json!({}))).await;
    assert_eq!(reply.header("content-type"), "application/json");
}

// HTTP-23, LH-20
#[tokio::test(start_paused = true)]
async fn a_silent_handler_makes_a_stream_that_says_it_lives() {
    let endpoint = endpoint_of(fixture::server()).with_keep_alive(Duration::from_secs(15));
    let web = Web::new(endpoint.unwrap());
    let began = tokio::time::Instant::now();
    let response = web.open(&sleeping(29_000, &json!({}))).await;
    assert_eq!(began.elapsed().as_secs(), 5);
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let mut body = response.into_body();
    let mut seen = Vec::new();
    while let Some(text) = Web::<fixture::Guest>::next(&mut body).await {
        seen.push((began.elapsed().as_secs(), text));
    }
    assert_eq!(seen.len(), 2, "{seen:?}");
    assert_eq!(seen[0], (20, ":\n\n".to_owned()));
    assert!(seen[1].1.contains("\"id\":1"), "{seen:?}");
}

// HTTP-17
#[tokio::test(start_paused = true)]
async fn a_client_of_json_waits_for_a_silent_handler() {
    let post = sleeping(20_000, &json!({})).with("accept", "application/json");
    let reply = web().send(&post).await;
    assert_eq!(reply.header("content-type"), "application/json");
    assert_eq!(reply.outcome(), (200, 0));
}

// HTTP-28
#[tokio::test]
async fn an_error_on_an_open_stream_is_its_last_event() {
    let meta = json!({ "progressToken": 1 });
    let server = fixture::server();
    let limits = relay_runtime::Limits::default();
    let tool = relay_core::tool::define(
        "late",
        relay_core::codec::object(()),
        relay_core::codec::string(),
    )
    .handle_call(|call: relay_core::Call<fixture::Guest>, ()| async move {
        call.progress(relay_core::Progress::new(1.0));
        tokio::task::yield_now().await;
        Err::<String, _>(relay_core::Error::protocol(7, "too late", None))
    });
    let server = server.register_tool(tool).unwrap();
    let runtime = relay_runtime::Runtime::new(server).with_limits(limits);
    let web = Web::new(endpoint_of(runtime));
    let post = Post::modern("tools/call", &json!({ "name": "late", "_meta": meta }));
    let reply = web.send(&post).await;
    assert_eq!(reply.status, 200);
    assert_eq!(reply.header("content-type"), "text/event-stream");
    assert_eq!(reply.answer()["error"]["code"], 7);
}

// JR-12, PROG-08
#[tokio::test]
async fn equal_ids_do_not_mix() {
    let web = web();
    let one = sleeping(60, &json!({ "progressToken": "one" }));
    let two = sleeping(60, &json!({ "progressToken": "two" }));
    let (one, two) = tokio::join!(web.send(&one), web.send(&two));
    for (reply, token) in [(one, "one"), (two, "two")] {
        let messages = reply.messages();
        let (_answer, before) = messages.split_last().expect("an answer");
        assert!(!before.is_empty());
        assert!(
            before
                .iter()
                .all(|message| message["params"]["progressToken"] == token)
        );
    }
}
