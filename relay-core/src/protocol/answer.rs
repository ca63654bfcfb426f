//! Answers as they leave: a result or an error under the request's id.

use std::{borrow::Cow, fmt, io::Write as _, sync::Arc};

use bytes::Bytes;
use serde::Serialize;
use serde_json::{Map, Value};

use super::{
    jsonrpc::{ErrorCode, Id},
    revision::Revision,
};
use crate::cache::Cache;

/// The key under which a result says which server gave it (META-07).
const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

/// One answer, ready to be framed: exactly one goes to each request.
#[derive(Clone, Debug)]
pub struct Answer {
    bytes: Bytes,
    error: Option<ErrorCode>,
    class: Option<RefusalClass>,
    tool_error: bool,
}

/// Why a request was refused before anything was done for it, as far as a transport that has
/// statuses tells refusals apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RefusalClass {
    /// A mirrored header is missing, unreadable, or differs from the body (-32020).
    HeaderMismatch,
    /// It is no message that can be read, or not one of a revision that is served: -32700, -32600,
    /// or -32602 for a `_meta` that lacks what it must have.
    Malformed,
    /// It needs something that the client did not declare it can do (-32021).
    MissingCapability,
    /// Its method does not exist or is not offered (-32601), in the modern era: earlier revisions
    /// do not tell this from other errors.
    UnknownMethod,
    /// It names a revision that is not served (-32022).
    UnsupportedVersion,
}

impl From<Answer> for Bytes {
    fn from(answer: Answer) -> Self {
        answer.bytes
    }
}

impl Answer {
    /// An error of the driver's own, under the id of the request that it answers.
    #[must_use]
    pub fn failure(id: &Id, code: ErrorCode, message: impl Into<Cow<'static, str>>) -> Self {
        refuse(Some(id.as_json()), &Refusal::new(code, message))
    }

    /// The JSON of the whole message, on one line and without a line end.
    #[must_use]
    pub fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// The JSON-RPC error code, where the answer is an error.
    #[must_use]
    pub fn error(&self) -> Option<ErrorCode> {
        self.error
    }

    /// The class of the refusal, where the answer is one; errors from behind the order of judgement
    /// have none.
    #[must_use]
    pub fn refusal(&self) -> Option<RefusalClass> {
        self.class
    }

    /// Whether the answer is the result of a tool that failed (`isError`).
    #[must_use]
    pub fn is_tool_error(&self) -> bool {
        self.tool_error
    }

    pub(crate) fn of_failed_tool(self) -> Self {
        Self {
            tool_error: true,
            ..self
        }
    }
}

/// Why a request is refused: a JSON-RPC error.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    pub(crate) code: ErrorCode,
    pub(crate) message: Cow<'static, str>,
    pub(crate) data: Option<Box<Value>>,
    pub(crate) class: Option<RefusalClass>,
}

impl Refusal {
    pub(crate) fn new(code: ErrorCode, message: impl Into<Cow<'static, str>>) -> Self {
        Self {
            code,
            message: message.into(),
            data: None,
            class: RefusalClass::of(code),
        }
    }

    /// For a `_meta` that lacks what it must have.
    pub(crate) fn malformed_meta(message: impl Into<Cow<'static, str>>) -> Self {
        Self {
            class: Some(RefusalClass::Malformed),
            ..Self::invalid_params(message)
        }
    }

    pub(crate) fn unknown_method(revision: Revision) -> Self {
        Self {
            class: revision.is_modern().then_some(RefusalClass::UnknownMethod),
            ..Self::new(ErrorCode::METHOD_NOT_FOUND, "method not found")
        }
    }

    /// An error like any other, for revisions whose transport does not tell it apart.
    pub(crate) fn in_band(self) -> Self {
        Self {
            class: None,
            ..self
        }
    }

    pub(crate) fn with_data(self, data: Value) -> Self {
        Self {
            data: Some(Box::new(data)),
            ..self
        }
    }

    pub(crate) fn invalid_params(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorCode::INVALID_PARAMS, message)
    }

    pub(crate) fn internal(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorCode::INTERNAL_ERROR, message)
    }
}

impl RefusalClass {
    /// The class that every error of this code has.
    fn of(code: ErrorCode) -> Option<Self> {
        match code {
            ErrorCode::PARSE_ERROR | ErrorCode::INVALID_REQUEST => Some(Self::Malformed),
            ErrorCode::HEADER_MISMATCH => Some(Self::HeaderMismatch),
            ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY => Some(Self::MissingCapability),
            ErrorCode::UNSUPPORTED_PROTOCOL_VERSION => Some(Self::UnsupportedVersion),
            _ => None,
        }
    }
}

/// Writes the answer to one request, for its revision.
#[derive(Clone, Debug)]
pub(crate) struct Responder {
    pub(crate) id: Id,
    pub(crate) revision: Revision,
    /// The JSON of the server's name and version, where results carry it.
    pub(crate) server_info: Option<Arc<str>>,
    /// How many bytes an answer may have.
    pub(crate) limit: usize,
}

/// The members of one result object, written one after another.
pub(crate) struct Members {
    bytes: Vec<u8>,
    empty: bool,
    failed: bool,
}

#[derive(Serialize)]
struct ErrorObject<'a> {
    code: ErrorCode,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<&'a Value>,
}

/// Why a result can't be sent as it is.
#[derive(Debug)]
pub(crate) enum Unsendable {
    NotJson,
    TooLarge { bytes: usize, limit: usize },
}

impl Responder {
    /// A result without a caching hint.
    pub(crate) fn result(
        &self,
        meta: &Map<String, Value>,
        write: impl FnOnce(&mut Members),
    ) -> Answer {
        self.try_result(None, meta, write)
            .unwrap_or_else(|unsendable| self.refuse(&unsendable.into()))
    }

    /// A result that may be cached (CACHE-01).
    pub(crate) fn cacheable(
        &self,
        cache: Cache,
        meta: &Map<String, Value>,
        write: impl FnOnce(&mut Members),
    ) -> Answer {
        self.try_result(Some(cache), meta, write)
            .unwrap_or_else(|unsendable| self.refuse(&unsendable.into()))
    }

    pub(crate) fn try_result(
        &self,
        cache: Option<Cache>,
        meta: &Map<String, Value>,
        write: impl FnOnce(&mut Members),
    ) -> Result<Answer, Unsendable> {
        self.try_result_of("complete", cache, meta, write)
    }

    /// What the client has to answer before there is a result, and what it has to send with that
    /// (MRTR-01, MRTR-03). Never cached (MRTR-17).
    pub(crate) fn input_required<'a>(
        &self,
        requests: impl IntoIterator<Item = (&'a str, &'a str)>,
        state: &str,
    ) -> Answer {
        let mut requests = requests.into_iter().peekable();
        self.try_result_of("input_required", None, &Map::new(), |members| {
            if requests.peek().is_some() {
                members.object("inputRequests", |members| {
                    for (key, request) in requests {
                        members.raw_entry(key, request);
                    }
                });
            }
            members.value("requestState", state);
        })
        .unwrap_or_else(|unsendable| self.refuse(&unsendable.into()))
    }

    fn try_result_of(
        &self,
        kind: &'static str,
        cache: Option<Cache>,
        meta: &Map<String, Value>,
        write: impl FnOnce(&mut Members),
    ) -> Result<Answer, Unsendable> {
        let modern = self.revision.is_modern();
        let mut members = Members::begin(&self.id);
        if modern {
            members.value("resultType", kind);
        }
        write(&mut members);
        if let Some(cache) = cache.filter(|_| modern) {
            members.value("ttlMs", &cache.ttl_millis());
            members.value("cacheScope", &cache.scope());
        }
        self.write_meta(&mut members, meta);
        let bytes = members.finish().ok_or(Unsendable::NotJson)?;
        if bytes.len() > self.limit {
            tracing::warn!(
                bytes = bytes.len(),
                limit = self.limit,
                "a result is over the limit; not sent"
            );
            return Err(Unsendable::TooLarge {
                bytes: bytes.len(),
                limit: self.limit,
            });
        }
        Ok(Answer {
            bytes: bytes.into(),
            error: None,
            class: None,
            tool_error: false,
        })
    }

    /// The handler's entries win over the server's own (META-07). A legacy result does not say which
    /// server gave it, whoever would have it say so (LF-01).
    fn write_meta(&self, members: &mut Members, meta: &Map<String, Value>) {
        let modern = self.revision.is_modern();
        let info = self
            .server_info
            .as_deref()
            .filter(|_| !meta.contains_key(SERVER_INFO));
        let mut entries = meta
            .iter()
            .filter(|(key, _)| modern || *key != SERVER_INFO)
            .peekable();
        if info.is_none() && entries.peek().is_none() {
            return;
        }
        members.object("_meta", |members| {
            for (key, value) in entries {
                members.entry(key, value);
            }
            if let Some(info) = info {
                members.raw(SERVER_INFO, info);
            }
        });
    }

    /// An error under the request's id (JR-02).
    pub(crate) fn refuse(&self, refusal: &Refusal) -> Answer {
        refuse(Some(self.id.as_json()), refusal)
    }
}

impl From<Unsendable> for Refusal {
    fn from(unsendable: Unsendable) -> Self {
        Self::internal(unsendable.to_string())
    }
}

impl fmt::Display for Unsendable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotJson => f.write_str("internal error"),
            Self::TooLarge { bytes, limit } => {
                write!(
                    f,
                    "the answer has {bytes} bytes and {limit} are allowed: ask for less at a time"
                )
            }
        }
    }
}

/// An error under an id that is given as JSON, or left out (JR-03, JR-05, LJ-08).
pub(crate) fn refuse(id: Option<&str>, refusal: &Refusal) -> Answer {
    let object = ErrorObject {
        code: refusal.code,
        message: &refusal.message,
        data: refusal.data.as_deref(),
    };
    let mut bytes = br#"{"jsonrpc":"2.0","#.to_vec();
    if let Some(id) = id {
        bytes.extend_from_slice(br#""id":"#);
        bytes.extend_from_slice(id.as_bytes());
        bytes.push(b',');
    }
    bytes.extend_from_slice(br#""error":"#);
    if serde_json::to_writer(&mut bytes, &object).is_err() {
        // Strings, an integer and a JSON value can always be written.
        tracing::error!("an error could not be written as JSON");
    }
    bytes.push(b'}');
    Answer {
        bytes: bytes.into(),
        error: Some(refusal.code),
        class: refusal.class,
        tool_error: false,
    }
}

impl Members {
    fn begin(id: &Id) -> Self {
        let mut bytes = Vec::with_capacity(256);
        bytes.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
        bytes.extend_from_slice(id.as_json().as_bytes());
        bytes.extend_from_slice(br#","result":{"#);
        Self {
            bytes,
            empty: true,
            failed: false,
        }
    }

    fn finish(mut self) -> Option<Vec<u8>> {
        self.bytes.extend_from_slice(b"}}");
        (!self.failed).then_some(self.bytes)
    }

    fn comma(&mut self) {
        if !std::mem::take(&mut self.empty) {
            self.bytes.push(b',');
        }
    }

    /// A key of the protocol's, which holds nothing that JSON escapes.
    fn key(&mut self, key: &'static str) {
        self.comma();
        self.bytes.push(b'"');
        self.bytes.extend_from_slice(key.as_bytes());
        self.bytes.extend_from_slice(b"\":");
    }

    fn write(&mut self, value: &(impl Serialize + ?Sized)) {
        self.failed |= serde_json::to_writer(&mut self.bytes, value).is_err();
    }

    /// A key that may hold anything.
    fn any_key(&mut self, key: &str) {
        self.comma();
        self.write(key);
        self.bytes.push(b':');
    }

    fn entry(&mut self, key: &str, value: &Value) {
        self.any_key(key);
        self.write(value);
    }

    fn raw_entry(&mut self, key: &str, json: &str) {
        self.any_key(key);
        self.bytes.extend_from_slice(json.as_bytes());
    }

    /// A member whose value is written here.
    pub(crate) fn value(&mut self, key: &'static str, value: &(impl Serialize + ?Sized)) {
        self.key(key);
        self.write(value);
    }

    /// A member whose value is JSON already.
    pub(crate) fn raw(&mut self, key: &'static str, json: &str) {
        self.key(key);
        self.bytes.extend_from_slice(json.as_bytes());
    }

    /// A member that is an array of values that are JSON already.
    pub(crate) fn raw_array<S: AsRef<str>>(
        &mut self,
        key: &'static str,
        items: impl Iterator<Item = S>,
    ) {
        self.key(key);
        self.bytes.push(b'[');
        for (position, item) in items.enumerate() {
            if position > 0 {
                self.bytes.push(b',');
            }
            self.bytes.extend_from_slice(item.as_ref().as_bytes());
        }
        self.bytes.push(b']');
    }

    /// A member that is an object.
    pub(crate) fn object(&mut self, key: &'static str, write: impl FnOnce(&mut Self)) {
        self.key(key);
        self.bytes.push(b'{');
        self.empty = true;
        write(self);
        self.empty = false;
        self.bytes.push(b'}');
    }
}

/// The frame of a notification, or nothing where its parameters can't be written as JSON.
pub(crate) fn notification(method: &str, params: &impl Serialize) -> Option<Bytes> {
    let mut bytes = Vec::with_capacity(128);
    write!(bytes, r#"{{"jsonrpc":"2.0","method":"{method}","params":"#).ok()?;
    serde_json::to_writer(&mut bytes, params).ok()?;
    bytes.push(b'}');
    Some(bytes.into())
}
