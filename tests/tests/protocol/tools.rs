//! `modern.md` §12: what tools publish. What calls of them come to is in `calls`.

use std::panic::{AssertUnwindSafe, catch_unwind};

use relay_core::{Revision, Server, Tool, codec, server::RegisterError, tool};
use relay_tests::{
    fixture::{self, Guest},
    wire::Wire,
};
use serde_json::{Value, json};

use crate::{
    eras::connect,
    events::Events,
    lists::{Page, TOOLS},
};

fn wire() -> Wire<Guest> {
    Wire::new(fixture::server(), Guest::default())
}

fn named(name: &str) -> Tool<()> {
    tool::define(name, codec::object(()), codec::string()).handle({
        let name = name.to_owned();
        move |()| {
            let name = name.clone();
            async move { Ok(name) }
        }
    })
}

// TOOL-01, LF-09
#[tokio::test]
async fn tools_are_advertised_and_listed_even_where_none_is_visible() {
    let seen = Server::new([named("a")]);
    let unseen = seen.clone().with_tool_visibility(|(), _| false);
    for (server, names) in [(seen, &["a"][..]), (unseen, &[])] {
        let discovered = Wire::new(server.clone(), ())
            .result("server/discover", json!({}))
            .await;
        assert_eq!(discovered["capabilities"]["tools"], json!({}));
        for revision in Revision::ALL {
            let mut wire = connect(&server, (), revision).await;
            let page = TOOLS.page(&mut wire, None).await;
            assert_eq!((page.keys, page.next), (owned(names), None), "{revision}");
        }
    }
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

// TOOL-02, LF-10
#[tokio::test]
async fn tools_are_listed_in_name_order_however_they_were_registered() {
    let names = ["b.c", "A", "b", "Z9", "a", "b-c", "b_c", "0"];
    let expected = owned(&["0", "A", "Z9", "a", "b", "b-c", "b.c", "b_c"]);
    let reversed = names.iter().rev().map(|name| named(name));
    let servers = [Server::new(names.map(named)), Server::new(reversed)];
    for revision in Revision::ALL {
        let mut answers = Vec::new();
        for server in &servers {
            let mut wire = connect(server, (), revision).await;
            let first = wire.result("tools/list", json!({})).await;
            wire.call("A", json!({})).await;
            assert_eq!(wire.result("tools/list", json!({})).await, first);
            assert_eq!(TOOLS.read(&first).keys, expected, "{revision}");
            answers.push(first);
        }
        assert_eq!(answers[0], answers[1]);
    }
}

// TOOL-03, T01
#[tokio::test]
async fn input_schemas_are_objects_and_arrays_say_what_is_in_them() {
    let nested = codec::object((
        codec::field("ids", codec::list(codec::integer::<u64>())),
        codec::optional(
            "rows",
            codec::list(codec::list(codec::object(codec::field(
                "on",
                codec::boolean(),
            )))),
        ),
        codec::defaulted("share", codec::number(), 0.5),
    ));
    let nested =
        tool::define("nested", nested, codec::string()).handle(|_| async { Ok(String::new()) });
    let nothing = tool::define("nothing", codec::object(()), codec::string())
        .handle(|()| async { Ok(String::new()) });
    let server = Server::<Guest>::new([nested, nothing]);
    for server in [server, fixture::server()] {
        for revision in Revision::ALL {
            let mut wire = connect(&server, Guest::admin(), revision).await;
            let listed = wire.result("tools/list", json!({})).await;
            for tool in listed["tools"].as_array().expect("a list") {
                let schema = &tool["inputSchema"];
                assert_eq!(schema["type"], "object", "{tool}");
                assert!(schema["properties"].is_object(), "{tool}");
                assert!(bare_arrays(schema).is_empty(), "{tool}");
                jsonschema::validator_for(schema).expect("a schema");
                if ["nothing", "noargs"]
                    .iter()
                    .any(|name| tool["name"] == *name)
                {
                    let none = json!({ "type": "object", "properties": {}, "additionalProperties": false });
                    assert_eq!(*schema, none);
                }
            }
        }
    }
}

/// The subschemas of arrays that say nothing of their items.
fn bare_arrays(schema: &Value) -> Vec<&Value> {
    let mut found = Vec::new();
    let below: Vec<&Value> = match schema {
        Value::Array(items) => items.iter().collect(),
        Value::Object(members) => members.values().collect(),
        _ => Vec::new(),
    };
    if schema.get("type") == Some(&json!("array"))
        && !schema.get("items").is_some_and(Value::is_object)
    {
        found.push(schema);
    }
    found.extend(below.into_iter().flat_map(bare_arrays));
    found
}

// TOOL-03, T01
#[test]
fn inputs_that_are_no_objects_are_refused_when_the_tool_is_defined() {
    let faults = [
        tool::try_define("t", codec::string(), codec::string()).err(),
        tool::try_define("t", codec::integer::<i64>(), codec::string()).err(),
        tool::try_define("t", codec::number(), codec::string()).err(),
        tool::try_define("t", codec::boolean(), codec::string()).err(),
        tool::try_define("t", codec::list(codec::string()), codec::string()).err(),
        tool::try_define("t", codec::input::<()>(), codec::string()).err(),
        tool::try_define("t", codec::input::<Vec<String>>(), codec::string()).err(),
        tool::try_define("t", codec::input::<(i32, String)>(), codec::string()).err(),
        tool::try_define("t", codec::input::<Option<u8>>(), codec::string()).err(),
    ];
    for (position, fault) in faults.iter().enumerate() {
        let fault = fault.as_ref().expect("a fault").to_string();
        assert!(
            fault.contains("\"t\"") && fault.contains("object"),
            "{position}: {fault}"
        );
    }
}

/// Names, and whether they can be those of tools.
fn names() -> Vec<(String, bool)> {
    let names = [
        ("getUser", true),
        ("get_user-2", true),
        ("calendar.read", true),
        ("A", true),
        ("get user", false),
        ("", false),
        ("Ünï", false),
        ("a\n", false),
        ("a,b", false),
        ("a\0", false),
        ("à", false),
    ];
    let lengths = [(1, true), (64, true), (65, true), (128, true), (129, false)];
    let names = names.map(|(name, good)| (name.to_owned(), good));
    let lengths = lengths.map(|(length, good)| ("x".repeat(length), good));
    names.into_iter().chain(lengths).collect()
}

// TOOL-04, T08
#[tokio::test]
async fn names_outside_the_character_set_are_refused_when_the_tool_is_defined() {
    for (name, good) in names() {
        let defined = tool::try_define(&name, codec::object(()), codec::string());
        assert_eq!(defined.is_ok(), good, "{name:?}");
        let panicked = catch_unwind(|| named(&name)).err();
        assert_eq!(panicked.is_none(), good, "{name:?}");
        if let Some(panicked) = panicked {
            let said = panicked.downcast_ref::<String>().expect("a text");
            assert!(said.contains(&format!("{name:?}")), "{said}");
        } else {
            let mut wire = Wire::new(Server::new([named(&name)]), ());
            assert_eq!(TOOLS.keys(&mut wire).await, std::slice::from_ref(&name));
            assert_eq!(wire.call(&name, json!({})).await["structuredContent"], name);
        }
    }
}

// TOOL-04, T08
#[test]
fn names_that_some_clients_refuse_are_warned_of() {
    let long = "x".repeat(65);
    let warned = [
        ("a", false),
        ("a_b-9", false),
        ("a.b", true),
        ("a/b", true),
        (&long, true),
    ];
    let events = Events::capture();
    for (name, expected) in warned {
        named(name);
        let lines = events.take();
        assert_eq!(lines.len(), usize::from(expected), "{name}: {lines:?}");
        assert!(lines.iter().all(|line| line.contains(name)), "{lines:?}");
    }
}

// TOOL-04, T08, LF-10
#[tokio::test]
async fn names_are_unique_and_differ_by_case() {
    let server = Server::new(["A", "a"].map(named));
    for revision in Revision::ALL {
        let mut wire = connect(&server, (), revision).await;
        assert_eq!(TOOLS.keys(&mut wire).await, ["A", "a"]);
        for name in ["A", "a"] {
            assert_eq!(wire.call(name, json!({})).await["content"][0]["text"], name);
        }
    }

    let twice = || Server::new(["b", "a", "a"].map(named));
    let panicked = catch_unwind(AssertUnwindSafe(twice)).expect_err("a name twice");
    let said = panicked.downcast_ref::<String>().expect("a text");
    assert!(said.contains("\"a\""), "{said}");

    let refused = server
        .register_tool(named("a"))
        .expect_err("the name is taken");
    assert_eq!(
        refused,
        RegisterError::DuplicateTool {
            name: "a".to_owned()
        }
    );
    assert_eq!(server.tools().len(), 2);
}

// TOOL-17
#[tokio::test]
async fn hints_are_shown_as_set_and_decide_nothing() {
    let define = || tool::define("t", codec::object(()), codec::string());
    let done = |()| async { Ok("done".to_owned()) };
    let shown = [
        (define().handle(done), json!(null)),
        (
            define().read_only(true).handle(done),
            json!({ "readOnlyHint": true }),
        ),
        (
            define().read_only(false).handle(done),
            json!({ "readOnlyHint": false }),
        ),
        (
            define()
                .read_only(true)
                .destructive(true)
                .idempotent(false)
                .open_world(true)
                .handle(done),
            json!({ "readOnlyHint": true, "destructiveHint": true, "idempotentHint": false, "openWorldHint": true }),
        ),
    ];
    for (tool, expected) in shown {
        let server = Server::<()>::new([tool]);
        for revision in Revision::ALL {
            let mut wire = connect(&server, (), revision).await;
            let listed = wire.result("tools/list", json!({})).await;
            let hints = listed["tools"][0]
                .get("annotations")
                .cloned()
                .unwrap_or_default();
            assert_eq!(hints, expected, "{revision}");
            let result = wire.call("t", json!({})).await;
            assert_eq!(result["content"][0]["text"], "done");
        }
    }
}

// TOOL-23
#[tokio::test]
async fn nothing_is_said_of_how_a_tool_is_executed() {
    for guest in [Guest::default(), Guest::admin()] {
        let mut wire = Wire::new(fixture::server(), guest);
        let listed = wire.result("tools/list", json!({})).await.to_string();
        assert!(!listed.contains("execution"), "{listed}");
        assert!(!listed.contains("taskSupport"), "{listed}");
    }
}

// TOOL-01
#[tokio::test]
async fn a_server_without_tools_has_no_such_methods() {
    let mut wire = Wire::new(Server::<()>::new([]), ());
    let discovered = wire.result("server/discover", json!({})).await;
    assert_eq!(discovered["capabilities"].get("tools"), None);
    assert_eq!(wire.error("tools/list", json!({})).await.0, -32601);
}

// TOOL-03, TOOL-17
#[tokio::test]
async fn a_declaration_holds_what_its_author_wrote() {
    let Page { keys, next } = TOOLS.page(&mut wire(), None).await;
    assert!(keys.contains(&"echo".to_owned()) && next.is_none());
    let listed = wire().result("tools/list", json!({})).await;
    let echo = listed["tools"]
        .as_array()
        .and_then(|tools| tools.iter().find(|tool| tool["name"] == "echo"))
        .expect("echo");
    assert_eq!(
        *echo,
        json!({
            "name": "echo",
            "title": "Echo",
            "description": "Says it again",
            "inputSchema": {
                "type": "object",
                "properties": { "text": { "type": "string" } },
                "required": ["text"],
                "additionalProperties": false,
            },
            "outputSchema": { "type": "string" },
            "annotations": { "readOnlyHint": true },
        })
    );
}
