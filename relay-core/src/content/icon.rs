use serde::{Deserialize, Serialize};

/// An icon that a client can show beside a server, a tool, a prompt or a resource.
///
/// ```
/// use relay_core::content::{Icon, Theme};
///
/// let icon = Icon::new("https://example.com/icon.png")
///     .with_mime_type("image/png")
///     .with_sizes(["48x48", "96x96"])
///     .with_theme(Theme::Dark);
/// assert_eq!(
///     serde_json::to_string(&icon)?,
///     r#"{"src":"https://example.com/icon.png","mimeType":"image/png","sizes":["48x48","96x96"],"theme":"dark"}"#,
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Icon {
    /// Where the image is: an `https:` URL, or a `data:` URI that holds it.
    pub src: String,
    /// The image's media type, where `src` does not tell it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// The sizes the image is good for, as `WxH`, or `any` for a scalable one. Empty means any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sizes: Vec<String>,
    /// The background the image was drawn for. `None` means either.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub theme: Option<Theme>,
}

impl Icon {
    /// An icon at `src`, for any size and any theme.
    #[must_use]
    pub fn new(src: impl Into<String>) -> Self {
        Self {
            src: src.into(),
            mime_type: None,
            sizes: Vec::new(),
            theme: None,
        }
    }

    /// States the image's media type.
    #[must_use]
    pub fn with_mime_type(self, mime_type: impl Into<String>) -> Self {
        Self {
            mime_type: Some(mime_type.into()),
            ..self
        }
    }

    /// States the sizes the image is good for, as `WxH` or `any`.
    #[must_use]
    pub fn with_sizes(self, sizes: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self {
            sizes: sizes.into_iter().map(Into::into).collect(),
            ..self
        }
    }

    /// States the background the image was drawn for.
    #[must_use]
    pub fn with_theme(self, theme: Theme) -> Self {
        Self {
            theme: Some(theme),
            ..self
        }
    }
}

/// The background an [`Icon`] was drawn for.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Theme {
    /// A dark background.
    Dark,
    /// A light background.
    Light,
}
