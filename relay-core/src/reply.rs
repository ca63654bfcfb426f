//! What a handler answers with.

use serde_json::{Map, Value};

use crate::content::Block;

/// A handler's answer: its output, and what goes beside it.
///
/// A plain output converts into a reply by itself; the type is for the handler that wants to add
/// something.
///
/// ```
/// use relay_core::{Reply, content};
///
/// let reply = Reply::structured(42).with_content([content::text("forty-two")]);
/// ```
#[derive(Clone, Debug)]
pub struct Reply<O> {
    pub(crate) output: O,
    pub(crate) content: Option<Vec<Block>>,
    pub(crate) meta: Map<String, Value>,
}

impl<O> Reply<O> {
    /// An answer that is this output and nothing else.
    pub fn structured(output: O) -> Self {
        Self {
            output,
            content: None,
            meta: Map::new(),
        }
    }

    /// The content blocks that a tool's structured answer shows, in place of the text copy of its
    /// JSON (TOOL-16). Prompts and resources have no such blocks and ignore them.
    #[must_use]
    pub fn with_content(self, blocks: impl IntoIterator<Item = Block>) -> Self {
        Self {
            content: Some(blocks.into_iter().collect()),
            ..self
        }
    }

    /// One entry of the result's `_meta`.
    #[must_use]
    pub fn with_meta(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.meta.insert(key.into(), value.into());
        self
    }
}

impl<O> From<O> for Reply<O> {
    fn from(output: O) -> Self {
        Self::structured(output)
    }
}

/// What a handler may return for the output `O`: the output itself, or a [`Reply`] around it.
///
/// Implemented for all that converts into `Reply<O>`; there is nothing to implement. As two types
/// fit, what a handler returns says its own: `collect::<Vec<_>>()`, not `collect()`.
#[diagnostic::on_unimplemented(
    message = "this handler must return `{O}`, but it returns `{Self}`",
    label = "returns `{Self}`",
    note = "return `Ok(output)` where the output is a `{O}`, or `Ok(Reply::structured(output))`"
)]
pub trait IntoReply<O> {
    /// The reply.
    fn into_reply(self) -> Reply<O>;
}

#[diagnostic::do_not_recommend]
impl<O, R: Into<Reply<O>>> IntoReply<O> for R {
    fn into_reply(self) -> Reply<O> {
        self.into()
    }
}
