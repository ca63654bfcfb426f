use relay_core::Peer;
use relay_runtime::testing::Client;
use serde_json::{Value, json};

use super::{Fixture, output};
use crate::tenant::{Role, Tenant};

async fn tools(client: &Client<Tenant>) -> Vec<String> {
    let tools = client.list_tools().await.unwrap();
    tools.iter().map(|tool| tool.name().to_owned()).collect()
}

// TOOL-18
#[tokio::test]
async fn an_editor_sees_every_tool_and_a_reader_those_that_change_nothing() {
    let fixture = Fixture::new();
    let all = ["add", "chart", "delete", "edit", "import", "list", "search"];
    assert_eq!(tools(&fixture.editor()).await, all);
    assert_eq!(tools(&fixture.reader()).await, ["chart", "list", "search"]);
}

/// The bytes that a reader gets for a call.
async fn refusal(fixture: &Fixture, tool: &str, arguments: &Value) -> Vec<u8> {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let params = json!({ "name": tool, "arguments": arguments, "_meta": meta });
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    let reader = Peer::new(fixture.tenant(Role::Reader));
    let mut exchange = fixture.runtime.exchange(call.to_string().into(), reader);
    let answer = exchange.next().await.unwrap();
    assert_eq!(answer.error().unwrap().as_i64(), -32602);
    answer.bytes().to_vec()
}

// TOOL-22
#[tokio::test]
async fn a_reader_cannot_tell_a_hidden_tool_from_one_that_is_not_there() {
    let fixture = Fixture::new();
    for arguments in [json!({"title": "x", "text": "y"}), json!({}), json!(null)] {
        let hidden = refusal(&fixture, "add", &arguments).await;
        let unknown = refusal(&fixture, "no_such_tool", &arguments).await;
        assert_eq!(hidden, unknown);
    }
    let listed = output(&fixture.editor(), "list", json!({})).await;
    assert_eq!(listed["notes"], json!([]));
}

#[tokio::test]
async fn a_reader_reads_what_the_editor_wrote() {
    let fixture = Fixture::new();
    let note = json!({"title": "Alpha", "text": "fox"});
    output(&fixture.editor(), "add", note).await;
    let found = output(&fixture.reader(), "search", json!({"query": "fox"})).await;
    assert_eq!(found["notes"][0]["title"], "Alpha");
}
