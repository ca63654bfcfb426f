//! The server value: everything a server is, as one immutable value.

mod compose;
mod register;
mod settings;

use std::{collections::HashMap, fmt, sync::Arc};

pub use register::RegisterError;

use crate::{
    KeyRing, Prompt, Resource, Tool,
    access::Policy,
    cache::{Cache, Cacheable},
    catalog::Catalog,
    clock::Clock,
    completion::{self, Completer},
    prompt,
    protocol::{capability::Implementation, revision::Revision},
    resource, tool,
};

/// An MCP server: tools, resources, prompts, and how they are shown and guarded.
///
/// One immutable value over a context type `Ctx`, which holds what the handlers need and, where it
/// differs, who calls. Cheap to clone; every `with_*` takes the value and gives a changed one,
/// replacing an earlier setting of its kind. What serves it (stdio, HTTP, a test) takes the same
/// value.
///
/// ```
/// use relay_core::{Server, codec, tool};
///
/// struct Tenant { admin: bool }
///
/// let reset = tool::define("reset", codec::object(()), codec::string())
///     .handle(|()| async { Ok("done".to_owned()) });
///
/// let server = Server::new([reset])
///     .with_info("counter", "1.0.0")
///     .with_tool_visibility(|tenant: &Tenant, _tool| tenant.admin);
/// assert!(server.has_tool("reset"));
/// ```
pub struct Server<Ctx> {
    inner: Arc<Inner<Ctx>>,
}

/// The parts of a server value.
pub(crate) struct Inner<C> {
    pub(crate) tools: Catalog<Tool<C>>,
    pub(crate) prompts: Catalog<Prompt<C>>,
    /// Direct resources, by URI.
    pub(crate) resources: Catalog<Resource<C>>,
    /// Templates, by URI template.
    pub(crate) templates: Catalog<Resource<C>>,
    pub(crate) completion: Option<Completer<C, completion::Request>>,
    pub(crate) access: Access<C>,
    pub(crate) info: Implementation,
    /// The JSON of `info`, as modern results carry it.
    pub(crate) rendered_info: Arc<str>,
    pub(crate) sends_info: bool,
    pub(crate) instructions: Option<String>,
    pub(crate) audience: Option<Arc<str>>,
    pub(crate) logging: bool,
    pub(crate) page_size: usize,
    pub(crate) caches: HashMap<Cacheable, Cache>,
    pub(crate) extensions: serde_json::Map<String, serde_json::Value>,
    /// Newest first.
    pub(crate) revisions: Vec<Revision>,
    pub(crate) keys: KeyRing,
    pub(crate) clock: Clock,
}

pub(crate) struct Access<C> {
    pub(crate) tool_visibility: Policy<C, tool::Declaration>,
    pub(crate) tool_callability: Policy<C, tool::Declaration>,
    pub(crate) resource: Policy<C, resource::Declaration>,
    pub(crate) prompt: Policy<C, prompt::Declaration>,
}

impl<C> Server<C> {
    pub(crate) fn inner(&self) -> &Arc<Inner<C>> {
        &self.inner
    }

    fn change(mut self, change: impl FnOnce(&mut Inner<C>)) -> Self {
        change(Arc::make_mut(&mut self.inner));
        self
    }
}

impl<C> Inner<C> {
    /// Whom the tokens of this server are for: never the version, so that a deploy keeps them.
    pub(crate) fn audience(&self) -> Arc<str> {
        self.audience
            .clone()
            .unwrap_or_else(|| Arc::from(&*self.info.name))
    }

    pub(crate) fn cache(&self, of: Cacheable) -> Cache {
        self.caches.get(&of).copied().unwrap_or_default()
    }

    pub(crate) fn has_resources(&self) -> bool {
        !self.resources.is_empty() || !self.templates.is_empty()
    }

    pub(crate) fn completes(&self) -> bool {
        let template_completes = |resource: &Resource<C>| {
            resource
                .template()
                .is_some_and(resource::Template::completes)
        };
        self.completion.is_some()
            || self.prompts.values().any(Prompt::completes)
            || self.templates.values().any(template_completes)
    }
}

impl<C> Clone for Server<C> {
    fn clone(&self) -> Self {
        Self {
            inner: Arc::clone(&self.inner),
        }
    }
}

impl<C> Clone for Inner<C> {
    fn clone(&self) -> Self {
        Self {
            tools: self.tools.clone(),
            prompts: self.prompts.clone(),
            resources: self.resources.clone(),
            templates: self.templates.clone(),
            completion: self.completion.clone(),
            access: self.access.clone(),
            info: self.info.clone(),
            rendered_info: Arc::clone(&self.rendered_info),
            sends_info: self.sends_info,
            instructions: self.instructions.clone(),
            audience: self.audience.clone(),
            logging: self.logging,
            page_size: self.page_size,
            caches: self.caches.clone(),
            extensions: self.extensions.clone(),
            revisions: self.revisions.clone(),
            keys: self.keys.clone(),
            clock: self.clock.clone(),
        }
    }
}

impl<C> Clone for Access<C> {
    fn clone(&self) -> Self {
        Self {
            tool_visibility: self.tool_visibility.clone(),
            tool_callability: self.tool_callability.clone(),
            resource: self.resource.clone(),
            prompt: self.prompt.clone(),
        }
    }
}

impl<C> Default for Access<C> {
    fn default() -> Self {
        Self {
            tool_visibility: Policy::default(),
            tool_callability: Policy::default(),
            resource: Policy::default(),
            prompt: Policy::default(),
        }
    }
}

impl<C> fmt::Debug for Server<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.tools().map(tool::Declaration::name).collect();
        f.debug_struct("Server")
            .field("info", &self.inner.info)
            .field("tools", &names)
            .finish_non_exhaustive()
    }
}
