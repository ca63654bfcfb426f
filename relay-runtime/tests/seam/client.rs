//! The in-process client, which comes through the same seam.

use std::time::Duration;

use relay_core::{
    Call, ClientCapabilities, LogLevel, Principal, Progress, Prompt, Read, Resource, Revision,
    Server, Tool, codec, content, prompt,
    protocol::jsonrpc::ErrorCode,
    resource::{self, Entry},
    tool,
};
use relay_runtime::{
    Limits, Runtime,
    testing::{Client, Completing, Item, Notification},
};
use serde_json::{Value, json};
use tokio::{
    join,
    time::{Instant, sleep, timeout},
};

use crate::support::run;

fn tools() -> [Tool<()>; 5] {
    let add = tool::define(
        "add",
        codec::object((
            codec::field("a", codec::integer::<i64>()),
            codec::field("b", codec::integer::<i64>()),
        )),
        codec::object(codec::field("sum", codec::integer::<i64>())),
    )
    .with_description("Adds two numbers")
    .handle(|(a, b): (i64, i64)| async move { Ok(a + b) });
    let steps = tool::define("steps", codec::object(()), codec::string()).handle_call(
        |call: Call<()>, ()| async move {
            for step in [1.0, 2.0, 3.0] {
                call.progress(Progress::new(step));
                call.log(LogLevel::Info, format!("step {step}")).await;
                sleep(Duration::from_millis(20)).await;
            }
            Ok("there".to_owned())
        },
    );
    let whoami = tool::define("whoami", codec::object(()), tool::content()).handle_call(
        |call: Call<()>, ()| async move {
            let subject = call.principal().map_or("nobody", Principal::subject);
            let revision = call.client().revision().as_str();
            Ok(vec![content::text(subject), content::text(revision)])
        },
    );
    let asking = tool::define("asking", codec::object(()), codec::string())
        .with_required_capabilities(ClientCapabilities::new().with_sampling())
        .handle(|()| async { Ok("asked".to_owned()) });
    let broken = tool::define("broken", codec::object(()), codec::string())
        .handle_call(|_call: Call<()>, ()| async { Err::<String, _>("the disk is full".into()) });
    [add, steps, whoami, asking, broken]
}

fn resources() -> [Resource<()>; 3] {
    let about = resource::direct("note://about", "about").handle(|_read: Read<()>| async {
        Ok(vec![resource::text("about"), resource::text("it")])
    });
    let note = resource::template("note://{id}", "note")
        .complete("id", |_call: Call<()>, prefix: String| async move {
            Ok((10..13)
                .map(|id| id.to_string())
                .filter(|id| id.starts_with(&prefix))
                .collect::<Vec<_>>())
        })
        .list(
            |_call: Call<()>, after: Option<String>, limit: usize| async move {
                let uris = (10..13).map(|id| format!("note://{id}"));
                let rest = uris.filter(|uri| after.as_ref().is_none_or(|after| uri > after));
                Ok(rest
                    .take(limit)
                    .map(|uri| Entry::new(uri, "note"))
                    .collect())
            },
        )
        .handle(|read: Read<()>| async move {
            Ok(vec![resource::text(read.parse::<i64>("id")?.to_string())])
        });
    let tag = resource::template("tag://{tag}", "tag")
        .handle(|_read: Read<()>| async { Ok(vec![resource::blob(vec![1, 2, 3])]) });
    [about, note, tag]
}

fn prompts() -> [Prompt<()>; 2] {
    let review = prompt::define(
        "review",
        (
            prompt::required("code"),
            prompt::defaulted("language", "rust"),
        ),
    )
    .complete("language", |call: Call<()>, prefix: String| async move {
        let code = call.completed_arguments().any(|(name, _)| name == "code");
        Ok(vec![format!("{prefix}st"), code.to_string()])
    })
    .handle(|(code, language)| async move {
        Ok(vec![
            prompt::user(format!("Review this {language}:")),
            prompt::user(code),
        ])
    });
    let plain = prompt::define("plain", ()).handle(|()| async { Ok(vec![prompt::user("plain")]) });
    [review, plain]
}

fn server() -> Server<()> {
    Server::new(tools())
        .with_resources(resources())
        .with_prompts(prompts())
        .with_info("testbed", "3.2.1")
        .with_instructions("Try things.")
        .with_logging(true)
        .with_page_size(2)
}

fn client() -> Client {
    Client::new(run(server()))
}

// PAGE-02
#[tokio::test]
async fn every_list_is_walked_to_its_end() {
    let client = client();
    let tools = client.list_tools().await.unwrap();
    let names: Vec<_> = tools.iter().map(Item::name).collect();
    assert_eq!(names, ["add", "asking", "broken", "steps", "whoami"]);
    assert_eq!(tools[0].description(), "Adds two numbers");
    assert_eq!(tools[0]["inputSchema"]["required"], json!(["a", "b"]));
    assert_eq!(tools[0]["no such member"], Value::Null);

    let resources = client.list_resources().await.unwrap();
    let uris: Vec<_> = resources.iter().map(Item::uri).collect();
    assert_eq!(
        uris,
        ["note://about", "note://10", "note://11", "note://12"]
    );
    let templates = client.list_resource_templates().await.unwrap();
    assert_eq!((templates.len(), templates[0].uri()), (2, "note://{id}"));
    assert_eq!(client.list_prompts().await.unwrap()[1].name(), "review");
}

#[tokio::test]
async fn a_list_that_never_ends_is_an_error() {
    let endless: Resource<()> = resource::template("note://{id}", "note")
        .list(
            |_call: Call<()>, _after: Option<String>, limit: usize| async move {
                Ok((0..limit)
                    .map(|id| Entry::new(format!("note://{id}"), "note"))
                    .collect())
            },
        )
        .handle(|_read: Read<()>| async { Ok(vec![resource::text("")]) });
    let client = Client::new(run(Server::new([]).with_resources([endless])));
    let error = client.list_resources().await.unwrap_err();
    assert_eq!(error.message, "the list did not end after 1000 pages");
}

#[tokio::test]
async fn results_are_read_by_their_parts() {
    let client = client();
    let sum = client.call("add", json!({ "a": 2, "b": 3 })).await.unwrap();
    assert_eq!(sum.structured(), Some(&json!({ "sum": 5 })));
    assert_eq!(sum.output::<Value>().unwrap()["sum"], 5);
    assert!(sum.output::<Vec<String>>().is_err());
    assert_eq!(sum.content().len(), 1);
    assert!(!sum.is_error());

    assert_eq!(
        client.read("note://about").await.unwrap().text(),
        "about\nit"
    );
    assert_eq!(
        client.read("tag://x").await.unwrap().contents()[0]["blob"],
        "AQID"
    );
    let review = client
        .get_prompt("review", json!({ "code": "fn main()" }))
        .await
        .unwrap();
    assert_eq!(review.text(), "Review this rust:\nfn main()");
    assert_eq!(review.messages()[0]["role"], "user");

    let ids = client
        .complete(Completing::template("note://{id}", "id", "1"))
        .await
        .unwrap();
    assert_eq!(
        (ids.values(), ids.total(), ids.has_more()),
        (vec!["10", "11", "12"], Some(3), false)
    );
    let language = Completing::prompt("review", "language", "ru").with_argument("code", "x");
    assert_eq!(
        client.complete(language).await.unwrap().values(),
        ["rust", "true"]
    );
}

// TOOL-05, TOOL-07, TOOL-08
#[tokio::test]
async fn errors_are_typed_and_failures_of_tools_are_results() {
    let client = client();
    let unknown = client.call("no such tool", json!({})).await.unwrap_err();
    assert_eq!(unknown.code, ErrorCode::INVALID_PARAMS);
    assert_eq!(unknown.to_string(), format!("{} (-32602)", unknown.message));
    let gone = client.read("gone://1").await.unwrap_err();
    assert_eq!(gone.data.as_deref(), Some(&json!({ "uri": "gone://1" })));
    let method = client
        .request("no/such/method", json!({}))
        .await
        .unwrap_err();
    assert_eq!(method.code, ErrorCode::METHOD_NOT_FOUND);

    let misfit = client.call("add", json!({ "a": "two" })).await.unwrap();
    assert!(
        misfit.is_error() && misfit.text().contains("/a"),
        "{}",
        misfit.text()
    );
    let broken = client.call("broken", json!({})).await.unwrap();
    assert!(broken.is_error() && !broken.text().contains("disk"));
}

// PROG-08, LOG-03
#[tokio::test(start_paused = true)]
async fn what_is_told_belongs_to_its_call() {
    let client = client().with_log_level(LogLevel::Info);
    let (one, two) = join!(
        client.call("steps", json!({})),
        client.call("steps", json!({}))
    );
    for call in [one.unwrap(), two.unwrap()] {
        let told: Vec<_> = call
            .notifications()
            .iter()
            .map(Notification::method)
            .collect();
        assert_eq!(told.len(), 6);
        let progress = call
            .notifications()
            .iter()
            .filter(|told| told.method() == "notifications/progress");
        let values: Vec<_> = progress
            .map(|told| told.params()["progress"].as_f64().unwrap())
            .collect();
        assert_eq!(values, [1.0, 2.0, 3.0]);
    }
    assert_eq!(client.notifications().len(), 12);
    assert!(client.notifications().is_empty());
}

// LC-01
#[tokio::test]
async fn each_revision_is_spoken() {
    for revision in Revision::ALL {
        let client = client()
            .with_revision(revision)
            .with_log_level(LogLevel::Error);
        let found = client.discover().await.unwrap();
        assert_eq!(
            found.server_info().unwrap()["name"],
            "testbed",
            "{revision}"
        );
        assert_eq!(found.instructions(), Some("Try things."));
        assert!(found.capabilities().get("tools").is_some());
        assert_eq!(client.list_tools().await.unwrap().len(), 5);
        let who = client.call("whoami", json!({})).await.unwrap();
        assert_eq!(who.text(), format!("nobody\n{revision}"));
        let sum = client.call("add", json!({ "a": 2, "b": 3 })).await.unwrap();
        assert_eq!(sum.text(), r#"{"sum":5}"#);
        let steps = client.call("steps", json!({})).await.unwrap();
        let logs = steps
            .notifications()
            .iter()
            .filter(|told| told.method() == "notifications/message");
        assert_eq!(logs.count(), 0, "below the level");
    }
}

#[tokio::test]
async fn a_revision_that_is_not_served_is_refused() {
    let modern = server().with_revisions([Revision::V2026_07_28]);
    let client = Client::new(run(modern)).with_revision(Revision::V2025_11_25);
    assert_eq!(
        client.list_tools().await.unwrap_err().code,
        ErrorCode::UNSUPPORTED_PROTOCOL_VERSION
    );
}

// META-12
#[tokio::test]
async fn a_client_says_who_it_is_and_what_it_can_do() {
    let client = client().with_principal(Principal::new("https://id.example", "ada"));
    assert!(
        client
            .call("whoami", json!({}))
            .await
            .unwrap()
            .text()
            .starts_with("ada")
    );
    let error = client.call("asking", json!({})).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY);
    let client = client.with_capabilities(ClientCapabilities::new().with_sampling());
    assert_eq!(
        client.call("asking", json!({})).await.unwrap().text(),
        "asked"
    );
}

#[tokio::test]
async fn a_request_may_say_its_own() {
    let client = client();
    let meta = json!({ "io.modelcontextprotocol/protocolVersion": "1999-01-01" });
    let error = client
        .request("tools/list", json!({ "_meta": meta }))
        .await
        .unwrap_err();
    assert_eq!(error.code, ErrorCode::UNSUPPORTED_PROTOCOL_VERSION);
    assert!(client.request("tools/list", json!([1])).await.is_err());
}

// CAN-04
#[tokio::test(start_paused = true)]
async fn deadlines_and_dropped_calls_are_as_in_earnest() {
    let limits = Limits::default().with_deadline(Duration::from_millis(30));
    let runtime = run(server()).with_limits(limits);
    let client = Client::new(runtime.clone());
    let error = client.call("steps", json!({})).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::INTERNAL_ERROR);
    assert_eq!(client.notifications().len(), 2, "told before the deadline");

    let given_up = Instant::now();
    let call = timeout(Duration::from_millis(10), client.call("steps", json!({})));
    assert!(call.await.is_err());
    runtime.idle().await;
    assert_eq!(
        given_up.elapsed(),
        Duration::from_millis(60),
        "it finished in its grace"
    );
}

#[tokio::test]
async fn a_context_is_the_caller_s() {
    let name = tool::define("name", codec::object(()), codec::string())
        .handle_call(|call: Call<String>, ()| async move { Ok(call.context().clone()) });
    let runtime: Runtime<String> = run(Server::new([name]));
    let client = Client::with_context(runtime, "ada".to_owned());
    assert_eq!(client.call("name", json!({})).await.unwrap().text(), "ada");
}
