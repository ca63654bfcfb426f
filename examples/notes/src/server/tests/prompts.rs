use serde_json::{Value, json};

use super::Client;

async fn with_a_note() -> Client {
    let client = Client::editor();
    client
        .output(
            "add",
            json!({"title": "Alpha", "text": "The quick brown fox"}),
        )
        .await;
    client
}

async fn messages(client: &Client, prompt: &str, arguments: Value) -> Value {
    let params = json!({ "name": prompt, "arguments": arguments });
    client.result("prompts/get", params).await["messages"].take()
}

// PRM-01
#[tokio::test]
async fn both_prompts_are_listed() {
    let (prompts, _) = Client::editor().list("prompts/list", "prompts").await;
    let names: Vec<_> = prompts.iter().map(|prompt| &prompt["name"]).collect();
    assert_eq!(names, ["summarise", "weekly_review"]);
    let argument = |position: usize| {
        let argument = &prompts[0]["arguments"][position];
        (
            argument["name"].as_str().unwrap(),
            argument["required"].as_bool().unwrap(),
        )
    };
    assert_eq!((argument(0), argument(1)), (("id", true), ("style", false)));
}

// PRM-05
#[tokio::test]
async fn a_summary_holds_the_note_and_the_style() {
    let client = with_a_note().await;
    let asked = async |arguments| messages(&client, "summarise", arguments).await;
    let bullets = asked(json!({"id": "1"})).await;
    assert_eq!(
        bullets[0]["content"]["text"],
        "Summarise this note as bullets:"
    );
    assert_eq!(bullets[1]["role"], "user");
    let resource = json!({
        "uri": "note://1",
        "mimeType": "text/markdown",
        "text": "# Alpha\n\nThe quick brown fox",
    });
    assert_eq!(
        bullets[1]["content"],
        json!({"type": "resource", "resource": resource})
    );
    let sentence = asked(json!({"id": "1", "style": "one sentence"})).await;
    assert_eq!(
        sentence[0]["content"]["text"],
        "Summarise this note as one sentence:"
    );
}

// PRM-03
#[tokio::test]
async fn a_summary_needs_a_note() {
    let client = with_a_note().await;
    for arguments in [json!({}), json!({"id": "2"}), json!({"id": "one"})] {
        let params = json!({"name": "summarise", "arguments": arguments});
        assert_eq!(client.error("prompts/get", params).await["code"], -32602);
    }
}

#[tokio::test]
async fn a_review_names_the_notes_of_the_week() {
    let client = with_a_note().await;
    let note = json!({"title": "Last month", "text": ""});
    client.output("add", note).await;
    let connection = rusqlite::Connection::open(client.folder().join("notes.db")).unwrap();
    let month_ago = "UPDATE note SET updated = updated - 30 * 86400 WHERE id = 2";
    connection.execute_batch(month_ago).unwrap();
    let review = messages(&client, "weekly_review", json!({})).await;
    let text = review[0]["content"]["text"].as_str().unwrap();
    assert!(text.ends_with("\n\n- Alpha (note://1)\n"), "{text}");

    let empty = messages(&Client::editor(), "weekly_review", json!({})).await;
    let text = empty[0]["content"]["text"].as_str().unwrap();
    assert!(text.starts_with("I wrote no notes"), "{text}");
}

// COMP-01
#[tokio::test]
async fn ids_and_styles_are_completed() {
    let client = with_a_note().await;
    let complete = async |argument: &str, typed: &str| {
        let reference = json!({"type": "ref/prompt", "name": "summarise"});
        client.completions(reference, argument, typed).await["values"].take()
    };
    assert_eq!(complete("id", "1").await, json!(["1"]));
    assert_eq!(complete("id", "2").await, json!([]));
    assert_eq!(complete("style", "bul").await, json!(["bullets"]));
    assert_eq!(
        complete("style", "one").await,
        json!(["one paragraph", "one sentence"])
    );
}
