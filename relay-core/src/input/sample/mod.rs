//! Asking the client's model.
//!
//! The protocol has deprecated it; a server that needs a model should call one of its own
//! (SAMP-06). Clients show their users what is asked, and may use another model or none.

mod sampled;
mod wire;

use std::collections::BTreeSet;

use serde_json::Value;

pub use sampled::{Sampled, ToolUse};

use super::{Ask, Desk, desk::Misfit, response};
use crate::{
    ClientCapabilities,
    codec::IntoDecoder,
    content::{self, Block, Role},
    protocol::wire::On,
    schema::Schema,
    signing::state::{Fingerprint, Kind},
};

/// A request to the client's model, put by [`Call::sample`](crate::Call::sample), or with other
/// questions in one round by [`Call::ask`](crate::Call::ask).
#[derive(Clone, Debug)]
#[must_use = "a request to a model is put with `call.sample` or `call.ask`"]
pub struct Request {
    key: String,
    max_tokens: u32,
    messages: Vec<Message>,
    system_prompt: Option<String>,
    temperature: Option<f64>,
    stop_sequences: Vec<String>,
    hints: Vec<String>,
    tools: Vec<Tool>,
    choice: Option<Choice>,
    fault: Option<String>,
}

/// A tool that the model may use: see [`tool`].
#[derive(Clone, Debug)]
pub struct Tool {
    name: String,
    description: Option<String>,
    schema: Result<Schema, String>,
}

/// What came of the use of a tool: see [`result`].
#[derive(Clone, Debug)]
pub struct ToolResult {
    id: String,
    content: Vec<Block>,
    is_error: bool,
}

/// Whether the model has to use a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Choice {
    /// As it likes.
    Auto,
    /// Not at all.
    None,
    /// At least one.
    Required,
}

#[derive(Clone, Debug)]
struct Message {
    role: Role,
    content: Content,
}

#[derive(Clone, Debug)]
enum Content {
    Block(Block),
    /// What the model said, as it came.
    Said(Value),
    Results(Vec<ToolResult>),
}

/// Begins a request of this key, for an answer of so many tokens at most.
///
/// ```
/// # use relay_core::{Call, Error, sample};
/// # async fn example(call: Call<()>) -> Result<String, Error> {
/// let capital = sample::request("capital", 100).user("What is the capital of France?");
/// Ok(call.sample(capital).await?.text())
/// # }
/// ```
pub fn request(key: impl Into<String>, max_tokens: u32) -> Request {
    Request {
        key: key.into(),
        max_tokens,
        messages: Vec::new(),
        system_prompt: None,
        temperature: None,
        stop_sequences: Vec::new(),
        hints: Vec::new(),
        tools: Vec::new(),
        choice: None,
        fault: None,
    }
}

/// A tool that the model may use, by its name and the arguments it takes.
///
/// A loop that lets the model use tools asks under another key in each turn; it ends with the
/// rounds that a request may have (SAMP-05).
///
/// ```
/// # use relay_core::{Call, Error, codec, content, sample};
/// # async fn example(call: Call<()>) -> Result<String, Error> {
/// let weather = sample::tool("weather", codec::object(codec::field("city", codec::string())));
/// let mut request = sample::request("turn-1", 500).user("Which is warmer, Oslo or Quito?").with_tool(weather);
/// for turn in 2.. {
///     let said = call.sample(request.clone()).await?;
///     let results: Vec<_> = said
///         .tool_uses()
///         .map(|used| sample::result(used.id, [content::text("12 °C")]))
///         .collect();
///     if results.is_empty() {
///         return Ok(said.text());
///     }
///     request = request.with_results(&said, results).with_key(format!("turn-{turn}"));
/// }
/// # unreachable!()
/// # }
/// ```
pub fn tool(name: impl Into<String>, input: impl IntoDecoder) -> Tool {
    let decoder = input.into_decoder().map_err(|faults| faults.to_string());
    Tool {
        name: name.into(),
        description: None,
        schema: decoder.map(|decoder| decoder.schema().clone()),
    }
}

/// What came of the use of that id.
#[must_use]
pub fn result(id: impl Into<String>, content: impl IntoIterator<Item = Block>) -> ToolResult {
    ToolResult {
        id: id.into(),
        content: content.into_iter().collect(),
        is_error: false,
    }
}

impl Tool {
    /// What the tool does.
    #[must_use]
    pub fn with_description(self, description: impl Into<String>) -> Self {
        Self {
            description: Some(description.into()),
            ..self
        }
    }
}

impl ToolResult {
    /// Says that the tool failed, and the content how.
    #[must_use]
    pub fn with_error(self) -> Self {
        Self {
            is_error: true,
            ..self
        }
    }
}

impl Request {
    /// Asks under another key.
    pub fn with_key(self, key: impl Into<String>) -> Self {
        Self {
            key: key.into(),
            ..self
        }
    }

    /// Adds a message of the user's: a text, an image or audio.
    pub fn user(self, content: impl Into<Block>) -> Self {
        self.says(Role::User, Content::Block(content.into()))
    }

    /// Adds a message of the model's, as if it had said so.
    pub fn assistant(self, content: impl Into<Block>) -> Self {
        self.says(Role::Assistant, Content::Block(content.into()))
    }

    /// Adds what the model said, and the result of every tool that it used in it, each once
    /// (SAMP-03).
    pub fn with_results(
        mut self,
        said: &Sampled,
        results: impl IntoIterator<Item = ToolResult>,
    ) -> Self {
        let results: Vec<_> = results.into_iter().collect();
        let used: BTreeSet<_> = said.tool_uses().map(|used| used.id.to_owned()).collect();
        let told: BTreeSet<_> = results.iter().map(|result| result.id.clone()).collect();
        if used != told || told.len() != results.len() {
            self.fault
                .get_or_insert_with(|| "each use of a tool has one result".to_owned());
        }
        let content = said.given.get("content").cloned().unwrap_or_default();
        self.says(Role::Assistant, Content::Said(content))
            .says(Role::User, Content::Results(results))
    }

    fn says(mut self, role: Role, content: Content) -> Self {
        let plain = match &content {
            Content::Block(block) => matches!(
                block.kind,
                content::Kind::Text { .. }
                    | content::Kind::Image { .. }
                    | content::Kind::Audio { .. }
            ),
            Content::Said(_) | Content::Results(_) => true,
        };
        if !plain {
            self.fault
                .get_or_insert_with(|| "a model is told texts, images and audio".to_owned());
        }
        self.messages.push(Message { role, content });
        self
    }

    /// What the model is told before all messages.
    pub fn with_system_prompt(self, prompt: impl Into<String>) -> Self {
        Self {
            system_prompt: Some(prompt.into()),
            ..self
        }
    }

    /// How freely the model speaks.
    pub fn with_temperature(self, temperature: f64) -> Self {
        Self {
            temperature: Some(temperature),
            ..self
        }
    }

    /// Texts at which the model stops.
    pub fn with_stop_sequences<S: Into<String>>(
        self,
        sequences: impl IntoIterator<Item = S>,
    ) -> Self {
        Self {
            stop_sequences: sequences.into_iter().map(Into::into).collect(),
            ..self
        }
    }

    /// A model, or a part of its name, that would be liked; after those named before.
    pub fn with_model(mut self, name: impl Into<String>) -> Self {
        self.hints.push(name.into());
        self
    }

    /// Lets the model use a tool; for clients that declare `sampling.tools` (SAMP-01).
    pub fn with_tool(mut self, tool: Tool) -> Self {
        if let Err(why) = &tool.schema {
            let fault = format!("the tool {:?} can't be offered: {why}", tool.name);
            self.fault.get_or_insert(fault);
        }
        self.tools.push(tool);
        self
    }

    /// Whether the model has to use a tool.
    pub fn with_tool_choice(self, choice: Choice) -> Self {
        Self {
            choice: Some(choice),
            ..self
        }
    }
}

impl Ask for Request {
    type Answer = Sampled;

    fn put(self, desk: &mut Desk<'_>) -> Option<Sampled> {
        if let Some(fault) = &self.fault {
            return desk.fail(format!(
                "the request {:?} to a model is faulty: {fault}",
                self.key
            ));
        }
        let none = ClientCapabilities::new();
        let needs = if self.tools.is_empty() && self.choice.is_none() {
            none.with_sampling()
        } else {
            none.with_sampling_tools()
        };
        let read = |given: Value| match response::sample(&given) {
            Some(_) => Ok(Sampled { given }),
            None => Err(Misfit::default()),
        };
        let facts = desk.facts();
        let question = Fingerprint::new(Kind::Sample, "");
        desk.settle(&self.key, question, needs, read, |_misfit| {
            super::request("sampling/createMessage", &On(&self, facts))
        })
    }
}
