//! `modern.md` §12: what calls of tools come to.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use relay_core::{Error, Revision, Server, Tool, codec, content, resource, tool};
use relay_tests::{
    fixture::{self, Guest},
    wire::Wire,
};
use serde_json::{Value, json};

use crate::{eras::connect, events::Events};

const LEGACY_2025_03: Revision = Revision::V2025_03_26;

/// A tool that counts how often its body runs.
fn counted(runs: &Arc<AtomicUsize>) -> Tool<()> {
    let runs = Arc::clone(runs);
    let input = codec::object((
        codec::field("a", codec::integer::<i64>().range(0..=9)),
        codec::optional("names", codec::list(codec::string().min_length(1))),
    ));
    tool::define("counted", input, codec::integer::<i64>()).handle(move |(a, _)| {
        runs.fetch_add(1, Ordering::SeqCst);
        async move { Ok(a) }
    })
}

// TOOL-05, LF-06, T10
#[tokio::test]
async fn an_unknown_name_is_an_error_and_no_result() {
    for revision in Revision::ALL {
        let mut wire = connect(&fixture::server(), Guest::admin(), revision).await;
        for name in [
            "nothing",
            "",
            "ECHO",
            "echo ",
            "a/b",
            "ünï",
            "tools/call",
            "\0",
        ] {
            let params = json!({ "name": name, "arguments": { "text": "x" } });
            let (code, message, _) = wire.error("tools/call", params).await;
            assert_eq!(
                (code, &*message),
                (-32602, "unknown tool"),
                "{revision} {name:?}"
            );
        }
    }
}

// TOOL-06, T10
#[tokio::test]
async fn parameters_of_another_shape_are_an_error_and_run_nothing() {
    let runs = Arc::default();
    let server = Server::new([counted(&runs)]);
    let shapes = [
        json!({ "arguments": { "a": 1 } }),
        json!({ "name": null, "arguments": { "a": 1 } }),
        json!({ "name": 7, "arguments": { "a": 1 } }),
        json!({ "name": ["counted"], "arguments": { "a": 1 } }),
        json!({ "name": { "name": "counted" } }),
        json!({ "name": true }),
        json!({ "name": "counted", "arguments": [] }),
        json!({ "name": "counted", "arguments": [{ "a": 1 }] }),
        json!({ "name": "counted", "arguments": "{\"a\":1}" }),
        json!({ "name": "counted", "arguments": 7 }),
        json!({ "name": "counted", "arguments": false }),
    ];
    for revision in Revision::ALL {
        let mut wire = connect(&server, (), revision).await;
        for params in &shapes {
            let (code, message, _) = wire.error("tools/call", params.clone()).await;
            assert_eq!(code, -32602, "{revision} {params}: {message}");
        }
    }
    assert_eq!(runs.load(Ordering::SeqCst), 0);
}

// TOOL-06, TOOL-21
#[tokio::test]
async fn no_arguments_are_as_good_as_an_empty_object() {
    for revision in Revision::ALL {
        let mut wire = connect(&fixture::server(), Guest::default(), revision).await;
        let mut results = Vec::new();
        for params in [
            json!({ "name": "noargs" }),
            json!({ "name": "noargs", "arguments": null }),
            json!({ "name": "noargs", "arguments": {} }),
        ] {
            results.push(wire.result("tools/call", params).await);
        }
        assert_eq!(
            results[0]["content"],
            json!([{ "type": "text", "text": "done" }])
        );
        assert!(
            results.iter().all(|result| *result == results[0]),
            "{results:?}"
        );

        let missing = wire.result("tools/call", json!({ "name": "echo" })).await;
        assert_eq!(missing, wire.call("echo", json!({})).await);
        assert_eq!(missing["isError"], true);
    }
}

// TOOL-07, T10, LF-04, LF-05
#[tokio::test]
async fn arguments_that_do_not_fit_are_told_to_the_model_and_run_nothing() {
    let runs = Arc::default();
    let server = Server::new([counted(&runs)]);
    let told: [(Value, &[&str]); 8] = [
        (json!({}), &["/a: missing", "from 0 to 9"]),
        (
            json!({ "a": "3" }),
            &["/a:", "an integer from 0 to 9", "\"3\""],
        ),
        (json!({ "a": 3.5 }), &["/a:", "an integer", "3.5"]),
        (json!({ "a": 10 }), &["/a:", "from 0 to 9", "10"]),
        (json!({ "a": null }), &["/a:", "null"]),
        (json!({ "a": 1, "b": 2 }), &["/b:", "unknown field"]),
        (
            json!({ "a": 1, "names": ["x", ""] }),
            &["/names/1:", "at least 1 character"],
        ),
        (
            json!({ "a": -1, "names": 7 }),
            &["/a:", "-1", "/names:", "7"],
        ),
    ];
    for revision in Revision::ALL {
        let mut wire = connect(&server, (), revision).await;
        for (arguments, expected) in &told {
            let result = wire.call("counted", arguments.clone()).await;
            assert_eq!(result["isError"], true, "{revision} {arguments}");
            assert_eq!(result.get("structuredContent"), None);
            let text = result["content"][0]["text"].as_str().expect("text");
            for part in *expected {
                assert!(text.contains(part), "{part:?} in {text}");
            }
        }
    }
    assert_eq!(runs.load(Ordering::SeqCst), 0);
    let mut wire = Wire::new(server, ());
    assert_eq!(
        wire.call("counted", json!({ "a": 3.0 })).await["structuredContent"],
        3
    );
    assert_eq!(runs.load(Ordering::SeqCst), 1);
}

// TOOL-07
#[tokio::test]
async fn an_argument_given_twice_is_told_to_the_model() {
    let mut wire = Wire::new(fixture::server(), Guest::default());
    let request = wire.request(
        "tools/call",
        &json!({ "name": "echo", "arguments": { "text": "TWICE" } }),
    );
    let frame = request
        .to_string()
        .replace(r#""text":"TWICE""#, r#""text":"a","text":"b""#);
    let sent = wire.frame(frame.as_bytes()).await;
    assert_eq!(sent[0]["result"]["isError"], true, "{sent:?}");
    let text = sent[0]["result"]["content"][0]["text"]
        .as_str()
        .expect("text");
    assert!(text.starts_with("/text:"), "{text}");
}

// TOOL-08, T10, LF-09
#[tokio::test]
async fn failures_are_results_and_private_ones_say_nothing() {
    for revision in Revision::ALL {
        let mut wire = connect(&fixture::server(), Guest::default(), revision).await;
        let failed = wire.call("fails", json!({})).await;
        assert_eq!(failed["isError"], true);
        let texts = json!([
            { "type": "text", "text": "the shop is closed" },
            { "type": "text", "text": "until nine" },
        ]);
        assert_eq!(failed["content"], texts);
        let events = Events::capture();
        let leaked = wire.call("leaks", json!({})).await;
        assert_eq!(leaked["isError"], true);
        assert!(!leaked.to_string().contains("secret"), "{leaked}");
        assert!(events.take()[0].contains("password in /etc/secret"));
        let kind = revision.is_modern().then(|| json!("complete"));
        for result in [failed, leaked] {
            assert_eq!(result.get("resultType").cloned(), kind, "{revision}");
        }
    }
}

// TOOL-09, TOOL-10, TOOL-11, TOOL-12, LF-09
#[tokio::test]
async fn blocks_have_their_mandatory_members() {
    for revision in Revision::ALL {
        let mut wire = connect(&fixture::server(), Guest::default(), revision).await;
        let link = if revision == LEGACY_2025_03 {
            json!({ "type": "text", "text": "first note: note://1" })
        } else {
            json!({ "type": "resource_link", "uri": "note://1", "name": "first note" })
        };
        let expected = json!([
            { "type": "image", "data": "iVBORw==", "mimeType": "image/png" },
            { "type": "audio", "data": "UklGRg==", "mimeType": "audio/wav" },
            link,
            { "type": "resource", "resource": { "uri": "note://2", "mimeType": "text/plain", "text": "two" } },
        ]);
        let result = wire.call("pic", json!({})).await;
        assert_eq!(result["content"], expected, "{revision}");
        assert_eq!(result.get("isError"), None);
    }
}

// TOOL-09, TOOL-11
#[tokio::test]
async fn content_is_an_array_though_it_may_be_empty() {
    let none = tool::define("none", codec::object(()), tool::content())
        .handle(|()| async { Ok(Vec::new()) });
    let blob = tool::define("blob", codec::object(()), tool::content()).handle(|()| async {
        Ok(vec![content::resource(
            "x://1",
            resource::blob([0xff, 0xfe, 0xfd]),
        )])
    });
    let server = Server::<()>::new([none, blob]);
    for revision in Revision::ALL {
        let mut wire = connect(&server, (), revision).await;
        assert_eq!(wire.call("none", json!({})).await["content"], json!([]));
        let embedded =
            json!([{ "type": "resource", "resource": { "uri": "x://1", "blob": "//79" } }]);
        assert_eq!(wire.call("blob", json!({})).await["content"], embedded);
    }
}

// TOOL-24
#[tokio::test]
async fn a_handle_that_is_gone_is_told_to_the_model() {
    let input = codec::object(codec::field("handle", codec::string()));
    let resume =
        tool::define("resume", input, codec::string()).handle(|handle: String| async move {
            match &*handle {
                "live" => Ok("resumed".to_owned()),
                "old" => Err(Error::new("the handle has expired: begin again")),
                _ => Err(Error::not_found()),
            }
        });
    let server = Server::<()>::new([resume]);
    for revision in Revision::ALL {
        let mut wire = connect(&server, (), revision).await;
        for (handle, failed, text) in [
            ("live", false, "resumed"),
            ("old", true, "the handle has expired: begin again"),
            ("other", true, "not found"),
        ] {
            let result = wire.call("resume", json!({ "handle": handle })).await;
            assert_eq!(result.get("isError").is_some(), failed, "{result}");
            assert_eq!(result["content"], json!([{ "type": "text", "text": text }]));
        }
    }
}
