//! Log messages: in order, all of them, before the answer, for those who asked.

use std::sync::mpsc;

use relay_core::{Call, LogLevel, Server, Tool, codec, tool};
use serde_json::json;

use crate::support::{
    all, connect, initialize, legacy, next, notified, peer, request, rest, run, runtime,
};

fn asked(id: i64, tool: &str, level: Option<&str>) -> bytes::Bytes {
    let mut params = json!({ "name": tool });
    if let Some(level) = level {
        params["_meta"] = json!({ "io.modelcontextprotocol/logLevel": level });
    }
    request(id, "tools/call", params)
}

/// Logs once at every level.
fn levels() -> Tool<()> {
    tool::define("levels", codec::object(()), codec::string()).handle_call(
        |call: Call<()>, ()| async move {
            for level in LogLevel::ALL {
                call.log(level, json!({ "at": level })).await;
            }
            Ok(String::new())
        },
    )
}

/// Logs these many numbers.
fn counting(most: u64) -> Tool<()> {
    tool::define("counting", codec::object(()), codec::string()).handle_call(
        move |call: Call<()>, ()| async move {
            for number in 0..most {
                call.log(LogLevel::Info, number).await;
            }
            Ok(String::new())
        },
    )
}

// LOG-01, LOG-02, N04
#[tokio::test]
async fn a_request_hears_the_levels_it_asked_for() {
    let runtime = runtime([levels()]);
    let heard = async |level: Option<&str>| {
        let frames = all(runtime.exchange(asked(1, "levels", level), peer())).await;
        notified(&frames, "notifications/message")
            .into_iter()
            .map(|params| params["level"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(heard(None).await, [""; 0]);
    let warning = ["warning", "error", "critical", "alert", "emergency"];
    assert_eq!(heard(Some("warning")).await, warning);
    assert_eq!(heard(Some("debug")).await.len(), 8);
}

// LOG-05
#[tokio::test]
async fn without_the_capability_nothing_is_logged() {
    let runtime = run(Server::new([levels()]));
    let frames = all(runtime.exchange(asked(1, "levels", Some("debug")), peer())).await;
    assert_eq!(frames.len(), 1);
}

// LOG-03, LOG-07, LOG-08
#[tokio::test]
async fn a_burst_waits_for_its_reader_and_arrives_in_order_before_the_answer() {
    let runtime = runtime([counting(1000)]);
    let frames = all(runtime.exchange(asked(1, "counting", Some("info")), peer())).await;
    let (answer, logs) = frames.split_last().unwrap();
    assert!(answer.get("result").is_some());
    let data: Vec<_> = logs
        .iter()
        .map(|frame| frame["params"]["data"].as_u64())
        .collect();
    assert_eq!(data, (0..1000).map(Some).collect::<Vec<_>>());
    assert!(logs.iter().all(|frame| frame["params"]["level"] == "info"));
}

// LOG-03
#[tokio::test]
async fn what_is_logged_after_the_answer_goes_nowhere_and_holds_nobody_up() {
    let (keep, kept) = mpsc::channel();
    let keeping: Tool<()> = tool::define("keeping", codec::object(()), codec::string())
        .handle_call(move |call: Call<()>, ()| {
            keep.send(call).unwrap();
            async { Ok(String::new()) }
        });
    let runtime = runtime([keeping]);
    let frames = all(runtime.exchange(asked(1, "keeping", Some("info")), peer())).await;
    assert_eq!(frames.len(), 1);
    let call = kept.recv().unwrap();
    for number in 0..1000 {
        call.log(LogLevel::Info, number).await;
    }
}

// LOG-02, LU-01, LU-04, N04
#[tokio::test]
async fn a_legacy_client_hears_from_info_on_until_it_says_otherwise() {
    let runtime = runtime([levels()]);
    let (mut incoming, mut outgoing) = connect(&runtime);
    incoming.receive(initialize("2025-11-25")).await.unwrap();
    assert_eq!(next(&mut outgoing).await["id"], "init");
    let call = |id: i64| legacy(id, "tools/call", &json!({ "name": "levels" }));
    incoming.receive(call(1)).await.unwrap();
    let mut heard = 0;
    while next(&mut outgoing).await.get("id").is_none() {
        heard += 1;
    }
    assert_eq!(heard, 7);

    let set = legacy(2, "logging/setLevel", &json!({ "level": "error" }));
    incoming.receive(set).await.unwrap();
    incoming.receive(call(3)).await.unwrap();
    drop(incoming);
    let frames = rest(outgoing).await;
    let heard = notified(&frames, "notifications/message");
    assert_eq!(heard.len(), 4);
    assert!(heard.iter().all(|params| params["level"] != "info"));
}
