//! `modern.md` §13, prompts.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use relay_core::{Error, Prompt, Revision, Server, content, prompt, resource};
use relay_tests::{
    fixture::{self, Guest},
    wire::Wire,
};
use serde_json::{Value, json};

use crate::{eras::connect, events::Events, lists::PROMPTS};

/// A prompt that counts how often its handler runs, and says back what it got.
fn counted(runs: &Arc<AtomicUsize>) -> Prompt<()> {
    let runs = Arc::clone(runs);
    let arguments = (
        prompt::required("code"),
        prompt::optional("name"),
        prompt::defaulted("language", "rust"),
    );
    prompt::define("counted", arguments).handle(move |(code, name, language)| {
        runs.fetch_add(1, Ordering::SeqCst);
        async move { Ok(vec![prompt::user(format!("{code}|{name:?}|{language}"))]) }
    })
}

fn server_of(prompts: impl IntoIterator<Item = Prompt<()>>) -> Server<()> {
    Server::new([]).with_prompts(prompts)
}

fn text(result: &Value) -> &str {
    result
        .pointer("/messages/0/content/text")
        .and_then(Value::as_str)
        .unwrap_or_default()
}

// PRM-01, LF-09
#[tokio::test]
async fn prompts_are_advertised_and_listed_by_name() {
    let empty = |name| prompt::define(name, ()).handle(|()| async { Ok(Vec::new()) });
    let seen = server_of([counted(&Arc::default()), empty("b"), empty("B")]);
    let unseen = seen.clone().with_prompt_access(|(), _| false);
    for (server, names) in [(seen, &["B", "b", "counted"][..]), (unseen, &[])] {
        let discovered = Wire::new(server.clone(), ())
            .result("server/discover", json!({}))
            .await;
        assert_eq!(discovered["capabilities"]["prompts"], json!({}));
        for revision in Revision::ALL {
            let mut wire = connect(&server, (), revision).await;
            assert_eq!(PROMPTS.keys(&mut wire).await, names, "{revision}");
            let listed = wire.result("prompts/list", json!({})).await;
            if let Some(counted) = listed["prompts"].get(2) {
                let arguments = json!([
                    { "name": "code", "required": true },
                    { "name": "name", "required": false },
                    { "name": "language", "required": false },
                ]);
                assert_eq!(
                    *counted,
                    json!({ "name": "counted", "arguments": arguments })
                );
            }
        }
    }
    let mut wire = Wire::new(server_of([]), ());
    let discovered = wire.result("server/discover", json!({})).await;
    assert_eq!(discovered["capabilities"].get("prompts"), None);
    assert_eq!(wire.error("prompts/list", json!({})).await.0, -32601);
}

// PRM-02, P01, LF-06
#[tokio::test]
async fn an_unknown_name_is_an_error() {
    let names = ["nothing", "", "GREET", "greet ", "echo", "ünï"].map(Value::from);
    let odd = [
        json!(null),
        json!(7),
        json!(["greet"]),
        json!({ "name": "greet" }),
    ];
    for revision in Revision::ALL {
        let mut wire = connect(&fixture::server(), Guest::default(), revision).await;
        for name in &names {
            let (code, message, _) = wire.error("prompts/get", json!({ "name": name })).await;
            assert_eq!(
                (code, &*message),
                (-32602, "unknown prompt"),
                "{revision} {name}"
            );
        }
        for name in &odd {
            let (code, ..) = wire.error("prompts/get", json!({ "name": name })).await;
            assert_eq!(code, -32602, "{revision} {name}");
        }
        assert_eq!(wire.error("prompts/get", json!({})).await.0, -32602);
    }
}

// PRM-03, PRM-04, P01, LF-08
#[tokio::test]
async fn arguments_that_do_not_fit_are_named_and_run_nothing() {
    let runs = Arc::default();
    let server = server_of([counted(&runs)]);
    let refused = [
        (json!({}), "code"),
        (json!({ "name": "x" }), "code"),
        (json!({ "Code": "x" }), "code"),
        (json!({ "code": null }), "code"),
        (json!({ "code": 5 }), "code"),
        (json!({ "code": ["x"] }), "code"),
        (json!({ "code": "x", "name": 5 }), "name"),
        (json!({ "code": "x", "name": null }), "name"),
        (json!({ "code": "x", "name": {} }), "name"),
        (json!({ "code": "x", "language": true }), "language"),
        (json!({ "code": "x", "zz": 1 }), "arguments"),
        (json!({ "code": "x", "zz": null }), "arguments"),
    ];
    for revision in Revision::ALL {
        let mut wire = connect(&server, (), revision).await;
        for (arguments, named) in &refused {
            let params = json!({ "name": "counted", "arguments": arguments });
            let (code, message, _) = wire.error("prompts/get", params).await;
            assert_eq!(code, -32602, "{revision} {arguments}");
            assert!(
                message.contains(&format!("`{named}`")),
                "{arguments}: {message}"
            );
        }
        for arguments in [json!([]), json!(["x"]), json!("x"), json!(7)] {
            let params = json!({ "name": "counted", "arguments": arguments });
            assert_eq!(wire.error("prompts/get", params).await.0, -32602);
        }
        let absent = wire
            .error("prompts/get", json!({ "name": "counted" }))
            .await;
        assert!(
            absent.0 == -32602 && absent.1.contains("`code`"),
            "{absent:?}"
        );
    }
    assert_eq!(runs.load(Ordering::SeqCst), 0);
}

// PRM-04, P01
#[tokio::test]
async fn an_argument_given_twice_is_named() {
    let mut wire = Wire::new(fixture::server(), Guest::default());
    let params = json!({ "name": "greet", "arguments": { "name": "TWICE" } });
    let request = wire.request("prompts/get", &params).to_string();
    let frame = request.replace(r#""name":"TWICE""#, r#""name":"a","name":"b""#);
    let sent = wire.frame(frame.as_bytes()).await;
    assert_eq!(sent[0]["error"]["code"], -32602, "{sent:?}");
    assert!(
        sent[0]["error"]["message"]
            .as_str()
            .expect("text")
            .contains("name")
    );
}

// P01, LF-09
#[tokio::test]
async fn arguments_may_be_left_out_and_empty_texts_are_values() {
    let given = [
        (json!({ "name": "greet" }), "Say hello to nobody."),
        (
            json!({ "name": "greet", "arguments": {} }),
            "Say hello to nobody.",
        ),
        (
            json!({ "name": "greet", "arguments": null }),
            "Say hello to nobody.",
        ),
        (
            json!({ "name": "greet", "arguments": { "name": "" } }),
            "Say hello to .",
        ),
        (
            json!({ "name": "greet", "arguments": { "zz": "1" } }),
            "Say hello to nobody.",
        ),
        (
            json!({ "name": "counted", "arguments": { "code": "" } }),
            "|None|rust",
        ),
        (
            json!({ "name": "counted", "arguments": { "code": "a", "name": "", "language": "" } }),
            "a|Some(\"\")|",
        ),
    ];
    let greet = prompt::define("greet", prompt::optional("name")).handle(
        |name: Option<String>| async move {
            let name = name.unwrap_or_else(|| "nobody".to_owned());
            Ok(vec![prompt::user(format!("Say hello to {name}."))])
        },
    );
    let server = server_of([counted(&Arc::default()), greet]);
    for revision in Revision::ALL {
        let mut wire = connect(&server, (), revision).await;
        for (params, expected) in &given {
            let result = wire.result("prompts/get", params.clone()).await;
            assert_eq!(text(&result), *expected, "{revision} {params}");
        }
    }
}

// PRM-05, LF-09
#[tokio::test]
async fn messages_have_a_role_and_one_valid_block() {
    let show = prompt::define("show", ())
        .with_description("Shows")
        .handle(|()| async {
            Ok(vec![
                prompt::user("text"),
                prompt::assistant(content::image([0x89, b'P'], "image/png")),
                prompt::user(content::audio(b"RIFF", "audio/wav")),
                prompt::user(content::resource(
                    "note://1",
                    resource::text("one").with_mime_type("text/plain"),
                )),
                prompt::assistant(content::resource(
                    "note://2",
                    resource::blob([0xff]).with_mime_type("image/png"),
                )),
            ])
        });
    let server = server_of([show]);
    let expected = json!([
        { "role": "user", "content": { "type": "text", "text": "text" } },
        { "role": "assistant", "content": { "type": "image", "data": "iVA=", "mimeType": "image/png" } },
        { "role": "user", "content": { "type": "audio", "data": "UklGRg==", "mimeType": "audio/wav" } },
        { "role": "user", "content": { "type": "resource", "resource": { "uri": "note://1", "mimeType": "text/plain", "text": "one" } } },
        { "role": "assistant", "content": { "type": "resource", "resource": { "uri": "note://2", "mimeType": "image/png", "blob": "/w==" } } },
    ]);
    for revision in Revision::ALL {
        let mut wire = connect(&server, (), revision).await;
        let result = wire.result("prompts/get", json!({ "name": "show" })).await;
        assert_eq!(result["messages"], expected, "{revision}");
        assert_eq!(result["description"], "Shows");
    }
}

// PRM-06
#[tokio::test]
async fn a_failure_is_an_internal_error_that_hides_what_is_private() {
    let fails = |name, error: fn() -> Error| {
        prompt::define(name, ())
            .handle(move |()| async move { Err::<Vec<prompt::Message>, _>(error()) })
    };
    let server = server_of([
        fails("private", || "password in /etc/secret".into()),
        fails("public", || Error::new("the shop is closed")),
    ]);
    for revision in Revision::ALL {
        let mut wire = connect(&server, (), revision).await;
        let events = Events::capture();
        let private = wire
            .error("prompts/get", json!({ "name": "private" }))
            .await;
        assert_eq!(private, (-32603, "internal error".to_owned(), Value::Null));
        assert!(events.take()[0].contains("password in /etc/secret"));
        let public = wire.error("prompts/get", json!({ "name": "public" })).await;
        assert_eq!(
            public,
            (-32603, "the shop is closed".to_owned(), Value::Null)
        );
    }
}

// PRM-07
#[tokio::test]
async fn the_text_of_an_argument_is_data() {
    let server = server_of([counted(&Arc::default())]);
    for given in [
        "{name}{language}{{code}}",
        "${name} $name %s %(name)s #{name} <%= name %>",
        "../../etc/passwd",
        "file:///etc/passwd",
        "http://127.0.0.1/",
        "\\n\\u0041\"'`\u{0}\r\n\u{2028}",
        "</code><script>",
    ] {
        for revision in Revision::ALL {
            let mut wire = connect(&server, (), revision).await;
            let arguments = json!({ "code": given, "name": given, "language": given });
            let params = json!({ "name": "counted", "arguments": arguments });
            let result = wire.result("prompts/get", params).await;
            let expected = format!("{given}|{:?}|{given}", Some(given));
            assert_eq!(text(&result), expected, "{revision}");
            assert_eq!(result["messages"].as_array().map(Vec::len), Some(1));
        }
    }
}
