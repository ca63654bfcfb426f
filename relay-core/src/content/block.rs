use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Map, Value};

use super::Annotations;
use crate::resource::Contents;

/// One block of content: text, an image, audio, a link to a resource, or a resource itself.
///
/// Made by [`text`], [`image`], [`audio`], [`link`] and [`resource()`].
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    pub(crate) kind: Kind,
    pub(crate) annotations: Option<Annotations>,
    pub(crate) meta: Map<String, Value>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    Text {
        text: String,
    },
    /// `data` is base64 (TOOL-10).
    Image {
        data: String,
        mime_type: String,
    },
    Audio {
        data: String,
        mime_type: String,
    },
    Link {
        uri: String,
        name: String,
        description: Option<String>,
        mime_type: Option<String>,
    },
    Resource {
        uri: String,
        contents: Contents,
    },
}

/// A block of text.
pub fn text(text: impl Into<String>) -> Block {
    Block::new(Kind::Text { text: text.into() })
}

/// An image from its bytes, with its MIME type such as `image/png`.
pub fn image(bytes: impl AsRef<[u8]>, mime_type: impl Into<String>) -> Block {
    Block::new(Kind::Image {
        data: STANDARD.encode(bytes),
        mime_type: mime_type.into(),
    })
}

/// Audio from its bytes, with its MIME type such as `audio/wav`.
pub fn audio(bytes: impl AsRef<[u8]>, mime_type: impl Into<String>) -> Block {
    Block::new(Kind::Audio {
        data: STANDARD.encode(bytes),
        mime_type: mime_type.into(),
    })
}

/// A link to a resource, which need not be listed (TOOL-12).
///
/// 2025-03-26 has no such block; its clients get the link as text.
pub fn link(uri: impl Into<String>, name: impl Into<String>) -> Block {
    Block::new(Kind::Link {
        uri: uri.into(),
        name: name.into(),
        description: None,
        mime_type: None,
    })
}

/// A resource embedded in the answer (TOOL-11), under the URI given here.
///
/// ```
/// use relay_core::{content, resource};
///
/// let block = content::resource("note://7", resource::text("# Groceries"));
/// ```
pub fn resource(uri: impl Into<String>, contents: Contents) -> Block {
    Block::new(Kind::Resource {
        uri: uri.into(),
        contents,
    })
}

impl Block {
    fn new(kind: Kind) -> Self {
        Self {
            kind,
            annotations: None,
            meta: Map::new(),
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

    /// What a link leads to, for a person or a model. Other kinds of block have no description
    /// and are left as they are.
    #[must_use]
    pub fn with_description(mut self, text: impl Into<String>) -> Self {
        if let Kind::Link { description, .. } = &mut self.kind {
            *description = Some(text.into());
        }
        self
    }

    /// The MIME type of an image, of audio, or of what a link leads to. Other kinds of block are
    /// left as they are.
    #[must_use]
    pub fn with_mime_type(mut self, value: impl Into<String>) -> Self {
        match &mut self.kind {
            Kind::Image { mime_type, .. } | Kind::Audio { mime_type, .. } => {
                *mime_type = value.into();
            }
            Kind::Link { mime_type, .. } => *mime_type = Some(value.into()),
            Kind::Text { .. } | Kind::Resource { .. } => {}
        }
        self
    }

    /// One entry of the block's `_meta`.
    #[must_use]
    pub fn with_meta(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.meta.insert(key.into(), value.into());
        self
    }

    /// The text of a text block.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Text { text } => Some(text),
            _ => None,
        }
    }
}
