//! `modern.md` RS-10: what an operator is told of keys that end with the process, and RS-06: of a
//! store that does.

use relay_core::{KeyRing, Server, codec, tool};
use relay_http::{Endpoint, Listener, ServeError};
use relay_runtime::{Runtime, store::MemoryStore};
use tracing::Level;

use super::support::Log;

/// Listens on an address; nothing is accepted.
async fn bind(server: Server<()>, address: &str) {
    let endpoint = Endpoint::new(server).allow_unauthenticated();
    assert!(Listener::bind(endpoint, address).await.is_ok());
}

// RS-10
#[tokio::test]
async fn random_keys_are_warned_of_where_replicas_may_be() {
    let kept = || Server::new([]).with_keys(KeyRing::new(&[7; 32]).expect("a key"));
    let (log, _guard) = Log::hear(Level::WARN, "with_keys", async || {
        bind(Server::new([]), "0.0.0.0:0").await;
    })
    .await;
    bind(Server::new([]), "127.0.0.1:0").await;
    bind(kept(), "0.0.0.0:0").await;
    assert_eq!(log.text(), "");
    bind(Server::new([]), "0.0.0.0:0").await;
    let said = log.text();
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(said.contains("WARN") && said.contains("random"), "{said}");
    // Where there are replicas, it is a mistake.
    for (server, is_served) in [(Server::new([]), false), (kept(), true)] {
        let endpoint = Endpoint::new(server).replicated();
        match Listener::bind(endpoint, "127.0.0.1:0").await {
            Ok(_) => assert!(is_served),
            Err(error) => assert!(!is_served && matches!(error, ServeError::RandomKeys)),
        }
    }
}

// RS-06
#[tokio::test]
async fn replicas_with_a_single_use_tool_share_a_store() {
    let tool = |name| tool::define(name, codec::object(()), codec::string());
    let server = |once: bool| {
        let pay = if once {
            tool("pay").single_use()
        } else {
            tool("pay")
        };
        let done = |()| async { Ok("done".to_owned()) };
        let tools = [tool("ask").handle(done), pay.handle(done)];
        Server::<()>::new(tools).with_keys(KeyRing::new(&[7; 32]).expect("a key"))
    };
    let given = Runtime::new(server(true)).with_store(MemoryStore::default());
    // A clone is the same runtime.
    for runtime in [given.clone(), given, server(false).into()] {
        let endpoint = Endpoint::new(runtime).replicated();
        assert!(Listener::bind(endpoint, "127.0.0.1:0").await.is_ok());
    }
    let alone = Endpoint::new(server(true));
    assert!(Listener::bind(alone, "127.0.0.1:0").await.is_ok());

    let forgetful = Endpoint::new(server(true)).replicated();
    let refused = Listener::bind(forgetful, "127.0.0.1:0").await;
    let error = refused.expect_err("each replica would take an answer once");
    assert!(matches!(&error, ServeError::OwnStore { tool } if tool == "pay"));
    let said = error.to_string();
    assert!(
        said.contains("\"pay\"") && said.contains("`with_store`"),
        "{said}"
    );
    assert_eq!(said.lines().count(), 1);
}
