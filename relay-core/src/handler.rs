//! An author's async function, with its types erased.

use std::{fmt, future::Future, pin::Pin, sync::Arc};

use crate::{Call, Error, IntoContext};

/// A future that owns all it needs, of whatever type.
pub type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// A function of a call and of `A` that gives a `T`: a completer, a lister, a reader.
pub(crate) struct Handler<C, A, T>(Arc<Run<C, A, T>>);

type Run<C, A, T> = dyn Fn(Call<C>, A) -> BoxFuture<Result<T, Error>> + Send + Sync;

impl<C: Send + Sync + 'static, A: Send + 'static, T: 'static> Handler<C, A, T> {
    pub(crate) fn new<Fut, R>(
        function: impl Fn(Call<C>, A) -> Fut + Send + Sync + 'static,
        finish: fn(R) -> Result<T, Error>,
    ) -> Self
    where
        Fut: Future<Output = Result<R, Error>> + Send + 'static,
        R: 'static,
    {
        let function = Arc::new(function);
        Self(Arc::new(move |call, asked| {
            let function = Arc::clone(&function);
            Box::pin(async move { finish(function(call, asked).await?) })
        }))
    }

    pub(crate) fn run(&self, call: Call<C>, asked: A) -> BoxFuture<Result<T, Error>> {
        (self.0)(call, asked)
    }

    pub(crate) fn map_context<D, R>(
        &self,
        context: impl Fn(&D) -> R + Send + Sync + 'static,
    ) -> Handler<D, A, T>
    where
        D: Send + Sync + 'static,
        R: IntoContext<C>,
    {
        let run = Arc::clone(&self.0);
        Handler(Arc::new(move |call: Call<D>, asked| {
            let context = context(call.context()).into_context();
            run(call.map_context(context), asked)
        }))
    }
}

impl<C, A, T> Clone for Handler<C, A, T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<C, A, T> fmt::Debug for Handler<C, A, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Handler")
    }
}
