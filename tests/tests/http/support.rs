use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use http_body_util::BodyExt as _;
use hyper_util::rt::TokioIo;
use relay_core::{Call, Revision, Server, Tool, codec, tool};
use relay_http::Endpoint;
use relay_runtime::Runtime;
use relay_tests::{
    fixture::{self, Guest},
    web::{Post, Web},
};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::net::TcpStream;

/// How often the tool `where` ran.
#[derive(Clone, Debug, Default)]
pub(crate) struct Runs(Arc<AtomicUsize>);

impl Runs {
    pub(crate) fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

/// The fixture and a tool whose arguments headers repeat.
pub(crate) fn server() -> (Server<Guest>, Runs) {
    let runs = Runs::default();
    let server = fixture::server().register_tool(mirrored(runs.clone()));
    (server.expect("a free name"), runs)
}

pub(crate) fn endpoint_of(runtime: impl Into<Runtime<Guest>>) -> Endpoint<Guest> {
    Endpoint::from_context(runtime, |_parts| async { Ok(Guest::default()) })
}

pub(crate) fn web() -> Web<Guest> {
    Web::new(endpoint_of(server().0))
}

/// The endpoint of a server that speaks these revisions only.
pub(crate) fn web_of(revisions: &[Revision]) -> Web<Guest> {
    let server = fixture::server().with_revisions(revisions.iter().copied());
    Web::new(endpoint_of(server))
}

pub(crate) fn modern_only() -> Web<Guest> {
    web_of(&[Revision::V2026_07_28])
}

pub(crate) const LEGACY: [Revision; 3] = [
    Revision::V2025_11_25,
    Revision::V2025_06_18,
    Revision::V2025_03_26,
];

#[derive(Deserialize, JsonSchema)]
struct Where {
    #[schemars(extend("x-mcp-header" = "Region"))]
    region: Option<String>,
    #[schemars(extend("x-mcp-header" = "Urgent"))]
    urgent: Option<bool>,
    site: Option<Site>,
}

#[derive(Deserialize, JsonSchema)]
struct Site {
    #[schemars(extend("x-mcp-header" = "Site-Id"))]
    id: Option<i64>,
}

fn mirrored(runs: Runs) -> Tool<Guest> {
    tool::define("where", codec::input::<Where>(), codec::string()).handle_call(
        move |_call: Call<Guest>, place: Where| {
            runs.0.fetch_add(1, Ordering::SeqCst);
            async move {
                let id = place.site.and_then(|site| site.id);
                Ok(format!("{:?} {:?} {id:?}", place.region, place.urgent))
            }
        },
    )
}

/// The status and body of one request over a connection of its own.
pub(crate) async fn fetch(address: SocketAddr, post: &Post) -> (u16, String) {
    let stream = TcpStream::connect(address).await.expect("a connection");
    let opened = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await;
    let (mut sender, connection) = opened.expect("HTTP/1.1");
    let exchange = async {
        let response = sender
            .send_request(post.request())
            .await
            .expect("a response");
        let status = response.status().as_u16();
        let body = response.into_body().collect().await.expect("a whole body");
        (
            status,
            String::from_utf8_lossy(&body.to_bytes()).into_owned(),
        )
    };
    tokio::select! {
        fetched = exchange => fetched,
        _ = connection => panic!("the connection ends"),
    }
}
