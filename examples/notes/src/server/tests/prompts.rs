use relay_runtime::testing::{Client, Completing, Item};
use rusqlite::Connection;
use serde_json::{Value, json};

use super::{Fixture, code, output};
use crate::tenant::Tenant;

async fn with_a_note(fixture: &Fixture) -> Client<Tenant> {
    let client = fixture.editor();
    let note = json!({"title": "Alpha", "text": "The quick brown fox"});
    output(&client, "add", note).await;
    client
}

// PRM-01
#[tokio::test]
async fn both_prompts_are_listed() {
    let prompts = Fixture::new().editor().list_prompts().await.unwrap();
    let names: Vec<_> = prompts.iter().map(Item::name).collect();
    assert_eq!(names, ["summarise", "weekly_review"]);
    let arguments = prompts[0]["arguments"].as_array().unwrap();
    let argument = |argument: &Value| (argument["name"].clone(), argument["required"].clone());
    let arguments: Vec<_> = arguments.iter().map(argument).collect();
    let expected = [("id", true), ("style", false)];
    assert_eq!(
        arguments,
        expected.map(|(name, required)| (json!(name), json!(required)))
    );
}

// PRM-05
#[tokio::test]
async fn a_summary_holds_the_note_and_the_style() {
    let fixture = Fixture::new();
    let client = with_a_note(&fixture).await;
    let prompt = client
        .get_prompt("summarise", json!({"id": "1"}))
        .await
        .unwrap();
    assert_eq!(prompt.text(), "Summarise this note as bullets:");
    let resource = json!({
        "uri": "note://1",
        "mimeType": "text/markdown",
        "text": "# Alpha\n\nThe quick brown fox",
    });
    let note = json!({"role": "user", "content": {"type": "resource", "resource": resource}});
    assert_eq!(prompt.messages()[1], note);

    let arguments = json!({"id": "1", "style": "one sentence"});
    let prompt = client.get_prompt("summarise", arguments).await.unwrap();
    assert_eq!(prompt.text(), "Summarise this note as one sentence:");
}

// PRM-03
#[tokio::test]
async fn a_summary_needs_a_note() {
    let fixture = Fixture::new();
    let client = with_a_note(&fixture).await;
    for arguments in [json!({}), json!({"id": "2"}), json!({"id": "one"})] {
        let error = client.get_prompt("summarise", arguments).await.unwrap_err();
        assert_eq!(code(&error), -32602, "{error}");
    }
}

#[tokio::test]
async fn a_review_names_the_notes_of_the_week() {
    let fixture = Fixture::new();
    let empty = fixture
        .editor()
        .get_prompt("weekly_review", json!({}))
        .await;
    assert!(empty.unwrap().text().starts_with("I wrote no notes"));

    let client = with_a_note(&fixture).await;
    output(&client, "add", json!({"title": "Last month", "text": ""})).await;
    let connection = Connection::open(fixture.folder().join("notes.db")).unwrap();
    let month_ago = "UPDATE note SET updated = updated - 30 * 86400 WHERE id = 2";
    connection.execute_batch(month_ago).unwrap();
    let review = client.get_prompt("weekly_review", json!({})).await.unwrap();
    assert!(
        review.text().ends_with("\n\n- Alpha (note://1)\n"),
        "{}",
        review.text()
    );
}

// COMP-01
#[tokio::test]
async fn ids_and_styles_are_completed() {
    let fixture = Fixture::new();
    let client = with_a_note(&fixture).await;
    for (argument, typed, values) in [
        ("id", "1", &["1"][..]),
        ("id", "2", &[]),
        ("style", "bul", &["bullets"]),
        ("style", "one", &["one paragraph", "one sentence"]),
    ] {
        let completing = Completing::prompt("summarise", argument, typed);
        let completed = client.complete(completing).await.unwrap();
        assert_eq!(completed.values(), values, "{argument} {typed}");
    }
}
