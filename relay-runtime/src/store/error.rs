//! Why a store could not do what it was asked.

use std::error::Error;

/// Why a [`Store`](super::Store) could not do what it was asked.
///
/// ```
/// use std::{error::Error, io};
/// use relay_runtime::store::StoreError;
///
/// let error = StoreError::unavailable(io::Error::from(io::ErrorKind::ConnectionRefused));
/// assert_eq!(error.to_string(), "the store can't be reached");
/// assert_eq!(error.source().unwrap().to_string(), "connection refused");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// It holds as much as it may, and nothing of it has expired.
    #[error("the store is full: it holds {entries} entries, none of them expired")]
    Full {
        /// How many it holds.
        entries: usize,
    },
    /// Whatever is behind it failed, or does not answer.
    #[error("the store can't be reached")]
    Unavailable(#[source] Box<dyn Error + Send + Sync>),
}

impl StoreError {
    /// An error of what is behind the store.
    #[must_use]
    pub fn unavailable(source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Unavailable(source.into())
    }
}
