//! One endpoint, request by request and without a socket. Every message of a response that is read
//! to its end by [`Web::send`] is judged by the published schema of its revision.

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, StatusCode};
use http_body_util::{BodyExt as _, Full};
use relay_core::Revision;
use relay_http::{Body, Endpoint};
use serde_json::{Map, Value, json, value::RawValue};
use tower_service::Service;

use crate::{schema, wire};

/// One endpoint and its caller.
#[derive(Debug)]
pub struct Web<C>(Endpoint<C>);

impl<C> Clone for Web<C> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

/// A request before it is sent.
#[derive(Clone, Debug)]
pub struct Post {
    method: Method,
    uri: &'static str,
    headers: HeaderMap,
    body: Bytes,
}

/// A response with its body read.
#[derive(Debug)]
#[non_exhaustive]
pub struct Reply {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
}

impl Post {
    /// A request with this body, from a client that takes both representations.
    pub fn of(body: impl Into<Bytes>) -> Self {
        let empty = Self {
            method: Method::POST,
            uri: "/mcp",
            headers: HeaderMap::new(),
            body: body.into(),
        };
        empty
            .with("host", "localhost:8080")
            .with("content-type", "application/json")
            .with("accept", "application/json, text/event-stream")
    }

    /// A modern request with id 1 and all the headers it needs.
    #[must_use]
    pub fn modern(method: &str, params: &Value) -> Self {
        let mut params = params.as_object().cloned().unwrap_or_default();
        let given = params.remove("_meta");
        let given = given.as_ref().and_then(Value::as_object).cloned();
        let meta: Map<String, Value> = wire::meta()
            .into_iter()
            .chain(given.unwrap_or_default())
            .collect();
        let name = params.get("name").or_else(|| params.get("uri"));
        let name = name.and_then(Value::as_str).map(str::to_owned);
        params.insert("_meta".to_owned(), meta.into());
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let post = Self::of(body.to_string())
            .with("mcp-protocol-version", "2026-07-28")
            .with("mcp-method", method);
        match name {
            Some(name) => post.with("mcp-name", &name),
            None => post,
        }
    }

    /// A legacy request with id 1.
    #[must_use]
    pub fn legacy(revision: Revision, method: &str, params: &Value) -> Self {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let post = Self::of(body.to_string());
        match revision {
            Revision::V2025_03_26 => post,
            later => post.with("mcp-protocol-version", later.as_str()),
        }
    }

    /// The request with this header, and none of its name beside it.
    ///
    /// # Panics
    ///
    /// If it is no header.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl AsRef<[u8]>) -> Self {
        let (name, value) = header(name, value.as_ref());
        self.headers.insert(name, value);
        self
    }

    /// The request with this header beside those of its name.
    ///
    /// # Panics
    ///
    /// If it is no header.
    #[must_use]
    pub fn and(mut self, name: &str, value: impl AsRef<[u8]>) -> Self {
        let (name, value) = header(name, value.as_ref());
        self.headers.append(name, value);
        self
    }

    /// The request without this header.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.headers.remove(name);
        self
    }

    /// The request with another HTTP method.
    #[must_use]
    pub fn by(self, method: Method) -> Self {
        Self { method, ..self }
    }

    /// The request to another target.
    #[must_use]
    pub fn to(self, uri: &'static str) -> Self {
        Self { uri, ..self }
    }

    /// The request with another body.
    #[must_use]
    pub fn saying(self, body: impl Into<Bytes>) -> Self {
        Self {
            body: body.into(),
            ..self
        }
    }

    /// The HTTP method.
    #[must_use]
    pub fn method(&self) -> &Method {
        &self.method
    }

    /// The headers.
    #[must_use]
    pub fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// The body.
    #[must_use]
    pub fn body(&self) -> &Bytes {
        &self.body
    }

    /// The body as JSON.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// As an HTTP request.
    pub fn request(&self) -> Request<Full<Bytes>> {
        let mut request = Request::new(Full::new(self.body.clone()));
        *request.method_mut() = self.method.clone();
        *request.uri_mut() = http::Uri::from_static(self.uri);
        *request.headers_mut() = self.headers.clone();
        request
    }
}

fn header(name: &str, value: &[u8]) -> (HeaderName, HeaderValue) {
    let name = HeaderName::from_bytes(name.as_bytes());
    let value = HeaderValue::from_bytes(value);
    assert!(name.is_ok() && value.is_ok(), "a header");
    (
        name.unwrap_or(http::header::HOST),
        value.unwrap_or(HeaderValue::from_static("")),
    )
}

impl<C: Send + Sync + 'static> Web<C> {
    /// Sends requests to this endpoint.
    #[must_use]
    pub fn new(endpoint: Endpoint<C>) -> Self {
        Self(endpoint)
    }

    /// The response to a request, read to its end.
    ///
    /// # Panics
    ///
    /// If a message in it is not what its revision's schema says.
    pub async fn send(&self, post: &Post) -> Reply {
        let reply = Reply::read(self.open(post).await).await;
        reply.judge(post);
        reply
    }

    /// The endpoint itself.
    #[must_use]
    pub fn endpoint(&self) -> Endpoint<C> {
        self.0.clone()
    }

    /// The response to a request, as soon as there is one.
    pub async fn open(&self, post: &Post) -> http::Response<Body> {
        let Ok(response) = self.0.clone().call(post.request()).await;
        response
    }
}

/// The next frame of a body, as text; `None` at its end.
pub async fn next_frame(body: &mut Body) -> Option<String> {
    let Ok(frame) = body.frame().await?;
    let data = frame.into_data().unwrap_or_default();
    Some(String::from_utf8_lossy(&data).into_owned())
}

impl Reply {
    /// A response, once its body has come to its end.
    pub async fn read(response: http::Response<Body>) -> Self {
        let (parts, body) = response.into_parts();
        let Ok(body) = body.collect().await;
        Self {
            status: parts.status,
            headers: parts.headers,
            body: body.to_bytes(),
        }
    }

    /// The value of a header, empty where there is none.
    #[must_use]
    pub fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name);
        value
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
    }

    /// The messages, be they JSON or events.
    #[must_use]
    pub fn messages(&self) -> Vec<Value> {
        let parse = |json: &str| serde_json::from_str::<Value>(json).unwrap_or_default();
        let text = String::from_utf8_lossy(&self.body);
        match self.header("content-type") {
            "application/json" => match parse(&text) {
                Value::Array(messages) => messages,
                message => vec![message],
            },
            "text/event-stream" => text
                .lines()
                .filter_map(|line| line.strip_prefix("data: "))
                .map(parse)
                .collect(),
            _ => Vec::new(),
        }
    }

    /// The last message: the answer.
    #[must_use]
    pub fn answer(&self) -> Value {
        self.messages().pop().unwrap_or_default()
    }

    /// The status, and the code of the error, 0 where there is none.
    #[must_use]
    pub fn outcome(&self) -> (u16, i64) {
        let code = self.answer().pointer("/error/code").and_then(Value::as_i64);
        (self.status.as_u16(), code.unwrap_or_default())
    }

    /// The text of the error, empty where there is none.
    #[must_use]
    pub fn error(&self) -> String {
        let answer = self.answer();
        let message = answer.pointer("/error/message").and_then(Value::as_str);
        message.unwrap_or_default().to_owned()
    }

    fn judge(&self, post: &Post) {
        if serde_json::from_slice::<Value>(&self.body).is_err()
            && serde_json::from_slice::<&RawValue>(&self.body).is_ok()
        {
            // An id may be a number that a `Value` can't hold.
            return;
        }
        let asked = post.json();
        let revision = self.revision(post, &asked);
        for message in self.messages() {
            let request = match &asked {
                Value::Array(members) => members.iter().find(|member| {
                    member
                        .get("id")
                        .is_some_and(|id| Some(id) == message.get("id"))
                }),
                one => Some(one),
            };
            let method = request.and_then(|request| request.get("method")?.as_str());
            let faults = schema::faults(revision, method, &message);
            assert!(faults.is_empty(), "{revision} {message}\n{faults:#?}");
        }
    }

    /// The revision whose schema the answer is judged by: what an `initialize` settles on or is told
    /// to use, else what the envelope or the header names. No header is how the oldest revision's
    /// clients send.
    fn revision(&self, post: &Post, asked: &Value) -> Revision {
        let answer = self.answer();
        let settled = answer
            .pointer("/result/protocolVersion")
            .or_else(|| answer.pointer("/error/data/supported/0"))
            .and_then(|version| Revision::parse(version.as_str()?));
        let named = post.headers.get("mcp-protocol-version");
        let named = named.and_then(|value| Revision::parse(value.to_str().ok()?));
        let is_enveloped = asked
            .pointer("/params/_meta/io.modelcontextprotocol~1protocolVersion")
            .is_some();
        let is_headless = asked.is_array()
            || asked.get("method").is_some()
            || answer.get("id").is_some_and(Value::is_null);
        match (settled, named) {
            (Some(settled), _) => settled,
            (None, _) if is_enveloped => Revision::V2026_07_28,
            (None, Some(named)) => named,
            (None, None) if is_headless => Revision::V2025_03_26,
            (None, None) => Revision::V2026_07_28,
        }
    }
}
