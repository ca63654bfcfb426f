use serde_json::Value;

use crate::input::response;

/// What the model said.
#[derive(Clone, Debug, PartialEq)]
pub struct Sampled {
    pub(super) given: Value,
}

/// That the model wants to use a tool.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ToolUse<'a> {
    /// What its result is told by.
    pub id: &'a str,
    /// The tool.
    pub name: &'a str,
    /// The arguments, an object. They are a model's: read them with a codec.
    pub input: &'a Value,
}

impl Sampled {
    /// The text that the model said: all its text blocks, one to a line.
    #[must_use]
    pub fn text(&self) -> String {
        let text = |block: &Value| match block.get("type")?.as_str()? {
            "text" => block.get("text")?.as_str().map(str::to_owned),
            _ => None,
        };
        let texts: Vec<_> = self.content().iter().filter_map(text).collect();
        texts.join("\n")
    }

    /// The content blocks, as JSON.
    #[must_use]
    pub fn content(&self) -> &[Value] {
        response::sample(&self.given).map_or(&[], |(content, _)| content)
    }

    /// The tools that the model wants to use.
    pub fn tool_uses(&self) -> impl Iterator<Item = ToolUse<'_>> {
        self.content().iter().filter_map(|block| {
            let text = |member: &str| block.get(member)?.as_str();
            (text("type")? == "tool_use").then_some(())?;
            Some(ToolUse {
                id: text("id")?,
                name: text("name")?,
                input: block.get("input")?,
            })
        })
    }

    /// The model.
    #[must_use]
    pub fn model(&self) -> &str {
        response::sample(&self.given).map_or("", |(_, model)| model)
    }

    /// Why the model stopped, such as `endTurn` or `maxTokens`.
    #[must_use]
    pub fn stop_reason(&self) -> Option<&str> {
        self.given.get("stopReason")?.as_str()
    }
}
