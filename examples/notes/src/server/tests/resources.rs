use proptest::prelude::*;
use relay_core::uri_template::UriTemplate;
use relay_runtime::testing::{Client, Completing, Item};
use serde_json::{Value, json};

use super::{Fixture, code, output};
use crate::resources::tag_uri;
use crate::store;
use crate::tenant::Tenant;

async fn with_three_notes(fixture: &Fixture) -> Client<Tenant> {
    let client = fixture.editor();
    for (title, text, tags) in [
        ("Alpha", "The quick brown fox", json!(["plan", "work"])),
        ("Beta", "# Beta\n\nOnce is enough", json!([])),
        ("Gämma ☂ 雨", "three", json!(["home & garden", "work"])),
    ] {
        let note = json!({"title": title, "text": text, "tags": tags});
        output(&client, "add", note).await;
    }
    client
}

async fn read(client: &Client<Tenant>, uri: &str) -> Value {
    let result = client.read(uri).await.unwrap();
    assert_eq!(result.contents().len(), 1);
    result.contents()[0].clone()
}

// RES-01, PAGE-02, PAGE-05
#[tokio::test]
async fn notes_come_first_and_tags_after_them_over_several_pages() {
    let fixture = Fixture::new();
    let client = with_three_notes(&fixture).await;
    let resources = client.list_resources().await.unwrap();
    let uris: Vec<_> = resources.iter().map(Item::uri).collect();
    let tags = [
        "notes://tag/home%20%26%20garden",
        "notes://tag/plan",
        "notes://tag/work",
    ];
    assert_eq!(
        uris,
        [&["note://1", "note://2", "note://3"][..], &tags].concat()
    );
    assert_eq!(resources[0].name(), "Alpha");
    assert_eq!(resources[0]["mimeType"], "text/markdown");
    assert_eq!(resources[5].description(), "2 notes");
    for uri in uris {
        read(&client, uri).await;
    }
    let first = client.request("resources/list", json!({})).await.unwrap();
    assert_eq!(first["resources"].as_array().unwrap().len(), 2);
}

// RES-04, TPL-02
#[tokio::test]
async fn a_note_stands_under_its_title_once() {
    let fixture = Fixture::new();
    let client = with_three_notes(&fixture).await;
    let alpha = "# Alpha\n\nThe quick brown fox";
    let contents = json!({"uri": "note://1", "mimeType": "text/markdown", "text": alpha});
    assert_eq!(read(&client, "note://1").await, contents);
    assert_eq!(
        read(&client, "note://2").await["text"],
        "# Beta\n\nOnce is enough"
    );
}

#[tokio::test]
async fn a_tag_names_its_notes() {
    let fixture = Fixture::new();
    let client = with_three_notes(&fixture).await;
    let contents = read(&client, "notes://tag/work").await;
    let text = "# work\n\n- Gämma ☂ 雨 (note://3)\n- Alpha (note://1)\n";
    assert_eq!(contents["text"], text);
    assert_eq!(contents["mimeType"], "text/markdown");
}

// RES-02, RES-03
#[tokio::test]
async fn what_is_not_there_is_not_found() {
    let fixture = Fixture::new();
    let client = with_three_notes(&fixture).await;
    for uri in [
        "note://4",
        "note://x",
        "note://-1",
        "notes://tag/none",
        "nowhere://1",
    ] {
        let error = client.read(uri).await.unwrap_err();
        assert_eq!(code(&error), -32602);
        assert_eq!(error.data.unwrap()["uri"], uri);
    }
}

// COMP-01, COMP-02
#[tokio::test]
async fn ids_and_tags_are_completed() {
    let fixture = Fixture::new();
    let client = with_three_notes(&fixture).await;
    for (template, variable, typed, values) in [
        ("note://{id}", "id", "", &["1", "2", "3"][..]),
        ("note://{id}", "id", "1", &["1"]),
        ("notes://tag/{tag}", "tag", "wo", &["work"]),
        ("notes://tag/{tag}", "tag", "x", &[]),
    ] {
        let completing = Completing::template(template, variable, typed);
        let completed = client.complete(completing).await.unwrap();
        assert_eq!(completed.values(), values, "{template} {typed}");
    }
}

proptest! {
    // TPL-02
    #[test]
    fn every_tag_has_a_uri_of_its_own(typed in "\\PC{1,50}|[./:?#% a-c]{1,9}") {
        if let Ok(tag) = store::tag(&typed) {
            let template = UriTemplate::parse("notes://tag/{tag}").unwrap();
            let found = template.match_uri(&tag_uri(&tag));
            prop_assert_eq!(found.as_ref().and_then(|found| found.get("tag")), Some(tag.as_str()));
        }
    }
}
