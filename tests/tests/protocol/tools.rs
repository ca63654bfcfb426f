//! `modern.md` §12.

use relay_tests::{
    fixture::{self, Guest},
    wire::Wire,
};
use serde_json::json;

fn wire() -> Wire<Guest> {
    Wire::new(fixture::server(), Guest::default())
}

// TOOL-01, TOOL-02, TOOL-03, ST-01
#[tokio::test]
async fn tools_are_listed_in_name_order_with_object_schemas() {
    let listed = wire().result("tools/list", json!({})).await;
    let tools = listed["tools"].as_array().expect("a list");
    let names: Vec<_> = tools
        .iter()
        .map(|tool| tool["name"].as_str().expect("a name"))
        .collect();
    assert!(names.is_sorted(), "{names:?}");
    for tool in tools {
        assert_eq!(tool["inputSchema"]["type"], "object");
    }
}

// TOOL-05, TOOL-18, TOOL-22
#[tokio::test]
async fn unknown_hidden_and_denied_tools_are_one_refusal() {
    let mut answers = Vec::new();
    for name in ["nothing", fixture::HIDDEN, "denied"] {
        answers.push(wire().error("tools/call", json!({ "name": name })).await);
    }
    assert_eq!(answers[0].0, -32602);
    assert!(
        answers.iter().all(|answer| *answer == answers[0]),
        "{answers:?}"
    );
}

// TOOL-07
#[tokio::test]
async fn arguments_that_do_not_fit_are_told_to_the_model() {
    let result = wire().call("add", json!({ "a": "3" })).await;
    assert_eq!(result["isError"], true);
    let text = result["content"][0]["text"].as_str().expect("text");
    assert!(text.contains("/a") && text.contains("/b"), "{text}");
}

// TOOL-08, ERR-10
#[tokio::test]
async fn failures_are_results_and_private_ones_say_nothing() {
    let result = wire().call("fails", json!({})).await;
    assert_eq!(result["isError"], true);
    assert_eq!(result["content"][0]["text"], "the shop is closed");
    let result = wire().call("leaks", json!({})).await;
    assert_eq!(result["isError"], true);
    assert!(!result.to_string().contains("secret"), "{result}");
}
