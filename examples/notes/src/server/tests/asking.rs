//! What the tools ask the user, and what they do where they can't.

use std::fs;

use relay_core::{ClientCapabilities, Revision};
use relay_runtime::testing::{Answers, Asked, CallResult, Client};
use serde_json::{Value, json};

use super::{Fixture, failure, output};
use crate::tenant::Tenant;

async fn two_notes(fixture: &Fixture) {
    for title in ["Alpha", "Beta"] {
        let note = json!({ "title": title, "text": "old" });
        output(&fixture.editor(), "add", note).await;
    }
}

async fn titles(fixture: &Fixture) -> Vec<String> {
    let listed = output(&fixture.editor(), "list", json!({})).await;
    let notes = listed["notes"].as_array().unwrap().iter().rev();
    notes
        .map(|note| note["title"].as_str().unwrap().to_owned())
        .collect()
}

async fn call(client: &Client<Tenant>, tool: &str, arguments: &Value) -> CallResult {
    client.call(tool, arguments.clone()).await.unwrap()
}

fn messages(result: &CallResult) -> Vec<&str> {
    result.asked().iter().map(Asked::message).collect()
}

// ELIC-10, MRTR-14
#[tokio::test]
async fn a_note_is_deleted_when_its_user_agrees() {
    let fixture = Fixture::new();
    two_notes(&fixture).await;
    let question = ["Delete the note “Alpha” for good?"];
    // Whatever a model says of its user.
    let arguments = json!({ "id": 1, "confirm": true });
    for refusing in [
        Answers::new().decline("delete"),
        Answers::new().cancel("delete"),
    ] {
        let client = fixture.editor().with_answers(refusing);
        let kept = call(&client, "delete", &arguments).await;
        assert_eq!(kept.text(), "nothing was deleted: the user did not agree");
        assert!(kept.is_error());
        assert_eq!(messages(&kept), question);
        assert_eq!(titles(&fixture).await, ["Alpha", "Beta"]);
    }
    let answers = Answers::new().accept("delete", json!({}));
    let deleted = call(
        &fixture.editor().with_answers(answers),
        "delete",
        &json!({ "id": 1 }),
    )
    .await;
    assert_eq!(deleted.structured(), Some(&json!({ "deleted": true })));
    assert_eq!(messages(&deleted), question);
    assert_eq!(titles(&fixture).await, ["Beta"]);

    let client = fixture.editor().with_answers(Answers::new());
    let gone = call(&client, "delete", &json!({ "id": 1 })).await;
    assert_eq!(
        gone.structured(),
        Some(&json!({ "deleted": false })),
        "there is nothing to ask"
    );
}

/// A call of a tool, one round at a time, between which anything may happen.
struct Rounds {
    client: Client<Tenant>,
    params: Value,
}

impl Rounds {
    fn of(fixture: &Fixture, tool: &str, arguments: &Value) -> Self {
        let elicits = ClientCapabilities::new().with_elicitation();
        Self {
            client: fixture.editor().with_capabilities(elicits),
            params: json!({ "name": tool, "arguments": arguments }),
        }
    }

    /// Has the user asked, and gives the question.
    async fn ask(&mut self, key: &str) -> String {
        let asked = self.send().await;
        self.params["requestState"] = asked["requestState"].clone();
        let message = &asked["inputRequests"][key]["params"]["message"];
        message.as_str().unwrap().to_owned()
    }

    async fn accept(&mut self, key: &str, content: Value) -> Value {
        let answer = json!({ "action": "accept", "content": content });
        self.params["inputResponses"] = json!({ key: answer });
        self.send().await
    }

    async fn send(&self) -> Value {
        let sent = self.client.request("tools/call", self.params.clone());
        sent.await.unwrap()
    }
}

// MRTR-14, MRTR-16
#[tokio::test]
async fn the_note_that_was_asked_about_is_deleted_or_none_is() {
    let fixture = Fixture::new();
    two_notes(&fixture).await;
    let arguments = json!({ "id": 1 });
    let mut stale = Rounds::of(&fixture, "delete", &arguments);
    assert_eq!(
        stale.ask("delete").await,
        "Delete the note “Alpha” for good?"
    );
    let renamed = json!({ "id": 1, "title": "Omega" });
    output(&fixture.editor(), "edit", renamed).await;
    let kept = stale.accept("delete", json!({})).await;
    assert_eq!(kept["isError"], true, "{kept}");
    assert_eq!(
        kept["content"][0]["text"],
        "nothing was deleted: the note has changed since the user was asked; call again to ask \
         about it as it is now"
    );
    assert!(titles(&fixture).await.contains(&"Omega".to_owned()));

    let mut rounds = Rounds::of(&fixture, "delete", &arguments);
    assert_eq!(
        rounds.ask("delete").await,
        "Delete the note “Omega” for good?"
    );
    for deleted in [true, false] {
        // The second time it is gone, as by another's hand.
        let result = rounds.accept("delete", json!({})).await;
        assert_eq!(result["structuredContent"], json!({ "deleted": deleted }));
    }
    assert_eq!(titles(&fixture).await, ["Beta"]);
}

// MRTR-05
#[tokio::test]
async fn a_client_that_cannot_ask_confirms() {
    let fixture = Fixture::new();
    two_notes(&fixture).await;
    let elicits = ClientCapabilities::new().with_elicitation();
    let clients = [
        fixture.editor(),
        // Rounds came later.
        fixture
            .editor()
            .with_revision(Revision::V2025_11_25)
            .with_capabilities(elicits),
    ];
    for (client, id) in clients.iter().zip([1, 2]) {
        let advice = "nothing was deleted: ask the user, then call again with `confirm` true";
        for arguments in [json!({ "id": id }), json!({ "id": id, "confirm": false })] {
            assert_eq!(failure(client, "delete", arguments).await, advice);
        }
        let deleted = output(client, "delete", json!({ "id": id, "confirm": true })).await;
        assert_eq!(deleted, json!({ "deleted": true }));
    }
}

/// A folder with a note of a new title, and three of titles that are there, one of them unchanged.
fn folder(fixture: &Fixture) -> Value {
    let folder = fixture.folder().join("folder");
    fs::create_dir(&folder).unwrap();
    for (title, text) in [("Alpha", "new"), ("Beta", "new"), ("Gamma", "new")] {
        fs::write(folder.join(format!("{title}.md")), text).unwrap();
    }
    json!({ "folder": folder })
}

async fn texts(fixture: &Fixture) -> Vec<String> {
    let mut texts = Vec::new();
    for id in 1..=3 {
        let read = fixture
            .editor()
            .read(&format!("note://{id}"))
            .await
            .unwrap();
        texts.push(read.text().lines().last().unwrap().to_owned());
    }
    texts
}

// MRTR-08, MRTR-16
#[tokio::test]
async fn an_import_asks_once_for_all_that_is_there() {
    let fixture = Fixture::new();
    two_notes(&fixture).await;
    let folder = folder(&fixture);
    let answering = |existing| {
        let answers = Answers::new().accept("conflicts", json!({ "existing": existing }));
        fixture.editor().with_answers(answers)
    };
    let skipped: Vec<_> = ["Alpha", "Beta"]
        .map(|title| format!("{title}.md: a note has this title already"))
        .to_vec();

    let result = call(&answering("skip"), "import", &folder).await;
    assert_eq!(
        messages(&result),
        ["2 files have the title of a note that says something else: Alpha, Beta"]
    );
    let expected = json!({ "imported": 1, "replaced": 0, "skipped": skipped });
    assert_eq!(result.structured(), Some(&expected));
    assert_eq!(texts(&fixture).await, ["old", "old", "new"]);

    let result = call(&answering("replace"), "import", &folder).await;
    assert_eq!(result.asked().len(), 1);
    let skipped = ["Gamma.md: a note has this title already"];
    let expected = json!({ "imported": 0, "replaced": 2, "skipped": skipped });
    assert_eq!(result.structured(), Some(&expected));
    assert_eq!(texts(&fixture).await, ["new", "new", "new"]);

    // Where nothing would change, nobody is asked.
    let client = fixture.editor().with_answers(Answers::new());
    let again = call(&client, "import", &folder).await;
    assert_eq!(again.structured().unwrap()["replaced"], 0);
}

// MRTR-14, MRTR-16
#[tokio::test]
async fn an_import_replaces_what_was_asked_about_and_names_the_rest() {
    let fixture = Fixture::new();
    two_notes(&fixture).await;
    let folder = folder(&fixture);
    let mut rounds = Rounds::of(&fixture, "import", &folder);
    let question = rounds.ask("conflicts").await;
    assert!(question.ends_with(": Alpha, Beta"), "{question}");
    let late = json!({ "title": "Gamma", "text": "old" });
    output(&fixture.editor(), "add", late).await;
    let content = json!({ "existing": "replace" });
    let result = rounds.accept("conflicts", content).await;
    let skipped = [
        "Gamma.md: a note has this title and says something else, and the user was not asked about \
         it",
    ];
    let expected = json!({ "imported": 0, "replaced": 2, "skipped": skipped });
    assert_eq!(result["structuredContent"], expected);
    assert_eq!(texts(&fixture).await, ["new", "new", "old"]);
}

// MRTR-14
#[tokio::test]
async fn an_import_that_its_user_does_not_want_is_none() {
    let fixture = Fixture::new();
    two_notes(&fixture).await;
    let folder = folder(&fixture);
    let client = fixture
        .editor()
        .with_answers(Answers::new().decline("conflicts"));
    let declined = call(&client, "import", &folder).await;
    assert!(declined.is_error(), "{}", declined.text());
    assert_eq!(titles(&fixture).await, ["Alpha", "Beta"]);

    // Where nobody can be asked, what is there stays.
    let imported = output(&fixture.editor(), "import", folder).await;
    assert_eq!(
        (&imported["imported"], &imported["replaced"]),
        (&json!(1), &json!(0))
    );
    assert_eq!(texts(&fixture).await, ["old", "old", "new"]);
}

// ELIC-04, ELIC-14
#[tokio::test]
async fn a_note_is_shared_on_a_page_that_only_the_user_sees() {
    let fixture = Fixture::sharing();
    two_notes(&fixture).await;
    let page = "https://share.example/new?note=1";
    let answers = Answers::new().accept_url("share");
    let shared = call(
        &fixture.editor().with_answers(answers),
        "share",
        &json!({ "id": 1 }),
    )
    .await;
    assert_eq!(shared.text(), "The page to share “Alpha” was opened.");
    assert_eq!(
        messages(&shared),
        ["Share the note “Alpha” on a page in your browser"]
    );
    let asked = shared.asked()[0].params();
    assert_eq!(
        (&asked["mode"], &asked["url"]),
        (&json!("url"), &json!(page))
    );

    let client = fixture
        .editor()
        .with_answers(Answers::new().decline("share"));
    let text = failure(&client, "share", json!({ "id": 1 })).await;
    assert_eq!(text, "nothing was shared: the user did not open the page");
    let text = failure(&client, "share", json!({ "id": 9 })).await;
    assert!(text.starts_with("there is no note 9"), "{text}");

    // Where no page can be opened, the model says where it is.
    let told = output(&fixture.editor(), "share", json!({ "id": 1 })).await;
    assert_eq!(told, format!("The user can share “Alpha” at {page}."));
    let reader = fixture.reader().call("share", json!({ "id": 1 })).await;
    assert!(reader.is_err(), "a reader's notes are not theirs to share");
}
