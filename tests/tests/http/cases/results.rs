//! R: results that failed, and large ones.

use relay_core::{Error, Server, Tool, codec, tool};
use relay_tests::fixture::Guest;
use serde_json::json;

use super::{Everywhere, call, modern};

fn fails(name: &str, error: fn() -> Error) -> Tool<Guest> {
    let output = codec::object(codec::field("n", codec::integer::<i64>()));
    tool::define(name, codec::object(()), output)
        .handle(move |()| async move { Err::<i64, _>(error()) })
}

// R02, TOOL-13, TOOL-14
#[tokio::test]
async fn a_failed_tool_shows_no_content_that_breaks_its_schema() {
    let nan =
        tool::define("nan", codec::object(()), codec::number()).handle(|()| async { Ok(f64::NAN) });
    let tools = [
        fails("plain", || Error::new("it rains")),
        fails("wrong", || {
            Error::new("it rains").with_structured(json!({ "n": "x" }))
        }),
        fails("right", || {
            Error::new("it rains").with_structured(json!({ "n": 3 }))
        }),
        nan,
    ];
    let mut server = Everywhere::new(Server::new(tools));
    for (tool, said, structured) in [
        ("plain", "it rains", None),
        ("wrong", "it rains", None),
        ("right", "it rains", Some(json!({ "n": 3 }))),
        ("nan", "", None),
    ] {
        let answer = server.ask(call(tool, "{}")).await;
        assert_eq!(answer.outcome(), (200, 0), "{tool}");
        assert!(
            answer.is_error() && answer.said().starts_with(said),
            "{}",
            answer.text
        );
        let result = answer.result();
        assert!(result["content"][0]["text"].is_string());
        assert_eq!(
            result.get("structuredContent"),
            structured.as_ref(),
            "{tool}"
        );
    }
}

const MIB: usize = 1 << 20;

/// A text of that many MiB.
fn large(name: &str, copied: bool) -> Tool<Guest> {
    let input = codec::object(codec::field("mib", codec::integer::<u8>()));
    let output = codec::object(codec::field("text", codec::string()));
    tool::define(name, input, output)
        .with_text_copy(copied)
        .handle(|mib: u8| async move { Ok("x".repeat(usize::from(mib) * MIB)) })
}

// R03, TOOL-16, TOOL-20
#[tokio::test]
async fn a_large_result_comes_whole_or_says_how_to_narrow() {
    let tools = [large("copied", true), large("single", false)];
    let mut server = Everywhere::new(Server::new(tools));
    for (tool, mib, copies) in [
        ("copied", 1, 2),
        ("copied", 6, 2),
        ("copied", 12, 0),
        ("single", 12, 1),
    ] {
        let answer = server.ask(call(tool, &format!(r#"{{"mib":{mib}}}"#))).await;
        assert_eq!(answer.outcome(), (200, 0), "{tool} {mib}");
        assert_eq!(answer.is_error(), copies == 0, "{tool} {mib}");
        if copies == 0 {
            assert!(answer.text.len() < 1000);
            assert!(
                answer.said().contains("less") || answer.said().contains("narrow"),
                "{}",
                answer.said()
            );
            continue;
        }
        let length = mib * MIB;
        assert!(answer.text.len() > copies * length && answer.text.len() < copies * length + 1000);
        let text = &answer.result()["structuredContent"]["text"];
        assert_eq!(text.as_str().map(str::len), Some(length));
    }
    let after = server.ask(modern("1", "tools/list", "{}")).await;
    assert_eq!(after.outcome(), (200, 0));
}
