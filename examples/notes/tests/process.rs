//! The program as a desktop client starts it: what it says, and how it ends.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use rusqlite::Connection;

fn notes(database: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_notes"));
    command.arg("stdio").arg("--database").arg(database);
    command.env_remove("RUST_LOG").stdin(Stdio::null());
    command
}

/// The one sentence of a process that could not start.
fn sentence(ended: &Output) -> String {
    assert_eq!(ended.status.code(), Some(1), "{ended:?}");
    assert_eq!(ended.stdout, b"");
    let errors = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(errors.lines().count(), 1, "{errors}");
    errors.trim_end().to_owned()
}

#[test]
fn a_locked_database_is_one_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("notes.db");
    let holder = Connection::open(&file).unwrap();
    holder.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let expected = format!(
        "notes: the database {} is locked by another process",
        file.display()
    );
    assert_eq!(sentence(&notes(&file).output().unwrap()), expected);
}

#[test]
fn a_corrupt_database_is_one_sentence_and_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("notes.db");
    let content = "Dear diary, ".repeat(100);
    fs::write(&file, &content).unwrap();
    let path = file.display();
    let expected = format!("notes: the database {path} is damaged or is not a database");
    assert_eq!(sentence(&notes(&file).output().unwrap()), expected);
    assert_eq!(fs::read_to_string(&file).unwrap(), content);
}

// STDIO-08
#[test]
fn the_end_of_input_ends_the_process_well() {
    let folder = tempfile::tempdir().unwrap();
    let ended = notes(&folder.path().join("data/notes.db"))
        .output()
        .unwrap();
    assert_eq!(ended.status.code(), Some(0), "{ended:?}");
    assert_eq!((ended.stdout, ended.stderr), (vec![], vec![]));
}
