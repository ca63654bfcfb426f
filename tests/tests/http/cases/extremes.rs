//! J: depth, giant numbers, and integers of 64 bits.

use relay_core::Revision;
use relay_tests::{fixture, wire::meta};
use serde_json::Value;

use super::{super::support::LEGACY, Everywhere, call, in_era, modern};

fn everywhere() -> Everywhere {
    Everywhere::new(fixture::inspecting())
}

fn nested(levels: usize, open: &str, close: &str) -> String {
    format!("{}1{}", open.repeat(levels), close.repeat(levels))
}

// J07
#[tokio::test]
async fn nesting_is_answered_at_any_depth() {
    let mut server = everywhere();
    // The arguments are at the third level of the frame, of 127.
    for (levels, outcome) in [
        (100, (200, 0)),
        (124, (200, 0)),
        (125, (400, -32700)),
        (127, (400, -32700)),
        (200, (400, -32700)),
        (10_000, (400, -32700)),
        (200_000, (400, -32700)),
    ] {
        for inner in [nested(levels, "{\"a\":", "}"), nested(levels, "[", "]")] {
            let answer = server
                .ask(call("echo", &format!(r#"{{"text":{inner}}}"#)))
                .await;
            assert_eq!(answer.outcome(), outcome, "{levels}");
            assert_eq!(answer.is_error(), outcome.1 == 0);
        }
    }
    let envelope = Value::Object(meta()).to_string();
    let envelope = envelope.strip_suffix('}').expect("an object");
    for levels in [10_000, 200_000] {
        let deep = nested(levels, "[", "]");
        let frame = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{{"_meta":{envelope},"com.acme/x":{deep}}}}}}}"#
        );
        assert_eq!(server.ask(frame).await.outcome(), (400, -32700));
    }
}

// J07, JR-16
#[tokio::test]
async fn giant_numbers_are_exact_or_refused() {
    let mut server = everywhere();
    let digits = "7".repeat(5_000);
    let mut flat = "1,".repeat(500_000);
    flat.push('1');
    for (arguments, outcome) in [
        (format!(r#"{{"text":{digits}}}"#), (400, -32700)),
        (r#"{"text":1e400}"#.to_owned(), (400, -32700)),
        (format!(r#"{{"text":[{flat}]}}"#), (200, 0)),
    ] {
        let answer = server.ask(call("echo", &arguments)).await;
        assert_eq!(answer.outcome(), outcome);
        assert_eq!(answer.is_error(), outcome.1 == 0);
    }
    let answer = server
        .ask(modern(&digits, "tools/call", r#"{"name":"noargs"}"#))
        .await;
    assert_eq!(answer.id(), Some(digits));
    assert!(answer.text.contains(r#""text":"done""#));
}

// J10
#[tokio::test]
async fn integers_of_64_bits_arrive_and_leave_exactly() {
    let mut servers = vec![everywhere()];
    for revision in LEGACY {
        servers.push(Everywhere::legacy(fixture::inspecting(), revision).await);
    }
    for server in &mut servers {
        let of = |id: &str| {
            let arguments = format!(r#"{{"id":{id}}}"#);
            in_era(server.revision, "bigid", &arguments)
        };
        let good = [
            "725653563933458432",
            "9007199254740993",
            "18446744073709551615",
        ];
        let bad = ["-1", "18446744073709551616", r#""725653563933458432""#];
        let good = good.map(|id| (id, of(id)));
        let bad = bad.map(|id| (id, of(id)));
        for (id, frame) in good {
            let answer = server.ask(frame).await;
            assert_eq!(answer.said(), format!(r#"{{"id":{id}}}"#));
            if server.revision > Revision::V2025_03_26 {
                let structured = format!(r#""structuredContent":{{"id":{id}}}"#);
                assert!(answer.text.contains(&structured), "{}", answer.text);
            }
        }
        for (id, frame) in bad {
            let answer = server.ask(frame).await;
            assert!(answer.is_error(), "{id}");
            assert!(answer.said().starts_with("/id: "), "{}", answer.said());
        }
    }
}
