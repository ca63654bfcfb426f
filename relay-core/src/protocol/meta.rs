//! `_meta` of a request, and the types of its members.

use std::{borrow::Cow, fmt};

use serde::{Deserialize, Serialize, de::MapAccess};
use serde_json::{Map, Value};

pub use super::log_level::LogLevel;
use super::{
    capability::{ClientCapabilities, Implementation},
    jsonrpc::{
        Id, Slot,
        read::{Reader, Scan, Walk, id, skip, text},
        value,
    },
    revision::Revision,
    trace_context::trace_id,
};
use crate::{call::Client, content::Icon};

/// The key of the revision that a request speaks.
pub const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// The key of what the client can do.
pub const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
/// The key of what the client is called.
pub const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
/// The key of the least grave log message that the client wants.
pub const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
/// The key of what progress notifications repeat.
pub const PROGRESS_TOKEN: &str = "progressToken";
/// The key by which a client marks two requests as the same piece of work.
pub const IDEMPOTENCY_KEY: &str = "idempotencyKey";

/// A request's `_meta`: the members the protocol knows, each as a [`Slot`], and every other one as
/// it came (META-10).
///
/// ```
/// use relay_core::protocol::jsonrpc::{Message, parse};
///
/// let frame = br#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{
///     "io.modelcontextprotocol/protocolVersion":"2026-07-28",
///     "progressToken":0,
///     "traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}}}"#;
/// let Ok(Message::Request(request)) = parse(frame) else { panic!("a request") };
/// let meta = request.params.meta.into_value().expect("_meta");
/// assert_eq!(meta.protocol_version().value().map(AsRef::as_ref), Some("2026-07-28"));
/// assert_eq!(meta.progress_token().value().expect("a token").as_json(), "0");
/// assert!(meta.client_capabilities().is_absent());
/// assert!(meta.get("traceparent").is_some());
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Meta {
    protocol_version: Slot<Cow<'static, str>>,
    client_capabilities: Slot<ClientCapabilities>,
    client_info: Slot<Implementation>,
    log_level: Slot<LogLevel>,
    progress_token: Slot<ProgressToken>,
    idempotency_key: Slot<String>,
    others: Map<String, Value>,
}

impl Meta {
    /// The revision that the request speaks, known to us or not (META-02, META-05).
    #[must_use]
    pub const fn protocol_version(&self) -> &Slot<Cow<'static, str>> {
        &self.protocol_version
    }

    /// What the client can do (META-03, META-12).
    #[must_use]
    pub const fn client_capabilities(&self) -> &Slot<ClientCapabilities> {
        &self.client_capabilities
    }

    /// What the client says it is called: wrong unless an object with a string `name` and
    /// `version` (META-06). Optional members of the wrong type are left out.
    #[must_use]
    pub const fn client_info(&self) -> &Slot<Implementation> {
        &self.client_info
    }

    /// The least grave log message that the client wants: wrong unless one of the eight names
    /// (LOG-04).
    #[must_use]
    pub const fn log_level(&self) -> &Slot<LogLevel> {
        &self.log_level
    }

    /// What progress notifications repeat: wrong unless a string or an integer (PROG-07).
    #[must_use]
    pub const fn progress_token(&self) -> &Slot<ProgressToken> {
        &self.progress_token
    }

    /// What marks the request as the same piece of work as another: wrong unless 1 to 256 visible
    /// ASCII characters.
    #[must_use]
    pub const fn idempotency_key(&self) -> &Slot<String> {
        &self.idempotency_key
    }

    /// The trace id of a valid W3C `traceparent`: 32 hexadecimal digits (META-13).
    #[must_use]
    pub fn trace_id(&self) -> Option<&str> {
        self.get("traceparent")
            .and_then(Value::as_str)
            .and_then(trace_id)
    }

    /// Any other member.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.others.get(key)
    }

    /// Every other member.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.others.iter().map(|(key, value)| (key.as_str(), value))
    }

    /// What a modern request says of its client, moved out of its `_meta`.
    pub(crate) fn take_client(&mut self, revision: Revision) -> Client {
        Client {
            info: self.client_info.take().into_value(),
            capabilities: self
                .client_capabilities
                .take()
                .into_value()
                .unwrap_or_default(),
            revision,
        }
    }
}

/// What the notifications of one request's progress repeat: a string or an integer, kept as the
/// client wrote it (PROG-01).
///
/// ```
/// use relay_core::protocol::{jsonrpc::Id, meta::ProgressToken};
///
/// let token = ProgressToken::from(Id::from(0));
/// assert_eq!(token.as_json(), "0");
/// ```
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(transparent)]
pub struct ProgressToken(Id);

impl ProgressToken {
    /// The JSON text of the token, as the client wrote it.
    #[must_use]
    pub fn as_json(&self) -> &str {
        self.0.as_json()
    }
}

impl From<Id> for ProgressToken {
    fn from(id: Id) -> Self {
        Self(id)
    }
}

impl fmt::Display for ProgressToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// The depth of `_meta` in a message.
const LEVEL: usize = 3;

/// Reads `_meta`.
pub(super) struct MetaReader<'a, 'de>(&'a mut Scan<'de>);

impl<'a, 'de> MetaReader<'a, 'de> {
    pub(super) const fn new(scan: &'a mut Scan<'de>) -> Self {
        Self(scan)
    }
}

impl<'de> Reader<'de> for MetaReader<'_, 'de> {
    type Output = Slot<Meta>;

    fn scan(&mut self) -> &mut Scan<'de> {
        self.0
    }

    fn wrong(self, found: &'static str) -> Self::Output {
        Slot::Wrong(found)
    }

    fn null(self) -> Self::Output {
        Slot::Null
    }

    fn object<A: MapAccess<'de>>(self, map: A) -> Result<Self::Output, A::Error> {
        let mut meta = Meta::default();
        self.0.members(map, |scan, key, map| {
            match key {
                PROTOCOL_VERSION => meta.protocol_version = text(scan, map)?.map(version),
                CLIENT_CAPABILITIES => {
                    meta.client_capabilities =
                        value::object(scan, map)?.map(ClientCapabilities::from);
                }
                CLIENT_INFO => meta.client_info = implementation(scan, map)?,
                LOG_LEVEL => {
                    meta.log_level = text(scan, map)?.and_then(|name| {
                        LogLevel::parse(&name).map_or(Slot::Wrong("an unknown level"), Slot::Value)
                    });
                }
                PROGRESS_TOKEN => meta.progress_token = id(scan, map, LEVEL)?.map(ProgressToken),
                IDEMPOTENCY_KEY => {
                    meta.idempotency_key = text(scan, map)?.and_then(idempotency_key);
                }
                _ => {
                    let value = value::build(scan, map)?;
                    meta.others.insert(key.to_owned(), value);
                }
            }
            Ok(())
        })?;
        Ok(Slot::Value(meta))
    }
}

/// A revision we know costs no allocation.
fn version(name: Cow<'_, str>) -> Cow<'static, str> {
    match Revision::parse(&name) {
        Some(revision) => Cow::Borrowed(revision.as_str()),
        None => Cow::Owned(name.into_owned()),
    }
}

fn idempotency_key(key: Cow<'_, str>) -> Slot<String> {
    if key.is_empty() {
        Slot::Wrong("an empty string")
    } else if key.len() > 256 {
        Slot::Wrong("more than 256 characters")
    } else if key.bytes().all(|byte| byte.is_ascii_graphic()) {
        Slot::Value(key.into_owned())
    } else {
        Slot::Wrong("characters other than visible ASCII")
    }
}

/// Reads a value of `map` that should say what an implementation is called.
pub(super) fn implementation<'de, A: MapAccess<'de>>(
    scan: &mut Scan<'de>,
    map: &mut A,
) -> Result<Slot<Implementation>, A::Error> {
    map.next_value_seed(Walk(ImplementationReader(scan)))
}

struct ImplementationReader<'a, 'de>(&'a mut Scan<'de>);

impl<'de> Reader<'de> for ImplementationReader<'_, 'de> {
    type Output = Slot<Implementation>;

    fn scan(&mut self) -> &mut Scan<'de> {
        self.0
    }

    fn wrong(self, found: &'static str) -> Self::Output {
        Slot::Wrong(found)
    }

    fn null(self) -> Self::Output {
        Slot::Null
    }

    fn object<A: MapAccess<'de>>(self, map: A) -> Result<Self::Output, A::Error> {
        let (mut name, mut version) = (None, None);
        let mut info = Implementation::new("", "");
        self.0.members(map, |scan, key, map| {
            let mut optional = |scan: &mut _| -> Result<_, A::Error> {
                Ok(text(scan, map)?.into_value().map(Cow::into_owned))
            };
            match key {
                "name" => name = optional(scan)?,
                "version" => version = optional(scan)?,
                "title" => info.title = optional(scan)?,
                "description" => info.description = optional(scan)?,
                "websiteUrl" => info.website_url = optional(scan)?,
                "icons" => info.icons = icons(value::build(scan, map)?),
                _ => skip(scan, map)?,
            }
            Ok(())
        })?;
        Ok(match (name, version) {
            (Some(name), Some(version)) => Slot::Value(Implementation {
                name,
                version,
                ..info
            }),
            (None, _) => Slot::Wrong("an object without a string `name`"),
            (_, None) => Slot::Wrong("an object without a string `version`"),
        })
    }
}

/// The icons among these values.
fn icons(values: Value) -> Vec<Icon> {
    match values {
        Value::Array(values) => values
            .into_iter()
            .filter_map(|value| Icon::deserialize(value).ok())
            .collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests;
