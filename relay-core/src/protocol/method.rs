//! The methods a client can ask for.

use super::revision::Facts;

/// A method of the protocol that this crate answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    CompletionComplete,
    Discover,
    Initialize,
    LoggingSetLevel,
    Ping,
    PromptsGet,
    PromptsList,
    ResourcesList,
    ResourcesRead,
    ResourceTemplatesList,
    ToolsCall,
    ToolsList,
}

impl Method {
    const ALL: [Self; 12] = [
        Self::ToolsCall,
        Self::ToolsList,
        Self::ResourcesRead,
        Self::ResourcesList,
        Self::ResourceTemplatesList,
        Self::PromptsGet,
        Self::PromptsList,
        Self::CompletionComplete,
        Self::Discover,
        Self::Initialize,
        Self::LoggingSetLevel,
        Self::Ping,
    ];

    pub(crate) fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|method| method.as_str() == name)
    }

    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::CompletionComplete => "completion/complete",
            Self::Discover => "server/discover",
            Self::Initialize => "initialize",
            Self::LoggingSetLevel => "logging/setLevel",
            Self::Ping => "ping",
            Self::PromptsGet => "prompts/get",
            Self::PromptsList => "prompts/list",
            Self::ResourcesList => "resources/list",
            Self::ResourcesRead => "resources/read",
            Self::ResourceTemplatesList => "resources/templates/list",
            Self::ToolsCall => "tools/call",
            Self::ToolsList => "tools/list",
        }
    }

    /// Whether a revision has the method: the handshake and what depends on it are legacy, discovery
    /// is modern (ERR-08, LC-10).
    pub(crate) const fn is_in(self, facts: &Facts) -> bool {
        match self {
            Self::Discover => facts.modern,
            Self::Initialize | Self::LoggingSetLevel | Self::Ping => !facts.modern,
            _ => true,
        }
    }
}
