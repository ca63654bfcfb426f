//! The inputs of the cases, asked of one server wherever it can be reached: in process, over stdio
//! and over HTTP. Every answer is the same, byte for byte, and after each the server answers on.

mod arguments;
mod extremes;
mod messages;
mod results;
mod schemas;

use base64::{Engine, prelude::BASE64_STANDARD};
use relay_core::{Peer, Revision, Server};
use relay_runtime::{Limits, Runtime};
use relay_stdio::{ServeError, Stdio};
use relay_tests::{
    fixture::Guest,
    web::{Post, Reply, Web},
    wire,
};
use serde::Deserialize;
use serde_json::{Value, json, value::RawValue};
use tokio::{
    io::{
        AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines, ReadHalf,
        WriteHalf, duplex, split,
    },
    task::JoinSet,
};

use super::support::endpoint_of;

/// One server, and a client of it at each of its doors.
struct Everywhere {
    runtime: Runtime<Guest>,
    web: Web<Guest>,
    revision: Revision,
    input: WriteHalf<DuplexStream>,
    output: Lines<BufReader<ReadHalf<DuplexStream>>>,
    /// Serves stdio for as long as this lives.
    _stdio: JoinSet<Result<(), ServeError>>,
}

/// An answer, and the status it has over HTTP.
struct Answer {
    status: u16,
    text: String,
    /// The same as a value; an id may be a number that none can hold.
    json: Value,
}

impl Answer {
    /// The status, and the code of the error, 0 for a result.
    fn outcome(&self) -> (u16, i64) {
        let code = self.json.pointer("/error/code").and_then(Value::as_i64);
        (self.status, code.unwrap_or_default())
    }

    fn result(&self) -> &Value {
        &self.json["result"]
    }

    /// The text that the model reads.
    fn said(&self) -> &str {
        let text = self.json.pointer("/result/content/0/text");
        text.and_then(Value::as_str).unwrap_or_default()
    }

    /// Whether the tool refused or failed.
    fn is_error(&self) -> bool {
        self.json.pointer("/result/isError") == Some(&json!(true))
    }

    /// The id as it was written.
    fn id(&self) -> Option<String> {
        let members = serde_json::from_str::<Id<'_>>(&self.text);
        let id = members.ok().and_then(|members| members.id);
        id.map(|id| id.get().to_owned())
    }
}

#[derive(Deserialize)]
struct Id<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
}

/// What a client repeats in headers, of whatever it sends.
#[derive(Deserialize)]
struct Head<'a> {
    method: String,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Target {
    name: Option<String>,
    uri: Option<String>,
}

impl Everywhere {
    /// A modern client of this server.
    fn new(server: Server<Guest>) -> Self {
        let runtime = Runtime::new(server).with_limits(Limits::default());
        let (ours, theirs) = duplex(64 * 1024);
        let (reader, writer) = split(theirs);
        let serving = runtime.clone();
        let mut stdio = JoinSet::new();
        stdio.spawn(async move {
            Stdio::new()
                .serve_streams(serving, Guest::default(), reader, writer)
                .await
        });
        let (output, input) = split(ours);
        Self {
            web: Web::new(endpoint_of(runtime.clone())),
            runtime,
            revision: Revision::V2026_07_28,
            input,
            output: BufReader::new(output).lines(),
            _stdio: stdio,
        }
    }

    /// A legacy client of this server, after the handshake where there is one.
    async fn legacy(server: Server<Guest>, revision: Revision) -> Self {
        let mut everywhere = Self::new(server);
        everywhere.revision = revision;
        let params = json!({
            "protocolVersion": revision.as_str(),
            "capabilities": {},
            "clientInfo": { "name": "t", "version": "1" },
        });
        let initialize =
            json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params });
        everywhere.write(initialize.to_string().as_bytes()).await;
        let answer = everywhere.line().await;
        assert!(answer.contains(revision.as_str()), "{answer}");
        everywhere
    }

    /// The one answer to a frame.
    async fn ask(&mut self, frame: impl AsRef<[u8]>) -> Answer {
        let frame = frame.as_ref();
        let reply = self.post(frame).await;
        let text = String::from_utf8(reply.body.to_vec()).expect("UTF-8");
        self.write(frame).await;
        assert_eq!(self.line().await, text, "{}", shown(frame));
        if self.revision.is_modern() {
            assert_eq!(self.in_process(frame).await, [text.as_str()]);
        }
        self.survives().await;
        Answer {
            status: reply.status.as_u16(),
            json: serde_json::from_str(&text).unwrap_or_default(),
            text,
        }
    }

    /// The status that a frame has which is nowhere answered, but for an error without an id where
    /// there is a status to refuse it with.
    async fn tell(&mut self, frame: impl AsRef<[u8]>) -> u16 {
        let frame = frame.as_ref();
        let reply = self.post(frame).await;
        assert!(reply.answer().get("id").is_none_or(Value::is_null));
        assert_eq!(reply.body.is_empty(), reply.status == 202);
        self.write(frame).await;
        if self.revision.is_modern() {
            assert_eq!(self.in_process(frame).await, [""; 0], "{}", shown(frame));
        }
        // The first thing said after it is the answer to what came next.
        self.survives().await;
        reply.status.as_u16()
    }

    /// The answers to a batch, in whatever order, and their status.
    async fn ask_batch(&mut self, frame: &str) -> (u16, Vec<Value>) {
        let reply = self.post(frame.as_bytes()).await;
        self.write(frame.as_bytes()).await;
        let mut answers = Vec::new();
        let expected = reply.messages();
        while answers.len() < expected.len() {
            let line = serde_json::from_str(&self.line().await).expect("JSON");
            match line {
                Value::Array(members) => answers.extend(members),
                answer => answers.push(answer),
            }
        }
        let sorted = |mut answers: Vec<Value>| {
            answers.sort_by_key(ToString::to_string);
            answers
        };
        assert_eq!(sorted(answers), sorted(expected.clone()), "{frame}");
        self.survives().await;
        (reply.status.as_u16(), expected)
    }

    /// The response over HTTP, the headers saying what the frame says.
    async fn post(&self, frame: &[u8]) -> Reply {
        let mut post = Post::of(frame.to_vec());
        if self.revision != Revision::V2025_03_26 {
            post = post.with("mcp-protocol-version", self.revision.as_str());
        }
        if let Ok(head) = serde_json::from_slice::<Head<'_>>(frame)
            && self.revision.is_modern()
        {
            post = post.with("mcp-method", head.method);
            let target = head.params.map(RawValue::get).map(serde_json::from_str);
            if let Some(Ok(Target { name, uri })) = target
                && let Some(name) = name.or(uri)
            {
                post = post.with("mcp-name", in_a_header(&name));
            }
        }
        self.web.send(&post).await
    }

    async fn in_process(&self, frame: &[u8]) -> Vec<String> {
        let peer = Peer::new(Guest::default());
        let mut exchange = self.runtime.exchange(frame.to_vec().into(), peer);
        let mut sent = Vec::new();
        while let Some(frame) = exchange.next().await {
            sent.push(String::from_utf8(frame.bytes().to_vec()).expect("UTF-8"));
        }
        sent
    }

    async fn write(&mut self, frame: &[u8]) {
        self.input.write_all(frame).await.expect("a pipe");
        self.input.write_all(b"\n").await.expect("a pipe");
    }

    async fn line(&mut self) -> String {
        let line = self.output.next_line().await.expect("a pipe");
        line.expect("a line")
    }

    async fn survives(&mut self) {
        let probe = modern("\"after\"", "server/discover", "{}");
        let reply = self
            .web
            .send(&Post::modern("server/discover", &json!({})))
            .await;
        assert_eq!(reply.outcome(), (200, 0));
        self.write(probe.as_bytes()).await;
        let line = self.line().await;
        assert!(line.contains(r#""id":"after""#), "{line}");
    }
}

/// A name as a client puts it into a header.
fn in_a_header(name: &str) -> String {
    let plain = name.bytes().all(|byte| matches!(byte, b'!'..=b'~'));
    if plain && !name.starts_with("=?base64?") {
        name.to_owned()
    } else {
        format!("=?base64?{}?=", BASE64_STANDARD.encode(name))
    }
}

fn shown(frame: &[u8]) -> String {
    String::from_utf8_lossy(frame.get(..300).unwrap_or(frame)).into_owned()
}

/// A modern request: its id and parameters as they are written here.
fn modern(id: &str, method: &str, params: &str) -> String {
    let meta = Value::Object(wire::meta());
    let rest = params.strip_prefix('{').expect("an object");
    let comma = if rest.starts_with('}') { "" } else { "," };
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{"_meta":{meta}{comma}{rest}}}"#
    )
}

/// A modern call, its arguments as they are written here.
fn call(tool: &str, arguments: &str) -> String {
    let params = format!(r#"{{"name":"{tool}","arguments":{arguments}}}"#);
    modern("1", "tools/call", &params)
}

/// A legacy request, its parameters as they are written here.
fn legacy(method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#)
}

/// A call as clients of a revision make it.
fn in_era(revision: Revision, tool: &str, arguments: &str) -> String {
    if revision.is_modern() {
        return call(tool, arguments);
    }
    let params = format!(r#"{{"name":"{tool}","arguments":{arguments}}}"#);
    legacy("tools/call", &params)
}
