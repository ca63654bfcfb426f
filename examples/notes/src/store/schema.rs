//! Opening the file and bringing its tables to the present version.

use std::fs;
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, TransactionBehavior};

use super::StoreError;

/// Each entry lifts the tables by one version; `user_version` counts those applied.
const MIGRATIONS: &[&str] = &[include_str!("migrations/1.sql")];

/// Marks the file as ours: "Note" in ASCII.
const APPLICATION: i64 = 0x4e6f_7465;

/// As usual, but a path that begins with `file:` is a path and not a URI.
const FLAGS: OpenFlags = OpenFlags::SQLITE_OPEN_READ_WRITE
    .union(OpenFlags::SQLITE_OPEN_CREATE)
    .union(OpenFlags::SQLITE_OPEN_NO_MUTEX);

/// Opens or creates the database and makes sure that it is whole, ours, and writable.
pub(super) fn open(file: &Path, patience: Duration) -> Result<Connection, StoreError> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder).map_err(|source| StoreError::Folder {
            file: file.to_path_buf(),
            source,
        })?;
    }
    let failed = |error| StoreError::sqlite(file, error);
    let mut connection = Connection::open_with_flags(file, FLAGS).map_err(failed)?;
    connection.busy_timeout(patience).map_err(failed)?;
    match migrate(&mut connection).map_err(failed)? {
        State::Current => {}
        State::Foreign => {
            return Err(StoreError::Foreign {
                file: file.to_path_buf(),
            });
        }
        State::Newer => {
            return Err(StoreError::Newer {
                file: file.to_path_buf(),
            });
        }
    }
    configure(&connection).map_err(failed)?;
    if is_whole(&connection).map_err(failed)? {
        Ok(connection)
    } else {
        Err(StoreError::Damaged {
            file: file.to_path_buf(),
        })
    }
}

enum State {
    Current,
    Foreign,
    Newer,
}

/// Takes the write lock even when nothing is left to apply, so that a file that
/// another process holds is noticed at start and not in the middle of a call.
fn migrate(connection: &mut Connection) -> rusqlite::Result<State> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let version: i64 = transaction.query_row("PRAGMA user_version", (), |row| row.get(0))?;
    let application: i64 = transaction.query_row("PRAGMA application_id", (), |row| row.get(0))?;
    let table = transaction
        .query_row("SELECT name FROM sqlite_schema LIMIT 1", (), |row| {
            row.get::<_, String>(0)
        })
        .optional()?;
    let is_new = table.is_none() && version == 0 && application == 0;
    if !is_new && application != APPLICATION {
        return Ok(State::Foreign);
    }
    let Some(missing) = usize::try_from(version)
        .ok()
        .and_then(|done| MIGRATIONS.get(done..))
    else {
        return Ok(State::Newer);
    };
    if !missing.is_empty() {
        for (migration, version) in missing.iter().zip(version + 1..) {
            transaction.execute_batch(migration)?;
            transaction.pragma_update(None, "user_version", version)?;
        }
        transaction.pragma_update(None, "application_id", APPLICATION)?;
    }
    transaction.commit()?;
    Ok(State::Current)
}

/// Write-ahead logging lets several servers share one file, say those of two desktop clients.
fn configure(connection: &Connection) -> rusqlite::Result<()> {
    match connection.pragma_update(None, "journal_mode", "WAL") {
        // Someone else has the file open, so that they are switching it, or the next to open will.
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => {}
        switched => switched?,
    }
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.pragma_update(None, "foreign_keys", true)
}

fn is_whole(connection: &Connection) -> rusqlite::Result<bool> {
    connection.query_row("PRAGMA quick_check(1)", (), |row| {
        Ok(row.get::<_, String>(0)? == "ok")
    })
}
