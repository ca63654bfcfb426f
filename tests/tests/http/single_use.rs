//! What a store does for tools that take each answer once, and what becomes of them without it.

use std::{
    future::pending,
    sync::{Arc, LazyLock, Mutex},
    time::Duration,
};

use relay_core::{Call, KeyRing, Server, codec, elicit, input::Form, tool};
use relay_http::Endpoint;
use relay_runtime::{
    Runtime, Store,
    store::{MemoryStore, StoreError, StoreFuture},
};
use relay_tests::web::{Post, Web};
use serde_json::{Value, json};

use super::support::Runs;

static SURE: LazyLock<Form<()>> = LazyLock::new(|| elicit::form(codec::object(())));

/// Two tools that ask whether one is sure, and count what they then do.
fn server(done: &Runs) -> Server<()> {
    let tools = ["pay", "look"].map(|name| {
        let tool = tool::define(name, codec::object(()), codec::string()).with_forms(&*SURE);
        let tool = if name == "pay" {
            tool.single_use()
        } else {
            tool
        };
        let done = done.clone();
        tool.handle_call(move |call: Call<()>, ()| {
            let done = done.clone();
            async move {
                call.elicit(SURE.question("sure", "Sure?"))
                    .await?
                    .accepted()?;
                done.add();
                Ok("done".to_owned())
            }
        })
    });
    Server::new(tools).with_keys(KeyRing::new(&[7; 32]).expect("a key"))
}

fn web(done: &Runs, store: impl Store) -> Web<()> {
    let runtime = Runtime::new(server(done)).with_store(store);
    Web::new(Endpoint::new(runtime))
}

fn call(tool: &str, state: Option<&Value>) -> Post {
    let mut params = json!({
        "name": tool,
        "arguments": {},
        "_meta": { "io.modelcontextprotocol/clientCapabilities": { "elicitation": {} } },
    });
    if let Some(state) = state {
        params["requestState"] = state.clone();
        params["inputResponses"] = json!({ "sure": { "action": "accept", "content": {} } });
    }
    Post::modern("tools/call", &params)
}

/// The state of a call that was asked.
async fn begun(web: &Web<()>, tool: &str) -> Value {
    let asked = web.send(&call(tool, None)).await.answer();
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
    asked["result"]["requestState"].clone()
}

// RS-06
#[tokio::test]
async fn replicas_that_share_a_store_take_an_answer_once_among_them() {
    let done = Runs::default();
    let store = Arc::new(MemoryStore::default());
    let replicas = [(); 2].map(|()| web(&done, Arc::clone(&store)));
    let state = begun(&replicas[0], "pay").await;
    let first = replicas[1].send(&call("pay", Some(&state))).await;
    assert_eq!(first.answer()["result"]["structuredContent"], "done");
    let junk = replicas[0].send(&call("pay", Some(&json!("junk")))).await;
    assert_eq!(junk.outcome(), (200, -32602));
    for replica in &replicas {
        let second = replica.send(&call("pay", Some(&state))).await;
        assert_eq!(second.body, junk.body);
    }
    assert_eq!(done.count(), 1);

    // Sealing alone does not do it.
    let state = begun(&replicas[0], "look").await;
    for replica in &replicas {
        let again = replica.send(&call("look", Some(&state))).await;
        assert_eq!(again.outcome(), (200, 0));
    }
    assert_eq!(done.count(), 3);
}

/// What a store was asked to put where there is nothing; it does whatever it is made to.
struct Told<F> {
    entries: Arc<Mutex<Vec<(String, Duration)>>>,
    answer: F,
}

impl<F> Told<F>
where
    F: Fn() -> StoreFuture<'static, bool> + Send + Sync + 'static,
{
    fn new(answer: F) -> Self {
        let entries = Arc::default();
        Self { entries, answer }
    }
}

impl<F> Store for Told<F>
where
    F: Fn() -> StoreFuture<'static, bool> + Send + Sync + 'static,
{
    fn put_new<'a>(
        &'a self,
        key: &'a str,
        _value: &'a [u8],
        lifetime: Duration,
    ) -> StoreFuture<'a, bool> {
        self.entries
            .lock()
            .expect("a lock")
            .push((key.to_owned(), lifetime));
        (self.answer)()
    }

    fn get<'a>(&'a self, _key: &'a str) -> StoreFuture<'a, Option<Vec<u8>>> {
        Box::pin(pending())
    }

    fn put<'a>(&'a self, _: &'a str, _: &'a [u8], _: Duration) -> StoreFuture<'a, ()> {
        Box::pin(pending())
    }

    fn delete<'a>(&'a self, _key: &'a str) -> StoreFuture<'a, ()> {
        Box::pin(pending())
    }
}

// RS-06, MRTR-13
#[tokio::test]
async fn a_store_is_told_of_good_state_only_and_how_long_it_matters() {
    let done = Runs::default();
    let store = Told::new(|| Box::pin(async { Ok(true) }));
    let entries = Arc::clone(&store.entries);
    let web = web(&done, store);
    let state = begun(&web, "pay").await;
    let other = begun(&web, "look").await;
    for bad in [&json!("junk"), &json!(""), &other] {
        let refused = web.send(&call("pay", Some(bad))).await;
        assert_eq!(refused.outcome(), (200, -32602));
    }
    web.send(&call("look", Some(&other))).await;
    assert_eq!(*entries.lock().expect("a lock"), []);
    web.send(&call("pay", Some(&state))).await;
    let entries = entries.lock().expect("a lock").clone();
    let [(key, lifetime)] = &*entries else {
        panic!("{entries:?}");
    };
    assert!(key.starts_with("relay/") && key.len() <= 100, "{key}");
    let range = Duration::from_secs(10 * 60)..=Duration::from_secs(12 * 60);
    assert!(range.contains(lifetime), "{lifetime:?}");
}

// RS-06
#[tokio::test(start_paused = true)]
async fn where_a_store_fails_nothing_is_done() {
    let done = Runs::default();
    let failing = || -> StoreFuture<'static, bool> {
        Box::pin(async { Err(StoreError::unavailable("connection refused")) })
    };
    let silent = || -> StoreFuture<'static, bool> { Box::pin(pending()) };
    let webs = [
        web(&done, Told::new(failing)),
        // Until the handler's deadline.
        web(&done, Told::new(silent)),
        web(&done, MemoryStore::with_capacity(0)),
    ];
    for web in &webs {
        let state = begun(web, "pay").await;
        let refused = web.send(&call("pay", Some(&state))).await;
        assert_eq!(refused.outcome(), (200, -32603), "{}", refused.error());
        assert!(
            !refused.error().contains("connection"),
            "{}",
            refused.error()
        );
    }
    assert_eq!(done.count(), 0);
    // What needs no store goes on.
    for web in &webs {
        let state = begun(web, "look").await;
        let again = web.send(&call("look", Some(&state))).await;
        assert_eq!(again.outcome(), (200, 0));
    }
    assert_eq!(done.count(), 3);
}
