use std::sync::Arc;

use serde_json::{Map, json};

use super::{Asked, Dispatch, Ended, lists::Cursors, rounds};
use crate::{
    Call, Error, Resource,
    cache::{Cache, Cacheable},
    call::Scope,
    protocol::{
        answer::{Answer, Refusal, Responder},
        jsonrpc::Slot,
        revision::Facts,
        wire::{Listed, Located, On},
    },
    resource::{Declaration, Lister, Outcome, Target},
    server::Inner,
    uri,
    uri_template::Variables,
};

pub(super) fn read<C: Send + Sync + 'static>(mut asked: Asked<'_, C>) -> Dispatch {
    let uri = match &asked.params.uri {
        Slot::Value(uri) if uri::is_valid(uri) => uri.clone().into_owned(),
        Slot::Value(_) => return asked.refuse(&Refusal::invalid_params("`uri` is not a URI")),
        _ => return asked.refuse(&Refusal::invalid_params("`uri` must be a string")),
    };
    let facts = asked.responder.revision.facts();
    let Some((resource, variables)) = find(&asked, &uri) else {
        return asked.refuse(&unknown(&uri, facts));
    };
    let hint = resource
        .declaration
        .cache
        .unwrap_or_else(|| asked.server.cache(Cacheable::ResourcesRead));
    if let Err(refusal) = asked.resume(&uri, &Map::new(), true, false) {
        return asked.refuse(&refusal);
    }
    let cache = if asked.input.rounds.are_open() {
        // What the user answered is nobody else's, and may be another the next time (CACHE-08).
        Cache::default()
    } else {
        hint.private_if(asked.server.access.resource.is_set())
    };
    let round = asked.input.round.take();
    let target = Arc::new(Target { uri, variables });
    let declared = Arc::clone(&resource.declaration.uri);
    asked.invoke(Some(&declared), None, |call, responder| {
        let scope = Arc::clone(call.scope());
        Ok(Box::pin(async move {
            let outcome = match resource.read(call, Arc::clone(&target)).await {
                Ok(reply) => Ok(reply),
                Err(error) => match rounds::end(error, round, &target.uri, &responder, &scope) {
                    Ok(ended) => return ended,
                    Err(error) => Err(error),
                },
            };
            let mime_type = resource.declaration.mime_type();
            Ended::Answer(answer(
                &responder,
                cache,
                &target.uri,
                mime_type,
                outcome,
                &scope,
            ))
        }))
    })
}

/// A direct resource wins over a template that its URI also fits (TPL-02). What the caller may not
/// see takes no part: a template answers for a hidden one as for any other URI (RES-07).
fn find<C>(asked: &Asked<'_, C>, uri: &str) -> Option<(Resource<C>, Variables)> {
    let admitted = |resource: &&Resource<C>| {
        asked
            .server
            .access
            .resource
            .admits(asked.peer.context(), &resource.declaration)
    };
    if let Some(direct) = asked.server.resources.get(uri).filter(admitted) {
        return Some((direct.clone(), Variables::default()));
    }
    asked
        .server
        .templates
        .values()
        .filter(admitted)
        .find_map(|resource| {
            let variables = resource.template()?.match_uri(uri)?;
            Some((resource.clone(), variables))
        })
}

/// One refusal for what does not exist and what the caller may not read (RES-02, RES-07, LF-07).
fn unknown(uri: &str, facts: &Facts) -> Refusal {
    Refusal::new(facts.resource_not_found, "resource not found").with_data(json!({ "uri": uri }))
}

fn answer(
    responder: &Responder,
    cache: Cache,
    uri: &str,
    mime_type: Option<&str>,
    outcome: Outcome,
    scope: &Scope,
) -> Answer {
    let facts = responder.revision.facts();
    let reply = match outcome {
        Ok(reply) if reply.output.is_empty() => return responder.refuse(&unknown(uri, facts)),
        Ok(reply) => reply,
        Err(error) if error.is_not_found() => return responder.refuse(&unknown(uri, facts)),
        Err(error) => return responder.refuse(&super::refusal_of(error, scope)),
    };
    let located = |contents| Located {
        contents,
        uri,
        mime_type,
    };
    let contents: Vec<_> = reply.output.iter().map(located).collect();
    responder.cacheable(cache, &reply.meta, |members| {
        members.value("contents", &On(contents.as_slice(), facts));
    })
}

/// Direct resources by URI, then each template's own in the order that its lister gives, templates
/// by URI template. The cursor names the template (empty for the direct ones) and the URI.
pub(super) fn list<C: Send + Sync + 'static>(asked: Asked<'_, C>) -> Dispatch {
    let after = match asked.cursor() {
        Ok(after) => after.unwrap_or_default(),
        Err(refusal) => return asked.refuse(&refusal),
    };
    let (section, last) = match after.as_slice() {
        [section, uri] => (section.as_str(), Some(uri.as_str())),
        _ => ("", None),
    };
    let server = Arc::clone(asked.server);
    let policy = &server.access.resource;
    let context = &**asked.peer.context();
    let revision = asked.responder.revision;
    let mut page = Page::new(server.page_size);
    if section.is_empty() {
        for (uri, resource) in server.resources.after(last) {
            if !page.is_full() && policy.admits(context, &resource.declaration) {
                page.push(
                    "",
                    uri,
                    resource
                        .rendered
                        .get(revision, &*resource.declaration)
                        .to_owned(),
                );
            }
        }
    }
    let mut listers = server.listers(context, section, last).peekable();
    let cache = asked.cache(
        Cacheable::ResourcesList,
        policy.is_set() || listers.peek().is_some(),
    );
    if page.is_full() || listers.peek().is_none() {
        return asked.answer(|responder| page.answer(responder, cache, &asked.cursors()));
    }
    let listers: Vec<_> = listers.collect();
    let cursors = asked.cursors();
    asked.invoke(None, None, |call, responder| {
        let scope = Arc::clone(call.scope());
        Ok(Box::pin(async move {
            match page.fill(call, listers, revision.facts()).await {
                Ok(()) => page.answer(&responder, cache, &cursors),
                // A list exists, whatever a lister says of it.
                Err(error) if error.is_not_found() => Err(Refusal::internal("internal error")),
                Err(error) => Err(super::refusal_of(error, &scope)),
            }
            .unwrap_or_else(|refusal| responder.refuse(&refusal))
            .into()
        }))
    })
}

/// A template's lister, and the URI it goes on after.
struct Section<C> {
    template: Arc<Declaration>,
    lister: Lister<C>,
    after: Option<String>,
}

impl<C> Inner<C> {
    /// The listers from a section on, as far as the caller may see their templates.
    fn listers(
        &self,
        context: &C,
        section: &str,
        last: Option<&str>,
    ) -> impl Iterator<Item = Section<C>> {
        self.templates
            .after(None)
            .filter_map(move |(key, resource)| {
                let lister = resource.template()?.lister()?;
                let due = &**key >= section
                    && self.access.resource.admits(context, &resource.declaration);
                due.then(|| Section {
                    template: Arc::clone(&resource.declaration),
                    lister: lister.clone(),
                    after: last.filter(|_| &**key == section).map(str::to_owned),
                })
            })
    }
}

/// A page of resources, filled up to one more than it shows, which tells that there is a next one.
struct Page {
    size: usize,
    items: Vec<String>,
    last: [String; 2],
    has_more: bool,
}

impl Page {
    fn new(size: usize) -> Self {
        Self {
            size,
            items: Vec::new(),
            last: Default::default(),
            has_more: false,
        }
    }

    fn is_full(&self) -> bool {
        self.has_more
    }

    fn push(&mut self, section: &str, uri: &str, json: String) {
        if self.items.len() < self.size {
            self.items.push(json);
            self.last = [section.to_owned(), uri.to_owned()];
        } else {
            self.has_more = true;
        }
    }

    async fn fill<C>(
        &mut self,
        call: Call<C>,
        listers: Vec<Section<C>>,
        facts: &'static Facts,
    ) -> Result<(), Error>
    where
        C: Send + Sync + 'static,
    {
        for Section {
            template,
            lister,
            after,
        } in listers
        {
            if self.is_full() {
                break;
            }
            let wanted = self.size + 1 - self.items.len();
            let entries = lister.run(call.clone(), (after, wanted)).await?;
            for entry in entries.iter().take(wanted) {
                let listed = Listed {
                    entry,
                    template: &template,
                };
                self.push(
                    &template.uri,
                    &entry.uri,
                    serde_json::to_string(&On(&listed, facts))?,
                );
            }
        }
        Ok(())
    }

    fn answer(
        &self,
        responder: &Responder,
        cache: Cache,
        cursors: &Cursors,
    ) -> Result<Answer, Refusal> {
        let next = self
            .has_more
            .then(|| cursors.seal(&self.last.each_ref().map(String::as_str)))
            .transpose()?;
        Ok(responder.cacheable(cache, &Map::new(), |members| {
            members.raw_array("resources", self.items.iter().map(String::as_str));
            if let Some(next) = &next {
                members.value("nextCursor", next);
            }
        }))
    }
}
