//! `modern.md` RS-10: what an operator is told of keys that end with the process.

use relay_core::{KeyRing, Server};
use relay_http::{Endpoint, Listener, ServeError};
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
