//! What a handler answers with.

use serde::Serialize;
use serde_json::{
    Map, Value,
    value::{RawValue, to_raw_value},
};

use crate::{Error, content::Block, error::Kind, input::Pause};

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
    body: Body<O>,
    content: Option<Vec<Block>>,
    meta: Map<String, Value>,
}

#[derive(Clone, Debug)]
enum Body<O> {
    Output(O),
    /// There is none yet; the error says why the state can't be kept.
    Later(Result<Box<RawValue>, String>),
}

/// A reply that has an output.
#[derive(Debug)]
pub(crate) struct Complete<O> {
    pub(crate) output: O,
    pub(crate) content: Option<Vec<Block>>,
    pub(crate) meta: Map<String, Value>,
}

impl<O> Reply<O> {
    /// An answer that is this output and nothing else.
    pub fn structured(output: O) -> Self {
        Self {
            body: Body::Output(output),
            content: None,
            meta: Map::new(),
        }
    }

    /// No answer yet: the client is asked to send the request again later, with this state of the
    /// handler's, which it then finds in [`Call::state`](crate::Call::state) (MRTR-18).
    ///
    /// For work that goes on elsewhere, and handlers that take a [`Call`](crate::Call): another has
    /// no way to find the state. It counts as a round, of which a request has
    /// [a few](crate::dispatch::Bounds::rounds); a client may come back at once.
    ///
    /// ```
    /// # use relay_core::{Call, Error, Reply};
    /// # async fn start() -> Result<u64, Error> { Ok(7) }
    /// # async fn result_of(job: u64) -> Result<Option<String>, Error> { Ok(None) }
    /// async fn export(call: Call<()>) -> Result<Reply<String>, Error> {
    ///     let job: u64 = match call.state()? {
    ///         Some(job) => job,
    ///         None => start().await?,
    ///     };
    ///     Ok(match result_of(job).await? {
    ///         Some(url) => Reply::structured(url),
    ///         None => Reply::later(job),
    ///     })
    /// }
    /// ```
    pub fn later(state: impl Serialize) -> Self {
        let state = to_raw_value(&state).map_err(|error| error.to_string());
        Self {
            body: Body::Later(state),
            content: None,
            meta: Map::new(),
        }
    }

    /// The output and what goes beside it, or why there is none.
    pub(crate) fn complete(self) -> Result<Complete<O>, Error> {
        let Self {
            body,
            content,
            meta,
        } = self;
        match body {
            Body::Output(output) => Ok(Complete {
                output,
                content,
                meta,
            }),
            Body::Later(Ok(state)) => Err(Error::from_kind(Kind::Pause(Pause::Later(state)))),
            Body::Later(Err(why)) => Err(Error::from(format!(
                "the state to go on with later can't be written as JSON: {why}"
            ))),
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
