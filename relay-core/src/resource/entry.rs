use serde_json::{Map, Value};

use crate::content::Annotations;

/// One resource that a template's lister shows in `resources/list`.
///
/// ```
/// use relay_core::resource::Entry;
///
/// let entry = Entry::new("note://7", "groceries").with_mime_type("text/markdown").with_size(412);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub(crate) uri: String,
    pub(crate) name: String,
    pub(crate) title: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) mime_type: Option<String>,
    pub(crate) size: Option<u64>,
    pub(crate) annotations: Option<Annotations>,
    pub(crate) meta: Map<String, Value>,
}

impl Entry {
    /// A resource by its URI and its name. The URI should be one that the template matches and no
    /// direct resource has: a read goes to a direct resource first.
    pub fn new(uri: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            uri: uri.into(),
            name: name.into(),
            title: None,
            description: None,
            mime_type: None,
            size: None,
            annotations: None,
            meta: Map::new(),
        }
    }

    /// The name shown to people.
    #[must_use]
    pub fn with_title(self, title: impl Into<String>) -> Self {
        Self {
            title: Some(title.into()),
            ..self
        }
    }

    /// What the resource is.
    #[must_use]
    pub fn with_description(self, description: impl Into<String>) -> Self {
        Self {
            description: Some(description.into()),
            ..self
        }
    }

    /// The MIME type of its contents; the template's where unset.
    #[must_use]
    pub fn with_mime_type(self, mime_type: impl Into<String>) -> Self {
        Self {
            mime_type: Some(mime_type.into()),
            ..self
        }
    }

    /// The size of its contents in bytes (RES-12).
    #[must_use]
    pub fn with_size(self, size: u64) -> Self {
        Self {
            size: Some(size),
            ..self
        }
    }

    /// Hints for the client.
    #[must_use]
    pub fn with_annotations(self, annotations: Annotations) -> Self {
        Self {
            annotations: Some(annotations),
            ..self
        }
    }

    /// One entry of the resource's `_meta`.
    #[must_use]
    pub fn with_meta(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.meta.insert(key.into(), value.into());
        self
    }
}
