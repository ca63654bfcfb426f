//! `modern.md` §5: responses that are streams.

use std::time::Duration;

use relay_tests::{
    fixture,
    web::{Post, Web, next_frame},
};
use serde_json::{Value, json};

use super::support::{endpoint_of, web};

fn sleeping(ms: u32, meta: &Value) -> Post {
    let params = json!({ "name": "sleep", "arguments": { "ms": ms }, "_meta": meta });
    Post::modern("tools/call", &params)
}

// HTTP-15, HTTP-18, HTTP-19, HTTP-21, HTTP-22, H11, JR-11, PROG-01, PROG-04
#[tokio::test(start_paused = true)]
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

// HTTP-18, LOG-01, LOG-02, LOG-03, JR-11
#[tokio::test(start_paused = true)]
async fn messages_of_the_log_come_at_the_level_that_was_asked_for() {
    let logs = |meta: Value| Post::modern("tools/call", &json!({ "name": "logs", "_meta": meta }));
    let level = json!({ "io.modelcontextprotocol/logLevel": "warning" });
    let web = web();
    let (plain, noisy) = (logs(json!({})), logs(level));
    let (silent, reply) = tokio::join!(web.send(&plain), web.send(&noisy));
    assert_eq!(silent.messages().len(), 1);
    let messages = reply.messages();
    let (answer, before) = messages.split_last().expect("an answer");
    assert!(answer["result"].is_object());
    let levels: Vec<_> = before
        .iter()
        .map(|message| {
            assert_eq!(message["method"], "notifications/message");
            assert!(message.get("id").is_none());
            message["params"]["level"].as_str().expect("a level")
        })
        .collect();
    assert_eq!(
        levels,
        ["warning", "error", "critical", "alert", "emergency"]
    );
}

// HTTP-19, LH-16
#[tokio::test(start_paused = true)]
async fn a_stream_ends_with_its_answer() {
    let meta = json!({ "progressToken": 0 });
    let revision = relay_core::Revision::V2025_06_18;
    let params = json!({ "name": "sleep", "arguments": { "ms": 100 }, "_meta": meta });
    let legacy = Post::legacy(revision, "tools/call", &params);
    for post in [sleeping(100, &meta), legacy] {
        let mut body = web().open(&post).await.into_body();
        loop {
            let event = next_frame(&mut body).await.expect("an answer");
            if event.contains("\"result\"") {
                break;
            }
            assert!(!http_body::Body::is_end_stream(&body), "{event}");
        }
        let began = tokio::time::Instant::now();
        assert!(http_body::Body::is_end_stream(&body));
        assert_eq!(next_frame(&mut body).await, None);
        assert_eq!(began.elapsed(), Duration::ZERO);
    }
}

// HTTP-17, LOG-01, PROG-02
#[tokio::test(start_paused = true)]
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
    let endpoint = endpoint_of(fixture::server()).with_keep_alive_interval(Duration::from_secs(15));
    let web = Web::new(endpoint.unwrap());
    let began = tokio::time::Instant::now();
    let response = web.open(&sleeping(29_000, &json!({}))).await;
    assert_eq!(began.elapsed().as_secs(), 5);
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let mut body = response.into_body();
    let mut seen = Vec::new();
    while let Some(text) = next_frame(&mut body).await {
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

// JR-12, PROG-08, LH-13, LH-14, LH-19, LJ-13
#[tokio::test(start_paused = true)]
async fn equal_ids_do_not_mix() {
    let web = web();
    let calls = |token: &str, ms: u32| {
        let params = json!({ "name": "sleep", "arguments": { "ms": ms },
            "_meta": { "progressToken": token } });
        let legacy = |revision| Post::legacy(revision, "tools/call", &params);
        let [one, two, three] = super::support::LEGACY.map(legacy);
        [Post::modern("tools/call", &params), one, two, three]
    };
    let began = tokio::time::Instant::now();
    for (one, two) in calls("one", 60).iter().zip(&calls("two", 100)) {
        let (one, two) = tokio::join!(web.send(one), web.send(two));
        for (reply, token, total) in [(one, "one", 6.0), (two, "two", 10.0)] {
            let messages = reply.messages();
            let (answer, before) = messages.split_last().expect("an answer");
            assert_eq!(
                (&answer["id"], answer["result"].is_object()),
                (&json!(1), true)
            );
            assert!(!before.is_empty());
            for message in before {
                assert_eq!(message["params"]["progressToken"], token);
                assert_eq!(message["params"]["total"], total);
            }
        }
    }
    // Each pair was served in parallel.
    assert!(began.elapsed() < Duration::from_millis(4 * 150));
}

// JR-12
#[tokio::test]
async fn each_of_two_clients_gets_its_own_answer() {
    let web = web();
    let echo = |text: &str| {
        let params = json!({ "name": "echo", "arguments": { "text": text } });
        Post::modern("tools/call", &params)
    };
    let (one, two) = (echo("one"), echo("two"));
    for _ in 0..20 {
        let (one, two) = tokio::join!(web.send(&one), web.send(&two));
        assert_eq!(one.answer()["result"]["structuredContent"], "one");
        assert_eq!(two.answer()["result"]["structuredContent"], "two");
    }
}
