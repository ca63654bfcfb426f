use std::{fmt, future::Future, sync::Arc};

use serde_json::{
    Map, Value,
    value::{RawValue, to_raw_value},
};

use super::{Declaration, Definition};
use crate::{
    BoxFuture, Call, Error, IntoReply,
    catalog::Rendered,
    codec::{Faults, OutputCodec},
    content::{self, Block},
    reply::Complete,
};

/// A finished tool over the context `C`: a declaration and the handler behind it.
///
/// Cheap to clone.
pub struct Tool<C> {
    pub(crate) declaration: Arc<Declaration>,
    pub(crate) rendered: Arc<Rendered>,
    /// Whether the handler has a call, and so can ask.
    pub(crate) asks: bool,
    run: Arc<Run<C>>,
}

/// Decodes the arguments; faults come back before anything ran. The handler is called where its
/// future runs, so that its panics are caught there and its blocking stops nobody else.
type Run<C> = dyn Fn(Call<C>, Value) -> Result<BoxFuture<Outcome>, Faults> + Send + Sync;

/// What a run of a tool's handler came to.
pub(crate) type Outcome = Result<CallResult, Error>;

/// The result of `tools/call`, ready to be written for any revision.
#[derive(Debug)]
pub(crate) struct CallResult {
    pub(crate) content: Vec<Block>,
    pub(crate) structured: Option<Box<RawValue>>,
    pub(crate) is_error: bool,
    pub(crate) meta: Map<String, Value>,
}

impl<C: Send + Sync + 'static> Tool<C> {
    pub(super) fn new<I, O, F, Fut, R>(definition: Definition<I, O>, handler: F) -> Self
    where
        I: Send + 'static,
        O: 'static,
        F: Fn(Call<C>, I) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, Error>> + Send + 'static,
        R: IntoReply<O>,
    {
        let Definition {
            declaration,
            decoder,
            output,
            text_copy,
        } = definition;
        let shared = Arc::new((handler, output));
        let run = move |call: Call<C>, arguments: Value| {
            let input = decoder.decode(arguments)?;
            let shared = Arc::clone(&shared);
            let outcome: BoxFuture<Outcome> = Box::pin(async move {
                let (handler, output) = &*shared;
                let reply = handler(call, input).await?.into_reply().complete()?;
                Ok(CallResult::from_reply(reply, output, text_copy))
            });
            Ok(outcome)
        };
        Self {
            declaration: Arc::new(declaration),
            rendered: Arc::new(Rendered::default()),
            asks: true,
            run: Arc::new(run),
        }
    }

    /// The same tool, whose handler has no call to ask with.
    pub(super) fn without_questions(self) -> Self {
        Self {
            asks: false,
            ..self
        }
    }

    /// Lifts a tool written for the context `C` into a larger one that holds or makes a `C`.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use relay_core::{Call, Server, codec, tool};
    ///
    /// struct Clock;
    /// struct App { clock: Arc<Clock> }
    ///
    /// let time = tool::define("time", codec::object(()), codec::string())
    ///     .handle_call(|_call: Call<Clock>, ()| async { Ok("noon".to_owned()) });
    /// let server: Server<App> = Server::new([time.map_context(|app: &App| Arc::clone(&app.clock))]);
    /// ```
    #[must_use]
    pub fn map_context<D, R>(self, context: impl Fn(&D) -> R + Send + Sync + 'static) -> Tool<D>
    where
        D: Send + Sync + 'static,
        R: crate::IntoContext<C>,
    {
        let Self {
            declaration,
            rendered,
            asks,
            run,
        } = self;
        let run = move |call: Call<D>, arguments: Value| {
            let context = context(call.context()).into_context();
            run(call.map_context(context), arguments)
        };
        Tool {
            declaration,
            rendered,
            asks,
            run: Arc::new(run),
        }
    }
}

impl<C> Tool<C> {
    /// What the tool publishes about itself.
    #[must_use]
    pub fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    pub(crate) fn run(
        &self,
        call: Call<C>,
        arguments: Value,
    ) -> Result<BoxFuture<Outcome>, Faults> {
        (self.run)(call, arguments)
    }
}

impl CallResult {
    fn from_reply<O>(reply: Complete<O>, output: &OutputCodec<O>, text_copy: bool) -> Self {
        let Complete {
            output: value,
            content,
            meta,
        } = reply;
        let encoder = match output {
            OutputCodec::Content(into_blocks) => {
                let mut blocks = into_blocks(value);
                blocks.extend(content.into_iter().flatten());
                return Self {
                    content: blocks,
                    structured: None,
                    is_error: false,
                    meta,
                };
            }
            OutputCodec::Structured(encoder) => encoder,
        };
        let value = match encoder.encode(value) {
            Ok(value) => value,
            Err(faults) => {
                tracing::error!(%faults, "the tool's output does not fit its schema; not sent");
                return Self::error(
                    "The tool gave an answer that does not fit its own description.",
                );
            }
        };
        let Ok(structured) = to_raw_value(&value) else {
            tracing::error!("the tool's output could not be written as JSON; not sent");
            return Self::error("The tool gave an answer that does not fit its own description.");
        };
        let content = content.unwrap_or_else(|| {
            let copy = || match value {
                Value::String(text) => text,
                _ => structured.get().to_owned(),
            };
            text_copy
                .then(|| content::text(copy()))
                .into_iter()
                .collect()
        });
        Self {
            content,
            structured: Some(structured),
            is_error: false,
            meta,
        }
    }

    /// An answer that tells the model what went wrong.
    pub(crate) fn error(text: impl Into<String>) -> Self {
        Self {
            content: vec![content::text(text)],
            structured: None,
            is_error: true,
            meta: Map::new(),
        }
    }
}

impl<C> Clone for Tool<C> {
    fn clone(&self) -> Self {
        Self {
            declaration: Arc::clone(&self.declaration),
            rendered: Arc::clone(&self.rendered),
            asks: self.asks,
            run: Arc::clone(&self.run),
        }
    }
}

impl<C> fmt::Debug for Tool<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Tool").field(&self.declaration).finish()
    }
}
