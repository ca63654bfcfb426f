use serde_json::{Map, Value, json};

use super::{Asked, Dispatch};
use crate::{
    cache::Cacheable,
    protocol::revision::{Facts, Revision},
    server::Inner,
};

pub(super) fn discover<C: Send + Sync + 'static>(asked: &Asked<'_, C>) -> Dispatch {
    let server = asked.server;
    asked.answer(|responder| {
        let modern = server
            .revisions
            .iter()
            .filter(|revision| revision.is_modern());
        let supported: Vec<_> = modern.copied().map(Revision::as_str).collect();
        let facts = responder.revision.facts();
        Ok(
            responder.cacheable(server.cache(Cacheable::Discover), &Map::new(), |members| {
                members.value("supportedVersions", &supported);
                members.value("capabilities", &capabilities(server, facts));
                if let Some(instructions) = &server.instructions {
                    members.value("instructions", instructions);
                }
            }),
        )
    })
}

/// What the server can do, exactly as far as its methods answer (DISC-02, LC-13).
pub(super) fn capabilities<C>(server: &Inner<C>, facts: &Facts) -> Value {
    let mut capabilities = Map::new();
    let offered = [
        ("tools", !server.tools.is_empty()),
        ("prompts", !server.prompts.is_empty()),
        ("resources", server.has_resources()),
        ("completions", server.completes()),
        ("logging", server.logging),
    ];
    for (name, _) in offered.into_iter().filter(|(_, offered)| *offered) {
        capabilities.insert(name.to_owned(), json!({}));
    }
    if facts.extensions && !server.extensions.is_empty() {
        capabilities.insert(
            "extensions".to_owned(),
            Value::Object(server.extensions.clone()),
        );
    }
    Value::Object(capabilities)
}
