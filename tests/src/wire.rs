//! One connection to a server, frame by frame and without a transport. Every message that the
//! server sends is judged by the published schema of its revision.

use std::{
    future::poll_fn,
    panic::{AssertUnwindSafe, catch_unwind},
    task::Poll,
    time::Instant,
};

use bytes::Bytes;
use relay_core::{
    IntoContext, Peer, Principal, Revision, Server,
    dispatch::{Bounds, Dispatch, Failure, Invocation},
    protocol::{jsonrpc, legacy::Handshake},
};
use serde_json::{Map, Value, json, value::RawValue};

use crate::schema;

/// The revisions that open with `initialize`, newest first.
pub const LEGACY: [Revision; 3] = [
    Revision::V2025_11_25,
    Revision::V2025_06_18,
    Revision::V2025_03_26,
];

/// One connection to a server.
#[derive(Debug)]
pub struct Wire<C> {
    server: Server<C>,
    peer: Peer<C>,
    handshake: Handshake,
    revision: Revision,
    next_id: i64,
}

impl<C: Send + Sync + 'static> Wire<C> {
    /// A fresh connection of a modern client.
    pub fn new(server: Server<C>, context: impl IntoContext<C>) -> Self {
        Self {
            server,
            peer: Peer::new(context),
            handshake: Handshake::new(),
            revision: Revision::V2026_07_28,
            next_id: 1,
        }
    }

    /// The same connection of a known caller.
    #[must_use]
    pub fn with_principal(self, principal: Principal) -> Self {
        Self {
            peer: self.peer.with_principal(principal),
            ..self
        }
    }

    /// The same connection of a client that speaks a revision, before any handshake.
    #[must_use]
    pub fn speaking(self, revision: Revision) -> Self {
        Self { revision, ..self }
    }

    /// The same connection after the handshake of a legacy revision.
    ///
    /// # Panics
    ///
    /// If the handshake fails.
    pub async fn initialized(mut self, revision: Revision) -> Self {
        self.revision = revision;
        let params = json!({
            "protocolVersion": revision.as_str(),
            "capabilities": {},
            "clientInfo": { "name": "wire", "version": "1" },
        });
        let answer = self.ask("initialize", params).await;
        assert_eq!(
            answer.pointer("/result/protocolVersion"),
            Some(&json!(revision.as_str()))
        );
        let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        assert_eq!(self.send(&initialized).await, Vec::<Value>::new());
        self
    }

    /// What follows is a change of the catalogue: the same connection to another server value.
    #[must_use]
    pub fn served_by(self, server: Server<C>) -> Self {
        Self { server, ..self }
    }

    /// The answer to a request with the next id, and in the modern era with a `_meta` beside the
    /// given one's entries.
    ///
    /// # Panics
    ///
    /// If there is not exactly one answer, and nothing else.
    pub async fn ask(&mut self, method: &str, params: Value) -> Value {
        let request = self.request(method, &params);
        let mut sent = self.send(&request).await;
        assert_eq!(sent.len(), 1, "{method} is answered once: {sent:?}");
        sent.remove(0)
    }

    /// The result of a request.
    ///
    /// # Panics
    ///
    /// If the answer is an error.
    pub async fn result(&mut self, method: &str, params: Value) -> Value {
        let mut answer = self.ask(method, params).await;
        let result = answer.get_mut("result").map(Value::take);
        assert!(result.is_some(), "{method} has a result: {answer}");
        result.unwrap_or_default()
    }

    /// The error of a request: its code, its message and its data.
    ///
    /// # Panics
    ///
    /// If the answer is a result.
    pub async fn error(&mut self, method: &str, params: Value) -> (i64, String, Value) {
        let answer = self.ask(method, params).await;
        let code = answer.pointer("/error/code").and_then(Value::as_i64);
        let message = answer.pointer("/error/message").and_then(Value::as_str);
        assert!(
            code.is_some() && message.is_some(),
            "{method} fails: {answer}"
        );
        let data = answer.pointer("/error/data").cloned().unwrap_or_default();
        (
            code.unwrap_or_default(),
            message.unwrap_or_default().to_owned(),
            data,
        )
    }

    /// The result of a tool's call.
    pub async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.result(
            "tools/call",
            json!({ "name": tool, "arguments": arguments }),
        )
        .await
    }

    /// Asks for a sign of life, as a client of any era may.
    ///
    /// # Panics
    ///
    /// If there is none.
    pub async fn survives(&mut self) {
        let probe = json!({
            "jsonrpc": "2.0",
            "id": "after",
            "method": "server/discover",
            "params": { "_meta": meta() },
        });
        let answer = self.one(probe.to_string()).await;
        let versions = answer.pointer("/result/supportedVersions");
        assert_eq!(answer.get("id"), Some(&json!("after")));
        assert!(versions.is_some_and(Value::is_array), "{answer}");
    }

    /// A request with the next id; modern ones get the `_meta` they need, whose entries given ones
    /// replace.
    pub fn request(&mut self, method: &str, params: &Value) -> Value {
        let id = self.next_id;
        self.next_id += 1;
        let mut request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        if self.revision.is_modern() {
            let given = request
                .pointer("/params/_meta")
                .and_then(Value::as_object)
                .cloned();
            let merged: Map<String, Value> = meta()
                .into_iter()
                .chain(given.unwrap_or_default())
                .collect();
            if let Some(params) = request.get_mut("params").and_then(Value::as_object_mut) {
                params.insert("_meta".to_owned(), Value::Object(merged));
            }
        }
        request
    }

    /// All that the server sends for one message.
    pub async fn send(&mut self, message: &Value) -> Vec<Value> {
        self.frame(message.to_string().as_bytes()).await
    }

    /// All that the server sends for one frame.
    ///
    /// # Panics
    ///
    /// If what it sends is not what the revision's schema says.
    pub async fn frame(&mut self, frame: &[u8]) -> Vec<Value> {
        let sent = self.texts(frame).await;
        let parsed = sent.iter().map(|text| serde_json::from_str(text));
        parsed.map(Result::unwrap_or_default).collect()
    }

    /// The one answer to a frame.
    ///
    /// # Panics
    ///
    /// If there is not exactly one.
    pub async fn one(&mut self, frame: impl AsRef<[u8]>) -> Value {
        let text = self.one_text(frame).await;
        serde_json::from_str(&text).unwrap_or_default()
    }

    /// The one answer to a frame, digit for digit.
    ///
    /// # Panics
    ///
    /// If there is not exactly one.
    pub async fn one_text(&mut self, frame: impl AsRef<[u8]>) -> String {
        let frame = frame.as_ref();
        let mut sent = self.texts(frame).await;
        let shown = frame.get(..200).unwrap_or(frame);
        let shown = String::from_utf8_lossy(shown);
        assert_eq!(sent.len(), 1, "{shown} is answered once: {sent:?}");
        sent.remove(0)
    }

    /// All that the server sends for one frame, digit for digit.
    ///
    /// # Panics
    ///
    /// If what it sends is not what the revision's schema says.
    pub async fn texts(&mut self, frame: &[u8]) -> Vec<String> {
        let bounds = Bounds::new(Instant::now());
        let sent = match self.server.dispatch(
            jsonrpc::parse(frame),
            &self.peer,
            &mut self.handshake,
            &bounds,
        ) {
            Dispatch::Answer(_, answer) => vec![answer.bytes().clone()],
            Dispatch::Invoke(invocation) => run(invocation, frame).await,
            Dispatch::Batch(members) => {
                let mut sent = Vec::new();
                for member in members {
                    sent.extend(Box::pin(self.texts(&member)).await);
                }
                return sent;
            }
            _ => Vec::new(),
        };
        let asked: Value = serde_json::from_slice(frame).unwrap_or_default();
        sent.iter().map(|bytes| self.judge(&asked, bytes)).collect()
    }

    /// A modern request on a legacy connection is answered as a modern one (ERA-10).
    fn judge(&self, asked: &Value, bytes: &[u8]) -> String {
        let text = std::str::from_utf8(bytes).unwrap_or_default();
        let Ok(message) = serde_json::from_str::<Value>(text) else {
            // An id may be a number that a `Value` can't hold.
            let json = serde_json::from_str::<&RawValue>(text);
            assert!(json.is_ok(), "a message is JSON in UTF-8: {text}");
            return text.to_owned();
        };
        let enveloped = asked
            .pointer("/params/_meta/io.modelcontextprotocol~1protocolVersion")
            .is_some();
        let revision = if enveloped {
            Revision::V2026_07_28
        } else {
            self.revision
        };
        let method = asked.get("method").and_then(Value::as_str);
        let faults = schema::faults(revision, method, &message);
        assert!(faults.is_empty(), "{message}\n{faults:#?}");
        assert!(!text.contains('\n'), "one line: {message}");
        text.to_owned()
    }
}

/// All that one handler sends, at the time it sends it, and its answer or what stands for it.
async fn run(mut invocation: Invocation, frame: &[u8]) -> Vec<Bytes> {
    let mut sent = Vec::new();
    let answer = poll_fn(|context| {
        let future = invocation.future.as_mut();
        let polled = catch_unwind(AssertUnwindSafe(|| future.poll(context)))
            .map(|ended| ended.map(|ended| ended.answer(frame)));
        while let Poll::Ready(frame) = invocation.outbox.poll_log(context) {
            sent.push(frame);
        }
        while let Poll::Ready(frame) = invocation.outbox.poll_progress(context) {
            sent.push(frame);
        }
        polled.unwrap_or_else(|_panic| Poll::Ready(invocation.failed(Failure::Panic)))
    })
    .await;
    // A poll may leave some, when the task has had its share of time.
    sent.extend(invocation.outbox.close());
    sent.push(answer.bytes().clone());
    sent
}

/// The `_meta` that a modern request needs.
#[must_use]
pub fn meta() -> Map<String, Value> {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": { "name": "wire", "version": "1" },
    });
    meta.as_object().cloned().unwrap_or_default()
}
