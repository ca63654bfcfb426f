//! `modern.md` JR-06 and `legacy.md` §2: arrays, and what can't be read.

use std::sync::atomic::Ordering;

use relay_core::Revision;
use relay_tests::{
    fixture::{self, Guest},
    wire::{Wire, meta},
};
use serde_json::{Value, json};

use super::requests::{code, legacy, wire};

/// The one revision that has batches.
const MARCH: Revision = Revision::V2025_03_26;

fn counting_call(id: i64) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": "count", "_meta": meta() } })
}

/// Arrays that are refused whole, with blanks around them too.
fn arrays() -> Vec<String> {
    let note = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    vec![
        "[]".to_owned(),
        "[1]".to_owned(),
        "[[]]".to_owned(),
        json!([counting_call(1)]).to_string(),
        json!([counting_call(1), counting_call(2)]).to_string(),
        format!(" \t{}", json!([note])),
        format!("\r{} ", json!([note, counting_call(1)])),
    ]
}

// JR-06, J06
#[tokio::test]
async fn a_modern_batch_is_one_error_and_nothing_runs() {
    let (server, runs) = fixture::counting();
    let mut wire = Wire::new(server, Guest::default());
    for frame in arrays() {
        let answer = wire.one(&frame).await;
        assert_eq!(code(&answer), -32600, "{frame}");
        assert!(answer.get("id").is_none(), "{answer}");
        wire.survives().await;
    }
    assert_eq!(runs.load(Ordering::Relaxed), 0);
}

// LJ-07, J06
#[tokio::test]
async fn a_batch_is_one_error_where_the_revision_has_none() {
    for revision in [Revision::V2025_11_25, Revision::V2025_06_18] {
        let (server, runs) = fixture::counting();
        let mut wire = Wire::new(server, Guest::default())
            .initialized(revision)
            .await;
        for frame in arrays() {
            let answer = wire.one(&frame).await;
            assert_eq!(code(&answer), -32600, "{revision}: {frame}");
            wire.survives().await;
        }
        assert_eq!(runs.load(Ordering::Relaxed), 0);
    }
}

// LJ-02, J06
#[tokio::test]
async fn every_request_of_a_batch_is_answered() {
    let mut wire = legacy(MARCH).await;
    let batch = json!([
        { "jsonrpc": "2.0", "id": 1, "method": "ping" },
        { "jsonrpc": "2.0", "method": "notifications/initialized" },
        { "jsonrpc": "2.0", "id": "two", "method": "tools/call", "params": { "name": "echo", "arguments": { "text": "hi" } } },
        { "jsonrpc": "2.0", "id": 3, "method": "no/such/method" },
        { "jsonrpc": "2.0", "id": 4, "result": {} },
    ]);
    for frame in [batch.to_string(), format!(" \t\r{batch} ")] {
        let mut answers = wire.frame(frame.as_bytes()).await;
        answers.sort_by_key(|answer| answer["id"].to_string());
        let ids: Vec<_> = answers.iter().map(|answer| answer["id"].clone()).collect();
        assert_eq!(ids, [json!("two"), json!(1), json!(3)]);
        assert_eq!(answers[0]["result"]["content"][0]["text"], "hi");
        assert_eq!(answers[1]["result"], json!({}));
        assert_eq!(code(&answers[2]), -32601);
        wire.survives().await;
    }
}

// LJ-03, J06
#[tokio::test]
async fn a_batch_of_nothing_to_answer_is_not_answered() {
    let (server, runs) = fixture::counting();
    let mut wire = Wire::new(server, Guest::default()).initialized(MARCH).await;
    let batch = json!([
        { "jsonrpc": "2.0", "method": "notifications/roots/list_changed" },
        { "jsonrpc": "2.0", "method": "tools/call", "params": { "name": "count" } },
        { "jsonrpc": "2.0", "id": 9, "result": {} },
        { "jsonrpc": "2.0", "id": 9, "error": { "code": 1, "message": "no" } },
    ]);
    assert_eq!(wire.send(&batch).await, Vec::<Value>::new());
    wire.survives().await;
    assert_eq!(runs.load(Ordering::Relaxed), 0);
}

// LJ-04
#[tokio::test]
async fn initialize_is_never_part_of_a_batch() {
    let params = json!({ "protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": { "name": "c", "version": "1" } });
    let initialize = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params });
    let (server, runs) = fixture::counting();
    let mut open = Wire::new(server.clone(), Guest::default())
        .initialized(MARCH)
        .await;
    let mut fresh = Wire::new(server, Guest::default());
    for wire in [&mut open, &mut fresh] {
        for batch in [
            json!([initialize]),
            json!([counting_call(2), initialize]),
            json!([initialize, { "jsonrpc": "2.0", "method": "notifications/initialized" }]),
        ] {
            let answer = wire.one(batch.to_string()).await;
            assert_eq!(code(&answer), -32600, "{batch}");
            wire.survives().await;
        }
    }
    assert_eq!(runs.load(Ordering::Relaxed), 0);
    let bare = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    assert_eq!(
        code(&fresh.one(bare).await),
        -32602,
        "no session was opened"
    );
    assert_eq!(code(&open.one(bare).await), 0, "the session goes on");
}

// LJ-05, J06
#[tokio::test]
async fn an_empty_batch_is_one_error() {
    let mut wire = legacy(MARCH).await;
    for frame in ["[]", " [ ] ", "\t[\n]"] {
        let answer = wire.one(frame).await;
        assert_eq!(
            (code(&answer), answer.get("id")),
            (-32600, Some(&Value::Null)),
            "{frame}"
        );
        wire.survives().await;
    }
}

// LJ-06, J06
#[tokio::test]
async fn a_malformed_member_is_refused_and_the_others_served() {
    let mut wire = legacy(MARCH).await;
    let ping = |id: Value| json!({ "jsonrpc": "2.0", "id": id, "method": "ping" });
    for wrong in [
        json!(1),
        json!("x"),
        json!(null),
        json!({}),
        json!([]),
        json!([ping(json!("inner"))]),
        json!([[[ping(json!("inner"))]]]),
        ping(json!(1.5)),
        ping(json!(null)),
        json!({ "jsonrpc": "1.0", "method": "ping" }),
    ] {
        let batch = json!([ping(json!(1)), wrong, ping(json!(2))]);
        let answers = wire.send(&batch).await;
        let served = answers.iter().filter(|answer| answer["result"].is_object());
        assert!(
            served
                .map(|answer| &answer["id"])
                .eq([&json!(1), &json!(2)]),
            "{answers:?}"
        );
        let refused: Vec<_> = answers.iter().filter(|answer| code(answer) != 0).collect();
        assert_eq!(refused.len(), 1, "{wrong}: {answers:?}");
        assert_eq!(
            (code(refused[0]), refused[0].get("id")),
            (-32600, Some(&Value::Null))
        );
        wire.survives().await;
    }
    // Alone, and with a readable id.
    let alone = json!([{ "jsonrpc": "1.0", "id": "a", "method": "ping" }]);
    let answers = wire.send(&alone).await;
    assert_eq!(
        (answers.len(), code(&answers[0]), &answers[0]["id"]),
        (1, -32600, &json!("a"))
    );
}

// LJ-08
#[tokio::test]
async fn what_cannot_be_read_is_a_parse_error_with_the_id_its_revision_has() {
    for (revision, id) in [
        (Revision::V2025_11_25, None),
        (Revision::V2025_06_18, Some(&Value::Null)),
        (Revision::V2025_03_26, Some(&Value::Null)),
    ] {
        let mut wire = legacy(revision).await;
        for frame in [
            &b"{"[..],
            b"garbage",
            b"[1,",
            b"\xff",
            b"{} {}",
            br#"{"jsonrpc":"2.0","id":1,"method":"\ud800"}"#,
        ] {
            let answer = wire.one(frame).await;
            assert_eq!(
                (code(&answer), answer.get("id")),
                (-32700, id),
                "{revision}"
            );
            wire.survives().await;
        }
        for frame in ["42", "{}", r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#] {
            let answer = wire.one(frame).await;
            assert_eq!(
                (code(&answer), answer.get("id")),
                (-32600, id),
                "{revision}"
            );
        }
        if revision != MARCH {
            let answer = wire.one("[]").await;
            assert_eq!(
                (code(&answer), answer.get("id")),
                (-32600, id),
                "{revision}"
            );
        }
    }
    assert_eq!(wire().one("{").await.get("id"), None);
}
