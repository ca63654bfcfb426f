use std::{
    io::{self, Write},
    net::SocketAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use http::Response;
use http_body_util::{BodyExt as _, Full};
use hyper::{body::Incoming, client::conn::http1};
use hyper_util::rt::TokioIo;
use relay_core::{Call, Revision, Server, Tool, codec, tool};
use relay_http::{Endpoint, Listener};
use relay_runtime::Runtime;
pub(crate) use relay_tests::wire::LEGACY;
use relay_tests::{
    fixture::{self, Guest},
    web::{Post, Web},
};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::net::TcpStream;
use tracing::{Level, subscriber::DefaultGuard};
use tracing_subscriber::fmt::format::FmtSpan;

/// How often a tool ran.
#[derive(Clone, Debug, Default)]
pub(crate) struct Runs(Arc<AtomicUsize>);

impl Runs {
    pub(crate) fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }

    pub(crate) fn run(&self) {
        self.0.fetch_add(1, Ordering::SeqCst);
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
            runs.run();
            async move {
                let id = place.site.and_then(|site| site.id);
                Ok(format!("{:?} {:?} {id:?}", place.region, place.urgent))
            }
        },
    )
}

/// Serves an endpoint on a port of its own for as long as this lasts.
pub(crate) async fn listening<C: Send + Sync + 'static>(
    endpoint: Endpoint<C>,
    scenario: impl AsyncFnOnce(SocketAddr),
) {
    let listener = Listener::bind(endpoint, "127.0.0.1:0").await;
    let listener = listener.expect("a free port");
    let address = listener.local_addr();
    tokio::select! {
        () = listener.serve() => panic!("the listener ends"),
        () = scenario(address) => {}
    }
}

/// What a client does over one connection of HTTP/1.1.
pub(crate) async fn connected(address: SocketAddr, requests: impl AsyncFnOnce(Client)) {
    let stream = TcpStream::connect(address).await.expect("a connection");
    let opened = http1::handshake(TokioIo::new(stream)).await;
    let (sender, connection) = opened.expect("HTTP/1.1");
    tokio::select! {
        () = requests(Client(sender)) => {}
        _ = connection => panic!("the connection ends"),
    }
}

/// One connection of HTTP/1.1.
pub(crate) struct Client(http1::SendRequest<Full<Bytes>>);

impl Client {
    /// The status and the body of a response.
    pub(crate) async fn send(&mut self, post: &Post) -> (u16, String) {
        self.0.ready().await.expect("the connection is kept");
        let response = self.0.send_request(post.request()).await;
        read(response.expect("a response")).await
    }
}

/// The status and the body of a response.
pub(crate) async fn read(response: Response<Incoming>) -> (u16, String) {
    let status = response.status().as_u16();
    let body = response.into_body().collect().await.expect("a whole body");
    let text = String::from_utf8_lossy(&body.to_bytes()).into_owned();
    (status, text)
}

/// What is logged on this thread.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    /// Listens, for as long as the guard lives, once `said` is heard of what `say` does. It may take
    /// a while: a thread where nobody listens may be about to note that nobody does anywhere.
    pub(crate) async fn hear(
        level: Level,
        said: &str,
        say: impl AsyncFn(),
    ) -> (Self, DefaultGuard) {
        for _ in 0..1000 {
            let log = Self::default();
            let guard = log.listen(level);
            say().await;
            if log.text().contains(said) {
                log.0.lock().expect("a log").clear();
                return (log, guard);
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        panic!("{said} is not heard");
    }

    fn listen(&self, level: Level) -> DefaultGuard {
        let writer = self.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_max_level(level)
            .with_span_events(FmtSpan::FULL)
            .with_writer(move || writer.clone())
            .finish();
        tracing::subscriber::set_default(subscriber)
    }

    /// All that was logged so far.
    pub(crate) fn text(&self) -> String {
        let log = self.0.lock().expect("a log").clone();
        String::from_utf8(log).expect("text")
    }
}

impl Write for Log {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("a log").extend(line);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The status and the body of one request, over a connection of its own.
pub(crate) async fn fetch(address: SocketAddr, post: &Post) -> (u16, String) {
    let stream = TcpStream::connect(address).await.expect("a connection");
    let opened = http1::handshake(TokioIo::new(stream)).await;
    let (sender, connection) = opened.expect("HTTP/1.1");
    let mut client = Client(sender);
    tokio::select! {
        fetched = client.send(post) => fetched,
        _ = connection => panic!("the connection ends"),
    }
}
