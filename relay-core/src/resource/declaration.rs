use std::sync::Arc;

use serde_json::{Map, Value};

use crate::{
    cache::Cache,
    content::{Annotations, Icon},
};

/// What a resource publishes about itself, and what policies see of it.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// The URI, or the URI template.
    pub(crate) uri: Arc<str>,
    pub(crate) name: String,
    pub(crate) title: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) mime_type: Option<String>,
    pub(crate) size: Option<u64>,
    pub(crate) annotations: Option<Annotations>,
    pub(crate) icons: Vec<Icon>,
    pub(crate) meta: Map<String, Value>,
    pub(crate) cache: Option<Cache>,
    /// Whether `uri` is a URI template.
    pub(crate) is_template: bool,
}

impl Declaration {
    pub(super) fn new(uri: &str, name: String, is_template: bool) -> Self {
        Self {
            uri: Arc::from(uri),
            name,
            title: None,
            description: None,
            mime_type: None,
            size: None,
            annotations: None,
            icons: Vec::new(),
            meta: Map::new(),
            cache: None,
            is_template,
        }
    }

    pub(crate) fn uri_member(&self) -> &'static str {
        if self.is_template {
            "uriTemplate"
        } else {
            "uri"
        }
    }

    /// The URI of a direct resource, the URI template of a template.
    #[must_use]
    pub fn uri(&self) -> &str {
        &self.uri
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name shown to people.
    #[must_use]
    pub fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    /// What the resource is.
    #[must_use]
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }

    /// The MIME type of its contents.
    #[must_use]
    pub fn mime_type(&self) -> Option<&str> {
        self.mime_type.as_deref()
    }

    /// The resource's `_meta`.
    #[must_use]
    pub fn meta(&self) -> &Map<String, Value> {
        &self.meta
    }
}
