//! One span for each request, as an operator's collector sees it.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex},
};

use relay_core::{
    Call, Error, Read, Resource, Server, Tool, codec, content, prompt, resource, tool,
};
use relay_runtime::Runtime;
use serde_json::{Value, json};
use tracing::{
    Event, Metadata, Subscriber,
    field::{Field, Visit},
    span::{Attributes, Id, Record},
    subscriber::DefaultGuard,
};

use crate::{
    support::{
        all, call, cancelled, connect, initialize, legacy, peer, request, rest, run, settle,
    },
    tools::{Drops, panicking, quick, slow, stuck},
};

type Fields = BTreeMap<&'static str, String>;

/// What was recorded, in a form that tests can read.
#[derive(Clone, Debug, Default)]
struct Seen {
    spans: Vec<Fields>,
    /// How many hold each span.
    holders: Vec<usize>,
    /// Each event with the place of the span it was in.
    events: Vec<(Option<usize>, Fields)>,
    entered: Vec<usize>,
}

#[derive(Clone, Default)]
struct Collector(Arc<Mutex<Seen>>);

struct Visitor<'a>(&'a mut Fields);

impl Collector {
    /// Listens on this thread for as long as the guard lives.
    fn listen() -> (Self, DefaultGuard) {
        let collector = Self::default();
        let guard = tracing::subscriber::set_default(collector.clone());
        (collector, guard)
    }

    fn seen(&self) -> Seen {
        self.0.lock().unwrap().clone()
    }
}

impl Visit for Visitor<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.0.insert(field.name(), format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name(), value.to_owned());
    }
}

impl Subscriber for Collector {
    fn enabled(&self, _metadata: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, attributes: &Attributes<'_>) -> Id {
        let mut fields = Fields::new();
        attributes.record(&mut Visitor(&mut fields));
        let mut seen = self.0.lock().unwrap();
        seen.spans.push(fields);
        seen.holders.push(1);
        Id::from_u64(u64::try_from(seen.spans.len()).unwrap())
    }

    fn record(&self, span: &Id, values: &Record<'_>) {
        let mut seen = self.0.lock().unwrap();
        values.record(&mut Visitor(&mut seen.spans[place(span)]));
    }

    fn record_follows_from(&self, _span: &Id, _follows: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields::new();
        event.record(&mut Visitor(&mut fields));
        let mut seen = self.0.lock().unwrap();
        let within = seen.entered.last().copied();
        seen.events.push((within, fields));
    }

    fn enter(&self, span: &Id) {
        self.0.lock().unwrap().entered.push(place(span));
    }

    fn exit(&self, _span: &Id) {
        self.0.lock().unwrap().entered.pop();
    }

    fn clone_span(&self, span: &Id) -> Id {
        self.0.lock().unwrap().holders[place(span)] += 1;
        span.clone()
    }

    fn try_close(&self, span: Id) -> bool {
        let holders = &mut self.0.lock().unwrap().holders[place(&span)];
        *holders -= 1;
        *holders == 0
    }
}

fn place(span: &Id) -> usize {
    usize::try_from(span.into_u64()).unwrap() - 1
}

fn server() -> Runtime<()> {
    let failing: Tool<()> = tool::define("failing", codec::object(()), codec::string())
        .handle_call(|_call: Call<()>, ()| async {
            tracing::info!("trying");
            Err::<String, _>(Error::from("the disk is full"))
        });
    let asking: Tool<()> = tool::define(
        "asking",
        codec::object(codec::field("word", codec::string())),
        tool::content(),
    )
    .handle(|word: String| async { Ok(vec![content::text(word)]) });
    let greeting = prompt::define("greeting", prompt::required("name"))
        .handle(|name| async move { Ok(vec![prompt::user(name)]) });
    let note: Resource<()> = resource::template("note://{id}", "note")
        .handle(|_read: Read<()>| async { Ok(vec![resource::text("a note")]) });
    let tools = [
        quick(),
        slow("slow", 10),
        failing,
        asking,
        panicking("at random"),
        stuck(&Drops::default()),
    ];
    let server = Server::new(tools)
        .with_prompts([greeting])
        .with_resources([note]);
    run(server)
}

async fn span_of(method: &str, params: Value) -> Fields {
    let (collector, _guard) = Collector::listen();
    all(server().exchange(request("an id", method, params), peer())).await;
    let mut seen = collector.seen();
    assert_eq!(seen.holders, [0], "one span, and it is closed");
    seen.spans.remove(0)
}

fn some(fields: &[(&'static str, &str)]) -> Fields {
    fields
        .iter()
        .map(|(name, value)| (*name, (*value).to_owned()))
        .collect()
}

// OPS-01
#[tokio::test]
async fn a_call_has_the_names_of_opentelemetry() {
    let span = span_of("tools/call", json!({ "name": "quick" })).await;
    let expected = [
        ("otel.name", "tools/call quick"),
        ("otel.kind", "server"),
        ("mcp.method.name", "tools/call"),
        ("mcp.protocol.version", "2026-07-28"),
        ("jsonrpc.request.id", "\"an id\""),
        ("gen_ai.tool.name", "quick"),
    ];
    assert_eq!(span, some(&expected));
}

// OPS-01
#[tokio::test]
async fn prompts_are_named_and_other_methods_have_their_target() {
    let params = json!({ "name": "greeting", "arguments": { "name": "Ada" } });
    let span = span_of("prompts/get", params).await;
    assert_eq!(span["otel.name"], "prompts/get greeting");
    assert_eq!(span["gen_ai.prompt.name"], "greeting");
    let span = span_of("tools/list", json!({})).await;
    assert_eq!(span["otel.name"], "tools/list");
    let span = span_of("no/such/method", json!({})).await;
    assert_eq!(span["otel.name"], "unknown");
    assert!(!span.contains_key("mcp.method.name"));
    assert_eq!(span["rpc.response.status_code"], "-32601");
}

// OPS-01
#[tokio::test]
async fn failures_say_what_kind_they_are() {
    let error = async |method: &str, params: Value| {
        let span = span_of(method, params).await;
        (
            span["error.type"].clone(),
            span.get("rpc.response.status_code").cloned(),
        )
    };
    let code = |code: &str| (code.to_owned(), Some(code.to_owned()));
    let call = async |name: &str| error("tools/call", json!({ "name": name })).await;
    assert_eq!(call("failing").await, ("tool_error".to_owned(), None));
    assert_eq!(call("asking").await, ("tool_error".to_owned(), None));
    assert_eq!(call("panicking").await, code("-32603"));
    assert_eq!(call("unknown").await, code("-32602"));
    assert_eq!(
        error("resources/read", json!({ "uri": "x://" })).await,
        code("-32602")
    );
}

// OPS-01
#[tokio::test]
async fn nothing_of_what_is_asked_or_answered_is_in_a_span() {
    let secret = "hunter2";
    let asked = [
        (
            "tools/call",
            json!({ "name": "asking", "arguments": { "word": secret } }),
        ),
        ("tools/call", json!({ "name": secret })),
        (
            "prompts/get",
            json!({ "name": "greeting", "arguments": { "name": secret } }),
        ),
        (
            "resources/read",
            json!({ "uri": format!("note://{secret}") }),
        ),
        (secret, json!({})),
    ];
    for (method, params) in asked {
        let span = span_of(method, params).await;
        let told = span.values().any(|value| value.contains(secret));
        assert!(!told, "{span:?}");
    }
    let long = "x".repeat(100_000);
    let (collector, _guard) = Collector::listen();
    all(server().exchange(call(long, "quick"), peer())).await;
    assert_eq!(collector.seen().spans[0]["jsonrpc.request.id"].len(), 64);
}

// OPS-01, META-13
#[tokio::test]
async fn a_valid_traceparent_gives_its_trace_id() {
    let traced = async |traceparent: &str| {
        let params = json!({ "name": "quick", "_meta": { "traceparent": traceparent } });
        span_of("tools/call", params).await.remove("trace_id")
    };
    let valid = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    assert_eq!(
        traced(valid).await.as_deref(),
        Some("0af7651916cd43dd8448eb211c80319c")
    );
    assert_eq!(traced("00-made-up-01").await, None);
}

// OPS-01, OPS-05
#[tokio::test(start_paused = true)]
async fn a_handler_runs_and_fails_within_its_span() {
    let (collector, _guard) = Collector::listen();
    let runtime = server();
    let (mut incoming, outgoing) = connect(&runtime);
    for (id, tool) in [(1, "slow"), (2, "failing"), (3, "panicking")] {
        incoming.receive(call(id, tool)).await.unwrap();
    }
    drop(incoming);
    rest(outgoing).await;

    let seen = collector.seen();
    assert_eq!(seen.holders, [0, 0, 0]);
    let within: Vec<_> = seen
        .events
        .iter()
        .filter_map(|(within, fields)| Some((fields.get("message")?.as_str(), *within)))
        .collect();
    for event in [
        ("trying", Some(1)),
        ("a handler failed", Some(1)),
        ("a handler panicked", Some(2)),
    ] {
        assert!(within.contains(&event), "{event:?} in {within:?}");
    }
}

// CAN-03
#[tokio::test(start_paused = true)]
async fn the_reason_of_a_cancellation_is_logged_in_the_span_of_its_request() {
    let (collector, _guard) = Collector::listen();
    let runtime = server();
    let (mut incoming, outgoing) = connect(&runtime);
    incoming.receive(call(1, "stuck")).await.unwrap();
    settle().await;
    incoming.receive(cancelled(1)).await.unwrap();
    drop(incoming);
    rest(outgoing).await;
    runtime.idle().await;

    let seen = collector.seen();
    let logged = seen
        .events
        .iter()
        .find(|(_, fields)| fields.contains_key("reason"));
    let (within, fields) = logged.unwrap();
    assert_eq!(
        (*within, fields["reason"].as_str()),
        (Some(0), "changed my mind")
    );
    assert_eq!(seen.spans[0]["error.type"], "cancelled");
    assert_eq!(seen.holders, [0]);
}

// OPS-01
#[tokio::test]
async fn a_legacy_request_says_its_revision_and_a_notification_has_no_span() {
    let (collector, _guard) = Collector::listen();
    let (mut incoming, outgoing) = connect(&server());
    incoming.receive(initialize("2025-06-18")).await.unwrap();
    incoming.receive(cancelled(1)).await.unwrap();
    incoming.receive("garbage".into()).await.unwrap();
    incoming
        .receive(legacy(1, "ping", &json!({})))
        .await
        .unwrap();
    drop(incoming);
    rest(outgoing).await;
    let seen = collector.seen();
    let versions: Vec<_> = seen
        .spans
        .iter()
        .map(|span| &span["mcp.protocol.version"])
        .collect();
    assert_eq!(versions, ["2025-06-18", "2025-06-18"]);
}
