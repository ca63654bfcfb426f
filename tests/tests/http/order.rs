//! `modern.md` §0.1 and §0.2: of several things that are wrong with a request, the first in the
//! order of judgement is answered, with its status and code.

use http::Method;
use proptest::{prelude::*, sample::subsequence};
use relay_core::{ClientCapabilities, Error, Principal, Server, codec, tool};
use relay_http::{Endpoint, StaticTokens};
use relay_tests::web::{Post, Reply, Web};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::support::Runs;

/// What can be wrong with a call, in the order in which it is judged; the last one ends [`ORDER`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    Host,
    Origin,
    Credentials,
    HttpMethod,
    ContentType,
    Accept,
    Size,
    Json,
    Envelope,
    Meta,
    VersionHeader,
    Version,
    MethodHeader,
    NameHeader,
    Advertised,
    Shape,
    Target,
    Capability,
    Parameter,
    Arguments,
    Handler,
}

/// All of them: one that is left out does not compile.
const ORDER: [Fault; Fault::Handler as usize + 1] = [
    Fault::Host,
    Fault::Origin,
    Fault::Credentials,
    Fault::HttpMethod,
    Fault::ContentType,
    Fault::Accept,
    Fault::Size,
    Fault::Json,
    Fault::Envelope,
    Fault::Meta,
    Fault::VersionHeader,
    Fault::Version,
    Fault::MethodHeader,
    Fault::NameHeader,
    Fault::Advertised,
    Fault::Shape,
    Fault::Target,
    Fault::Capability,
    Fault::Parameter,
    Fault::Arguments,
    Fault::Handler,
];

impl Fault {
    /// The status, the code, and a part of the text that no other fault has.
    fn outcome(self) -> (u16, i64, &'static str) {
        match self {
            Self::Host => (403, -32600, "host"),
            Self::Origin => (403, -32600, "origin"),
            Self::Credentials => (401, -32600, "bearer token"),
            Self::HttpMethod => (405, -32600, "POST"),
            Self::ContentType => (415, -32600, "Content-Type"),
            Self::Accept => (406, -32600, "Accept"),
            Self::Size => (413, -32600, "bytes"),
            Self::Json => (400, -32700, ""),
            Self::Envelope => (400, -32600, "jsonrpc"),
            Self::Meta => (400, -32602, "clientCapabilities"),
            Self::VersionHeader => (400, -32020, "MCP-Protocol-Version"),
            Self::Version => (400, -32022, "v999"),
            Self::MethodHeader => (400, -32020, "Mcp-Method"),
            Self::NameHeader => (400, -32020, "Mcp-Name"),
            Self::Advertised => (404, -32601, ""),
            Self::Shape => (200, -32602, "`arguments`"),
            Self::Target => (200, -32602, "unknown tool"),
            Self::Capability => (400, -32021, ""),
            Self::Parameter => (400, -32020, "Mcp-Param-Region"),
            Self::Arguments => (200, 0, "/urgent"),
            Self::Handler => (200, 0, "the shop is closed"),
        }
    }
}

#[derive(Deserialize, JsonSchema)]
struct Order {
    #[schemars(extend("x-mcp-header" = "Region"))]
    region: String,
    urgent: Option<bool>,
    fails: Option<bool>,
}

fn endpoint(runs: Runs, advertised: bool) -> Endpoint<()> {
    let order = tool::define("order", codec::input::<Order>(), codec::string())
        .with_required_capabilities(ClientCapabilities::new().with_sampling())
        .handle(move |order: Order| {
            runs.run();
            async move {
                match (order.fails, order.urgent) {
                    (Some(true), _) => Err(Error::new("the shop is closed")),
                    (_, urgent) => Ok(format!("{} {urgent:?}", order.region)),
                }
            }
        });
    let tokens = StaticTokens::new([("ada-token", Principal::new("i", "ada"))]);
    Endpoint::new(Server::new(advertised.then_some(order)))
        .with_verifier(tokens.expect("a token"))
        .with_body_limit(4096)
        .expect("a limit")
}

/// A call that would be served, but for these faults.
fn request(faults: &[Fault]) -> Post {
    let has = |fault| faults.contains(&fault);
    let mut arguments = json!({ "region": "eu" });
    if has(Fault::Arguments) {
        arguments["urgent"] = json!("yes");
    }
    if has(Fault::Handler) {
        arguments["fails"] = json!(true);
    }
    if has(Fault::Shape) {
        arguments = json!([arguments]);
    }
    let name = if has(Fault::Target) {
        "nothing"
    } else {
        "order"
    };
    let version = if has(Fault::Version) {
        "v999"
    } else {
        "2026-07-28"
    };
    let capabilities = match () {
        () if has(Fault::Meta) => json!(null),
        () if has(Fault::Capability) => json!({}),
        () => json!({ "sampling": {} }),
    };
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    });
    let params = json!({ "name": name, "arguments": arguments, "_meta": meta });
    let mut post = Post::modern("tools/call", &params)
        .with("authorization", "Bearer ada-token")
        .with("mcp-protocol-version", version)
        .with("mcp-param-region", "eu");
    if has(Fault::Envelope) {
        let mut message = post.json();
        message["jsonrpc"] = json!("1.0");
        post = post.saying(message.to_string());
    }
    if has(Fault::Json) {
        let whole = post.json().to_string();
        let cut = whole.strip_suffix('}').expect("an object").to_owned();
        post = post.saying(cut);
    }
    for fault in faults {
        post = match fault {
            Fault::Host => post.with("host", "evil.example"),
            Fault::Origin => post.with("origin", "https://evil.example"),
            Fault::Credentials => post.without("authorization"),
            Fault::HttpMethod => post.by(Method::PUT),
            Fault::ContentType => post.with("content-type", "text/plain"),
            Fault::Accept => post.with("accept", "text/html"),
            Fault::Size => post.with("content-length", "4097"),
            Fault::VersionHeader => post.without("mcp-protocol-version"),
            Fault::MethodHeader => post.without("mcp-method"),
            Fault::NameHeader => post.without("mcp-name"),
            Fault::Parameter => post.without("mcp-param-region"),
            _ => post,
        };
    }
    post
}

/// What the client is told: the text of the error, or of the tool.
fn told(reply: &Reply) -> String {
    let answer = reply.answer();
    let text = answer.pointer("/result/content/0/text");
    let text = text.and_then(Value::as_str).map(str::to_owned);
    text.unwrap_or_else(|| answer["error"].to_string())
}

/// Sends a call with these faults and says what the first of them, in order, should come to.
async fn first_is_answered(faults: &[Fault]) {
    let runs = Runs::default();
    let advertised = !faults.contains(&Fault::Advertised);
    let web = Web::new(endpoint(runs.clone(), advertised));
    let reply = web.send(&request(faults)).await;
    let (status, code, part) = faults[0].outcome();
    let told = told(&reply);
    assert_eq!(reply.outcome(), (status, code), "{faults:?}: {told}");
    assert!(told.contains(part), "{faults:?}: {told}");
    // Only a call that nothing else is wrong with gets to its handler.
    assert_eq!(runs.count(), usize::from(faults[0] == Fault::Handler));
    let is_error = reply.answer().pointer("/result/isError") == Some(&json!(true));
    assert_eq!(is_error, code == 0, "{faults:?}");
}

#[test]
fn the_order_is_that_of_the_faults() {
    assert!(
        ORDER
            .iter()
            .enumerate()
            .all(|(at, fault)| *fault as usize == at)
    );
}

#[tokio::test]
async fn a_call_without_faults_is_served() {
    let runs = Runs::default();
    let web = Web::new(endpoint(runs.clone(), true));
    let reply = web.send(&request(&[])).await;
    assert_eq!(reply.outcome(), (200, 0));
    assert_eq!(told(&reply), "eu None");
    assert_eq!(runs.count(), 1);
}

// HTTP-02, HTTP-07, HTTP-16, HTTP-26, AUTH-13, JR-05, META-01, META-03, HDR-01, HDR-02, HDR-03,
// HDR-05, VER-01, ERR-07, TOOL-05, TOOL-06, TOOL-07, XMH-08
#[tokio::test]
async fn of_two_faults_the_earlier_is_answered() {
    for (at, first) in ORDER.iter().enumerate() {
        first_is_answered(&[*first]).await;
        for second in &ORDER[at + 1..] {
            first_is_answered(&[*first, *second]).await;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn of_any_number_of_faults_the_earliest_is_answered(
        faults in subsequence(&ORDER[..], 1..=ORDER.len()),
    ) {
        let executor = tokio::runtime::Builder::new_current_thread().enable_time().build();
        executor.expect("an executor").block_on(first_is_answered(&faults));
    }
}

// Two neighbours in the order that one request can't show both of: a body without its `_meta` is
// refused for that, whatever its header says, and a notification has no headers to judge.
// META-01, HDR-02, HTTP-14
#[tokio::test]
async fn what_has_no_envelope_is_refused_for_that() {
    let web = Web::new(Endpoint::new(Server::<()>::new([])));
    let bare = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {} });
    let post = Post::modern("server/discover", &json!({})).saying(bare.to_string());
    assert_eq!(web.send(&post).await.outcome(), (400, -32602));
    let unheaded = post.without("mcp-method");
    assert_eq!(web.send(&unheaded).await.outcome(), (400, -32602));
    let notification = json!({ "jsonrpc": "2.0", "method": "notifications/x" });
    let reply = web.send(&unheaded.saying(notification.to_string())).await;
    assert_eq!(reply.status, 202);
}
