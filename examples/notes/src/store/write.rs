//! Changes. Each is one transaction that takes the write lock at once, so that it waits for other
//! processes at its beginning and never fails halfway.

use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};

use super::{Draft, Edit, Summary, read};

pub(super) fn add(
    connection: &mut Connection,
    tenant: &str,
    draft: &Draft,
) -> rusqlite::Result<Summary> {
    let transaction = begin(connection)?;
    let added = insert(&transaction, tenant, draft)?;
    transaction.commit()?;
    Ok(added)
}

pub(super) fn add_new(
    connection: &mut Connection,
    tenant: &str,
    draft: &Draft,
) -> rusqlite::Result<Option<Summary>> {
    let transaction = begin(connection)?;
    let exists = transaction
        .prepare_cached("SELECT 1 FROM note WHERE tenant = ?1 AND title = ?2")?
        .exists(params![tenant, draft.title])?;
    if exists {
        return Ok(None);
    }
    let added = insert(&transaction, tenant, draft)?;
    transaction.commit()?;
    Ok(Some(added))
}

pub(super) fn rewrite(
    connection: &mut Connection,
    tenant: &str,
    draft: &Draft,
) -> rusqlite::Result<bool> {
    let transaction = begin(connection)?;
    let rewritten = transaction
        .prepare_cached(
            "UPDATE note SET text = ?3, updated = unixepoch()
             WHERE text <> ?3 AND serial = (
                 SELECT serial FROM note WHERE tenant = ?1 AND title = ?2
                 ORDER BY updated DESC, id DESC LIMIT 1
             )",
        )?
        .execute(params![tenant, draft.title, draft.text])?;
    transaction.commit()?;
    Ok(rewritten == 1)
}

pub(super) fn edit(
    connection: &mut Connection,
    tenant: &str,
    id: u32,
    edit: &Edit,
) -> rusqlite::Result<Option<Summary>> {
    let transaction = begin(connection)?;
    let serial = transaction
        .prepare_cached(
            "UPDATE note
             SET title = coalesce(?3, title), text = coalesce(?4, text), updated = unixepoch()
             WHERE tenant = ?1 AND id = ?2
             RETURNING serial",
        )?
        .query_row(params![tenant, id, edit.title, edit.text], |row| row.get(0))
        .optional()?;
    if let (Some(serial), Some(tags)) = (serial, &edit.tags) {
        transaction
            .prepare_cached("DELETE FROM tag WHERE serial = ?1")?
            .execute([serial])?;
        attach(&transaction, serial, tags)?;
    }
    let edited = read::note(&transaction, tenant, id)?;
    transaction.commit()?;
    Ok(edited.map(|note| note.summary))
}

pub(super) fn delete_as(
    connection: &mut Connection,
    tenant: &str,
    id: u32,
    mark: u64,
) -> rusqlite::Result<bool> {
    let transaction = begin(connection)?;
    let note = read::note(&transaction, tenant, id)?;
    let deleted = note.is_some_and(|note| note.mark() == mark) && remove(&transaction, tenant, id)?;
    transaction.commit()?;
    Ok(deleted)
}

pub(super) fn delete(connection: &mut Connection, tenant: &str, id: u32) -> rusqlite::Result<bool> {
    let transaction = begin(connection)?;
    let deleted = remove(&transaction, tenant, id)?;
    transaction.commit()?;
    Ok(deleted)
}

fn remove(connection: &Connection, tenant: &str, id: u32) -> rusqlite::Result<bool> {
    let deleted = connection
        .prepare_cached("DELETE FROM note WHERE tenant = ?1 AND id = ?2")?
        .execute(params![tenant, id])?;
    Ok(deleted == 1)
}

fn begin(connection: &mut Connection) -> rusqlite::Result<Transaction<'_>> {
    connection.transaction_with_behavior(TransactionBehavior::Immediate)
}

fn insert(transaction: &Transaction<'_>, tenant: &str, draft: &Draft) -> rusqlite::Result<Summary> {
    let id: u32 = transaction
        .prepare_cached(
            "INSERT INTO tenant (name, last_id) VALUES (?1, 1)
             ON CONFLICT (name) DO UPDATE SET last_id = last_id + 1
             RETURNING last_id",
        )?
        .query_row([tenant], |row| row.get(0))?;
    let serial = transaction
        .prepare_cached("INSERT INTO note (tenant, id, title, text) VALUES (?1, ?2, ?3, ?4)")?
        .insert(params![tenant, id, draft.title, draft.text])?;
    attach(transaction, serial, &draft.tags)?;
    let note = read::note(transaction, tenant, id)?;
    note.map(|note| note.summary)
        .ok_or(rusqlite::Error::QueryReturnedNoRows)
}

fn attach(transaction: &Transaction<'_>, serial: i64, tags: &[String]) -> rusqlite::Result<()> {
    let mut insert = transaction
        .prepare_cached("INSERT INTO tag (serial, name) VALUES (?1, ?2) ON CONFLICT DO NOTHING")?;
    for tag in tags
        .iter()
        .map(|tag| tag.trim())
        .filter(|tag| !tag.is_empty())
    {
        insert.execute(params![serial, tag])?;
    }
    Ok(())
}
