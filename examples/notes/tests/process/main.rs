//! The program as a desktop client or an operator starts it: what it says, and how it ends.

#[cfg(test)]
mod http;
#[cfg(test)]
mod session;

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use rusqlite::Connection;
use serde_json::{Value, json};

use session::Session;

fn notes(database: &Path) -> Command {
    let mut command = program();
    command.arg("stdio").arg("--database").arg(database);
    command
}

/// The program, in no environment that could change what it says.
fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_notes"));
    for variable in [
        "RUST_LOG",
        "RELAY_ALLOWED_HOSTS",
        "RELAY_ALLOWED_ORIGINS",
        "RELAY_KEYS",
    ] {
        command.env_remove(variable);
    }
    command.stdin(Stdio::null());
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

#[test]
fn an_unusable_option_is_one_sentence_that_names_it() {
    let expected = "notes: invalid value '0' for '--page-size <N>': 0 is not in 1..=65535; \
                    `notes --help` lists the options";
    for command in [&[][..], &["stdio"]] {
        let with = |options: &[&str]| program().args(command).args(options).output().unwrap();
        assert_eq!(sentence(&with(&["--page-size", "0"])), expected);
        for options in [
            ["--page-size", "x"],
            ["--tenant", "a/b"],
            ["--tennant", "a"],
        ] {
            let said = sentence(&with(&options));
            assert!(said.contains(options[0]), "{said}");
        }
        let help = with(&["--help"]);
        assert!(help.status.success() && help.stderr.is_empty());
        assert!(String::from_utf8_lossy(&help.stdout).contains("--page-size"));
    }
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

// STDIO-08, STDIO-13
#[test]
fn what_was_asked_before_the_end_of_input_is_answered() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = Session::start(notes(&folder.path().join("notes.db")));
    session.call(1, "add", &json!({"title": "Alpha", "text": "fox"}));
    let (answers, code) = session.end();
    assert_eq!(answers[0]["result"]["structuredContent"]["id"], 1);
    assert_eq!((answers.len(), code), (1, Some(0)));
}

// RS-03
#[test]
fn what_one_tenant_agreed_to_is_nothing_to_another() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("notes.db");
    let start = |tenant| {
        let mut command = notes(&file);
        command.args(["--tenant", tenant]);
        command.env("RELAY_KEYS", "QUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUE=");
        Session::start(command)
    };
    let [mut ann, mut other, mut bob] = ["ann", "ann", "bob"].map(start);
    for session in [&mut ann, &mut bob] {
        session.call(1, "add", &json!({ "title": "Alpha", "text": "fox" }));
        assert_eq!(session.receive()["result"]["structuredContent"]["id"], 1);
    }
    let note = json!({ "id": 1 });
    let asked = ann.ask(2, "delete", &note, &Value::Null);
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
    let refused = bob.ask(2, "delete", &note, &asked);
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    // The keys are the same, and so it is good in any process of its tenant.
    let deleted = other.ask(2, "delete", &note, &asked);
    let expected = json!({ "deleted": true });
    assert_eq!(
        deleted["result"]["structuredContent"], expected,
        "{deleted}"
    );
}

// STDIO-15
#[cfg(unix)]
#[test]
fn a_signal_ends_the_process_well() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = Session::start(notes(&folder.path().join("notes.db")));
    session.call(1, "list", &json!({}));
    assert_eq!(session.receive()["id"], 1);
    session.terminate();
    let (answers, code) = session.wait();
    assert_eq!((answers.len(), code), (0, Some(0)));
}

// STDIO-06, PROG-04
#[test]
fn a_cancelled_import_is_not_answered_and_does_not_hold_up_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let files = folder.path().join("files");
    fs::create_dir(&files).unwrap();
    for file in 0..5_000 {
        let text = format!("# Note {file}\n\nParagraph {file}\n");
        fs::write(files.join(format!("{file:05}.md")), text).unwrap();
    }
    let mut session = Session::start(notes(&folder.path().join("notes.db")));
    session.call(1, "import", &json!({ "folder": files }));
    assert_eq!(session.receive()["method"], "notifications/progress");
    session.cancel(1);
    session.call(2, "list", &json!({}));
    // What was on its way when the cancellation came may still arrive.
    let mut answer = session.receive();
    while answer["method"] == "notifications/progress" {
        answer = session.receive();
    }
    assert_eq!(answer["id"], 2);
    let (answers, code) = session.end();
    assert_eq!((answers.len(), code), (0, Some(0)));
}
