//! What a caller may not see: the server with it answers as one that never had it.

mod attempts;
mod neighbours;

use std::{
    collections::HashSet,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant, SystemTime},
};

use relay_core::{
    Call, ClientCapabilities, Clock, KeyRing, Peer, Prompt, Read, Resource, Revision, Server, Tool,
    codec,
    dispatch::{Bounds, Dispatch},
    prompt,
    protocol::{jsonrpc, legacy::Handshake},
    resource::{self, Entry},
    tool,
};
use relay_tests::wire::Wire;
use serde_json::{Value, json};

use crate::{
    eras::connect,
    lists::{LISTS, TOOLS},
};

/// Whether the caller may see what is hidden.
#[derive(Clone, Copy, Debug)]
struct Caller {
    trusted: bool,
}

const GUEST: Caller = Caller { trusted: false };
const ADMIN: Caller = Caller { trusted: true };

/// The name of the tool, the prompt, the resource and the template that guests can't see.
const HIDDEN: &str = "ledger";

/// A server with or without what is hidden; otherwise the two are the same.
fn server(with_hidden: bool, runs: &Arc<AtomicUsize>) -> Server<Caller> {
    let shown = |name: &str| with_hidden || !name.contains(HIDDEN);
    let names = ["alpha", HIDDEN, "zeta", "ledger2", "denied"];
    let names = || names.into_iter().filter(|name| shown(name));
    let keys = KeyRing::new(&[7; 32]).unwrap_or_else(|_| KeyRing::random());
    Server::new(
        names()
            .filter(|name| with_hidden || *name != "denied")
            .map(|name| counted_tool(name, runs)),
    )
    .with_prompts(names().map(|name| counted_prompt(name, runs)))
    .with_resources(names().flat_map(|name| counted_resources(name, runs)))
    .with_info("vault", "1")
    .with_keys(keys)
    .with_clock(Clock::manual(
        SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000),
    ))
    .with_page_size(2)
    .with_logging(true)
    .with_tool_visibility(|caller: &Caller, tool| admits(*caller, tool.name()))
    .with_tool_callability(|caller: &Caller, tool| caller.trusted || tool.name() != "denied")
    .with_prompt_access(|caller: &Caller, prompt| admits(*caller, prompt.name()))
    .with_resource_access(|caller: &Caller, resource| admits(*caller, resource.name()))
}

fn admits(caller: Caller, name: &str) -> bool {
    caller.trusted || !name.contains(HIDDEN)
}

fn counted_tool(name: &str, runs: &Arc<AtomicUsize>) -> Tool<Caller> {
    let count = counter(name, runs);
    let input = codec::object(codec::optional("x", codec::integer::<i64>()));
    let definition = tool::define(name, input, codec::string()).with_description(name);
    let definition = if name == "ledger2" {
        definition.with_required_capabilities(ClientCapabilities::new().with_sampling())
    } else {
        definition
    };
    let name = name.to_owned();
    definition.handle(move |_| {
        count();
        let name = name.clone();
        async move { Ok(name) }
    })
}

fn counted_prompt(name: &str, runs: &Arc<AtomicUsize>) -> Prompt<Caller> {
    let (count, completed) = (counter(name, runs), counter(name, runs));
    let name = name.to_owned();
    prompt::define(&name, prompt::required("x"))
        .complete("x", move |_: Call<Caller>, typed: String| {
            completed();
            async move { Ok(vec![typed]) }
        })
        .handle(move |_| {
            count();
            let name = name.clone();
            async move { Ok(vec![prompt::user(name)]) }
        })
}

/// A direct resource and a template that lists its own.
fn counted_resources(name: &str, runs: &Arc<AtomicUsize>) -> [Resource<Caller>; 2] {
    let (read, listed, completed) = (
        counter(name, runs),
        counter(name, runs),
        counter(name, runs),
    );
    let reader = move |read_: Read<Caller>| {
        read();
        let uri = read_.uri().to_owned();
        async move { Ok(vec![resource::text(uri)]) }
    };
    let scheme = name.to_owned();
    [
        resource::direct(&format!("file://{name}"), name).handle(reader.clone()),
        resource::template(&format!("{name}://{{id}}"), name)
            .complete("id", move |_: Call<Caller>, typed: String| {
                completed();
                async move { Ok(vec![typed]) }
            })
            .list(move |_, after: Option<String>, limit: usize| {
                listed();
                let all = (1..=3).map(|n| format!("{scheme}://{n}"));
                let rest = all.filter(|uri| after.as_ref().is_none_or(|after| uri > after));
                let entries = rest
                    .take(limit)
                    .map(|uri| Entry::new(uri, "entry"))
                    .collect();
                async move { Ok(entries) }
            })
            .handle(reader),
    ]
}

/// Counts the runs of what is hidden or denied.
fn counter(name: &str, runs: &Arc<AtomicUsize>) -> impl Fn() + Clone + Send + Sync + 'static {
    let runs = Arc::clone(runs);
    let counts = name.contains(HIDDEN);
    move || {
        runs.fetch_add(usize::from(counts), Ordering::SeqCst);
    }
}

/// The bytes that the server sends for one request after a handshake.
async fn bytes(server: &Server<Caller>, revision: Revision, request: &Value) -> Vec<u8> {
    let mut sent = Vec::new();
    let mut handshake = Handshake::new();
    let peer = Peer::new(GUEST);
    let initialize = json!({
        "jsonrpc": "2.0", "id": 0, "method": "initialize",
        "params": { "protocolVersion": revision.as_str(), "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } },
    });
    let opening = (!revision.is_modern()).then_some(&initialize);
    for frame in opening.into_iter().chain([request]) {
        let frame = frame.to_string();
        let bounds = Bounds::new(Instant::now());
        match server.dispatch(
            jsonrpc::parse(frame.as_bytes()),
            &peer,
            &mut handshake,
            &bounds,
        ) {
            Dispatch::Answer(_, answer) => sent.extend_from_slice(answer.bytes()),
            Dispatch::Invoke(invocation) => {
                let answer = invocation.future.await.answer(frame.as_bytes());
                sent.extend_from_slice(answer.bytes());
            }
            _ => {}
        }
        sent.push(b'\n');
    }
    sent
}

// TOOL-18, TOOL-22, TOOL-05
#[tokio::test]
async fn unknown_hidden_and_denied_tools_are_refused_with_the_same_bytes() {
    let runs = Arc::default();
    let server = server(true, &runs);
    let arguments = [
        json!(null),
        json!({}),
        json!({ "x": "no number" }),
        json!([]),
        json!({ "x": 1, "y": 2 }),
    ];
    for revision in Revision::ALL {
        let mut wire = connect(&server, GUEST, revision).await;
        let listed = TOOLS.keys(&mut wire).await;
        assert_eq!(listed, ["alpha", "denied", "zeta"], "{revision}");
        for arguments in &arguments {
            let mut answers = HashSet::new();
            for name in ["nothing", HIDDEN, "ledger2", "denied"] {
                let mut wire = connect(&server, GUEST, revision).await;
                let params = json!({ "name": name, "arguments": arguments });
                let request = wire.request("tools/call", &params);
                assert_eq!(wire.send(&request).await[0]["error"]["code"], -32602);
                answers.insert(bytes(&server, revision, &request).await);
            }
            assert_eq!(answers.len(), 1, "{revision} {arguments}");
        }
    }
    assert_eq!(runs.load(Ordering::SeqCst), 0);

    let mut admin = Wire::new(server, ADMIN);
    assert_eq!(
        admin.call(HIDDEN, json!({})).await["structuredContent"],
        HIDDEN
    );
    assert_eq!(
        admin.call("denied", json!({})).await["structuredContent"],
        "denied"
    );
    assert_eq!(runs.load(Ordering::SeqCst), 1);
}

// RES-07, PRM-02, COMP-03, TOOL-22
#[tokio::test]
async fn what_is_hidden_is_refused_as_what_is_unknown() {
    let runs = Arc::default();
    let server = server(true, &runs);
    let argument = json!({ "name": "x", "value": "a" });
    let of_prompt =
        |name: &str| json!({ "ref": { "type": "ref/prompt", "name": name }, "argument": argument });
    let of_resource =
        |uri: &str| json!({ "ref": { "type": "ref/resource", "uri": uri }, "argument": argument });
    let pairs = [
        (
            "prompts/get",
            json!({ "name": HIDDEN }),
            json!({ "name": "nothing" }),
        ),
        (
            "prompts/get",
            json!({ "name": HIDDEN, "arguments": { "x": 7 } }),
            json!({ "name": "nothing", "arguments": { "x": 7 } }),
        ),
        (
            "completion/complete",
            of_prompt(HIDDEN),
            of_prompt("nothing"),
        ),
        (
            "completion/complete",
            of_resource("ledger://{id}"),
            of_resource("nothing://{id}"),
        ),
        (
            "completion/complete",
            of_resource("ledger://1"),
            of_resource("nothing://1"),
        ),
        (
            "completion/complete",
            of_resource("file://ledger"),
            of_resource("file://nothing"),
        ),
        (
            "resources/read",
            json!({ "uri": "file://ledger" }),
            json!({ "uri": "file://nothing" }),
        ),
        (
            "resources/read",
            json!({ "uri": "ledger://1" }),
            json!({ "uri": "nothing://1" }),
        ),
    ];
    for revision in Revision::ALL {
        for (method, hidden, unknown) in &pairs {
            let mut refusals = Vec::new();
            for params in [hidden, unknown] {
                let mut wire = connect(&server, GUEST, revision).await;
                let (code, message, mut data) = wire.error(method, params.clone()).await;
                assert!(!message.contains(HIDDEN), "{message}");
                if let Some(uri) = data.get_mut("uri") {
                    assert_eq!(*uri, params["uri"], "the caller's own");
                    *uri = Value::Null;
                }
                refusals.push((code, message, data));
            }
            assert_eq!(refusals[0], refusals[1], "{revision} {method} {hidden}");
        }
    }
    assert_eq!(runs.load(Ordering::SeqCst), 0);
}

// TOOL-22, RES-07, CACHE-06
#[tokio::test]
async fn lists_and_discovery_name_nothing_that_is_hidden() {
    let server = server(true, &Arc::default());
    for revision in Revision::ALL {
        let mut wire = connect(&server, GUEST, revision).await;
        for list in LISTS {
            let keys = list.keys(&mut wire).await;
            assert!(!keys.is_empty(), "{}", list.method);
            assert!(keys.iter().all(|key| !key.contains(HIDDEN)), "{keys:?}");
            let mut admin = connect(&server, ADMIN, revision).await;
            let all = list.keys(&mut admin).await;
            assert!(all.iter().any(|key| key.contains(HIDDEN)), "{all:?}");
        }
        let discovered = Wire::new(server.clone(), GUEST)
            .result("server/discover", json!({}))
            .await;
        assert!(!discovered.to_string().contains(HIDDEN), "{discovered}");
    }
}
