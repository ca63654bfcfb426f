use std::{sync::Arc, time::SystemTime};

use serde_json::Map;

use super::{Asked, Dispatch};
use crate::{
    KeyRing, Principal, Prompt, Resource, Tool,
    access::Policy,
    cache::{Cache, Cacheable},
    catalog::{Catalog, Rendered, page},
    prompt,
    protocol::{answer::Refusal, jsonrpc::Slot, method::Method, wire::OnWire},
    resource,
    signing::cursor::{self, Binding},
    tool,
};

/// An item of a catalogue that is listed as its declaration.
trait Declared {
    type Declaration: OnWire;

    fn parts(&self) -> (&Arc<Self::Declaration>, &Rendered);
}

pub(super) fn tools<C: Send + Sync + 'static>(asked: &Asked<'_, C>) -> Dispatch {
    let server = asked.server;
    list(
        asked,
        "tools",
        &server.tools,
        &server.access.tool_visibility,
        Cacheable::ToolsList,
    )
}

pub(super) fn prompts<C: Send + Sync + 'static>(asked: &Asked<'_, C>) -> Dispatch {
    let server = asked.server;
    list(
        asked,
        "prompts",
        &server.prompts,
        &server.access.prompt,
        Cacheable::PromptsList,
    )
}

pub(super) fn resource_templates<C: Send + Sync + 'static>(asked: &Asked<'_, C>) -> Dispatch {
    let server = asked.server;
    let cacheable = Cacheable::ResourceTemplatesList;
    list(
        asked,
        "resourceTemplates",
        &server.templates,
        &server.access.resource,
        cacheable,
    )
}

/// One page of a catalogue, assembled from declarations that are JSON already.
fn list<C, T>(
    asked: &Asked<'_, C>,
    member: &'static str,
    catalog: &Catalog<T>,
    policy: &Policy<C, T::Declaration>,
    cacheable: Cacheable,
) -> Dispatch
where
    C: Send + Sync + 'static,
    T: Declared,
{
    let context = &**asked.peer.context();
    asked.answer(|responder| {
        let after = asked.cursor()?;
        let after = after
            .as_deref()
            .and_then(<[String]>::first)
            .map(String::as_str);
        let shown = |item: &T| policy.admits(context, item.parts().0);
        let page = page(catalog, after, asked.server.page_size, shown);
        let next = page
            .next
            .map(|last| asked.cursors().seal(&[last]))
            .transpose()?;
        let cache = asked.cache(cacheable, policy.is_set());
        Ok(responder.cacheable(cache, &Map::new(), |members| {
            let items = page.items.iter().map(|item| {
                let (declaration, rendered) = item.parts();
                rendered.get(responder.revision, &**declaration)
            });
            members.raw_array(member, items);
            if let Some(next) = &next {
                members.value("nextCursor", next);
            }
        }))
    })
}

/// Seals and opens the cursors of one list for one caller.
pub(super) struct Cursors {
    method: Method,
    principal: Option<Arc<Principal>>,
    audience: Arc<str>,
    keys: KeyRing,
    now: SystemTime,
}

impl Cursors {
    /// The cursor of the page after the item with this key.
    pub(super) fn seal(&self, key: &[&str]) -> Result<String, Refusal> {
        cursor::seal(&self.keys, &self.binding(), key, self.now).map_err(|error| {
            tracing::error!(%error, "a list can't go on");
            Refusal::internal("internal error")
        })
    }

    fn open(&self, text: &str) -> Option<Vec<String>> {
        cursor::open(&self.keys, &self.binding(), text, self.now)
    }

    fn binding(&self) -> Binding<'_> {
        Binding {
            method: self.method.as_str(),
            principal: self.principal.as_deref(),
            audience: &self.audience,
        }
    }
}

impl<C> Asked<'_, C> {
    pub(super) fn cursors(&self) -> Cursors {
        Cursors {
            method: self.method,
            principal: self.peer.principal().cloned(),
            audience: self.server.audience(),
            keys: self.server.keys.clone(),
            now: self.server.clock.now(),
        }
    }

    /// The key that the request's cursor names; `None` for the first page (PAGE-01, PAGE-04).
    pub(super) fn cursor(&self) -> Result<Option<Vec<String>>, Refusal> {
        let key = match &self.params.cursor {
            Slot::Absent | Slot::Null => return Ok(None),
            Slot::Value(text) => self.cursors().open(text),
            Slot::Wrong(_) => None,
        };
        let bad = || Refusal::invalid_params("the cursor is not one of this list, or has expired");
        key.map(Some).ok_or_else(bad)
    }

    pub(super) fn cache(&self, of: Cacheable, depends_on_caller: bool) -> Cache {
        self.server.cache(of).private_if(depends_on_caller)
    }
}

impl<C> Declared for Tool<C> {
    type Declaration = tool::Declaration;

    fn parts(&self) -> (&Arc<tool::Declaration>, &Rendered) {
        (&self.declaration, &self.rendered)
    }
}

impl<C> Declared for Prompt<C> {
    type Declaration = prompt::Declaration;

    fn parts(&self) -> (&Arc<prompt::Declaration>, &Rendered) {
        (&self.declaration, &self.rendered)
    }
}

impl<C> Declared for Resource<C> {
    type Declaration = resource::Declaration;

    fn parts(&self) -> (&Arc<resource::Declaration>, &Rendered) {
        (&self.declaration, &self.rendered)
    }
}
