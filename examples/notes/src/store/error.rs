//! What can go wrong with the database, each a sentence that names the file.

use std::io;
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

/// Why the database could not be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum StoreError {
    #[error("the database {} cannot be opened", .file.display())]
    CannotOpen { file: PathBuf },

    #[error("the database {} is damaged or is not a database", .file.display())]
    Damaged { file: PathBuf },

    #[error("the database {} failed", .file.display())]
    Failed {
        file: PathBuf,
        source: Box<rusqlite::Error>,
    },

    #[error("the folder of the database {} cannot be created", .file.display())]
    Folder { file: PathBuf, source: io::Error },

    #[error("the database {} belongs to another program", .file.display())]
    Foreign { file: PathBuf },

    #[error("the database {} is locked by another process", .file.display())]
    Locked { file: PathBuf },

    #[error("the database {} was written by a newer version of notes", .file.display())]
    Newer { file: PathBuf },

    #[error("the database {} is closed", .file.display())]
    Closed { file: PathBuf },
}

impl StoreError {
    /// Sorts what the database reported by what the user can do about it.
    pub(super) fn sqlite(file: &Path, error: rusqlite::Error) -> Self {
        let file = file.to_path_buf();
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Locked { file },
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Self::Damaged { file },
            Some(ErrorCode::CannotOpen) => Self::CannotOpen { file },
            _ => Self::Failed {
                file,
                source: Box::new(error),
            },
        }
    }
}
