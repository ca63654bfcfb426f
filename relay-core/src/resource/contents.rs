use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Map, Value};

/// What a resource holds: text or bytes, made by [`text`] and [`blob`] (RES-04).
#[derive(Clone, Debug, PartialEq)]
pub struct Contents {
    pub(crate) uri: Option<String>,
    pub(crate) mime_type: Option<String>,
    pub(crate) body: Body,
    pub(crate) meta: Map<String, Value>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Body {
    /// Base64.
    Blob(String),
    Text(String),
}

/// Contents that are text.
///
/// They carry the URI that was read and the MIME type that the resource declares, unless given
/// their own.
pub fn text(text: impl Into<String>) -> Contents {
    Contents::new(Body::Text(text.into()))
}

/// Contents that are bytes, sent as base64.
pub fn blob(bytes: impl AsRef<[u8]>) -> Contents {
    Contents::new(Body::Blob(STANDARD.encode(bytes)))
}

impl Contents {
    fn new(body: Body) -> Self {
        Self {
            uri: None,
            mime_type: None,
            body,
            meta: Map::new(),
        }
    }

    /// The URI of these contents, where a read gives several (a folder's files, say).
    #[must_use]
    pub fn with_uri(self, uri: impl Into<String>) -> Self {
        Self {
            uri: Some(uri.into()),
            ..self
        }
    }

    /// The MIME type of these contents.
    #[must_use]
    pub fn with_mime_type(self, mime_type: impl Into<String>) -> Self {
        Self {
            mime_type: Some(mime_type.into()),
            ..self
        }
    }

    /// One entry of the contents' `_meta`.
    #[must_use]
    pub fn with_meta(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.meta.insert(key.into(), value.into());
        self
    }
}
