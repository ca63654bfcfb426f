#[cfg(feature = "validate")]
use std::sync::OnceLock;
use std::{fmt, sync::Arc, time::Duration};

use serde_json::{Map, Value};

#[cfg(feature = "validate")]
use crate::schema::Validator;
use crate::{
    content::Icon,
    protocol::capability::ClientCapabilities,
    schema::{MirroredHeader, Schema},
};

/// What a tool publishes about itself, and what policies see of it.
#[derive(Clone, Debug)]
pub struct Declaration {
    pub(crate) name: Arc<str>,
    pub(crate) title: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) input_schema: Schema,
    pub(crate) output_schema: Option<Schema>,
    pub(crate) hints: Hints,
    pub(crate) icons: Vec<Icon>,
    pub(crate) meta: Map<String, Value>,
    pub(crate) required_capabilities: ClientCapabilities,
    pub(crate) deadline: Option<Duration>,
    /// Whether an answer to the handler's questions counts once.
    pub(crate) single_use: bool,
    /// The arguments that clients repeat in headers.
    pub(crate) mirrored: Arc<[MirroredHeader]>,
    /// Judges structured content that no encoder wrote.
    #[cfg(feature = "validate")]
    output_validator: OnceLock<Option<Validator>>,
}

/// The four behaviour hints; unset is apart from false (TOOL-17).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Hints {
    pub(crate) read_only: Option<bool>,
    pub(crate) destructive: Option<bool>,
    pub(crate) idempotent: Option<bool>,
    pub(crate) open_world: Option<bool>,
}

impl Declaration {
    pub(crate) fn new(
        name: &str,
        input_schema: Schema,
        output_schema: Option<Schema>,
        mirrored: &[MirroredHeader],
    ) -> Self {
        Self {
            name: Arc::from(name),
            title: None,
            description: None,
            input_schema,
            output_schema,
            hints: Hints::default(),
            icons: Vec::new(),
            meta: Map::new(),
            required_capabilities: ClientCapabilities::default(),
            deadline: None,
            single_use: false,
            mirrored: mirrored.into(),
            #[cfg(feature = "validate")]
            output_validator: OnceLock::new(),
        }
    }

    /// Whether structured content that came with an error may be sent (TOOL-14).
    #[cfg(feature = "validate")]
    pub(crate) fn admits_output(&self, value: &Value) -> bool {
        self.output_schema.as_ref().is_none_or(|schema| {
            let compile = || Validator::compile(&schema.document()).ok();
            let validator = self.output_validator.get_or_init(compile);
            validator
                .as_ref()
                .is_some_and(|validator| validator.is_valid(value))
        })
    }

    /// Whether structured content that came with an error may be sent (TOOL-14): not beside a
    /// schema that nothing here can judge it by.
    #[cfg(not(feature = "validate"))]
    pub(crate) fn admits_output(&self, _: &Value) -> bool {
        self.output_schema.is_none()
    }

    /// The tool's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name shown to people.
    #[must_use]
    pub fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    /// What the tool does.
    #[must_use]
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }

    /// The JSON Schema of the arguments, as published and enforced.
    #[must_use]
    pub fn input_schema(&self) -> &Schema {
        &self.input_schema
    }

    /// The JSON Schema of the structured result; `None` for a tool that answers with content
    /// blocks alone.
    #[must_use]
    pub fn output_schema(&self) -> Option<&Schema> {
        self.output_schema.as_ref()
    }

    /// Whether the tool says that it changes nothing.
    #[must_use]
    pub fn is_read_only(&self) -> Option<bool> {
        self.hints.read_only
    }

    /// Whether the tool says that it may destroy something.
    #[must_use]
    pub fn is_destructive(&self) -> Option<bool> {
        self.hints.destructive
    }

    /// Whether the tool says that calling it again changes nothing more.
    #[must_use]
    pub fn is_idempotent(&self) -> Option<bool> {
        self.hints.idempotent
    }

    /// Whether the tool says that it reaches beyond what the server holds.
    #[must_use]
    pub fn is_open_world(&self) -> Option<bool> {
        self.hints.open_world
    }

    /// Whether each answer to its questions counts once.
    #[must_use]
    pub fn is_single_use(&self) -> bool {
        self.single_use
    }

    /// The tool's icons.
    #[must_use]
    pub fn icons(&self) -> &[Icon] {
        &self.icons
    }

    /// The tool's `_meta`.
    #[must_use]
    pub fn meta(&self) -> &Map<String, Value> {
        &self.meta
    }
}

/// What is wrong with a name: `None` where it may be published (TOOL-04).
pub(crate) fn name_fault(name: &str) -> Option<String> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    if name.is_empty() {
        Some("the name is empty".to_owned())
    } else if name.len() > 128 {
        Some(format!(
            "the name has {} characters; 128 are allowed",
            name.chars().count()
        ))
    } else {
        let bad = name.chars().find(|&c| !allowed(c))?;
        Some(format!(
            "the name holds {bad:?}; use letters, digits, `_`, `-` and `.`"
        ))
    }
}

/// Some clients take only `[A-Za-z0-9_-]{1,64}`; the author hears of it, and decides.
pub(crate) fn warn_of_narrow_clients(what: impl fmt::Display, name: &str) {
    if name.len() > 64 || name.contains(['.', '/']) {
        tracing::warn!(
            name,
            "some clients refuse the name of this {what}: keep to letters, digits, `_` and `-`, \
             64 at most"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // TOOL-04, T08
    #[test]
    fn names_outside_the_character_set_are_faults() {
        for good in [
            "get_user",
            "calendar.read",
            "A",
            "a",
            "a/b",
            &"x".repeat(128),
        ] {
            assert_eq!(name_fault(good), None, "{good}");
        }
        for bad in ["", "get user", "Ünï", &"x".repeat(129), "a\n"] {
            assert!(name_fault(bad).is_some(), "{bad}");
        }
    }
}
