//! Handlers that ask, driven to their end; state that opens one run only, and the store behind it.

use std::{
    sync::{
        Arc, LazyLock, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use relay_core::{Call, Reply, Server, Tool, codec, elicit, input::Form, sample, tool};
use relay_runtime::{
    Limits, Runtime, Store,
    store::{MemoryStore, StoreError, StoreFuture},
    testing::{Answers, Asked, Client},
};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::support::{all, code, connect, next, peer, request, run, text};

static SEAT: LazyLock<Form<u8>> =
    LazyLock::new(|| elicit::form(codec::object(codec::field("row", codec::integer::<u8>()))));

/// Asks for a row, and counts how often it got one.
fn book(single_use: bool) -> (Tool<()>, Arc<AtomicUsize>) {
    let booked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&booked);
    let mut book = tool::define("book", codec::object(()), codec::string()).with_forms(&SEAT);
    if single_use {
        book = book.single_use();
    }
    let book = book.handle_call(move |call: Call<()>, ()| {
        let count = Arc::clone(&count);
        async move {
            let row = call.elicit(SEAT.question("seat", "Which row?")).await?;
            let row = row.accepted()?;
            count.fetch_add(1, Ordering::SeqCst);
            Ok(format!("row {row}"))
        }
    });
    (book, booked)
}

fn call(id: i64, more: &Value) -> bytes::Bytes {
    let mut params = json!({ "name": "book" });
    if let (Some(params), Some(more)) = (params.as_object_mut(), more.as_object()) {
        params.extend(more.clone());
    }
    let frame: Value = serde_json::from_slice(&request(id, "tools/call", params)).unwrap();
    let mut frame = frame;
    frame["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] =
        json!({ "elicitation": {} });
    frame.to_string().into()
}

fn answered(asked: &Value) -> Value {
    json!({
        "inputResponses": { "seat": { "action": "accept", "content": { "row": 3 } } },
        "requestState": asked["result"]["requestState"],
    })
}

async fn one(runtime: &Runtime<()>, frame: bytes::Bytes) -> Value {
    let mut frames = all(runtime.exchange(frame, peer())).await;
    assert_eq!(frames.len(), 1, "{frames:?}");
    frames.remove(0)
}

// MRTR-01, MRTR-08
#[tokio::test]
async fn exchanges_and_connections_carry_rounds() {
    let (tool, booked) = book(false);
    let runtime = run(Server::new([tool]));
    let asked = one(&runtime, call(1, &json!({}))).await;
    assert_eq!(asked["result"]["resultType"], "input_required");
    assert_eq!(
        text(&one(&runtime, call(2, &answered(&asked))).await),
        "row 3"
    );

    let (mut incoming, mut outgoing) = connect(&runtime);
    incoming.receive(call(3, &json!({}))).await.unwrap();
    let asked = next(&mut outgoing).await;
    assert_eq!(asked["result"]["resultType"], "input_required");
    incoming.receive(call(4, &answered(&asked))).await.unwrap();
    assert_eq!(text(&next(&mut outgoing).await), "row 3");
    assert_eq!(booked.load(Ordering::SeqCst), 2);
}

// RS-06: sealing alone does not keep a round from being sent again.
#[tokio::test]
async fn a_round_can_be_sent_again_unless_its_tool_is_of_single_use() {
    let (tool, booked) = book(false);
    let runtime = run(Server::new([tool]));
    let asked = one(&runtime, call(1, &json!({}))).await;
    for id in 2..5 {
        assert_eq!(
            text(&one(&runtime, call(id, &answered(&asked))).await),
            "row 3"
        );
    }
    assert_eq!(booked.load(Ordering::SeqCst), 3);
}

// RS-06, RS-08, M01
#[tokio::test(start_paused = true)]
async fn state_of_single_use_opens_one_run_on_all_replicas_that_share_a_store() {
    let (tool, booked) = book(true);
    let server = Server::new([tool]);
    let store = Arc::new(MemoryStore::default());
    let replicas = [(); 2].map(|()| run(server.clone()).with_store(Arc::clone(&store)));
    let asked = one(&replicas[0], call(1, &json!({}))).await;
    // What does not reach the handler uses nothing up.
    let mut misshapen = answered(&asked);
    misshapen["inputResponses"]["seat"] = json!(7);
    assert_eq!(code(&one(&replicas[0], call(2, &misshapen)).await), -32602);
    let done = one(&replicas[1], call(3, &answered(&asked))).await;
    assert_eq!(text(&done), "row 3");
    let bogus = json!({ "requestState": "bogus" });
    let mut refusal = one(&replicas[0], call(4, &bogus)).await;
    assert_eq!(code(&refusal), -32602);
    for (id, replica) in [(5, &replicas[0]), (6, &replicas[1])] {
        refusal["id"] = json!(id);
        assert_eq!(one(replica, call(id, &answered(&asked))).await, refusal);
    }
    assert_eq!(booked.load(Ordering::SeqCst), 1);
    // Answers alone, without state to use up, answer nothing.
    let unsolicited = json!({ "inputResponses": answered(&asked)["inputResponses"] });
    let again = one(&replicas[0], call(9, &unsolicited)).await;
    assert_eq!(again["result"]["resultType"], "input_required");
    assert_eq!(booked.load(Ordering::SeqCst), 1);
    // A first call has no state, and another's state is another's.
    let asked = one(&replicas[0], call(7, &json!({}))).await;
    assert_eq!(
        text(&one(&replicas[0], call(8, &answered(&asked))).await),
        "row 3"
    );
}

// RS-06
#[tokio::test]
async fn of_rounds_sent_at_once_one_runs() {
    let (tool, booked) = book(true);
    let runtime = run(Server::new([tool]));
    let asked = one(&runtime, call(1, &json!({}))).await;
    let frame = call(2, &answered(&asked));
    let mut rounds = JoinSet::new();
    for _ in 0..16 {
        let (runtime, frame) = (runtime.clone(), frame.clone());
        rounds.spawn(async move { one(&runtime, frame).await });
    }
    let answers = rounds.join_all().await;
    let done = answers.iter().filter(|answer| text(answer) == "row 3");
    let done = done.count();
    assert_eq!((done, booked.load(Ordering::SeqCst)), (1, 1));
}

/// Notes what it is asked, and fails or never answers.
#[derive(Default)]
struct Broken {
    asked: Mutex<Vec<(String, Duration)>>,
    silent: bool,
}

impl Store for Broken {
    fn put_new<'a>(
        &'a self,
        key: &'a str,
        value: &'a [u8],
        lifetime: Duration,
    ) -> StoreFuture<'a, bool> {
        assert!(value.is_empty());
        self.asked.lock().unwrap().push((key.to_owned(), lifetime));
        Box::pin(async {
            if self.silent {
                std::future::pending::<()>().await;
            }
            Err(StoreError::unavailable("connection refused"))
        })
    }

    fn get<'a>(&'a self, _: &'a str) -> StoreFuture<'a, Option<Vec<u8>>> {
        Box::pin(async { Ok(None) })
    }

    fn put<'a>(&'a self, _: &'a str, _: &'a [u8], _: Duration) -> StoreFuture<'a, ()> {
        Box::pin(async { Ok(()) })
    }

    fn delete<'a>(&'a self, _: &'a str) -> StoreFuture<'a, ()> {
        Box::pin(async { Ok(()) })
    }
}

// RS-06
#[tokio::test(start_paused = true)]
async fn where_the_store_cannot_say_nothing_runs() {
    for silent in [false, true] {
        let (tool, booked) = book(true);
        let store = Arc::new(Broken {
            silent,
            ..Broken::default()
        });
        let runtime = run(Server::new([tool])).with_store(Arc::clone(&store));
        // What needs no store goes on.
        let asked = one(&runtime, call(1, &json!({}))).await;
        let answer = one(&runtime, call(2, &answered(&asked))).await;
        assert_eq!(code(&answer), -32603, "{answer}");
        assert!(!answer.to_string().contains("refused"), "{answer}");
        assert_eq!(booked.load(Ordering::SeqCst), 0);
        let noted = store.asked.lock().unwrap().clone();
        let [(key, lifetime)] = noted.as_slice() else {
            panic!("asked once: {noted:?}");
        };
        assert!(key.starts_with("relay/state/") && key.len() <= 100, "{key}");
        // As long as any replica may open the state, and no longer.
        assert!((660..=661).contains(&lifetime.as_secs()), "{lifetime:?}");
    }
}

// MRTR-15, RS-12
#[tokio::test]
async fn rounds_and_state_have_limits_of_the_operator_s_choice() {
    let (tool, _) = book(false);
    let server = Server::new([tool]);
    let none = Runtime::new(server.clone()).with_limits(Limits::default().with_rounds(0));
    let answer = one(&none, call(1, &json!({}))).await;
    assert_eq!(answer["result"]["isError"], true);
    let one_round = Runtime::new(server.clone()).with_limits(Limits::default().with_rounds(1));
    let asked = one(&one_round, call(1, &json!({}))).await;
    assert_eq!(asked["result"]["resultType"], "input_required");
    let state = json!({ "requestState": asked["result"]["requestState"] });
    let answer = one(&one_round, call(2, &state)).await;
    assert_eq!(answer["result"]["isError"], true);
    let small = Runtime::new(server).with_limits(Limits::default().with_state_limit(50));
    assert_eq!(code(&one(&small, call(1, &json!({}))).await), -32603);
}

/// Asks in every way there is.
fn talks() -> Server<()> {
    let talk = tool::define("talk", codec::object(()), codec::string()).handle_call(
        |call: Call<()>, ()| async move {
            let waited: u8 = call.state()?.unwrap_or_default();
            if waited < 2 {
                return Ok(Reply::later(waited + 1));
            }
            let row = call.elicit(SEAT.question("seat", "Which row?")).await?;
            let link = elicit::url("link", "Connect", "https://notes.example/");
            let (link, roots) = call
                .ask((link, relay_core::roots::request("roots")))
                .await?;
            link.accepted()?;
            let said = sample::request("model", 10).user("Well?");
            let said = call.sample(said).await?.text();
            let row = row.accepted()?;
            Ok(Reply::structured(format!("{row} {said} {}", roots.len())))
        },
    );
    Server::new([talk])
}

// MRTR-08, MRTR-14, MRTR-18
#[tokio::test]
async fn a_script_answers_whatever_is_asked() {
    let script = || {
        Answers::new()
            .accept_url("link")
            .roots("roots", ["file:///a", "file:///b"])
            .say("model", "well")
    };
    let answers = script().accept("seat", json!({ "row": 300 }));
    let answers = answers.accept("seat", json!({ "row": 4 }));
    let talked = Client::new(talks()).with_answers(answers);
    let talked = talked.call("talk", json!({})).await.unwrap();
    assert_eq!(talked.text(), "4 well 2");
    let asked: Vec<_> = talked.asked().iter().map(Asked::key).collect();
    assert_eq!(asked, ["seat", "seat", "link", "roots", "model"]);
    assert_eq!(talked.asked()[0].message(), "Which row?");
    assert!(talked.asked()[1].message().contains("got 300"));
    assert_eq!(talked.asked()[4].method(), "sampling/createMessage");
    for refuses in [script().decline("seat"), script().cancel("seat")] {
        let client = Client::new(talks()).with_answers(refuses);
        assert!(client.call("talk", json!({})).await.unwrap().is_error());
    }
    let silent = Client::new(talks()).with_answers(script());
    let error = silent.call("talk", json!({})).await.unwrap_err();
    assert!(error.message.contains("no answer for \"seat\""), "{error}");
    // Without a script a client sees what is asked, and without the capability an error.
    let plain = Client::new(talks()).call("talk", json!({})).await.unwrap();
    assert_eq!(plain.json()["resultType"], "input_required");
    let unable = Client::new(talks()).with_answers(script());
    let unable = unable.with_capabilities(relay_core::ClientCapabilities::new());
    let error = unable.call("talk", json!({})).await.unwrap_err();
    assert_eq!(error.code.as_i64(), -32021);
}
