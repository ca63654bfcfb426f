//! `modern.md` §4: nothing is remembered between two modern requests.

use relay_core::{KeyRing, Server};
use relay_tests::{
    fixture::{self, Guest},
    wire::{LEGACY, Wire, meta},
};
use serde_json::{Value, json};

use super::requests::{code, legacy, refused, served, wire};

const LISTS: [&str; 4] = [
    "tools/list",
    "prompts/list",
    "resources/list",
    "resources/templates/list",
];

// ST-01
#[tokio::test]
async fn the_first_message_may_be_any_request() {
    for (method, params) in served() {
        let mut wire = wire();
        let request = wire.request(method, &params);
        let sent = wire.send(&request).await;
        assert!(
            sent.last().expect("an answer")["result"].is_object(),
            "{method} {params}"
        );
    }
    let first = wire().call("echo", json!({ "text": "first" })).await;
    assert_eq!(first["content"][0]["text"], "first");
}

// ST-03
#[tokio::test]
async fn a_good_request_does_not_vouch_for_the_next() {
    let mut wire = wire();
    for _ in 0..2 {
        assert!(wire.result("tools/list", json!({})).await["tools"].is_array());
        for bare in [
            json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" }),
            json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": { "name": "noargs" } }),
        ] {
            assert_eq!(code(&wire.one(bare.to_string()).await), -32602, "{bare}");
        }
    }
}

/// All four lists, as they were written.
async fn lists(wire: &mut Wire<Guest>) -> Vec<String> {
    let mut lists = Vec::new();
    for method in LISTS {
        let request =
            json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": { "_meta": meta() } });
        lists.push(wire.one_text(request.to_string()).await);
    }
    lists
}

// ST-04
#[tokio::test]
async fn lists_are_the_same_on_every_connection_before_and_after_anything_else() {
    let server = fixture::inspecting();
    let mut one = Wire::new(server.clone(), Guest::default());
    let mut two = Wire::new(server, Guest::default());
    let before = lists(&mut one).await;
    let asked = served().into_iter().chain(
        refused()
            .into_iter()
            .map(|(method, params, ..)| (method, params)),
    );
    for (method, params) in asked {
        let request = one.request(method, &params);
        one.send(&request).await;
    }
    assert_eq!(lists(&mut one).await, before);
    assert_eq!(lists(&mut two).await, before);
    // Nor does a legacy session beside them matter.
    let mut session = legacy(LEGACY[0]).await;
    assert_eq!(lists(&mut session).await, before);
    // Who may see more sees more.
    let mut admin = Wire::new(fixture::inspecting(), Guest::admin());
    assert_ne!(lists(&mut admin).await, before);
}

// ST-06, ST-02
#[tokio::test]
async fn what_one_request_asked_for_the_next_does_not_get() {
    let mut wire = wire();
    let level = json!({ "io.modelcontextprotocol/logLevel": "debug", "progressToken": 1 });
    let with = wire.request("tools/call", &json!({ "name": "logs", "_meta": level }));
    let without = wire.request("tools/call", &json!({ "name": "logs" }));
    for _ in 0..2 {
        assert_eq!(wire.send(&with).await.len(), 9);
        assert_eq!(wire.send(&without).await.len(), 1);
    }
}

// ST-06
#[tokio::test]
async fn what_is_remembered_travels_in_the_request() {
    let keys = KeyRing::new(&[7; 32]).expect("a key");
    let server = || -> Server<Guest> {
        fixture::inspecting()
            .with_page_size(2)
            .with_keys(keys.clone())
    };
    for method in &LISTS[..3] {
        let first = Wire::new(server(), Guest::default())
            .result(method, json!({}))
            .await;
        let cursor = first["nextCursor"].as_str().expect("a second page");
        // Another server value, another connection: the cursor is all it takes.
        let mut other = Wire::new(server(), Guest::default());
        let second = other.result(method, json!({ "cursor": cursor })).await;
        assert_ne!(first, second, "{method}");
        // And without it, the next request is a first one again.
        let again = other.result(method, json!({})).await;
        assert!(again["nextCursor"].is_string(), "{method}");
        let names = |page: &Value| {
            page.as_object()
                .and_then(|page| page.values().find_map(|list| list.get(0).cloned()))
        };
        assert_eq!(names(&again), names(&first), "{method}");
    }
}

// ST-06, LIO-06, LJ-13
#[tokio::test]
async fn a_session_belongs_to_its_connection() {
    let server = fixture::inspecting();
    for revision in LEGACY {
        let mut session = Wire::new(server.clone(), Guest::default())
            .initialized(revision)
            .await;
        let mut other = Wire::new(server.clone(), Guest::default()).speaking(revision);
        assert!(session.result("tools/list", json!({})).await["tools"].is_array());
        assert_eq!(other.error("tools/list", json!({})).await.0, -32602);
        // Its log level, too.
        session
            .result("logging/setLevel", json!({ "level": "emergency" }))
            .await;
        let mut third = Wire::new(server.clone(), Guest::default())
            .initialized(revision)
            .await;
        let request = third.request("tools/call", &json!({ "name": "logs" }));
        assert_eq!(
            third.send(&request).await.len(),
            8,
            "{revision}: info and above, and the answer"
        );
        assert_eq!(
            session.send(&request).await.len(),
            2,
            "{revision}: emergencies, and the answer"
        );
    }
}

// LJ-13
#[tokio::test]
async fn sessions_with_equal_ids_never_mix() {
    let mut slow = legacy(LEGACY[0]).await;
    let mut quick = legacy(LEGACY[2]).await;
    let call = |tool: &str, arguments: Value, token: &str| {
        let params =
            json!({ "name": tool, "arguments": arguments, "_meta": { "progressToken": token } });
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params })
    };
    let sleep = call("sleep", json!({ "ms": 30 }), "slow");
    let echo = call("echo", json!({ "text": "quick" }), "quick");
    let (slept, echoed) = tokio::join!(slow.send(&sleep), async {
        let first = quick.send(&echo).await;
        let second = quick.send(&sleep).await;
        [first, second].concat()
    });
    let text = |message: &Value| message.pointer("/result/content/0/text").cloned();
    assert_eq!(slept.last().and_then(text), Some(json!("slept")));
    assert_eq!(text(&echoed[0]), Some(json!("quick")));
    assert_eq!(echoed.last().and_then(text), Some(json!("slept")));
    assert!(
        slept
            .iter()
            .all(|message| message.get("id").is_none_or(|id| *id == 1))
    );
}
