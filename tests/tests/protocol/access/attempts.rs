//! Whatever a caller tries.

use std::sync::{Arc, atomic::Ordering};

use proptest::{prelude::*, sample::select};
use relay_core::{Revision, Server};
use relay_tests::wire::Wire;
use serde_json::{Value, json};

use super::{ADMIN, Caller, GUEST, HIDDEN, bytes, server};
use crate::{
    eras::{connect, runtime},
    lists::LISTS,
};

/// Cursors that the lists give to an admin, who sees what is hidden.
async fn cursors(server: &Server<Caller>) -> Vec<String> {
    let mut wire = Wire::new(server.clone(), ADMIN);
    let mut cursors = Vec::new();
    for list in LISTS {
        let mut next = list.page(&mut wire, None).await.next;
        while let Some(cursor) = next {
            next = list.page(&mut wire, Some(&cursor)).await.next;
            cursors.push(cursor);
        }
    }
    cursors
}

/// Names and URIs that a caller may try: near the hidden ones, and far from them.
fn targets() -> impl Strategy<Value = String> {
    prop_oneof![
        select(
            &[
                "ledger",
                "ledger2",
                "Ledger",
                "ledger ",
                "denied",
                "alpha",
                "zeta",
                "nothing",
                "",
                "file://ledger",
                "file://ledger/",
                "ledger://1",
                "ledger://{id}",
                "ledger://",
                "ledger2://3",
                "file://alpha",
                "alpha://1",
                "alpha://{id}",
                "zeta://2",
                "%6cedger://1",
                "LEDGER://1",
            ][..]
        )
        .prop_map(str::to_owned),
        "l?e?dger[0-9]?(://[a-z0-9{}%]{0,4})?",
    ]
}

/// Any value that could be a parameter.
fn values() -> impl Strategy<Value = Value> {
    prop_oneof![
        targets().prop_map(Value::from),
        Just(json!(null)),
        Just(json!(7)),
        Just(json!({})),
        Just(json!([])),
        targets().prop_map(|name| json!({ "x": name })),
        targets().prop_map(|name| json!({ name: 1 })),
        targets().prop_map(|name| json!({ "type": "ref/prompt", "name": name })),
        targets().prop_map(|uri| json!({ "type": "ref/resource", "uri": uri })),
        targets().prop_map(|value| json!({ "name": "x", "value": value })),
        targets().prop_map(|value| json!({ "name": value, "value": "" })),
    ]
}

fn requests() -> impl Strategy<Value = (String, Value, usize)> {
    let methods = [
        "tools/call",
        "tools/list",
        "prompts/get",
        "prompts/list",
        "resources/read",
        "resources/list",
        "resources/templates/list",
        "completion/complete",
        "server/discover",
        "logging/setLevel",
        "ping",
        "resources/subscribe",
        "initialize",
    ];
    let method =
        prop_oneof![12 => select(methods.to_vec()).prop_map(str::to_owned), 1 => targets()];
    let wild = prop::collection::btree_map(
        select(
            &[
                "name",
                "uri",
                "cursor",
                "arguments",
                "ref",
                "argument",
                "level",
                "context",
            ][..],
        ),
        values(),
        0..5,
    )
    .prop_map(|members| json!(members));
    let named = targets().prop_map(|target| json!({ "name": target, "uri": target }));
    let completing = (targets(), targets()).prop_map(|(target, typed)| {
        let uri = target.contains(':');
        let reference = if uri {
            json!({ "type": "ref/resource", "uri": target })
        } else {
            json!({ "type": "ref/prompt", "name": target })
        };
        json!({ "ref": reference, "argument": { "name": if uri { "id" } else { "x" }, "value": typed } })
    });
    let directed = (named, completing).prop_map(|(mut named, completing)| {
        if let (Some(named), Some(completing)) = (named.as_object_mut(), completing.as_object()) {
            named.extend(completing.clone());
        }
        named
    });
    (method, prop_oneof![wild, directed], any::<usize>())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    // TOOL-22, TOOL-18, RES-07, PAGE-06
    #[test]
    fn no_request_tells_a_server_with_something_hidden_from_one_without(
        revision in select(&Revision::ALL[..]),
        asked in prop::collection::vec(requests(), 1..24),
    ) {
        let runs = Arc::default();
        let (with, without) = (server(true, &runs), server(false, &runs));
        let with = with.unregister_tool("denied");
        runtime().expect("a runtime").block_on(async {
            let cursors = cursors(&with).await;
            let ran = runs.swap(0, Ordering::SeqCst);
            assert!(ran > 0, "an admin sees what is hidden");
            let mut wires = [connect(&with, GUEST, revision).await, connect(&without, GUEST, revision).await];
            for (method, mut params, pick) in asked {
                if pick % 3 > 0 && method.ends_with("/list") {
                    params["cursor"] = json!(cursors[pick % cursors.len()]);
                }
                let request = wires[0].request(&method, &params);
                wires[1].request(&method, &params);
                let sent = wires[0].send(&request).await;
                assert_eq!(sent, wires[1].send(&request).await, "{request}");
                let own = bytes(&with, revision, &request).await;
                assert_eq!(own, bytes(&without, revision, &request).await, "{request}");
                let asked_for_it = request.to_string().contains(HIDDEN);
                let told = String::from_utf8_lossy(&own).contains(HIDDEN);
                assert!(asked_for_it || !told, "{request} {sent:?}");
                let message = sent[0].pointer("/error/message").and_then(Value::as_str);
                assert!(!message.unwrap_or_default().contains(HIDDEN), "{request} {sent:?}");
            }
        });
        prop_assert_eq!(runs.load(Ordering::SeqCst), 0);
    }
}
