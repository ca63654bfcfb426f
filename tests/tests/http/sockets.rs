//! A listener and its clients, byte for byte where that matters.

use std::{future::Future, net::SocketAddr, time::Duration};

use bytes::Bytes;
use http::{Request, StatusCode};
use http_body_util::{BodyExt as _, Full};
use hyper::{body::Incoming, client::conn::http2};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use relay_http::{Endpoint, Listener};
use relay_tests::web::Post;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpSocket, TcpStream},
};

/// What must happen does, or the test fails rather than hangs. Shorter than every default, so that
/// a setting that is ignored fails here.
pub(super) async fn soon<T>(future: impl Future<Output = T>) -> T {
    let happens = tokio::time::timeout(Duration::from_secs(5), future);
    happens.await.expect("it happens soon")
}

pub(super) async fn listen(endpoint: Endpoint<()>) -> Listener<()> {
    let listener = Listener::bind(endpoint, "127.0.0.1:0").await;
    listener.expect("a free port")
}

/// Runs the scenario while the listener serves; then nothing is left of it.
pub(super) async fn serving(listener: Listener<()>, scenario: impl Future<Output = ()>) {
    tokio::select! {
        () = listener.serve() => panic!("the listener ends"),
        () = async {
            scenario.await;
            deserted().await;
        } => {}
    }
}

/// How many tasks there are, of whatever kind.
pub(super) fn tasks() -> usize {
    let metrics = tokio::runtime::Handle::current().metrics();
    metrics.num_alive_tasks()
}

/// Waits until no task is left.
pub(super) async fn deserted() {
    soon(async {
        while tasks() > 0 {
            tokio::task::yield_now().await;
        }
    })
    .await;
}

/// Runs the scenario on a paused clock that goes on by a second at a time, each once all is done that
/// can be: by itself it would run ahead of what is on its way between two sockets.
pub(super) async fn second_by_second(scenario: impl Future<Output = ()>) {
    let clock = async {
        loop {
            for _ in 0..5000 {
                tokio::task::yield_now().await;
            }
            tokio::time::advance(Duration::from_secs(1)).await;
        }
    };
    tokio::select! {
        () = Box::pin(scenario) => {}
        () = clock => {}
    }
}

/// A connection whose client holds little of what it has not read.
pub(super) async fn connect(address: SocketAddr) -> TcpStream {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.set_recv_buffer_size(4096).expect("a small buffer");
    socket.connect(address).await.expect("a connection")
}

/// The bytes of a request over HTTP/1.1.
pub(super) fn raw(post: &Post, extra: &str) -> Vec<u8> {
    let (parts, _body) = post.request().into_parts();
    let body = post.json().to_string();
    let mut raw = format!("{} {} HTTP/1.1\r\n{extra}", parts.method, parts.uri).into_bytes();
    for (name, value) in &parts.headers {
        raw.extend_from_slice(name.as_str().as_bytes());
        raw.extend_from_slice(b": ");
        raw.extend_from_slice(value.as_bytes());
        raw.extend_from_slice(b"\r\n");
    }
    raw.extend_from_slice(format!("content-length: {}\r\n\r\n{body}", body.len()).as_bytes());
    raw
}

/// Sends a request over HTTP/1.1 and reads the first byte of what comes back.
pub(super) async fn begin(address: SocketAddr, post: &Post) -> TcpStream {
    let mut stream = connect(address).await;
    stream.write_all(&raw(post, "")).await.expect("it is sent");
    let first = soon(stream.read_u8()).await.expect("an answer begins");
    assert_eq!(first, b'H');
    stream
}

/// The status of one request over a connection of its own.
pub(super) async fn status(address: SocketAddr, post: &Post) -> u16 {
    let mut stream = connect(address).await;
    let raw = raw(post, "connection: close\r\n");
    stream.write_all(&raw).await.expect("it is sent");
    let mut answer = Vec::new();
    let read = soon(stream.read_to_end(&mut answer)).await;
    read.expect("an answer");
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let status = answer
        .strip_prefix("HTTP/1.1 ")
        .and_then(|rest| rest.get(..3));
    status.and_then(|status| status.parse().ok()).unwrap_or(0)
}

pub(super) type Sender = http2::SendRequest<Full<Bytes>>;
pub(super) type Driver = http2::Connection<TokioIo<TcpStream>, Full<Bytes>, TokioExecutor>;

/// How often clients of HTTP/2 ask whether the connection lives.
const PING: Duration = Duration::from_millis(50);

/// A connection over HTTP/2 whose client takes so many bytes of a stream before it is read.
pub(super) async fn multiplexed(address: SocketAddr, window: u32) -> (Sender, Driver) {
    let stream = connect(address).await;
    let opened = http2::Builder::new(TokioExecutor::new())
        .initial_stream_window_size(window)
        .initial_connection_window_size(1 << 30)
        .timer(TokioTimer::new())
        .keep_alive_interval(PING)
        .handshake(TokioIo::new(stream))
        .await;
    opened.expect("HTTP/2")
}

/// The request as HTTP/2 has it.
pub(super) fn absolute(post: &Post, address: SocketAddr) -> Request<Full<Bytes>> {
    let mut request = post.request();
    request.headers_mut().remove("host");
    *request.uri_mut() = format!("http://{address}/mcp").parse().expect("a URL");
    request
}

/// Sends a request over HTTP/2; its body is not read.
pub(super) async fn open(
    sender: &mut Sender,
    post: &Post,
    address: SocketAddr,
) -> (StatusCode, Incoming) {
    sender.ready().await.expect("an open connection");
    let response = sender.send_request(absolute(post, address)).await;
    let (parts, body) = response.expect("a response").into_parts();
    (parts.status, body)
}

/// The status of a response over HTTP/2, whose body is read.
pub(super) async fn exchange(sender: &mut Sender, post: &Post, address: SocketAddr) -> u16 {
    let (status, body) = open(sender, post, address).await;
    body.collect().await.expect("a whole body");
    status.as_u16()
}
