//! `modern.md` §14, completion.

use relay_core::{
    Call, Error, Read, Resource, Revision, Server,
    completion::{Completion, Reference, Request},
    prompt, resource,
};
use relay_tests::wire::Wire;
use serde_json::{Value, json};

use crate::eras::connect;

/// Prompts and a template whose arguments are completed in different ways.
fn server() -> Server<()> {
    let counts = prompt::define("counts", prompt::optional("count"))
        .complete("count", |_: Call<()>, typed: String| async move {
            let count = typed.parse::<usize>()?;
            Ok((0..count).rev().map(|n| n.to_string()).collect::<Vec<_>>())
        })
        .handle(|_| async { Ok(Vec::new()) });
    let arguments = (
        prompt::required("country"),
        prompt::required("city"),
        prompt::optional("total"),
        prompt::optional("plain"),
        prompt::optional("broken"),
    );
    let place = prompt::define("place", arguments)
        .complete("city", |call: Call<()>, typed: String| async move {
            let seen = call
                .completed_arguments()
                .map(|(name, value)| format!("{name}={value}"));
            Ok(std::iter::once(typed).chain(seen).collect::<Vec<_>>())
        })
        .complete("total", |_: Call<()>, typed: String| async move {
            Ok(Completion::new(["a", "b"]).with_total(typed.parse()?))
        })
        .complete("broken", |_: Call<()>, _: String| async {
            Err::<Vec<String>, _>(Error::from("password in /etc/secret"))
        })
        .handle(|_| async { Ok(Vec::new()) });
    let bare = prompt::define("bare", ()).handle(|()| async { Ok(Vec::new()) });
    Server::new([])
        .with_prompts([counts, place, bare])
        .with_resources([item(), about()])
}

fn item() -> Resource<()> {
    resource::template("item://{shelf}/{id}", "item")
        .complete("id", |_: Call<()>, typed: String| async move {
            Ok(vec![format!("{typed}7"), format!("{typed}3")])
        })
        .handle(|_: Read<()>| async { Ok(vec![resource::text("item")]) })
}

fn about() -> Resource<()> {
    resource::direct("about://me", "about")
        .handle(|_: Read<()>| async { Ok(vec![resource::text("me")]) })
}

fn of_prompt(name: &str, argument: &str, value: &str) -> Value {
    json!({
        "ref": { "type": "ref/prompt", "name": name },
        "argument": { "name": argument, "value": value },
    })
}

fn of_resource(uri: &str, argument: &str, value: &str) -> Value {
    json!({
        "ref": { "type": "ref/resource", "uri": uri },
        "argument": { "name": argument, "value": value },
    })
}

async fn complete(wire: &mut Wire<()>, params: Value) -> Value {
    let mut result = wire.result("completion/complete", params).await;
    result
        .get_mut("completion")
        .map(Value::take)
        .unwrap_or_default()
}

fn nothing() -> Value {
    json!({ "values": [], "total": 0, "hasMore": false })
}

// COMP-01, P02, LU-09
#[tokio::test]
async fn completion_is_there_where_something_completes() {
    let template = Server::<()>::new([]).with_resources([item()]);
    let whole = Server::<()>::new([])
        .with_prompts([prompt::define("bare", ()).handle(|()| async { Ok(Vec::new()) })])
        .with_completion(|_: Call<()>, _: Request| async { Ok(vec!["x"]) });
    let none = Server::<()>::new([])
        .with_prompts([
            prompt::define("p", prompt::required("a")).handle(|_| async { Ok(Vec::new()) })
        ])
        .with_resources([about()]);
    for (server, completes) in [
        (server(), true),
        (template, true),
        (whole, true),
        (none, false),
    ] {
        let discovered = Wire::new(server.clone(), ())
            .result("server/discover", json!({}))
            .await;
        let capability = discovered["capabilities"].get("completions");
        assert_eq!(capability, completes.then(|| json!({})).as_ref());
        for revision in Revision::ALL {
            let mut wire = connect(&server, (), revision).await;
            let (code, ..) = wire.error("completion/complete", json!({})).await;
            assert_eq!(code, if completes { -32602 } else { -32601 }, "{revision}");
        }
    }
}

// COMP-02, COMP-07, P02, LU-09
#[tokio::test]
async fn at_most_a_hundred_values_are_sent_in_the_completers_order() {
    for revision in Revision::ALL {
        let mut wire = connect(&server(), (), revision).await;
        for count in [0, 1, 99, 100, 101, 5_000_usize] {
            let completion =
                complete(&mut wire, of_prompt("counts", "count", &count.to_string())).await;
            let values: Vec<_> = (0..count).rev().take(100).map(|n| n.to_string()).collect();
            let expected = json!({ "values": values, "total": count, "hasMore": count > 100 });
            assert_eq!(completion, expected, "{revision}");
        }
        for (claimed, total, more) in [
            ("2", 2, false),
            ("3", 3, true),
            ("9000", 9_000, true),
            ("0", 2, false),
        ] {
            let completion = complete(&mut wire, of_prompt("place", "total", claimed)).await;
            let expected = json!({ "values": ["a", "b"], "total": total, "hasMore": more });
            assert_eq!(completion, expected, "{revision}");
        }
    }
}

// COMP-03, P02
#[tokio::test]
async fn what_nobody_knows_can_not_be_completed() {
    let refused = [
        of_prompt("nothing", "city", ""),
        of_prompt("", "city", ""),
        of_prompt("PLACE", "city", ""),
        of_resource("nothing://{id}", "id", ""),
        of_resource("item://{id}", "id", ""),
        of_resource("item://a", "id", ""),
        of_resource("item://a/b/c", "id", ""),
        of_resource("", "id", ""),
        of_resource("about://you", "id", ""),
    ];
    for revision in Revision::ALL {
        let mut wire = connect(&server(), (), revision).await;
        for params in &refused {
            let (code, message, data) = wire.error("completion/complete", params.clone()).await;
            assert_eq!((code, data), (-32602, Value::Null), "{revision} {params}");
            assert!(message.starts_with("unknown "), "{params}: {message}");
        }
    }
}

// COMP-04, P02
#[tokio::test]
async fn parameters_of_another_shape_are_an_error() {
    let argument = json!({ "name": "city", "value": "" });
    let reference = json!({ "type": "ref/prompt", "name": "place" });
    let with_ref = |reference: Value| json!({ "ref": reference, "argument": argument });
    let with_argument = |argument: Value| json!({ "ref": reference, "argument": argument });
    let with_context =
        |context: Value| json!({ "ref": reference, "argument": argument, "context": context });
    let refused = [
        json!({}),
        json!({ "argument": argument }),
        json!({ "ref": reference }),
        with_ref(json!(null)),
        with_ref(json!("place")),
        with_ref(json!({ "name": "place" })),
        with_ref(json!({ "type": "ref/other", "name": "place" })),
        with_ref(json!({ "type": "ref/tool", "name": "place" })),
        with_ref(json!({ "type": "ref/prompt" })),
        with_ref(json!({ "type": "ref/prompt", "name": 7 })),
        with_ref(json!({ "type": "ref/prompt", "uri": "item://{shelf}/{id}" })),
        with_ref(json!({ "type": "ref/resource", "name": "place" })),
        with_ref(json!({ "type": "ref/resource", "uri": null })),
        with_ref(json!({ "type": 7, "name": "place" })),
        with_argument(json!(null)),
        with_argument(json!("city")),
        with_argument(json!({ "value": "" })),
        with_argument(json!({ "name": "city" })),
        with_argument(json!({ "name": "city", "value": null })),
        with_argument(json!({ "name": "city", "value": 7 })),
        with_argument(json!({ "name": 7, "value": "" })),
        with_argument(json!(["city", ""])),
    ];
    let contexts = [
        json!("x"),
        json!([]),
        json!({ "arguments": [] }),
        json!({ "arguments": { "country": 7 } }),
        json!({ "arguments": "country" }),
    ];
    for revision in Revision::ALL {
        let mut wire = connect(&server(), (), revision).await;
        for params in &refused {
            let (code, ..) = wire.error("completion/complete", params.clone()).await;
            assert_eq!(code, -32602, "{revision} {params}");
        }
        for context in &contexts {
            let answer = wire
                .ask("completion/complete", with_context(context.clone()))
                .await;
            let code = (revision != Revision::V2025_03_26).then(|| json!(-32602));
            assert_eq!(
                answer.pointer("/error/code"),
                code.as_ref(),
                "{revision} {context}"
            );
        }
    }
}

// COMP-05, P02
#[tokio::test]
async fn an_argument_without_a_completer_has_no_suggestions() {
    for revision in Revision::ALL {
        let mut wire = connect(&server(), (), revision).await;
        for params in [
            of_prompt("place", "plain", "a"),
            of_prompt("place", "unheard_of", "a"),
            of_prompt("bare", "x", ""),
            of_resource("item://{shelf}/{id}", "shelf", "a"),
            of_resource("item://{shelf}/{id}", "unheard_of", "a"),
            of_resource("about://me", "x", ""),
        ] {
            assert_eq!(
                complete(&mut wire, params.clone()).await,
                nothing(),
                "{params}"
            );
        }
    }
}

// COMP-06, P02, LU-09
#[tokio::test]
async fn the_other_arguments_reach_the_completer_where_the_revision_has_them() {
    for revision in Revision::ALL {
        let mut wire = connect(&server(), (), revision).await;
        let mut params = of_prompt("place", "city", "pa");
        assert_eq!(
            complete(&mut wire, params.clone()).await["values"],
            json!(["pa"])
        );
        params["context"] = json!({});
        assert_eq!(
            complete(&mut wire, params.clone()).await["values"],
            json!(["pa"])
        );
        params["context"] = json!({ "arguments": { "country": "fr", "plain": "" } });
        let expected = if revision == Revision::V2025_03_26 {
            json!(["pa"])
        } else {
            json!(["pa", "country=fr", "plain="])
        };
        assert_eq!(
            complete(&mut wire, params).await["values"],
            expected,
            "{revision}"
        );
    }
}

// COMP-07, P02
#[tokio::test]
async fn templates_complete_by_template_and_by_concrete_uri_from_the_first_letter_on() {
    for revision in Revision::ALL {
        let mut wire = connect(&server(), (), revision).await;
        for uri in ["item://{shelf}/{id}", "item://a/b", "item://a/%7B"] {
            for typed in ["", "1", "ü"] {
                let values = json!([format!("{typed}7"), format!("{typed}3")]);
                let completion = complete(&mut wire, of_resource(uri, "id", typed)).await;
                assert_eq!(completion["values"], values, "{revision} {uri}");
            }
        }
        let typed = complete(&mut wire, of_prompt("place", "city", "")).await;
        assert_eq!(typed["values"], json!([""]));
    }
}

// COMP-05, COMP-06
#[tokio::test]
async fn the_servers_own_completer_answers_where_no_other_does() {
    let server = server().with_completion(|call: Call<()>, request: Request| async move {
        let Request {
            reference,
            argument,
            value,
            ..
        } = request;
        let of = match reference {
            Reference::Prompt(name) => format!("prompt {name}"),
            Reference::Resource(uri) => format!("resource {uri}"),
            _ => String::new(),
        };
        let others = call.completed_arguments().count();
        Ok(vec![of, argument, value, others.to_string()])
    });
    let mut wire = Wire::new(server, ());
    let mut params = of_prompt("place", "plain", "x");
    params["context"] = json!({ "arguments": { "country": "fr" } });
    let asked = [
        (params, json!(["prompt place", "plain", "x", "1"])),
        (
            of_prompt("bare", "x", ""),
            json!(["prompt bare", "x", "", "0"]),
        ),
        (
            of_resource("item://a/b", "shelf", "y"),
            json!(["resource item://{shelf}/{id}", "shelf", "y", "0"]),
        ),
        (of_prompt("place", "city", "pa"), json!(["pa"])),
    ];
    for (params, values) in asked {
        assert_eq!(complete(&mut wire, params).await["values"], values);
    }
}

// P02
#[tokio::test]
async fn a_completer_that_fails_says_nothing_of_why() {
    for revision in Revision::ALL {
        let mut wire = connect(&server(), (), revision).await;
        let failed = wire
            .error("completion/complete", of_prompt("place", "broken", "x"))
            .await;
        assert_eq!(failed, (-32603, "internal error".to_owned(), Value::Null));
    }
}
