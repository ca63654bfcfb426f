//! `modern.md` §12: what tools give, and the schemas they give it by.

use relay_core::{Error, IntoReply, Reply, Revision, Server, Tool, codec, content, tool};
use relay_tests::{
    fixture::{self, Guest},
    wire::Wire,
};
use serde_json::{Value, json};

use crate::{eras::connect, events::Events};

const LEGACY_2025_03: Revision = Revision::V2025_03_26;

/// A tool without input that answers with one outcome.
fn answers<R>(
    name: &str,
    outcome: impl Fn() -> Result<R, Error> + Send + Sync + 'static,
) -> Tool<()>
where
    R: IntoReply<String> + Send + 'static,
{
    tool::define(name, codec::object(()), codec::string()).handle(move |()| {
        let outcome = outcome();
        async move { outcome }
    })
}

// TOOL-13, TOOL-15, LF-03
#[tokio::test]
async fn structured_content_is_what_the_published_schema_says() {
    let report = codec::object((
        codec::field("count", codec::integer::<u8>()),
        codec::optional("names", codec::list(codec::string())),
    ));
    let define = |name| tool::define(name, codec::object(()), codec::derived::<Option<u8>>());
    let server = Server::<()>::new([
        tool::define("object", codec::object(()), report).handle(|()| async { Ok((3_u8, None)) }),
        tool::define("array", codec::object(()), codec::list(codec::number()))
            .handle(|()| async { Ok(vec![0.5, 1.0]) }),
        tool::define("scalar", codec::object(()), codec::boolean())
            .handle(|()| async { Ok(false) }),
        define("null").handle(|()| async { Ok(None) }),
        define("number").handle(|()| async { Ok(Some(7)) }),
    ]);
    let expected = [
        ("object", json!({ "count": 3 })),
        ("array", json!([0.5, 1.0])),
        ("scalar", json!(false)),
        ("null", Value::Null),
        ("number", json!(7)),
    ];
    for revision in Revision::ALL {
        let mut wire = connect(&server, (), revision).await;
        let listed = wire.result("tools/list", json!({})).await;
        for (name, value) in &expected {
            let result = wire.call(name, json!({})).await;
            let text = result["content"][0]["text"].as_str().expect("text");
            assert_eq!(serde_json::from_str::<Value>(text).expect("JSON"), *value);
            let tool = listed["tools"]
                .as_array()
                .and_then(|tools| tools.iter().find(|tool| tool["name"] == *name))
                .expect("the tool");
            let schema = tool.get("outputSchema");
            let structured = result.get("structuredContent");
            assert_eq!(schema.is_some(), structured.is_some());
            assert_eq!(structured.is_none(), revision == LEGACY_2025_03);
            if let Some((schema, structured)) = schema.zip(structured) {
                assert!(
                    jsonschema::is_valid(schema, structured),
                    "{tool} {structured}"
                );
            }
            if revision.is_modern() {
                assert_eq!(structured, Some(value));
            }
        }
    }
}

// TOOL-13, R02
#[tokio::test]
async fn output_that_breaks_its_own_schema_is_an_error_and_in_the_log() {
    let long = tool::define("long", codec::object(()), codec::string().max_length(3))
        .handle(|()| async { Ok("secret".to_owned()) });
    let nan =
        tool::define("nan", codec::object(()), codec::number()).handle(|()| async { Ok(f64::NAN) });
    let server = Server::<()>::new([long, nan]);
    for revision in Revision::ALL {
        let mut wire = connect(&server, (), revision).await;
        for name in ["long", "nan"] {
            let events = Events::capture();
            let result = wire.call(name, json!({})).await;
            assert_eq!(result["isError"], true);
            assert_eq!(result.get("structuredContent"), None);
            assert!(!result.to_string().contains("secret"), "{result}");
            assert!(result["content"][0]["text"].is_string(), "{result}");
            let lines = events.take();
            assert_eq!(lines.len(), 1, "{lines:?}");
            assert!(
                lines[0].starts_with("ERROR") && lines[0].contains("expected"),
                "{lines:?}"
            );
        }
    }
}

// TOOL-14
#[tokio::test]
async fn an_errors_structured_content_is_sent_where_it_fits_the_schema() {
    let server = Server::new([answers::<String>("detailed", || {
        Err(Error::new("closed").with_structured("until nine"))
    })]);
    for revision in Revision::ALL {
        let mut wire = connect(&server, (), revision).await;
        let result = wire.call("detailed", json!({})).await;
        assert_eq!(result["isError"], true);
        let sent = match revision.as_str() {
            "2026-07-28" => json!("until nine"),
            "2025-03-26" => json!(null),
            _ => json!({ "result": "until nine" }),
        };
        assert_eq!(result["structuredContent"], sent, "{revision}");
    }
}

// R02, TOOL-14
#[tokio::test]
async fn an_error_is_not_judged_by_the_output_schema() {
    let server = Server::new([
        answers::<String>("plain", || Err(Error::new("closed"))),
        answers::<String>("payload", || {
            Err(Error::new("closed").with_structured(json!({ "reason": 7 })))
        }),
        answers::<String>("private", || Err("broken".into())),
        answers::<String>("gone", || Err(Error::not_found())),
    ]);
    for revision in Revision::ALL {
        let mut wire = connect(&server, (), revision).await;
        for (name, text) in [
            ("plain", "closed"),
            ("payload", "closed"),
            (
                "private",
                "The tool failed. What went wrong is in the server's log.",
            ),
            ("gone", "not found"),
        ] {
            let result = wire.call(name, json!({})).await;
            assert_eq!(result["isError"], true, "{name}");
            assert_eq!(result["content"], json!([{ "type": "text", "text": text }]));
            assert_eq!(result.get("structuredContent"), None, "{result}");
        }
    }
}

// TOOL-16, LF-03
#[tokio::test]
async fn structured_content_is_copied_as_text_unless_the_author_has_content() {
    let said = |()| async { Ok("say \"hi\"".to_owned()) };
    let define = |name| tool::define(name, codec::object(()), codec::string());
    let server = Server::<()>::new([
        define("copied").handle(said),
        define("bare").with_text_copy(false).handle(said),
        answers("own", || {
            Ok(Reply::structured("x".to_owned()).with_content([content::text("mine")]))
        }),
    ]);
    let texts = |result: &Value| {
        let blocks = result["content"].as_array().expect("content");
        blocks
            .iter()
            .map(|block| block["text"].clone())
            .collect::<Vec<_>>()
    };
    for revision in Revision::ALL {
        let mut wire = connect(&server, (), revision).await;
        assert_eq!(texts(&wire.call("copied", json!({})).await), ["say \"hi\""]);
        assert_eq!(texts(&wire.call("own", json!({})).await), ["mine"]);
        let bare = texts(&wire.call("bare", json!({})).await);
        assert_eq!(bare.is_empty(), revision != LEGACY_2025_03, "{bare:?}");
    }
    let listed = Wire::new(fixture::server(), Guest::default())
        .call("rows", json!({}))
        .await;
    assert_eq!(texts(&listed), ["[1,2,3]"]);
}

// R03, TOOL-16
#[tokio::test]
async fn large_results_arrive_whole_or_as_advice() {
    let text = |megabytes: usize| "x".repeat(megabytes << 20);
    let tool = |name: &str, copy: bool| {
        let input = codec::object(codec::field("megabytes", codec::integer::<u8>()));
        tool::define(name, input, codec::string())
            .with_text_copy(copy)
            .handle(move |megabytes: u8| async move { Ok(text(usize::from(megabytes))) })
    };
    let server = Server::new([tool("copied", true), tool("once", false)]);
    for revision in Revision::ALL {
        let mut wire = connect(&server, (), revision).await;
        for (name, megabytes, fits) in [
            ("copied", 1, true),
            ("copied", 6, true),
            ("once", 12, true),
            ("once", 17, false),
        ] {
            let result = wire.call(name, json!({ "megabytes": megabytes })).await;
            assert_eq!(result.get("isError").is_none(), fits, "{name} {megabytes}");
            if !fits {
                let text = result["content"][0]["text"].as_str().expect("advice");
                assert!(text.contains("ask for less") && text.len() < 200, "{text}");
            }
        }
        let twice = wire.call("copied", json!({ "megabytes": 12 })).await;
        let copies = if revision == Revision::V2025_03_26 {
            1
        } else {
            2
        };
        assert_eq!(twice.get("isError").is_none(), copies == 1, "{revision}");
        wire.survives().await;
    }
}
