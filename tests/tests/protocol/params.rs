//! `modern.md` §1: what `params` may be, and what in it is ignored.

use relay_tests::wire::LEGACY;
use serde_json::{Map, Value, json};

use super::requests::{code, legacy, served, wire};

// JR-14, J05
#[tokio::test]
async fn modern_params_that_are_no_object_are_params_without_meta() {
    let mut wire = wire();
    for params in [
        "",
        r#","params":null"#,
        r#","params":{}"#,
        r#","params":[]"#,
        r#","params":[1]"#,
        r#","params":"x""#,
        r#","params":42"#,
        r#","params":true"#,
        r#","params":{"_meta":null}"#,
    ] {
        for method in ["tools/list", "tools/call", "server/discover"] {
            let frame = format!(r#"{{"jsonrpc":"2.0","id":"p","method":"{method}"{params}}}"#);
            let answer = wire.one(&frame).await;
            assert_eq!(
                (code(&answer), &answer["id"]),
                (-32602, &json!("p")),
                "{frame}"
            );
        }
        wire.survives().await;
    }
}

// J05
#[tokio::test]
async fn legacy_params_may_be_absent_or_empty_and_must_not_be_anything_else() {
    for revision in LEGACY {
        let mut wire = legacy(revision).await;
        for (params, expected) in [
            ("", 0),
            (r#","params":null"#, 0),
            (r#","params":{}"#, 0),
            (r#","params":[]"#, 0),
            (r#","params":[1]"#, -32602),
            (r#","params":"x""#, -32602),
            (r#","params":42"#, -32602),
        ] {
            let frame = format!(r#"{{"jsonrpc":"2.0","id":"p","method":"tools/list"{params}}}"#);
            let answer = wire.one(&frame).await;
            assert_eq!(
                (code(&answer), &answer["id"]),
                (expected, &json!("p")),
                "{frame}"
            );
            assert_eq!(
                answer["result"]["tools"].is_array(),
                expected == 0,
                "{frame}"
            );
        }
        wire.survives().await;
    }
}

// J05
#[tokio::test]
async fn arguments_may_be_absent_or_null_and_must_not_be_anything_but_an_object() {
    let mut wires = vec![wire()];
    for revision in LEGACY {
        wires.push(legacy(revision).await);
    }
    for wire in &mut wires {
        for params in [
            json!({}),
            json!({ "arguments": null }),
            json!({ "arguments": {} }),
        ] {
            let mut params = params;
            params["name"] = json!("noargs");
            let result = wire.result("tools/call", params.clone()).await;
            assert_eq!(result["content"][0]["text"], "done", "{params}");
        }
        for arguments in [json!([]), json!("{}"), json!(7), json!(false)] {
            let params = json!({ "name": "noargs", "arguments": arguments });
            assert_eq!(wire.error("tools/call", params).await.0, -32602);
        }
        wire.survives().await;
    }
}

// JR-15, J09
#[tokio::test]
async fn unknown_members_are_ignored_wherever_they_are() {
    let extra: Map<String, Value> = serde_json::from_value(json!({
        "foo": { "bar": [null, { "baz": 1 }] },
        "zzz": 1,
        "requestState": 7,
        "inputResponses": [],
        "task": { "ttl": 1 },
        "level": "nonsense",
    }))
    .expect("an object");
    for (method, params) in served() {
        let answer = async |extra: Map<String, Value>| {
            let mut wire = wire();
            let mut params = params.clone();
            let asks = matches!(method, "tools/call" | "prompts/get" | "resources/read");
            let rounds = |key: &str| key == "requestState" || key == "inputResponses";
            // Unknown to all but the three methods whose handlers may ask (MRTR-02).
            let unknown = extra.clone().into_iter();
            let unknown = unknown.filter(|(key, _)| !(asks && rounds(key)));
            params.as_object_mut().expect("an object").extend(unknown);
            let mut request = wire.request(method, &params);
            request.as_object_mut().expect("an object").extend(extra);
            wire.send(&request).await
        };
        assert_eq!(
            answer(Map::new()).await,
            answer(extra.clone()).await,
            "{method}"
        );
    }
}
