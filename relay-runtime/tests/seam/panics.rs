//! Authors' code that panics costs one answer.

use std::sync::{Arc, Mutex};

use relay_core::{Call, Peer, Prompt, Read, Resource, Server, Tool, codec, prompt, resource, tool};
use serde_json::{Value, json};

use crate::{
    support::{all, call, code, connect, ids, peer, request, rest, run, runtime, text},
    tools::{panicking, quick, slow},
};

fn assert_fixed(answer: &Value) {
    assert_eq!(code(answer), -32603);
    assert_eq!(answer["error"]["message"], "internal error");
}

// OPS-05, ERR-10, S13
#[tokio::test(start_paused = true)]
async fn a_panic_costs_one_answer_which_says_nothing_of_it() {
    let runtime = runtime([panicking("at /srv/secret"), quick(), slow("slow", 50)]);
    let (mut incoming, outgoing) = connect(&runtime);
    for (id, tool) in [(1, "slow"), (2, "panicking"), (3, "quick")] {
        incoming.receive(call(id, tool)).await.unwrap();
    }
    drop(incoming);
    let frames = rest(outgoing).await;
    assert_eq!(ids(&frames), [json!(2), json!(3), json!(1)]);
    assert_fixed(&frames[0]);
    assert_eq!((text(&frames[1]), text(&frames[2])), ("done", "slept"));
    assert_eq!(runtime.running(), 0);
}

// S13
#[tokio::test]
async fn a_panic_before_the_first_await_is_like_any_other() {
    let eager: Tool<()> = tool::define("eager", codec::object(()), codec::string()).handle(|()| {
        assert!(std::hint::black_box(false), "no such luck");
        async { Ok(String::new()) }
    });
    let runtime = runtime([eager, quick()]);
    let frames = all(runtime.exchange(call(1, "eager"), peer())).await;
    assert_eq!(frames.len(), 1);
    assert_fixed(&frames[0]);
    assert_eq!(frames[0]["id"], 1);
    assert_eq!(
        all(runtime.exchange(call(2, "quick"), peer())).await.len(),
        1
    );
}

// S13
#[tokio::test]
async fn a_panic_that_holds_a_lock_leaves_the_server_answering() {
    let shared = Arc::new(Mutex::new(0));
    let locked = Arc::clone(&shared);
    let holding: Tool<()> =
        tool::define("holding", codec::object(()), codec::string()).handle(move |()| {
            let locked = Arc::clone(&locked);
            async move {
                let mut count = locked.lock().unwrap();
                *count += 1;
                assert!(*count > 1, "the lock is held");
                Ok(String::new())
            }
        });
    let runtime = runtime([holding, quick()]);
    for id in [1, 2] {
        assert_fixed(&all(runtime.exchange(call(id, "holding"), peer())).await[0]);
    }
    assert!(shared.is_poisoned());
    assert_eq!(
        text(&all(runtime.exchange(call(3, "quick"), peer())).await[0]),
        "done"
    );
}

fn boom<T>() -> T {
    panic!("boom")
}

struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        assert!(std::thread::panicking(), "dropped");
    }
}

// S13
#[tokio::test(start_paused = true)]
async fn a_panic_while_a_cancelled_handler_is_dropped_stays_there() {
    let armed: Tool<()> =
        tool::define("armed", codec::object(()), codec::string()).handle(|()| async {
            let _bomb = Bomb;
            std::future::pending::<()>().await;
            Ok(String::new())
        });
    let runtime = runtime([armed, quick()]);
    let frames = all(runtime.exchange(call(1, "armed"), peer())).await;
    assert_eq!(code(&frames[0]), -32603);
    runtime.idle().await;
    assert_eq!(
        text(&all(runtime.exchange(call(2, "quick"), peer())).await[0]),
        "done"
    );
}

// S13
#[tokio::test]
async fn prompts_resources_and_completers_may_panic_too() {
    let prompt: Prompt<()> = prompt::define("p", prompt::required("a"))
        .complete("a", |_call: Call<()>, _prefix: String| async {
            Ok(vec![boom::<String>()])
        })
        .handle(|_a| async { Ok(vec![boom()]) });
    let resource: Resource<()> =
        resource::direct("note://1", "one").handle(|_read: Read<()>| async { Ok(vec![boom()]) });
    let server = Server::new([])
        .with_prompts([prompt])
        .with_resources([resource]);
    let runtime = run(server);
    let asked = [
        (
            "prompts/get",
            json!({ "name": "p", "arguments": { "a": "x" } }),
        ),
        ("resources/read", json!({ "uri": "note://1" })),
        (
            "completion/complete",
            json!({
                "ref": { "type": "ref/prompt", "name": "p" },
                "argument": { "name": "a", "value": "" },
            }),
        ),
    ];
    for (method, params) in asked {
        let frames = all(runtime.exchange(request(1, method, params), peer())).await;
        assert_eq!(frames.len(), 1, "{method}");
        assert_fixed(&frames[0]);
    }
}

// OPS-05
#[tokio::test]
async fn a_policy_that_panics_costs_one_answer() {
    let guarded: Tool<bool> = tool::define("guarded", codec::object(()), codec::string())
        .handle(|()| async { Ok("in".to_owned()) });
    let server = Server::new([guarded]).with_tool_visibility(|sane: &bool, _tool| {
        assert!(*sane, "the policy is broken");
        true
    });
    let runtime = run(server);
    for (method, params) in [
        ("tools/call", json!({ "name": "guarded" })),
        ("tools/list", json!({})),
    ] {
        let frame = request("x", method, params);
        let frames = all(runtime.exchange(frame.clone(), Peer::new(false))).await;
        assert_eq!((frames.len(), &frames[0]["id"]), (1, &json!("x")));
        assert_fixed(&frames[0]);
        let frames = all(runtime.exchange(frame, Peer::new(true))).await;
        assert!(frames[0].get("result").is_some(), "{method}");
    }
}
