use std::sync::Arc;

use super::{Access, Inner, Server};
use crate::{
    KeyRing, Prompt, Resource, Tool,
    catalog::Catalog,
    clock::Clock,
    protocol::{capability::Implementation, revision::Revision},
    resource::Kind,
    uri_template::UriTemplate,
};

impl<C> Server<C> {
    /// A server with these tools.
    ///
    /// # Panics
    ///
    /// If two tools have one name, which it says. The list is written in source code; for tools
    /// that are made from data, see [`Server::register_tool`].
    pub fn new(tools: impl IntoIterator<Item = Tool<C>>) -> Self {
        let tools = tools
            .into_iter()
            .map(|tool| (Arc::clone(&tool.declaration.name), tool));
        let tools = Catalog::new(tools).unwrap_or_else(|name| duplicate("tools are named", &name));
        let server = Self {
            inner: Arc::new(Inner {
                tools,
                prompts: Catalog::default(),
                resources: Catalog::default(),
                templates: Catalog::default(),
                completion: None,
                access: Access::default(),
                info: Implementation::new("", ""),
                rendered_info: Arc::from(""),
                sends_info: true,
                instructions: None,
                audience: None,
                logging: false,
                page_size: 100,
                caches: std::collections::HashMap::new(),
                extensions: serde_json::Map::new(),
                revisions: Revision::ALL.to_vec(),
                keys: KeyRing::random(),
                clock: Clock::system(),
            }),
        };
        server.with_info("relay", env!("CARGO_PKG_VERSION"))
    }

    /// The server's resources and templates.
    ///
    /// # Panics
    ///
    /// If two direct resources have one URI, two templates have one URI template, or one URI could
    /// be of two templates (TPL-03). It says which.
    #[must_use]
    pub fn with_resources(self, resources: impl IntoIterator<Item = Resource<C>>) -> Self {
        let (direct, templates): (Vec<_>, Vec<_>) = resources
            .into_iter()
            .partition(|resource| matches!(resource.kind, Kind::Direct));
        let keyed = |resources: Vec<Resource<C>>| {
            Catalog::new(
                resources
                    .into_iter()
                    .map(|resource| (Arc::clone(&resource.declaration.uri), resource)),
            )
        };
        let direct = keyed(direct).unwrap_or_else(|uri| duplicate("resources have the URI", &uri));
        let templates = keyed(templates)
            .unwrap_or_else(|uri| duplicate("resources have the URI template", &uri));
        refuse_ambiguity(&templates);
        self.change(|inner| {
            inner.resources = direct;
            inner.templates = templates;
        })
    }

    /// The server's prompts.
    ///
    /// # Panics
    ///
    /// If two prompts have one name, which it says.
    #[must_use]
    pub fn with_prompts(self, prompts: impl IntoIterator<Item = Prompt<C>>) -> Self {
        let prompts = prompts
            .into_iter()
            .map(|prompt| (Arc::clone(&prompt.declaration.name), prompt));
        let prompts =
            Catalog::new(prompts).unwrap_or_else(|name| duplicate("prompts are named", &name));
        self.change(|inner| inner.prompts = prompts)
    }
}

fn refuse_ambiguity<C>(templates: &Catalog<Resource<C>>) {
    let mut seen: Vec<&UriTemplate> = Vec::new();
    for template in templates.values().filter_map(Resource::uri_template) {
        if let Some(other) = seen.iter().find(|other| other.overlaps(template)) {
            refuse(&format!(
                "one URI could be of both {:?} and {:?}",
                other.as_str(),
                template.as_str()
            ))
        }
        seen.push(template);
    }
}

fn duplicate(what: &str, key: &str) -> ! {
    refuse(&format!("two {what} {key:?}"))
}

#[expect(
    clippy::panic,
    reason = "the list is written in source code: its mistakes show at start"
)]
pub(super) fn refuse(why: &str) -> ! {
    panic!("{why}")
}
