//! Notes in one database file, where every note is owned by a tenant.
//!
//! Nothing reads or writes a note but through a [`Notebook`], and a notebook knows one tenant only.
#![expect(
    clippy::result_large_err,
    reason = "what rusqlite calls for each row must return rusqlite's own error"
)]

mod error;
mod full_text;
mod note;
mod read;
mod schema;
#[cfg(test)]
mod tests;
mod write;

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rusqlite::Connection;

use crate::blocking::{self, Stopped};

pub(crate) use error::StoreError;
pub(crate) use note::{
    Draft, Edit, Hit, MAX_QUERY, MAX_TAG, MAX_TAGS, MAX_TEXT, MAX_TITLE, Note, Summary, Tag, Week,
    tag,
};

/// How long to wait for a lock that another process holds.
const PATIENCE: Duration = Duration::from_secs(2);

/// The database file. Clones share one connection.
#[derive(Clone, Debug)]
pub(crate) struct Store {
    connection: Arc<Mutex<Connection>>,
    file: Arc<Path>,
}

impl Store {
    /// Opens the file, or creates it with the folders above it. Blocks.
    ///
    /// # Errors
    ///
    /// Every [`StoreError`], so that a file that is locked, damaged or someone else's is noticed
    /// at start.
    pub(crate) fn open(file: &Path) -> Result<Self, StoreError> {
        Self::open_within(file, PATIENCE)
    }

    fn open_within(file: &Path, patience: Duration) -> Result<Self, StoreError> {
        let connection = schema::open(file, patience)?;
        Ok(Self {
            connection: Arc::new(Mutex::new(connection)),
            file: file.into(),
        })
    }

    /// The notes of one tenant.
    pub(crate) fn notebook(&self, tenant: &str) -> Notebook {
        Notebook {
            store: self.clone(),
            tenant: tenant.into(),
        }
    }
}

/// The notes of one tenant.
///
/// The database blocks, so every method runs on a thread of its own.
///
/// # Cancel safety
///
/// Dropping a method's future loses its answer; what it began is finished or, on failure, undone
/// as a whole.
#[derive(Clone, Debug)]
pub(crate) struct Notebook {
    store: Store,
    tenant: Arc<str>,
}

impl Notebook {
    /// Keeps a note under the tenant's next id.
    pub(crate) async fn add(&self, draft: Draft) -> Result<Summary, StoreError> {
        self.run(move |connection, tenant| write::add(connection, tenant, &draft))
            .await
    }

    /// Keeps a note unless the tenant has one of the same title.
    pub(crate) async fn add_new(&self, draft: Draft) -> Result<Option<Summary>, StoreError> {
        self.run(move |connection, tenant| write::add_new(connection, tenant, &draft))
            .await
    }

    /// Gives the note of a draft's title the draft's text: the one last changed, if there are
    /// several. `false` when none is there, or says the same.
    pub(crate) async fn rewrite(&self, draft: Draft) -> Result<bool, StoreError> {
        self.run(move |connection, tenant| write::rewrite(connection, tenant, &draft))
            .await
    }

    /// Whether there are notes of a draft's title, of which none says the same.
    pub(crate) async fn differs(&self, draft: Draft) -> Result<bool, StoreError> {
        self.run(move |connection, tenant| read::differs(connection, tenant, &draft))
            .await
    }

    /// Changes a note; `None` when there is no such note.
    pub(crate) async fn edit(&self, id: u32, edit: Edit) -> Result<Option<Summary>, StoreError> {
        self.run(move |connection, tenant| write::edit(connection, tenant, id, &edit))
            .await
    }

    /// Deletes a note; `false` when there is no such note.
    pub(crate) async fn delete(&self, id: u32) -> Result<bool, StoreError> {
        self.run(move |connection, tenant| write::delete(connection, tenant, id))
            .await
    }

    /// Deletes a note as it was seen; `false` when it has changed since, or is gone.
    pub(crate) async fn delete_as(&self, id: u32, mark: u64) -> Result<bool, StoreError> {
        self.run(move |connection, tenant| write::delete_as(connection, tenant, id, mark))
            .await
    }

    /// One note; `None` when there is no such note.
    pub(crate) async fn note(&self, id: u32) -> Result<Option<Note>, StoreError> {
        self.run(move |connection, tenant| read::note(connection, tenant, id))
            .await
    }

    /// The notes last changed, those with `tag` only if there is one.
    pub(crate) async fn recent(
        &self,
        tag: Option<String>,
        limit: usize,
    ) -> Result<Vec<Summary>, StoreError> {
        self.run(move |connection, tenant| read::recent(connection, tenant, tag.as_deref(), limit))
            .await
    }

    /// The notes that hold every word of `text`, best match first. Any text is a valid query.
    pub(crate) async fn search(&self, text: &str, limit: usize) -> Result<Vec<Hit>, StoreError> {
        let Some(query) = full_text::query(text) else {
            return Ok(Vec::new());
        };
        self.run(move |connection, tenant| read::search(connection, tenant, &query, limit))
            .await
    }

    /// The notes by id, from the one that follows `after`.
    pub(crate) async fn page(
        &self,
        after: Option<u32>,
        limit: usize,
    ) -> Result<Vec<Summary>, StoreError> {
        self.run(move |connection, tenant| read::page(connection, tenant, after, limit))
            .await
    }

    /// The ids whose digits begin with `prefix`, lowest first.
    pub(crate) async fn ids(
        &self,
        prefix: String,
        limit: usize,
    ) -> Result<Vec<String>, StoreError> {
        self.run(move |connection, tenant| read::ids(connection, tenant, &prefix, limit))
            .await
    }

    /// The tags that begin with `prefix`, from the one that follows `after`, in byte order.
    pub(crate) async fn tags(
        &self,
        prefix: String,
        after: Option<String>,
        limit: usize,
    ) -> Result<Vec<Tag>, StoreError> {
        self.run(move |connection, tenant| {
            read::tags(connection, tenant, &prefix, after.as_deref(), limit)
        })
        .await
    }

    /// The notes added or changed within the last `days` days, the latest first.
    pub(crate) async fn changed_within(
        &self,
        days: u32,
        limit: usize,
    ) -> Result<Vec<Summary>, StoreError> {
        self.run(move |connection, tenant| read::changed_within(connection, tenant, days, limit))
            .await
    }

    /// How many notes were added in each of the last `count` weeks, this one last.
    pub(crate) async fn weeks(&self, count: u32) -> Result<Vec<Week>, StoreError> {
        self.run(move |connection, tenant| read::weeks(connection, tenant, "now", count))
            .await
    }

    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection, &str) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let Self { store, tenant } = self.clone();
        let work = move || {
            // A panic leaves no half-done transaction behind: dropping one rolls it back.
            let mut connection = store
                .connection
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            work(&mut connection, &tenant)
        };
        match blocking::run(work).await {
            Ok(answer) => answer.map_err(|error| StoreError::sqlite(&self.store.file, error)),
            Err(Stopped) => Err(StoreError::Closed {
                file: self.store.file.to_path_buf(),
            }),
        }
    }
}
