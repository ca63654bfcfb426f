use std::borrow::Cow;

use serde::de::{MapAccess, SeqAccess};
use serde_json::{Map, Value};

use super::{
    Id, Slot,
    read::{Reader, Scan, Skip, Walk, id, skip, text},
    value,
};
use crate::protocol::{
    capability::{ClientCapabilities, Implementation},
    meta::{self, Meta},
};

/// The parameters of a request or a notification, as far as its method reads any.
///
/// `_meta` is read for every method, the other members for theirs only: a `name` in `tools/list`
/// is an unknown member and ignored like any other (JR-15).
///
/// ```
/// use relay_core::protocol::jsonrpc::{Message, Shape, parse};
///
/// let frame = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call",
///     "params":{"name":"add","arguments":{"a":1,"b":2},"uri":"ignored"}}"#;
/// let Ok(Message::Request(request)) = parse(frame) else { panic!("a request") };
/// let params = request.params;
/// assert_eq!(params.shape, Shape::Object);
/// assert_eq!(params.name.value().map(AsRef::as_ref), Some("add"));
/// assert_eq!(params.arguments.value().expect("arguments").values["b"], 2);
/// assert!(params.uri.is_absent());
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Params<'a> {
    /// What `params` itself was.
    pub shape: Shape,
    /// `_meta`.
    pub meta: Slot<Meta>,
    /// `name`, of `tools/call` and `prompts/get`.
    pub name: Slot<Cow<'a, str>>,
    /// `uri`, of `resources/read`, `resources/subscribe` and `resources/unsubscribe`.
    pub uri: Slot<Cow<'a, str>>,
    /// `cursor`, of the four lists.
    pub cursor: Slot<Cow<'a, str>>,
    /// `arguments`, of `tools/call` and `prompts/get`; `null` counts as absent.
    pub arguments: Slot<Arguments>,
    /// `ref`, of `completion/complete`.
    pub reference: Slot<Reference>,
    /// `argument`, of `completion/complete`.
    pub argument: Slot<CompletionArgument>,
    /// `context.arguments`, of `completion/complete`: strings only.
    pub context: Slot<Map<String, Value>>,
    /// `inputResponses`, of the three methods whose handlers may ask: whatever they are.
    pub input_responses: Slot<Map<String, Value>>,
    /// `requestState`, of the same.
    pub request_state: Slot<Cow<'a, str>>,
    /// `level`, of `logging/setLevel`.
    pub level: Slot<Cow<'a, str>>,
    /// `requestId`, of `notifications/cancelled`.
    pub request_id: Slot<Id>,
    /// `reason`, of `notifications/cancelled`.
    pub reason: Slot<Cow<'a, str>>,
    /// `protocolVersion`, of `initialize`.
    pub protocol_version: Slot<Cow<'a, str>>,
    /// `capabilities`, of `initialize`.
    pub capabilities: Slot<ClientCapabilities>,
    /// `clientInfo`, of `initialize`: an object with a string `name` and `version`.
    pub client_info: Slot<Implementation>,
}

/// What `params` was.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub enum Shape {
    /// Not there.
    #[default]
    Absent,
    /// `null`.
    Null,
    /// An object, as it should be.
    Object,
    /// An array.
    Array {
        /// Whether it had no items.
        empty: bool,
    },
    /// A scalar.
    Other,
}

/// The `arguments` object of a call, with what a `Value` cannot say about it.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Arguments {
    /// The arguments by name; of one given twice, the last.
    pub values: Map<String, Value>,
    /// JSON pointers of the keys given twice, at any depth: of the first 16 repetitions.
    pub duplicates: Vec<String>,
}

/// What `completion/complete` completes.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Reference {
    /// An argument of a prompt, `ref/prompt`.
    Prompt {
        /// The prompt's name.
        name: String,
    },
    /// A variable of a resource template, `ref/resource`.
    Resource {
        /// The template, or a URI that it matches.
        uri: String,
    },
}

/// The argument to complete, and what of it was typed.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct CompletionArgument {
    /// The argument's name.
    pub name: String,
    /// What was typed so far; may be empty.
    pub value: String,
}

/// Which members a method reads.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Members {
    Cancellation,
    Completion,
    Initialize,
    Level,
    List,
    NamedTarget,
    Nothing,
    UriTarget,
}

impl Members {
    pub(super) fn of(method: &str) -> Self {
        match method {
            "tools/call" | "prompts/get" => Self::NamedTarget,
            "resources/read" | "resources/subscribe" | "resources/unsubscribe" => Self::UriTarget,
            "tools/list" | "prompts/list" | "resources/list" | "resources/templates/list" => {
                Self::List
            }
            "completion/complete" => Self::Completion,
            "logging/setLevel" => Self::Level,
            "notifications/cancelled" => Self::Cancellation,
            "initialize" => Self::Initialize,
            _ => Self::Nothing,
        }
    }
}

/// The depth of `params` in a message.
const LEVEL: usize = 2;

/// Reads `params` into place; its output is the shape.
pub(super) struct ParamsReader<'a, 'de> {
    pub(super) scan: &'a mut Scan<'de>,
    pub(super) params: &'a mut Params<'de>,
    pub(super) members: Members,
}

impl<'de> ParamsReader<'_, 'de> {
    fn member<A: MapAccess<'de>>(
        params: &mut Params<'de>,
        members: Members,
        scan: &mut Scan<'de>,
        key: &str,
        map: &mut A,
    ) -> Result<(), A::Error> {
        match (members, key) {
            (_, "_meta") => params.meta = map.next_value_seed(Walk(meta::MetaReader::new(scan)))?,
            (Members::NamedTarget, "name") => params.name = text(scan, map)?,
            (Members::NamedTarget, "arguments") => {
                params.arguments = match value::arguments(scan, map)? {
                    Slot::Null => Slot::Absent,
                    given => given,
                }
            }
            (Members::UriTarget, "uri") => params.uri = text(scan, map)?,
            (Members::NamedTarget | Members::UriTarget, "inputResponses") => {
                params.input_responses = value::object(scan, map)?;
            }
            (Members::NamedTarget | Members::UriTarget, "requestState") => {
                params.request_state = text(scan, map)?;
            }
            (Members::List, "cursor") => params.cursor = text(scan, map)?,
            (Members::Completion, "ref") => {
                params.reference = value::object(scan, map)?.and_then(reference);
            }
            (Members::Completion, "argument") => {
                params.argument = value::object(scan, map)?.and_then(completion_argument);
            }
            (Members::Completion, "context") => {
                params.context = value::object(scan, map)?.and_then(context);
            }
            (Members::Level, "level") => params.level = text(scan, map)?,
            (Members::Cancellation, "requestId") => params.request_id = id(scan, map, LEVEL)?,
            (Members::Cancellation, "reason") => params.reason = text(scan, map)?,
            (Members::Initialize, "protocolVersion") => params.protocol_version = text(scan, map)?,
            (Members::Initialize, "capabilities") => {
                params.capabilities = value::object(scan, map)?.map(ClientCapabilities::from);
            }
            (Members::Initialize, "clientInfo") => {
                params.client_info = meta::implementation(scan, map)?;
            }
            _ => skip(scan, map)?,
        }
        Ok(())
    }
}

impl<'de> Reader<'de> for ParamsReader<'_, 'de> {
    type Output = Shape;

    fn scan(&mut self) -> &mut Scan<'de> {
        self.scan
    }

    fn wrong(self, _found: &'static str) -> Shape {
        Shape::Other
    }

    fn null(self) -> Shape {
        Shape::Null
    }

    fn array<A: SeqAccess<'de>>(self, mut items: A) -> Result<Shape, A::Error> {
        let mut empty = true;
        while items.next_element_seed(Walk(Skip(self.scan)))?.is_some() {
            empty = false;
        }
        Ok(Shape::Array { empty })
    }

    fn object<A: MapAccess<'de>>(self, map: A) -> Result<Shape, A::Error> {
        let Self {
            scan,
            params,
            members,
        } = self;
        scan.members(map, |scan, key, map| {
            Self::member(params, members, scan, key, map)
        })?;
        Ok(Shape::Object)
    }
}

fn reference(mut given: Map<String, Value>) -> Slot<Reference> {
    let kind = take_text(&mut given, "type");
    match kind.as_deref() {
        Some("ref/prompt") => match take_text(&mut given, "name") {
            Some(name) => Slot::Value(Reference::Prompt { name }),
            None => Slot::Wrong("a prompt reference without a string `name`"),
        },
        Some("ref/resource") => match take_text(&mut given, "uri") {
            Some(uri) => Slot::Value(Reference::Resource { uri }),
            None => Slot::Wrong("a resource reference without a string `uri`"),
        },
        Some(_) => Slot::Wrong("a reference of an unknown `type`"),
        None => Slot::Wrong("an object without a string `type`"),
    }
}

fn completion_argument(mut given: Map<String, Value>) -> Slot<CompletionArgument> {
    match (
        take_text(&mut given, "name"),
        take_text(&mut given, "value"),
    ) {
        (Some(name), Some(value)) => Slot::Value(CompletionArgument { name, value }),
        (None, _) => Slot::Wrong("an object without a string `name`"),
        (_, None) => Slot::Wrong("an object without a string `value`"),
    }
}

fn context(mut given: Map<String, Value>) -> Slot<Map<String, Value>> {
    match given.remove("arguments") {
        None | Some(Value::Null) => Slot::Absent,
        Some(Value::Object(arguments)) if arguments.values().all(Value::is_string) => {
            Slot::Value(arguments)
        }
        Some(Value::Object(_)) => Slot::Wrong("`arguments` that are not all strings"),
        Some(_) => Slot::Wrong("`arguments` that are not an object"),
    }
}

fn take_text(members: &mut Map<String, Value>, key: &str) -> Option<String> {
    match members.remove(key) {
        Some(Value::String(text)) => Some(text),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
