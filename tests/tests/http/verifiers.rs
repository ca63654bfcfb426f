//! What the operator's own code decides before a handler: verifiers and context functions.

use std::time::Duration;

use http::request::Parts;
use relay_core::{Principal, Server, codec, tool};
use relay_http::{Endpoint, Refusal, Verifier};
use relay_runtime::{Limits, Runtime};
use relay_tests::{
    fixture::{self, Guest},
    web::Web,
};

use super::{
    access::{call, server},
    support::Runs,
};

/// Decides as it was made to.
struct Odd {
    decide: fn() -> Result<Principal, Refusal>,
    after: Duration,
    runs: Runs,
}

impl Verifier for Odd {
    async fn verify(&self, _parts: &Parts) -> Result<Principal, Refusal> {
        self.runs.run();
        tokio::time::sleep(self.after).await;
        (self.decide)()
    }
}

// AUTH-08, AUTH-18, OPS-05
#[tokio::test(start_paused = true)]
async fn a_verifier_may_refuse_be_unable_or_fail() {
    let asked = Runs::default();
    let web = |decide, seconds| {
        let verifier = Odd {
            decide,
            after: Duration::from_secs(seconds),
            runs: asked.clone(),
        };
        let limits = Limits::default().with_deadline(Duration::from_secs(3));
        let runtime = Runtime::new(fixture::server()).with_limits(limits);
        Web::new(
            Endpoint::from_context(runtime, |_parts| async { Ok(Guest::default()) })
                .with_verifier(verifier),
        )
    };
    let reply = web(|| Err(Refusal::insufficient_scope(["w"])), 0)
        .send(&call("noargs"))
        .await;
    assert_eq!(reply.outcome(), (403, -32600));
    assert!(reply.header("www-authenticate").contains("scope=\"w\""));
    let reply = web(|| Err(Refusal::unavailable()), 0)
        .send(&call("noargs"))
        .await;
    assert_eq!(reply.outcome(), (503, -32603));
    assert_eq!(reply.header("retry-after"), "1");
    let late = || Ok(Principal::new("i", "late"));
    let reply = web(late, 60).send(&call("noargs")).await;
    assert_eq!(reply.outcome(), (503, -32603));
    let reply = web(|| panic!("secret"), 0).send(&call("noargs")).await;
    assert_eq!(reply.outcome(), (500, -32603));
    assert!(!String::from_utf8_lossy(&reply.body).contains("secret"));
    assert_eq!(asked.count(), 4);
}

// CAN-04: one deadline is for all three together.
#[tokio::test(start_paused = true)]
async fn verifier_context_and_handler_share_one_deadline() {
    let outcome = async |verifying: u64, context: u64, handling: u64| {
        let slow =
            tool::define("slow", codec::object(()), codec::string()).handle(move |()| async move {
                tokio::time::sleep(Duration::from_secs(handling)).await;
                Ok("done".to_owned())
            });
        let verifier = Odd {
            decide: || Ok(Principal::new("i", "s")),
            after: Duration::from_secs(verifying),
            runs: Runs::default(),
        };
        let endpoint = Endpoint::from_context(Server::new([slow]), move |_parts| async move {
            tokio::time::sleep(Duration::from_secs(context)).await;
            Ok(())
        });
        let began = tokio::time::Instant::now();
        let post = call("slow").with("accept", "application/json");
        let reply = Web::new(endpoint.with_verifier(verifier)).send(&post).await;
        (reply.outcome(), began.elapsed().as_secs())
    };
    assert_eq!(outcome(9, 9, 9).await, ((200, 0), 27));
    assert_eq!(outcome(9, 9, 13).await, ((200, -32603), 30));
    assert_eq!(outcome(0, 0, 31).await, ((200, -32603), 30));
    assert_eq!(outcome(31, 0, 0).await, ((503, -32603), 30));
    assert_eq!(outcome(20, 11, 0).await, ((503, -32603), 30));
}

#[tokio::test]
async fn a_context_function_may_refuse() {
    let endpoint = Endpoint::from_context(server(), |_parts| async {
        Err::<String, _>(Refusal::forbidden("this tenant is closed"))
    });
    let reply = Web::new(endpoint).send(&call("whoami")).await;
    assert_eq!(reply.outcome(), (403, -32600));
    assert_eq!(reply.error(), "this tenant is closed");
}
