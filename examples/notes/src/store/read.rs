//! Queries. Each names the tenant first.

use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, Params, Row, named_params, params};

use super::{Draft, Hit, Note, Summary, Tag, Week};

/// Fits [`summary`]; the columns of a query that joins `note`.
macro_rules! summary_columns {
    () => {
        "note.id, note.title,
         (SELECT json_group_array(name ORDER BY name) FROM tag WHERE tag.serial = note.serial),
         strftime('%Y-%m-%dT%H:%M:%SZ', note.created, 'unixepoch'),
         strftime('%Y-%m-%dT%H:%M:%SZ', note.updated, 'unixepoch')"
    };
}

pub(super) fn note(
    connection: &Connection,
    tenant: &str,
    id: u32,
) -> rusqlite::Result<Option<Note>> {
    connection
        .prepare_cached(concat!(
            "SELECT ",
            summary_columns!(),
            ", note.text FROM note WHERE tenant = ?1 AND id = ?2"
        ))?
        .query_row(params![tenant, id], |row| {
            Ok(Note {
                summary: summary(row)?,
                text: row.get(5)?,
            })
        })
        .optional()
}

pub(super) fn differs(
    connection: &Connection,
    tenant: &str,
    draft: &Draft,
) -> rusqlite::Result<bool> {
    connection
        .prepare_cached(
            "SELECT count(*) > 0 AND total(text = ?3) = 0 FROM note
             WHERE tenant = ?1 AND title = ?2",
        )?
        .query_row(params![tenant, draft.title, draft.text], |row| row.get(0))
}

pub(super) fn recent(
    connection: &Connection,
    tenant: &str,
    tag: Option<&str>,
    limit: usize,
) -> rusqlite::Result<Vec<Summary>> {
    let sql = concat!(
        "SELECT ",
        summary_columns!(),
        " FROM note
          WHERE tenant = :tenant
            AND (:tag IS NULL
                 OR EXISTS (SELECT 1 FROM tag WHERE tag.serial = note.serial AND name = :tag))
          ORDER BY updated DESC, id DESC LIMIT :limit"
    );
    let params = named_params! { ":tenant": tenant, ":tag": tag, ":limit": rows(limit) };
    all(connection, sql, params, summary)
}

pub(super) fn changed_within(
    connection: &Connection,
    tenant: &str,
    days: u32,
    limit: usize,
) -> rusqlite::Result<Vec<Summary>> {
    let sql = concat!(
        "SELECT ",
        summary_columns!(),
        " FROM note WHERE tenant = ?1 AND updated > unixepoch() - ?2 * 86400
          ORDER BY updated DESC, id DESC LIMIT ?3"
    );
    all(connection, sql, params![tenant, days, rows(limit)], summary)
}

pub(super) fn search(
    connection: &Connection,
    tenant: &str,
    query: &str,
    limit: usize,
) -> rusqlite::Result<Vec<Hit>> {
    // A word in a title counts four times as much as one in the text.
    let sql = "
        SELECT note.id, note.title, snippet(full_text, 1, '**', '**', '…', 20),
               (SELECT json_group_array(name ORDER BY name) FROM tag WHERE tag.serial = note.serial)
        FROM full_text JOIN note ON note.serial = full_text.rowid
        WHERE note.tenant = ?1 AND full_text MATCH ?2
        ORDER BY bm25(full_text, 4.0, 1.0), note.id DESC LIMIT ?3";
    all(
        connection,
        sql,
        params![tenant, query, rows(limit)],
        |row| {
            Ok(Hit {
                id: row.get(0)?,
                title: row.get(1)?,
                snippet: row.get(2)?,
                tags: list(row, 3)?,
            })
        },
    )
}

pub(super) fn page(
    connection: &Connection,
    tenant: &str,
    after: Option<u32>,
    limit: usize,
) -> rusqlite::Result<Vec<Summary>> {
    let sql = concat!(
        "SELECT ",
        summary_columns!(),
        " FROM note WHERE tenant = ?1 AND id > ?2 ORDER BY id LIMIT ?3"
    );
    all(
        connection,
        sql,
        params![tenant, after.unwrap_or(0), rows(limit)],
        summary,
    )
}

pub(super) fn ids(
    connection: &Connection,
    tenant: &str,
    prefix: &str,
    limit: usize,
) -> rusqlite::Result<Vec<String>> {
    let sql = "
        SELECT CAST(id AS TEXT) FROM note
        WHERE tenant = ?1 AND substr(CAST(id AS TEXT), 1, length(?2)) = ?2
        ORDER BY id LIMIT ?3";
    all(
        connection,
        sql,
        params![tenant, prefix, rows(limit)],
        |row| row.get(0),
    )
}

pub(super) fn tags(
    connection: &Connection,
    tenant: &str,
    prefix: &str,
    after: Option<&str>,
    limit: usize,
) -> rusqlite::Result<Vec<Tag>> {
    let sql = "
        SELECT name, count(*) FROM tag JOIN note USING (serial)
        WHERE tenant = ?1 AND substr(name, 1, length(?2)) = ?2 AND name > ?3
        GROUP BY name ORDER BY name LIMIT ?4";
    all(
        connection,
        sql,
        params![tenant, prefix, after.unwrap_or_default(), rows(limit)],
        |row| {
            Ok(Tag {
                name: row.get(0)?,
                notes: row.get(1)?,
            })
        },
    )
}

/// `until` is a time as the database reads it, such as `now` or `2026-11-30`, in the last week to count.
pub(super) fn weeks(
    connection: &Connection,
    tenant: &str,
    until: &str,
    count: u32,
) -> rusqlite::Result<Vec<Week>> {
    let sql = "
        WITH RECURSIVE week (ago, monday) AS (
            SELECT 1, date(?2, '-6 days', 'weekday 1')
            UNION ALL
            SELECT ago + 1, date(monday, '-7 days') FROM week WHERE ago < ?3
        )
        SELECT monday, (
            SELECT count(*) FROM note
            WHERE tenant = ?1
              AND created >= unixepoch(monday) AND created < unixepoch(monday, '+7 days')
        )
        FROM week ORDER BY monday";
    all(connection, sql, params![tenant, until, count], |row| {
        Ok(Week {
            monday: row.get(0)?,
            notes: row.get(1)?,
        })
    })
}

/// The row of a query over [`summary_columns`].
fn summary(row: &Row<'_>) -> rusqlite::Result<Summary> {
    Ok(Summary {
        id: row.get(0)?,
        title: row.get(1)?,
        tags: list(row, 2)?,
        created: row.get(3)?,
        updated: row.get(4)?,
    })
}

fn rows(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

fn list(row: &Row<'_>, column: usize) -> rusqlite::Result<Vec<String>> {
    let json: String = row.get(column)?;
    serde_json::from_str(&json).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(column, Type::Text, Box::new(error))
    })
}

fn all<T>(
    connection: &Connection,
    sql: &str,
    params: impl Params,
    read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<Vec<T>> {
    connection
        .prepare_cached(sql)?
        .query_map(params, read)?
        .collect()
}
