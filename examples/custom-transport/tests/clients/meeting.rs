//! A server where clients meet, and its clients.

use std::io;
use std::sync::Arc;

use custom_transport::frame::{self, Received};
use custom_transport::pipe;
use relay_core::{Call, Peer, Principal, Server, codec, tool};
use relay_runtime::Runtime;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite, DuplexStream, duplex, split};
use tokio::sync::{Barrier, Notify};

/// Where clients meet.
pub(crate) struct Hall {
    pair: Barrier,
    pub(crate) waiting: Notify,
    pub(crate) left: Notify,
}

impl Hall {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            pair: Barrier::new(2),
            waiting: Notify::new(),
            left: Notify::new(),
        })
    }
}

pub(crate) fn server() -> Server<Hall> {
    let meet = tool::define("meet", codec::object(()), codec::string())
        .with_description("Waits until another client calls as well.")
        .handle_call(|call: Call<Hall>, ()| async move {
            call.context().pair.wait().await;
            Ok("met".to_owned())
        });
    let wait = tool::define("wait", codec::object(()), codec::string())
        .with_description("Waits until the client leaves.")
        .handle_call(|call: Call<Hall>, ()| async move {
            call.context().waiting.notify_one();
            call.cancelled().await;
            call.context().left.notify_one();
            Ok("left".to_owned())
        });
    let user = tool::define("user", codec::object(()), codec::string())
        .with_description("Who the client is.")
        .handle_call(|call: Call<Hall>, ()| async move {
            let user = call.principal().map(Principal::subject);
            Ok(user.unwrap_or("nobody").to_owned())
        });
    Server::new([meet, user, wait])
}

pub(crate) struct Client<S>(pub(crate) S);

impl<S: AsyncRead + AsyncWrite + Unpin> Client<S> {
    pub(crate) async fn send(&mut self, tool: &str) {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let params = json!({ "name": tool, "_meta": meta });
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let request = request.to_string();
        frame::write(&mut self.0, request.as_bytes()).await.unwrap();
    }

    /// The next message, or nothing where the server has hung up.
    pub(crate) async fn receive(&mut self) -> Option<Value> {
        match frame::read(&mut self.0).await.unwrap() {
            Received::Frame(frame) => Some(serde_json::from_slice(&frame).unwrap()),
            Received::End => None,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) async fn call(&mut self, tool: &str) -> String {
        self.send(tool).await;
        let answer = self.receive().await.unwrap();
        let output = &answer["result"]["structuredContent"];
        output
            .as_str()
            .unwrap_or_else(|| panic!("{answer}"))
            .to_owned()
    }
}

/// A client of the runtime, and the connection to be driven beside it.
pub(crate) fn connect(
    runtime: &Runtime<Hall>,
    hall: &Arc<Hall>,
) -> (Client<DuplexStream>, impl Future<Output = io::Result<()>>) {
    let (near, far) = duplex(64);
    let (reader, writer) = split(far);
    let connection = pipe::serve(runtime, Peer::new(Arc::clone(hall)), reader, writer);
    (Client(near), connection)
}
