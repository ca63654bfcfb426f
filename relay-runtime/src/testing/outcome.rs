//! What a server answers, as thin readers of its JSON.
//!
//! A member that is not there reads as empty: a test that expects it fails where it says so.

use std::ops::Index;

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Notification;

/// The result of a request, and what was told and asked before it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Outcome {
    pub(super) result: Value,
    pub(super) notifications: Vec<Notification>,
    pub(super) asked: Vec<Asked>,
}

/// Something that the server asked before it had a result.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    key: String,
    request: Value,
}

/// The result of a tool call.
#[derive(Clone, Debug, PartialEq)]
pub struct CallResult(Outcome);

/// The result of reading a resource.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadResult(Outcome);

/// The result of getting a prompt.
#[derive(Clone, Debug, PartialEq)]
pub struct PromptResult(Outcome);

/// The result of a completion.
#[derive(Clone, Debug, PartialEq)]
pub struct Completed(Outcome);

/// What a server says of itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Discovered(Value);

/// One entry of a list: what a tool, a prompt, a resource or a template declares.
///
/// Members are read by name: `item["inputSchema"]["required"]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Item(Value);

impl Outcome {
    /// Whether the server asks something, or to come back later.
    pub(super) fn is_question(&self) -> bool {
        self.result.get("resultType").and_then(Value::as_str) == Some("input_required")
    }

    /// What the server asks with this result.
    pub(super) fn questions(&self) -> Vec<Asked> {
        let requests = self.result.get("inputRequests").and_then(Value::as_object);
        let question = |(key, request): (&String, &Value)| Asked {
            key: key.clone(),
            request: request.clone(),
        };
        requests.into_iter().flatten().map(question).collect()
    }
}

impl Asked {
    /// What its answer goes by.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }

    /// What is asked for, such as `elicitation/create`.
    #[must_use]
    pub fn method(&self) -> &str {
        let method = self.request.get("method").and_then(Value::as_str);
        method.unwrap_or_default()
    }

    /// The question itself, as JSON.
    #[must_use]
    pub fn params(&self) -> &Value {
        self.request.get("params").unwrap_or(&Value::Null)
    }

    /// What the user is told; empty where the question is none to the user.
    #[must_use]
    pub fn message(&self) -> &str {
        let message = self.params().get("message").and_then(Value::as_str);
        message.unwrap_or_default()
    }
}

impl CallResult {
    pub(super) fn new(outcome: Outcome) -> Self {
        Self(outcome)
    }

    /// The text of the result: all its text blocks, one to a line.
    #[must_use]
    pub fn text(&self) -> String {
        texts(self.content())
    }

    /// The content blocks, as JSON.
    #[must_use]
    pub fn content(&self) -> &[Value] {
        array(&self.0.result, "content")
    }

    /// The structured result, as JSON.
    #[must_use]
    pub fn structured(&self) -> Option<&Value> {
        self.0.result.get("structuredContent")
    }

    /// The structured result, read into a type of the test's own.
    ///
    /// # Errors
    ///
    /// If it does not fit, or there is none.
    pub fn output<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        T::deserialize(self.structured().unwrap_or(&Value::Null))
    }

    /// Whether the tool failed, in a way that the model is told of.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.0.result.get("isError") == Some(&Value::Bool(true))
    }

    /// What the server asked before the result, in order; for a client with a script.
    #[must_use]
    pub fn asked(&self) -> &[Asked] {
        &self.0.asked
    }

    /// What the tool told while it ran, in order.
    #[must_use]
    pub fn notifications(&self) -> &[Notification] {
        &self.0.notifications
    }

    /// The whole result, as JSON.
    #[must_use]
    pub fn json(&self) -> &Value {
        &self.0.result
    }
}

impl ReadResult {
    pub(super) fn new(outcome: Outcome) -> Self {
        Self(outcome)
    }

    /// The text of the contents, one after another on lines of their own.
    #[must_use]
    pub fn text(&self) -> String {
        texts(self.contents())
    }

    /// The contents, as JSON.
    #[must_use]
    pub fn contents(&self) -> &[Value] {
        array(&self.0.result, "contents")
    }

    /// What the server asked before the result, in order; for a client with a script.
    #[must_use]
    pub fn asked(&self) -> &[Asked] {
        &self.0.asked
    }

    /// What was told before the result, in order.
    #[must_use]
    pub fn notifications(&self) -> &[Notification] {
        &self.0.notifications
    }

    /// The whole result, as JSON.
    #[must_use]
    pub fn json(&self) -> &Value {
        &self.0.result
    }
}

impl PromptResult {
    pub(super) fn new(outcome: Outcome) -> Self {
        Self(outcome)
    }

    /// The text of the messages, one after another on lines of their own.
    #[must_use]
    pub fn text(&self) -> String {
        let content = |message: &Value| message.get("content").cloned().unwrap_or_default();
        texts(&self.messages().iter().map(content).collect::<Vec<_>>())
    }

    /// The messages, as JSON.
    #[must_use]
    pub fn messages(&self) -> &[Value] {
        array(&self.0.result, "messages")
    }

    /// What the server asked before the result, in order; for a client with a script.
    #[must_use]
    pub fn asked(&self) -> &[Asked] {
        &self.0.asked
    }

    /// What was told before the result, in order.
    #[must_use]
    pub fn notifications(&self) -> &[Notification] {
        &self.0.notifications
    }

    /// The whole result, as JSON.
    #[must_use]
    pub fn json(&self) -> &Value {
        &self.0.result
    }
}

impl Completed {
    pub(super) fn new(outcome: Outcome) -> Self {
        Self(outcome)
    }

    /// The values suggested, best first.
    #[must_use]
    pub fn values(&self) -> Vec<&str> {
        let values = array(self.completion(), "values");
        values.iter().filter_map(Value::as_str).collect()
    }

    /// How many values there are in all.
    #[must_use]
    pub fn total(&self) -> Option<u64> {
        self.completion().get("total").and_then(Value::as_u64)
    }

    /// Whether there are more values than are given.
    #[must_use]
    pub fn has_more(&self) -> bool {
        self.completion().get("hasMore") == Some(&Value::Bool(true))
    }

    /// The whole result, as JSON.
    #[must_use]
    pub fn json(&self) -> &Value {
        &self.0.result
    }

    fn completion(&self) -> &Value {
        self.0.result.get("completion").unwrap_or(&Value::Null)
    }
}

impl Discovered {
    pub(super) fn new(result: Value) -> Self {
        Self(result)
    }

    /// What the server offers, as JSON.
    #[must_use]
    pub fn capabilities(&self) -> &Value {
        self.0.get("capabilities").unwrap_or(&Value::Null)
    }

    /// How to use the server, for the model.
    #[must_use]
    pub fn instructions(&self) -> Option<&str> {
        self.0.get("instructions").and_then(Value::as_str)
    }

    /// The server's name and version, as JSON.
    #[must_use]
    pub fn server_info(&self) -> Option<&Value> {
        let own = self.0.get("serverInfo");
        own.or_else(|| {
            self.0
                .get("_meta")?
                .get("io.modelcontextprotocol/serverInfo")
        })
    }

    /// The whole result, as JSON.
    #[must_use]
    pub fn json(&self) -> &Value {
        &self.0
    }
}

impl Item {
    pub(super) fn new(declaration: Value) -> Self {
        Self(declaration)
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        self.text("name")
    }

    /// The description; empty where there is none.
    #[must_use]
    pub fn description(&self) -> &str {
        self.text("description")
    }

    /// A resource's URI, or a template's URI template.
    #[must_use]
    pub fn uri(&self) -> &str {
        match self.0.get("uriTemplate") {
            Some(template) => template.as_str().unwrap_or_default(),
            None => self.text("uri"),
        }
    }

    /// The whole declaration, as JSON.
    #[must_use]
    pub fn json(&self) -> &Value {
        &self.0
    }

    fn text(&self, member: &str) -> &str {
        self.0
            .get(member)
            .and_then(Value::as_str)
            .unwrap_or_default()
    }
}

/// A member of the declaration; null where there is none.
impl Index<&str> for Item {
    type Output = Value;

    fn index(&self, member: &str) -> &Value {
        self.0.get(member).unwrap_or(&Value::Null)
    }
}

fn array<'a>(object: &'a Value, member: &str) -> &'a [Value] {
    let items = object.get(member).and_then(Value::as_array);
    items.map(Vec::as_slice).unwrap_or_default()
}

fn texts(blocks: &[Value]) -> String {
    let text = |block: &Value| block.get("text")?.as_str().map(str::to_owned);
    blocks
        .iter()
        .filter_map(text)
        .collect::<Vec<_>>()
        .join("\n")
}
