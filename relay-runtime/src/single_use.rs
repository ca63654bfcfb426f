//! State that opens one run only: the store is asked before the handler runs.

use std::{error::Error as _, future::pending, iter, mem, sync::Arc};

use relay_core::dispatch::Invocation;

use crate::Store;

/// Has the store note that the state is used, as the first part of the run: it is bounded by the
/// run's deadline, and nothing runs where the store can't say (RS-06).
pub(crate) fn guard(invocation: &mut Invocation, store: &Arc<dyn Store>) {
    let Some(state) = invocation.single_use().cloned() else {
        return;
    };
    let store = Arc::clone(store);
    let run = mem::replace(&mut invocation.future, Box::pin(pending()));
    invocation.future = Box::pin(async move {
        let key = format!("relay/state/{}", state.name());
        match store.put_new(&key, &[], state.lifetime()).await {
            Ok(first) => state.settle(first),
            Err(error) => {
                let sources = iter::successors(error.source(), |source| (*source).source());
                let sources: Vec<_> = sources.map(ToString::to_string).collect();
                tracing::error!(
                    %error,
                    ?sources,
                    "a store could not say whether a request's state was used before; refused"
                );
            }
        }
        run.await
    });
}
