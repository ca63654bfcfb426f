use std::sync::Arc;

use super::Server;
use crate::{Prompt, Resource, Tool, resource::Kind, tool};

/// Why something could not be added to a server.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum RegisterError {
    /// One URI could be of the new template and of one that the server has.
    #[error(
        "one URI could be of both {uri_template:?} and {other:?}; tell them apart by their text"
    )]
    AmbiguousTemplate {
        /// The new template.
        uri_template: String,
        /// The server's template.
        other: String,
    },
    /// The server has a prompt of that name already.
    #[error(
        "the server already has a prompt named {name:?}; unregister it first, or choose another name"
    )]
    DuplicatePrompt {
        /// The name.
        name: String,
    },
    /// The server has a resource of that URI, or a template of that URI template, already.
    #[error(
        "the server already has a resource {uri:?}; unregister it first, or choose another URI"
    )]
    DuplicateResource {
        /// The URI, or the URI template.
        uri: String,
    },
    /// The server has a tool of that name already.
    #[error(
        "the server already has a tool named {name:?}; unregister it first, or choose another name"
    )]
    DuplicateTool {
        /// The name.
        name: String,
    },
}

/// Changes made from data. Each gives a new value and leaves this one as it is.
impl<C> Server<C> {
    /// A server that has one more tool.
    ///
    /// ```
    /// use relay_core::{Server, codec, tool};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut server: Server<()> = Server::new([]);
    /// for name in ["red", "green"] {
    ///     let tool = tool::try_define(name, codec::object(()), codec::string())?
    ///         .handle(move |()| async move { Ok(name.to_owned()) });
    ///     server = server.register_tool(tool)?;
    /// }
    /// assert_eq!(server.tools().len(), 2);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`RegisterError::DuplicateTool`] if the name is taken.
    pub fn register_tool(&self, tool: Tool<C>) -> Result<Self, RegisterError> {
        let name = Arc::clone(&tool.declaration.name);
        let tools = self.inner.tools.with(Arc::clone(&name), tool);
        let tools = tools.ok_or_else(|| RegisterError::DuplicateTool {
            name: name.to_string(),
        })?;
        Ok(self.clone().change(|inner| inner.tools = tools))
    }

    /// A server without the tool of that name. An absent name changes nothing.
    #[must_use]
    pub fn unregister_tool(&self, name: &str) -> Self {
        if !self.has_tool(name) {
            return self.clone();
        }
        let tools = self.inner.tools.without(name);
        self.clone().change(|inner| inner.tools = tools)
    }

    /// A server that has one more resource or template.
    ///
    /// # Errors
    ///
    /// [`RegisterError::DuplicateResource`] if the URI or the URI template is taken,
    /// [`RegisterError::AmbiguousTemplate`] if one URI could be of two templates (TPL-03).
    pub fn register_resource(&self, resource: Resource<C>) -> Result<Self, RegisterError> {
        let uri = Arc::clone(&resource.declaration.uri);
        let duplicate = || RegisterError::DuplicateResource {
            uri: uri.to_string(),
        };
        if let Kind::Direct = resource.kind {
            let resources = self.inner.resources.with(Arc::clone(&uri), resource);
            let resources = resources.ok_or_else(duplicate)?;
            return Ok(self.clone().change(|inner| inner.resources = resources));
        }
        let Some(templates) = self
            .inner
            .templates
            .with(Arc::clone(&uri), resource.clone())
        else {
            return Err(duplicate());
        };
        let mut others = self
            .inner
            .templates
            .values()
            .filter_map(Resource::uri_template);
        let overlaps = |new| others.find(|other| other.overlaps(new));
        if let Some(other) = resource.uri_template().and_then(overlaps) {
            return Err(RegisterError::AmbiguousTemplate {
                uri_template: uri.to_string(),
                other: other.as_str().to_owned(),
            });
        }
        Ok(self.clone().change(|inner| inner.templates = templates))
    }

    /// A server without the direct resource of that URI or the template of that URI template. An
    /// absent one changes nothing.
    #[must_use]
    pub fn unregister_resource(&self, uri: &str) -> Self {
        let resources = self.inner.resources.without(uri);
        let templates = self.inner.templates.without(uri);
        self.clone().change(|inner| {
            inner.resources = resources;
            inner.templates = templates;
        })
    }

    /// A server that has one more prompt.
    ///
    /// # Errors
    ///
    /// [`RegisterError::DuplicatePrompt`] if the name is taken.
    pub fn register_prompt(&self, prompt: Prompt<C>) -> Result<Self, RegisterError> {
        let name = Arc::clone(&prompt.declaration.name);
        let prompts = self.inner.prompts.with(Arc::clone(&name), prompt);
        let prompts = prompts.ok_or_else(|| RegisterError::DuplicatePrompt {
            name: name.to_string(),
        })?;
        Ok(self.clone().change(|inner| inner.prompts = prompts))
    }

    /// A server without the prompt of that name. An absent name changes nothing.
    #[must_use]
    pub fn unregister_prompt(&self, name: &str) -> Self {
        let prompts = self.inner.prompts.without(name);
        self.clone().change(|inner| inner.prompts = prompts)
    }

    /// Whether the server has a tool of that name, whoever may see it.
    #[must_use]
    pub fn has_tool(&self, name: &str) -> bool {
        self.inner.tools.contains(name)
    }

    /// What the server's tools declare, in registration order. Access is not applied.
    pub fn tools(&self) -> impl ExactSizeIterator<Item = &tool::Declaration> {
        self.inner.tools.values().map(Tool::declaration)
    }
}
