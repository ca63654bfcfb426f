//! The parameters of `sampling/createMessage` (SAMP-04).

use serde::{Serialize, Serializer, ser::SerializeMap};
use serde_json::json;

use super::{Choice, Content, Message, Request, Tool, ToolResult};
use crate::protocol::{
    revision::Facts,
    wire::{On, OnWire},
};

impl OnWire for Request {
    fn serialize_on<S: Serializer>(
        &self,
        facts: &'static Facts,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("messages", &On(self.messages.as_slice(), facts))?;
        map.serialize_entry("maxTokens", &self.max_tokens)?;
        if let Some(prompt) = &self.system_prompt {
            map.serialize_entry("systemPrompt", prompt)?;
        }
        if let Some(temperature) = self.temperature {
            map.serialize_entry("temperature", &temperature)?;
        }
        if !self.stop_sequences.is_empty() {
            map.serialize_entry("stopSequences", &self.stop_sequences)?;
        }
        if !self.hints.is_empty() {
            let hints: Vec<_> = self
                .hints
                .iter()
                .map(|name| json!({ "name": name }))
                .collect();
            map.serialize_entry("modelPreferences", &json!({ "hints": hints }))?;
        }
        if !self.tools.is_empty() {
            map.serialize_entry("tools", &self.tools)?;
        }
        if let Some(choice) = self.choice {
            map.serialize_entry("toolChoice", &json!({ "mode": choice.as_str() }))?;
        }
        map.end()
    }
}

impl OnWire for Message {
    fn serialize_on<S: Serializer>(
        &self,
        facts: &'static Facts,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("role", &self.role)?;
        match &self.content {
            Content::Block(block) => map.serialize_entry("content", &On(block, facts))?,
            Content::Said(said) => map.serialize_entry("content", said)?,
            Content::Results(results) => {
                map.serialize_entry("content", &On(results.as_slice(), facts))?;
            }
        }
        map.end()
    }
}

impl OnWire for ToolResult {
    fn serialize_on<S: Serializer>(
        &self,
        facts: &'static Facts,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("type", "tool_result")?;
        map.serialize_entry("toolUseId", &self.id)?;
        map.serialize_entry("content", &On(self.content.as_slice(), facts))?;
        if self.is_error {
            map.serialize_entry("isError", &true)?;
        }
        map.end()
    }
}

impl Serialize for Tool {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("name", &self.name)?;
        if let Some(description) = &self.description {
            map.serialize_entry("description", description)?;
        }
        if let Ok(schema) = &self.schema {
            map.serialize_entry("inputSchema", schema)?;
        }
        map.end()
    }
}

impl Choice {
    fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::None => "none",
            Self::Required => "required",
        }
    }
}
