use std::fs;
use std::future::poll_fn;
use std::task::Poll;

use relay_runtime::testing::Notification;
use serde_json::{Value, json};

use super::{Fixture, code, failure, output, sharing};
use crate::chart::MAX_WEEKS;
use crate::store::{MAX_QUERY, MAX_TAG, MAX_TAGS, MAX_TEXT, MAX_TITLE};

#[tokio::test]
async fn a_note_is_added_listed_found_edited_and_deleted() {
    let fixture = Fixture::new();
    let client = fixture.editor();
    let note = json!({"title": "Alpha", "text": "The quick brown fox", "tags": ["work", "plan"]});
    let added = output(&client, "add", note).await;
    assert_eq!(
        (&added["id"], &added["tags"]),
        (&json!(1), &json!(["plan", "work"]))
    );
    let added = output(&client, "add", json!({"title": "Beta", "text": ""})).await;
    assert_eq!((&added["id"], &added["tags"]), (&json!(2), &json!([])));

    let found = output(&client, "search", json!({"query": "quick fox"})).await;
    assert_eq!(found["notes"].as_array().unwrap().len(), 1);
    assert!(
        found["notes"][0]["snippet"]
            .as_str()
            .unwrap()
            .contains("fox")
    );

    let edited = output(&client, "edit", json!({"id": 2, "tags": ["work"]})).await;
    assert_eq!(
        (&edited["title"], &edited["tags"]),
        (&json!("Beta"), &json!(["work"]))
    );
    let titles = async |arguments| {
        let listed = output(&client, "list", arguments).await;
        let title = |note: &Value| note["title"].as_str().unwrap().to_owned();
        listed["notes"]
            .as_array()
            .unwrap()
            .iter()
            .map(title)
            .collect::<Vec<_>>()
    };
    assert_eq!(titles(json!({"tag": "work"})).await, ["Beta", "Alpha"]);
    assert_eq!(titles(json!({"tag": "plan"})).await, ["Alpha"]);
    assert_eq!(titles(json!({"limit": 1})).await, ["Beta"]);

    let deleted = |deleted| json!({ "deleted": deleted });
    let target = json!({"id": 2, "confirm": true});
    assert_eq!(
        output(&client, "delete", target.clone()).await,
        deleted(true)
    );
    assert_eq!(output(&client, "delete", target).await, deleted(false));
    assert_eq!(titles(json!({})).await, ["Alpha"]);
}

#[tokio::test]
async fn what_a_model_can_mend_is_a_sentence() {
    let fixture = Fixture::new();
    let client = fixture.editor();
    output(&client, "add", json!({"title": "Alpha", "text": ""})).await;
    for (tool, arguments, sentence) in [
        (
            "delete",
            json!({"id": 1, "confirm": false}),
            "nothing was deleted: ask the user, then call again with `confirm` true",
        ),
        (
            "edit",
            json!({"id": 1}),
            "give a title, a text or tags to change",
        ),
        (
            "edit",
            json!({"id": 9, "title": "x"}),
            "there is no note 9; `list` and `search` give ids",
        ),
        (
            "list",
            json!({"colour": "red"}),
            "/colour: expected only the fields `tag` and `limit`, got an unknown field",
        ),
    ] {
        assert_eq!(failure(&client, tool, arguments).await, sentence);
    }
    let listed = output(&client, "list", json!({})).await;
    assert_eq!(listed["notes"].as_array().unwrap().len(), 1);
}

// TOOL-07
#[tokio::test]
async fn every_limit_holds_on_both_sides() {
    let fixture = Fixture::new();
    let client = fixture.editor();
    let text = |length| "é".repeat(length);
    let add = |member: &str, value: Value| {
        let mut note = json!({"title": "x", "text": "y"});
        note[member] = value;
        ("add", note)
    };
    let tags = |count: usize| json!((0..count).map(|tag| tag.to_string()).collect::<Vec<_>>());
    for ((tool, fits), (_, exceeds), at) in [
        (
            add("title", json!(text(MAX_TITLE))),
            add("title", json!(text(MAX_TITLE + 1))),
            "/title",
        ),
        (add("title", json!("x")), add("title", json!("")), "/title"),
        (
            add("text", json!(text(MAX_TEXT))),
            add("text", json!(text(MAX_TEXT + 1))),
            "/text",
        ),
        (
            add("tags", tags(MAX_TAGS)),
            add("tags", tags(MAX_TAGS + 1)),
            "/tags",
        ),
        (
            add("tags", json!([text(MAX_TAG)])),
            add("tags", json!([text(MAX_TAG + 1)])),
            "/tags/0",
        ),
        (
            add("tags", json!(["c#"])),
            add("tags", json!(["x", "a/b"])),
            "/tags/1",
        ),
        (
            ("search", json!({"query": text(MAX_QUERY)})),
            ("search", json!({"query": text(MAX_QUERY + 1)})),
            "/query",
        ),
        (
            ("list", json!({"limit": 100})),
            ("list", json!({"limit": 101})),
            "/limit",
        ),
        (
            ("delete", json!({"id": 1, "confirm": true})),
            ("delete", json!({"id": 0, "confirm": true})),
            "/id",
        ),
    ] {
        output(&client, tool, fits).await;
        let faults = failure(&client, tool, exceeds).await;
        assert!(faults.starts_with(&format!("{at}: ")), "{tool}: {faults}");
    }
    let faults = failure(&client, "chart", json!({"weeks": MAX_WEEKS + 1})).await;
    assert!(faults.starts_with("/weeks: "), "{faults}");
}

// TOOL-10
#[tokio::test]
async fn a_chart_is_an_image() {
    let fixture = Fixture::new();
    let client = fixture.editor();
    for arguments in [json!({}), json!({"weeks": 1}), json!({"weeks": MAX_WEEKS})] {
        let result = client.call("chart", arguments).await.unwrap();
        let block = &result.content()[0];
        assert_eq!(
            (&block["type"], &block["mimeType"]),
            (&json!("image"), &json!("image/png"))
        );
        assert!(block["data"].as_str().unwrap().starts_with("iVBORw0KGgo"));
        assert_eq!(result.structured(), None);
    }
}

fn folder_of(fixture: &Fixture, files: usize) -> Value {
    let folder = fixture.folder().join("folder");
    fs::create_dir(&folder).unwrap();
    for file in 0..files {
        fs::write(folder.join(format!("{file}.md")), format!("# Note {file}")).unwrap();
    }
    json!({ "folder": folder })
}

// PROG-01, PROG-03
#[tokio::test]
async fn an_import_tells_how_far_it_has_come() {
    let fixture = Fixture::new();
    let client = fixture.editor();
    let folder = folder_of(&fixture, 3);
    fs::write(fixture.folder().join("folder/empty.md"), "").unwrap();
    let result = client.call("import", folder).await.unwrap();
    let expected = json!({"imported": 3, "replaced": 0, "skipped": ["empty.md: empty"]});
    assert_eq!(result.structured(), Some(&expected));

    let progress = |told: &Notification| told.params()["progress"].as_f64().unwrap();
    let steps: Vec<_> = result.notifications().iter().map(progress).collect();
    assert!(steps.is_sorted_by(|one, next| one < next), "{steps:?}");
    assert_eq!(steps.last(), Some(&4.0));
    assert_eq!(result.notifications()[0].params()["total"], 4.0);
}

// CAN-03
#[tokio::test]
async fn an_import_stops_when_its_client_leaves() {
    let fixture = Fixture::new();
    let client = fixture.editor();
    let folder = folder_of(&fixture, 500);
    let mut import = Box::pin(client.call("import", folder));
    poll_fn(|cx| match import.as_mut().poll(cx) {
        Poll::Ready(ended) => panic!("it ended before it told of any progress: {ended:?}"),
        Poll::Pending if client.notifications().is_empty() => Poll::Pending,
        Poll::Pending => Poll::Ready(()),
    })
    .await;
    drop(import);
    fixture.runtime.idle().await;
    let next = output(&client, "add", json!({"title": "Next", "text": ""})).await;
    let imported = next["id"].as_u64().unwrap() - 1;
    assert!(imported < 500, "{imported}");
}

#[tokio::test]
async fn a_folder_that_cannot_be_imported_is_named_with_the_reason() {
    let fixture = Fixture::new();
    let client = fixture.editor();
    let absent = fixture.folder().join("absent");
    let sentence = failure(&client, "import", json!({"folder": absent})).await;
    let named = format!("the folder {} cannot be read: ", absent.display());
    assert!(sentence.starts_with(&named), "{sentence}");
    let file = fixture.folder().join("notes.db");
    let sentence = failure(&client, "import", json!({"folder": file})).await;
    assert_eq!(sentence, format!("{} is not a folder", file.display()));
    let sentence = failure(&client, "import", json!({"folder": 5})).await;
    assert!(sentence.starts_with("/folder: "), "{sentence}");
    let sentence = failure(&client, "import", json!({"folder": "x", "deep": true})).await;
    assert!(sentence.contains("deep"), "{sentence}");
}

/// What fails in the database says nothing of files, tables or statements to the client.
#[tokio::test]
async fn a_failing_database_stays_private() {
    let fixture = Fixture::new();
    let client = fixture.editor();
    let connection = rusqlite::Connection::open(fixture.folder().join("notes.db")).unwrap();
    connection.execute_batch("DROP TABLE tag").unwrap();
    let text = failure(&client, "list", json!({})).await;
    assert!(
        !text.contains("notes.db") && !text.contains("tag"),
        "{text}"
    );
    let error = client.read("note://1").await.unwrap_err();
    assert_eq!(code(&error), -32603);
    assert!(!error.to_string().contains("notes.db"), "{error}");
}

#[test]
fn every_tool_says_what_it_is_and_whether_it_changes_something() {
    for tool in sharing().tools() {
        assert!(
            tool.title().is_some() && tool.description().is_some(),
            "{tool:?}"
        );
        assert!(tool.is_open_world().is_some(), "{tool:?}");
        let changes = tool.is_read_only() == Some(false);
        assert_eq!(tool.is_destructive().is_some(), changes, "{tool:?}");
        assert_eq!(tool.is_idempotent().is_some(), changes, "{tool:?}");
        assert_eq!(
            tool.input_schema().to_value()["additionalProperties"],
            false,
            "{tool:?}"
        );
    }
}
