//! A listener of one's own.

use relay_core::{Principal, Server};
use relay_http::{Endpoint, Listener, ServeError, StaticTokens};
use relay_tests::web::Post;
use serde_json::json;

use super::support::{connected, listening};

fn server() -> Server<()> {
    let tool = relay_core::tool::define(
        "noargs",
        relay_core::codec::object(()),
        relay_core::codec::string(),
    );
    Server::new([tool.handle(|()| async { Ok("done".to_owned()) })])
}

fn endpoint() -> Endpoint<()> {
    Endpoint::new(server())
}

// HTTP-06, HTTP-29, LH-03
#[tokio::test]
async fn ports_beyond_this_machine_need_a_reason() {
    let any = "0.0.0.0:0";
    let refused = Listener::bind(endpoint(), any)
        .await
        .expect_err("nobody is asked");
    assert!(
        matches!(refused, ServeError::Unprotected { .. }),
        "{refused}"
    );
    assert!(refused.to_string().contains("with_verifier"));
    assert!(
        Listener::bind(endpoint().allow_unauthenticated(), any)
            .await
            .is_ok()
    );
    let tokens = StaticTokens::new([("a", Principal::new("i", "s"))]).expect("a token");
    assert!(
        Listener::bind(endpoint().with_verifier(tokens), any)
            .await
            .is_ok()
    );
}

#[tokio::test]
async fn a_port_in_use_is_one_sentence() {
    let first = Listener::bind(endpoint(), "127.0.0.1:0")
        .await
        .expect("a free port");
    let second = Listener::bind(endpoint(), first.local_addr()).await;
    let error = second.expect_err("the port is taken");
    assert!(matches!(error, ServeError::Bind(_)));
    assert_eq!(error.to_string().lines().count(), 1);
}

// H09, HTTP-01
#[tokio::test]
async fn paths_are_served_without_redirects() {
    let list = Post::modern("tools/list", &json!({}));
    listening(endpoint(), async |address| {
        let fetch = async |post: &Post| {
            let mut fetched = (0, String::new());
            connected(address, async |mut client| {
                fetched = client.send(post).await;
            })
            .await;
            fetched
        };
        for (path, status) in [
            ("/mcp", 200),
            ("/mcp/", 200),
            ("/mcp?x=1", 200),
            ("/", 404),
            ("/other", 404),
        ] {
            let (found, body) = fetch(&list.clone().to(path)).await;
            assert_eq!(found, status, "{path}");
            assert!(
                body.starts_with("{\"") && body.contains("\"jsonrpc\":\"2.0\""),
                "{body}"
            );
        }
        let health = list
            .clone()
            .by(http::Method::GET)
            .to("/healthz")
            .with("host", "10.0.0.7");
        assert_eq!(fetch(&health).await, (200, "ok\n".to_owned()));
        let (status, body) = fetch(&health.by(http::Method::POST)).await;
        assert_eq!(status, 405);
        assert!(
            body.contains("GET, HEAD") && !body.contains("POST"),
            "{body}"
        );
        let foreign = list.clone().with("host", "evil.example");
        assert_eq!(fetch(&foreign).await.0, 403);
    })
    .await;
}
