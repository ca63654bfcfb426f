use proptest::prelude::*;
use relay_core::uri_template::UriTemplate;
use serde_json::{Value, json};

use super::Client;
use crate::resources::tag_uri;
use crate::store;

async fn with_three_notes() -> Client {
    let client = Client::editor();
    for (title, text, tags) in [
        ("Alpha", "The quick brown fox", json!(["plan", "work"])),
        ("Beta", "# Beta\n\nOnce is enough", json!([])),
        ("Gämma ☂ 雨", "three", json!(["home & garden", "work"])),
    ] {
        client
            .output("add", json!({"title": title, "text": text, "tags": tags}))
            .await;
    }
    client
}

async fn read(client: &Client, uri: &str) -> Value {
    let mut result = client.result("resources/read", json!({ "uri": uri })).await;
    assert_eq!(result["contents"].as_array().unwrap().len(), 1);
    result["contents"][0].take()
}

// RES-01, PAGE-02, PAGE-05
#[tokio::test]
async fn notes_come_first_and_tags_after_them_over_several_pages() {
    let client = with_three_notes().await;
    let (resources, pages) = client.list("resources/list", "resources").await;
    let uris: Vec<_> = resources
        .iter()
        .map(|entry| entry["uri"].as_str().unwrap())
        .collect();
    let tags = [
        "notes://tag/home%20%26%20garden",
        "notes://tag/plan",
        "notes://tag/work",
    ];
    assert_eq!(
        uris,
        [&["note://1", "note://2", "note://3"][..], &tags].concat()
    );
    assert_eq!(pages, 3);
    assert_eq!(resources[0]["name"], "Alpha");
    assert_eq!(resources[0]["mimeType"], "text/markdown");
    assert_eq!(resources[5]["description"], "2 notes");
    for uri in uris {
        read(&client, uri).await;
    }
}

// RES-04, TPL-02
#[tokio::test]
async fn a_note_stands_under_its_title_once() {
    let client = with_three_notes().await;
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
    let client = with_three_notes().await;
    let contents = read(&client, "notes://tag/work").await;
    let text = "# work\n\n- Gämma ☂ 雨 (note://3)\n- Alpha (note://1)\n";
    assert_eq!(
        (&contents["text"], &contents["mimeType"]),
        (&json!(text), &json!("text/markdown"))
    );
}

// RES-02, RES-03
#[tokio::test]
async fn what_is_not_there_is_not_found() {
    let client = with_three_notes().await;
    for uri in [
        "note://4",
        "note://x",
        "note://-1",
        "notes://tag/none",
        "nowhere://1",
    ] {
        let error = client.error("resources/read", json!({ "uri": uri })).await;
        assert_eq!(
            (&error["code"], &error["data"]["uri"]),
            (&json!(-32602), &json!(uri))
        );
    }
}

// COMP-01, COMP-02
#[tokio::test]
async fn ids_and_tags_are_completed() {
    let client = with_three_notes().await;
    let complete = async |uri: &str, variable: &str, typed: &str| {
        let reference = json!({"type": "ref/resource", "uri": uri});
        client.completions(reference, variable, typed).await["values"].take()
    };
    assert_eq!(
        complete("note://{id}", "id", "").await,
        json!(["1", "2", "3"])
    );
    assert_eq!(complete("note://{id}", "id", "1").await, json!(["1"]));
    assert_eq!(
        complete("notes://tag/{tag}", "tag", "wo").await,
        json!(["work"])
    );
    assert_eq!(complete("notes://tag/{tag}", "tag", "x").await, json!([]));
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
