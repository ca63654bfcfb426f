use std::{borrow::Cow, error::Error, fmt};

use serde::de::{DeserializeSeed, MapAccess, SeqAccess};
use serde_json::value::RawValue;

use super::{
    ErrorCode, Id, Params, Slot,
    params::{Members, ParamsReader},
    read::{Reader, Scan, Walk, check_depth, id, raw, skip, text},
};

/// The most messages in one batch (LJ-02).
pub const MAX_BATCH: usize = 1024;

/// Parses one frame.
///
/// A leading byte-order mark and white space around the message are tolerated. Text and
/// raw JSON are borrowed from the frame wherever they were written without escapes.
///
/// ```
/// use relay_core::protocol::jsonrpc::{Message, parse};
///
/// let frame = br#"{"jsonrpc":"2.0","id":"a","method":"tools/list"}"#;
/// let Ok(Message::Request(request)) = parse(frame) else { panic!("a request") };
/// assert_eq!(request.id.as_json(), r#""a""#);
/// assert_eq!(request.method, "tools/list");
/// ```
///
/// # Errors
///
/// [`Malformed`], with -32700 for what is not JSON and -32600 for what is not a message:
///
/// ```
/// use relay_core::protocol::jsonrpc::{ErrorCode, parse};
///
/// let malformed = parse(br#"{"id":1,"method":"tools/list"}"#).unwrap_err();
/// assert_eq!(malformed.code, ErrorCode::INVALID_REQUEST);
/// assert_eq!(malformed.id.expect("a readable id").as_json(), "1");
/// assert_eq!(malformed.message, "Invalid request: `jsonrpc` must be \"2.0\"");
/// ```
pub fn parse(frame: &[u8]) -> Result<Message<'_>, Malformed> {
    let frame = frame.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(frame);
    let text = str::from_utf8(frame).map_err(|error| Malformed::unreadable(&error))?;
    let (mut scan, mut envelope) = (Scan::default(), Envelope::default());
    let mut kind = read(text, None, &mut scan, &mut envelope)?;
    if envelope.early_params
        && let Slot::Value(method) = &envelope.method
    {
        // Nobody knew which members to read: again, knowing.
        let members = Members::of(method);
        (scan, envelope) = (Scan::default(), Envelope::default());
        kind = read(text, Some(members), &mut scan, &mut envelope)?;
    }
    match kind {
        Kind::Object => envelope.judge(scan.fault()),
        Kind::Batch { oversize: false } => Ok(Message::Batch(envelope.batch)),
        Kind::Batch { oversize: true } => Err(Malformed::invalid(&format!(
            "a batch of more than {MAX_BATCH} messages"
        ))),
        Kind::Other => Err(Malformed::invalid("a message is an object")),
    }
}

/// One frame's content, borrowing from it.
#[derive(Debug)]
#[non_exhaustive]
pub enum Message<'a> {
    /// Wants an answer: it has a method and an id.
    Request(Request<'a>),
    /// Must not be answered: it has a method and no id.
    Notification(Notification<'a>),
    /// Answers a request of ours: it has no method, but a result or an error.
    Response(Response<'a>),
    /// Several messages, each still to be parsed as a frame of its own; possibly none.
    Batch(Vec<&'a RawValue>),
}

/// A message that wants an answer.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Request<'a> {
    /// What the answer repeats.
    pub id: Id,
    /// What to do.
    pub method: Cow<'a, str>,
    /// What to do it with.
    pub params: Params<'a>,
}

/// A message that must not be answered.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Notification<'a> {
    /// What happened.
    pub method: Cow<'a, str>,
    /// The details.
    pub params: Params<'a>,
}

/// An answer to a request of ours.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Response<'a> {
    /// The id of the request; `None` where the peer could not read it.
    pub id: Option<Id>,
    /// The result, in which keys may still be given twice.
    pub result: Option<&'a RawValue>,
    /// The error, likewise.
    pub error: Option<&'a RawValue>,
}

/// Why a frame is not a message, ready to be answered.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Malformed {
    /// -32700 if the frame is not JSON in UTF-8, or nests deeper than 127 levels, else -32600.
    pub code: ErrorCode,
    /// What is wrong, in a sentence for whoever wrote the client.
    pub message: Cow<'static, str>,
    /// The id to answer with, where there was one, once, and readable.
    pub id: Option<Id>,
    /// Whether the frame was a notification all the same, and so must never be answered (JR-08): a
    /// JSON-RPC 2.0 object that has a method and no id.
    pub notification: bool,
}

impl Malformed {
    fn unreadable(why: &dyn fmt::Display) -> Self {
        Self {
            code: ErrorCode::PARSE_ERROR,
            message: format!("Parse error: {why}").into(),
            id: None,
            notification: false,
        }
    }

    fn invalid(why: &str) -> Self {
        Self {
            code: ErrorCode::INVALID_REQUEST,
            message: format!("Invalid request: {why}").into(),
            id: None,
            notification: false,
        }
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for Malformed {}

/// One pass over the frame, into what is read of it: as large as it is, it stays where it is.
/// `members` is what the method reads, if that is known beforehand.
fn read<'de>(
    text: &'de str,
    members: Option<Members>,
    scan: &mut Scan<'de>,
    envelope: &mut Envelope<'de>,
) -> Result<Kind, Malformed> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    Walk(FrameReader {
        scan,
        envelope,
        members,
    })
    .deserialize(&mut deserializer)
    .and_then(|kind| deserializer.end().map(|()| kind))
    .map_err(|error| Malformed::unreadable(&error))
}

/// What a frame is at its root.
enum Kind {
    Object,
    Batch { oversize: bool },
    Other,
}

/// The members of a message, before they are judged together.
#[derive(Default)]
struct Envelope<'de> {
    version: Slot<Cow<'de, str>>,
    id: Slot<Id>,
    ids: u32,
    method: Slot<Cow<'de, str>>,
    params: Params<'de>,
    /// `params` came before `method`, and was skipped.
    early_params: bool,
    result: Option<&'de RawValue>,
    error: Option<&'de RawValue>,
    batch: Vec<&'de RawValue>,
}

impl<'de> Envelope<'de> {
    fn judge(self, fault: Option<String>) -> Result<Message<'de>, Malformed> {
        let answers = self.result.is_some() || self.error.is_some();
        let versioned = self.version.value().is_some_and(|version| version == "2.0");
        let fault: Option<Cow<'_, str>> = if let Some(fault) = fault {
            Some(fault.into())
        } else if !versioned {
            Some("`jsonrpc` must be \"2.0\"".into())
        } else {
            match (&self.method, &self.id) {
                (Slot::Absent, _) if answers => None,
                (Slot::Absent, _) => Some("there is no `method`".into()),
                (Slot::Null | Slot::Wrong(_), _) => Some("`method` must be a string".into()),
                (_, Slot::Null | Slot::Wrong(_)) => {
                    Some("`id` must be a string or an integer".into())
                }
                _ => None,
            }
        };
        if let Some(fault) = fault {
            // An id that came with a result is one of ours: no request of the peer's has failed.
            let theirs = self.ids == 1 && !(answers && self.method.is_absent());
            return Err(Malformed {
                id: self.id.into_value().filter(|_| theirs),
                notification: versioned && self.ids == 0 && self.method.value().is_some(),
                ..Malformed::invalid(&fault)
            });
        }
        let params = self.params;
        Ok(match (self.method, self.id.into_value()) {
            (Slot::Value(method), Some(id)) => Message::Request(Request { id, method, params }),
            (Slot::Value(method), None) => Message::Notification(Notification { method, params }),
            (_, id) => Message::Response(Response {
                id,
                result: self.result,
                error: self.error,
            }),
        })
    }
}

struct FrameReader<'a, 'de> {
    scan: &'a mut Scan<'de>,
    envelope: &'a mut Envelope<'de>,
    members: Option<Members>,
}

impl<'de> FrameReader<'_, 'de> {
    fn member<A: MapAccess<'de>>(
        envelope: &mut Envelope<'de>,
        known: Option<Members>,
        scan: &mut Scan<'de>,
        key: &str,
        map: &mut A,
    ) -> Result<(), A::Error> {
        match key {
            "jsonrpc" => envelope.version = text(scan, map)?,
            "id" => {
                envelope.ids += 1;
                envelope.id = id(scan, map, 1)?;
            }
            "method" => envelope.method = text(scan, map)?,
            "params" => {
                let method = envelope.method.value();
                let Some(members) = known.or_else(|| method.map(|method| Members::of(method)))
                else {
                    envelope.early_params = true;
                    return skip(scan, map);
                };
                envelope.params.shape = map.next_value_seed(Walk(ParamsReader {
                    scan,
                    params: &mut envelope.params,
                    members,
                }))?;
            }
            "result" => envelope.result = Some(raw(&mut Scan::default(), map, 1)?),
            "error" => envelope.error = Some(raw(&mut Scan::default(), map, 1)?),
            _ => skip(scan, map)?,
        }
        Ok(())
    }
}

impl<'de> Reader<'de> for FrameReader<'_, 'de> {
    type Output = Kind;

    fn scan(&mut self) -> &mut Scan<'de> {
        self.scan
    }

    fn wrong(self, _found: &'static str) -> Kind {
        Kind::Other
    }

    fn array<A: SeqAccess<'de>>(self, mut items: A) -> Result<Kind, A::Error> {
        let batch = &mut self.envelope.batch;
        let mut oversize = false;
        while let Some(item) = items.next_element::<&'de RawValue>()? {
            check_depth(item, 1)?;
            if batch.len() < MAX_BATCH {
                batch.push(item);
            } else {
                oversize = true;
            }
        }
        Ok(Kind::Batch { oversize })
    }

    fn object<A: MapAccess<'de>>(self, map: A) -> Result<Kind, A::Error> {
        let Self {
            scan,
            envelope,
            members,
        } = self;
        scan.members(map, |scan, key, map| {
            Self::member(envelope, members, scan, key, map)
        })?;
        Ok(Kind::Object)
    }
}

#[cfg(test)]
mod tests;
