use std::sync::OnceLock;

use crate::protocol::{
    revision::Revision,
    wire::{On, OnWire},
};

/// A declaration's JSON, written once for each revision that asks for it.
#[derive(Debug, Default)]
pub(crate) struct Rendered([OnceLock<Box<str>>; Revision::ALL.len()]);

impl Rendered {
    pub(crate) fn get(&self, revision: Revision, declaration: &impl OnWire) -> &str {
        let render = || {
            let declaration = On(declaration, revision.facts());
            serde_json::to_string(&declaration)
                .unwrap_or_default()
                .into_boxed_str()
        };
        self.0
            .get(revision as usize)
            .map_or("", |cell| cell.get_or_init(render))
    }
}
