//! Headers tell nothing of a tool that its caller may not see: `modern.md` §0.1, step 16 comes
//! after access.

use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use relay_core::{ClientCapabilities, Server, Tool, codec, tool};
use relay_http::Endpoint;
use relay_tests::web::{Post, Web};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::support::Runs;

#[derive(Deserialize, JsonSchema)]
struct Vault {
    #[schemars(extend("x-mcp-header" = "Region"))]
    region: String,
    #[schemars(extend("x-mcp-header" = "Level"))]
    level: Option<i64>,
}

fn vault(runs: &Runs) -> Tool<()> {
    let runs = runs.clone();
    tool::define("vault", codec::input::<Vault>(), codec::string())
        .with_required_capabilities(ClientCapabilities::new().with_sampling())
        .handle(move |vault: Vault| {
            runs.run();
            async move { Ok(format!("{} {:?}", vault.region, vault.level)) }
        })
}

fn other() -> Tool<()> {
    tool::define("other", codec::object(()), codec::string())
        .handle(|()| async { Ok("other".to_owned()) })
}

/// The tool as those see it who may not: one server that lacks it, one that hides it, one that
/// denies it, and one that does both.
fn servers(runs: &Runs) -> [Server<()>; 4] {
    let whole = || Server::new([vault(runs), other()]);
    let is_other = |(): &(), tool: &tool::Declaration| tool.name() == "other";
    [
        Server::new([other()]).with_tool_visibility(is_other),
        whole().with_tool_visibility(is_other),
        whole().with_tool_callability(is_other),
        whole()
            .with_tool_visibility(is_other)
            .with_tool_callability(is_other),
    ]
}

/// One header of these requests, in every way that it can be sent: not at all, right, wrong, so that
/// it can't be read, and twice.
fn each_way(posts: &[Post], name: &str, right: &str) -> Vec<Post> {
    let right = right.as_bytes();
    let ways: [&[&[u8]]; 7] = [
        &[],
        &[right],
        &[b"wrong"],
        &[b""],
        &[b"=?base64?ZXU?="],
        &[b"\xff"],
        &[right, right],
    ];
    let sent = |post: &Post, values: &[&[u8]]| {
        let bare = post.clone().without(name);
        values
            .iter()
            .fold(bare, |post, value| post.and(name, value))
    };
    posts
        .iter()
        .flat_map(|post| ways.map(|values| sent(post, values)))
        .collect()
}

/// Requests for the tool: every kind of argument with every combination of headers.
fn probes() -> Vec<Post> {
    let capabilities = json!({ "io.modelcontextprotocol/clientCapabilities": { "sampling": {} } });
    let mut posts = Vec::new();
    for arguments in [
        json!({ "region": "eu", "level": 7 }),
        json!({ "region": "eu" }),
        json!({}),
        json!({ "region": 5, "level": "high", "more": null }),
        json!({ "region": null, "level": null }),
        json!(null),
        json!([]),
    ] {
        for meta in [json!({}), capabilities.clone()] {
            let params = json!({ "name": "vault", "arguments": arguments, "_meta": meta });
            posts.push(Post::modern("tools/call", &params));
        }
    }
    let named = each_way(&posts[..1], "mcp-name", "vault");
    let posts = each_way(&posts, "mcp-param-region", "eu");
    let posts = each_way(&posts, "mcp-param-level", "7");
    [posts, named].concat()
}

type Shown = (StatusCode, HeaderMap, Bytes);

async fn shown(web: &Web<()>, post: &Post) -> Shown {
    let reply = web.send(post).await;
    (reply.status, reply.headers, reply.body)
}

/// What the first server shows the others show as well, byte for byte.
async fn all_alike(runs: &Runs, posts: &[Post]) {
    let webs = servers(runs).map(|server| Web::new(Endpoint::new(server)));
    for post in posts {
        let [missing, denied @ ..] = &webs;
        let missing = shown(missing, post).await;
        for web in denied {
            assert_eq!(shown(web, post).await, missing, "{post:?}");
        }
    }
    assert_eq!(runs.count(), 0);
}

// TOOL-05, TOOL-18, TOOL-22, XMH-08, XMH-09, XMH-11, XMH-13, XMH-14, HDR-05, HDR-07
#[tokio::test]
async fn no_header_tells_a_hidden_tool_from_one_that_is_not_there() {
    let runs = Runs::default();
    let probes = probes();
    assert_eq!(probes.len(), 7 * 2 * 49 + 7);
    all_alike(&runs, &probes).await;
    // The same probes do tell something to whoever may call the tool.
    let web = Web::new(Endpoint::new(Server::new([vault(&runs), other()])));
    let mut outcomes = std::collections::BTreeSet::new();
    for post in &probes {
        outcomes.insert(web.send(post).await.outcome());
    }
    let all = [(200, -32602), (200, 0), (400, -32021), (400, -32020)];
    assert_eq!(outcomes, all.into());
    assert!(runs.count() > 0);
}

// LF-06, LF-11, LH-24
#[tokio::test]
async fn no_header_tells_a_legacy_client_either() {
    let runs = Runs::default();
    let mut posts = Vec::new();
    for revision in super::support::LEGACY {
        let params = json!({ "name": "vault", "arguments": { "region": "eu" } });
        let post = Post::legacy(revision, "tools/call", &params);
        posts.extend(each_way(&[post], "mcp-param-region", "eu"));
    }
    all_alike(&runs, &posts).await;
}

// TOOL-22
#[tokio::test]
async fn what_is_listed_names_no_hidden_tool() {
    let runs = Runs::default();
    let mut posts = vec![
        Post::modern("tools/list", &json!({})),
        Post::modern("server/discover", &json!({})),
        Post::modern("tools/list", &json!({ "cursor": "vault" })),
    ];
    for revision in super::support::LEGACY {
        posts.push(Post::legacy(revision, "tools/list", &json!({})));
    }
    // A tool that is seen and denied is listed: it is for those who hide it.
    let [missing, hidden, _, both] = servers(&runs);
    for post in &posts {
        let missing = shown(&Web::new(Endpoint::new(missing.clone())), post).await;
        for server in [&hidden, &both] {
            let web = Web::new(Endpoint::new(server.clone()));
            assert_eq!(shown(&web, post).await, missing, "{post:?}");
        }
        let text = String::from_utf8_lossy(&missing.2).into_owned();
        assert!(!text.contains("vault"), "{text}");
    }
}
