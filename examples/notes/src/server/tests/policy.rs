use serde_json::{Value, json};

use super::Client;

const READ_ONLY: [&str; 3] = ["chart", "list", "search"];

async fn tools(client: &Client) -> Vec<String> {
    let (tools, _) = client.list("tools/list", "tools").await;
    let name = |tool: &Value| tool["name"].as_str().unwrap().to_owned();
    tools.iter().map(name).collect()
}

// TOOL-18
#[tokio::test]
async fn an_editor_sees_every_tool_and_a_reader_those_that_change_nothing() {
    let editor = Client::editor();
    let all = ["add", "chart", "delete", "edit", "import", "list", "search"];
    assert_eq!(tools(&editor).await, all);
    assert_eq!(tools(&editor.reader()).await, READ_ONLY);
}

// TOOL-22
#[tokio::test]
async fn a_reader_cannot_tell_a_hidden_tool_from_one_that_is_not_there() {
    let editor = Client::editor();
    let reader = editor.reader();
    for arguments in [json!({"title": "x", "text": "y"}), json!({}), json!(null)] {
        let call = |name: &str| json!({ "name": name, "arguments": arguments });
        let hidden = reader.answer("tools/call", call("add")).await;
        let unknown = reader.answer("tools/call", call("no_such_tool")).await;
        assert_eq!(hidden["error"]["code"], -32602, "{hidden}");
        assert_eq!(hidden, unknown);
    }
    assert_eq!(editor.output("list", json!({})).await["notes"], json!([]));
}

#[tokio::test]
async fn a_reader_reads_what_the_editor_wrote() {
    let editor = Client::editor();
    editor
        .output("add", json!({"title": "Alpha", "text": "fox"}))
        .await;
    let found = editor
        .reader()
        .output("search", json!({"query": "fox"}))
        .await;
    assert_eq!(found["notes"][0]["title"], "Alpha");
}
