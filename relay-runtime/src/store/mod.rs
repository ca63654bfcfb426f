//! Where a server remembers what no token can carry: that a token has been used.
//!
//! Nearly everything a client needs remembered travels with it, sealed. That something happened
//! *once* can't: whoever holds a token can send it again. For a tool that takes each answer of its
//! user's only once, the runtime notes in its [`Store`] which tokens have come. One process has the
//! [`MemoryStore`] that every runtime begins with; replicas that stand in for one another need a
//! store that all of them reach, given to [`Runtime::with_store`](crate::Runtime::with_store).
//!
//! # When a store fails
//!
//! Single use fails closed: a request whose token the store can't vouch for is answered -32603 and
//! its handler does not run. Whatever needs no store goes on. A store that does not answer holds up
//! the request that asked it, up to that request's deadline, and nothing else.

mod error;
mod memory;

use std::{pin::Pin, sync::Arc, time::Duration};

pub use error::StoreError;
pub use memory::MemoryStore;

/// What a [`Store`] gives when it is done.
pub type StoreFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// Short values under short keys, each for a time, shared by all replicas that share the store.
///
/// Relay's own keys begin with `relay/`, are at most 100 bytes long and hold nothing secret or
/// personal. A store may forget a value once its lifetime is over, and never before: one that
/// evicts what it has no room for lets a token be used again.
///
/// A future that is dropped may or may not have done what it was to do.
///
/// ```
/// use std::{collections::HashMap, sync::Mutex, time::Duration};
/// use relay_runtime::store::{Store, StoreFuture};
///
/// /// Keeps everything, for a test that looks at it afterwards.
/// #[derive(Default)]
/// struct Keeping(Mutex<HashMap<String, Vec<u8>>>);
///
/// impl Store for Keeping {
///     fn put_new<'a>(&'a self, key: &'a str, value: &'a [u8], _: Duration) -> StoreFuture<'a, bool> {
///         Box::pin(async move {
///             let mut values = self.0.lock().unwrap();
///             let vacant = !values.contains_key(key);
///             if vacant {
///                 values.insert(key.to_owned(), value.to_vec());
///             }
///             Ok(vacant)
///         })
///     }
///
///     fn get<'a>(&'a self, key: &'a str) -> StoreFuture<'a, Option<Vec<u8>>> {
///         Box::pin(async move { Ok(self.0.lock().unwrap().get(key).cloned()) })
///     }
///
///     fn put<'a>(&'a self, key: &'a str, value: &'a [u8], _: Duration) -> StoreFuture<'a, ()> {
///         Box::pin(async move {
///             self.0.lock().unwrap().insert(key.to_owned(), value.to_vec());
///             Ok(())
///         })
///     }
///
///     fn delete<'a>(&'a self, key: &'a str) -> StoreFuture<'a, ()> {
///         Box::pin(async move {
///             self.0.lock().unwrap().remove(key);
///             Ok(())
///         })
///     }
/// }
/// ```
pub trait Store: Send + Sync + 'static {
    /// Puts a value where there is none, for `lifetime`, and tells whether it did.
    ///
    /// Of any number of calls for one key, on whichever replicas and however close together, one
    /// gets `true`, until that value's lifetime is over or it is deleted.
    fn put_new<'a>(
        &'a self,
        key: &'a str,
        value: &'a [u8],
        lifetime: Duration,
    ) -> StoreFuture<'a, bool>;

    /// The value under a key, if its lifetime is not over.
    fn get<'a>(&'a self, key: &'a str) -> StoreFuture<'a, Option<Vec<u8>>>;

    /// Puts a value under a key for `lifetime`, in place of what was there.
    fn put<'a>(&'a self, key: &'a str, value: &'a [u8], lifetime: Duration) -> StoreFuture<'a, ()>;

    /// Removes what is under a key, if there is something.
    fn delete<'a>(&'a self, key: &'a str) -> StoreFuture<'a, ()>;
}

impl<S: Store + ?Sized> Store for Arc<S> {
    fn put_new<'a>(
        &'a self,
        key: &'a str,
        value: &'a [u8],
        lifetime: Duration,
    ) -> StoreFuture<'a, bool> {
        (**self).put_new(key, value, lifetime)
    }

    fn get<'a>(&'a self, key: &'a str) -> StoreFuture<'a, Option<Vec<u8>>> {
        (**self).get(key)
    }

    fn put<'a>(&'a self, key: &'a str, value: &'a [u8], lifetime: Duration) -> StoreFuture<'a, ()> {
        (**self).put(key, value, lifetime)
    }

    fn delete<'a>(&'a self, key: &'a str) -> StoreFuture<'a, ()> {
        (**self).delete(key)
    }
}
