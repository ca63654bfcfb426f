//! `modern.md` §15: asking the client's model, and for its roots.

use relay_core::{Call, Server, codec, content, sample, tool};
use serde_json::{Value, json};

use super::{
    asking::{Desk, Dialogue, asked, keys, text},
    events::Events,
    requests::code,
};

fn said(content: &Value) -> Value {
    json!({ "role": "assistant", "model": "m", "stopReason": "endTurn", "content": content })
}

// SAMP-02, SAMP-04, SAMP-06
#[tokio::test]
async fn a_model_is_asked_and_heard() {
    let mut dialogue = Dialogue::call("capital");
    let first = dialogue.begin().await;
    assert_eq!(
        first["result"]["inputRequests"]["capital"],
        json!({
            "method": "sampling/createMessage",
            "params": {
                "messages": [{
                    "role": "user",
                    "content": { "type": "text", "text": "What is the capital of France?" },
                }],
                "maxTokens": 100,
                "systemPrompt": "Be brief.",
                "temperature": 0.5,
                "stopSequences": ["."],
                "modelPreferences": { "hints": [{ "name": "small" }] },
            },
        })
    );
    let paris = json!({ "type": "text", "text": "Paris" });
    for content in [paris.clone(), json!([paris])] {
        let done = dialogue
            .go_on(&first, json!({ "capital": said(&content) }))
            .await;
        assert_eq!(text(&done), "Paris (m)");
    }
}

/// Lets the model use a tool, for as many turns as it likes.
fn loops() -> Server<Desk> {
    let tool = tool::define("loop", codec::object(()), codec::string()).handle_call(
        |call: Call<Desk>, ()| async move {
            let weather = sample::tool(
                "weather",
                codec::object(codec::field("city", codec::string())),
            )
            .with_description("The weather in a city");
            let mut request = sample::request("turn 0", 100)
                .user("Which is warmer, Oslo or Quito?")
                .with_tool(weather)
                .with_tool_choice(sample::Choice::Auto);
            for turn in 1.. {
                let heard = call.sample(request.clone()).await?;
                let results: Vec<_> = heard
                    .tool_uses()
                    .map(|used| {
                        let degrees = if used.input["city"] == "Oslo" { 2 } else { 20 };
                        sample::result(used.id, [content::text(format!("{degrees} °C"))])
                    })
                    .collect();
                if results.is_empty() {
                    return Ok(heard.text());
                }
                request = request
                    .with_results(&heard, results)
                    .with_key(format!("turn {turn}"));
            }
            Ok(String::new())
        },
    );
    let careless = tool::define("careless", codec::object(()), codec::string()).handle_call(
        |call: Call<Desk>, ()| async move {
            let request = sample::request("first", 100).user("Go on");
            let heard = call.sample(request.clone()).await?;
            let request = request.with_results(&heard, []).with_key("second");
            Ok(call.sample(request).await?.text())
        },
    );
    let link = tool::define("link", codec::object(()), codec::string()).handle_call(
        |call: Call<Desk>, ()| async move {
            let request = sample::request("it", 100).user(content::link("note://1", "one"));
            Ok(call.sample(request).await?.text())
        },
    );
    Server::new([tool, careless, link]).with_keys(keys())
}

fn uses(ids: &[(&str, &str)]) -> Value {
    let block = |(id, city): &(&str, &str)| json!({ "type": "tool_use", "id": id, "name": "weather", "input": { "city": city } });
    said(&ids.iter().map(block).collect())
}

// SAMP-01, SAMP-03
#[tokio::test]
async fn a_model_may_use_tools_where_the_client_lets_it() {
    let call = || Dialogue::on(loops(), "tools/call", json!({ "name": "loop" }));
    let answer = call().able(&json!({ "sampling": {} })).begin().await;
    assert_eq!(code(&answer), -32021);
    assert_eq!(
        answer["error"]["data"]["requiredCapabilities"],
        json!({ "sampling": { "tools": {} } })
    );
    let mut dialogue = call();
    let first = dialogue.begin().await;
    let params = &first["result"]["inputRequests"]["turn 0"]["params"];
    assert_eq!(params["toolChoice"], json!({ "mode": "auto" }));
    assert_eq!(params["tools"][0]["name"], "weather");
    assert_eq!(
        params["tools"][0]["inputSchema"]["required"],
        json!(["city"])
    );
    let used = uses(&[("a", "Oslo"), ("b", "Quito")]);
    let second = dialogue.go_on(&first, json!({ "turn 0": used })).await;
    let params = &second["result"]["inputRequests"]["turn 1"]["params"];
    let messages = params["messages"].as_array().expect("messages");
    assert_eq!(messages.len(), 3);
    assert_eq!(messages[1]["content"], used["content"]);
    let result = |id: &str, text: &str| {
        let content = [json!({ "type": "text", "text": text })];
        json!({ "type": "tool_result", "toolUseId": id, "content": content })
    };
    assert_eq!(
        messages[2],
        json!({ "role": "user", "content": [result("a", "2 °C"), result("b", "20 °C")] })
    );
    let quito = json!({ "type": "text", "text": "Quito" });
    let done = dialogue
        .go_on(&second, json!({ "turn 1": said(&quito) }))
        .await;
    assert_eq!(text(&done), "Quito");
}

// SAMP-03
#[tokio::test]
async fn a_use_of_a_tool_without_its_result_is_not_passed_on() {
    let mut dialogue = Dialogue::on(loops(), "tools/call", json!({ "name": "careless" }));
    let first = dialogue.begin().await;
    let log = Events::capture();
    let answer = dialogue
        .go_on(&first, json!({ "first": uses(&[("a", "Oslo")]) }))
        .await;
    assert_eq!(answer["result"]["isError"], true);
    assert!(log.take()[0].contains("each use of a tool has one result"));
}

// SAMP-04
#[tokio::test]
async fn a_model_is_told_only_what_it_can_be_told() {
    let log = Events::capture();
    let mut dialogue = Dialogue::on(loops(), "tools/call", json!({ "name": "link" }));
    assert_eq!(dialogue.begin().await["result"]["isError"], true);
    assert!(log.take()[0].contains("a model is told texts, images and audio"));
}

// SAMP-05
#[tokio::test]
async fn a_model_that_never_ends_is_ended() {
    let mut dialogue = Dialogue::on(loops(), "tools/call", json!({ "name": "loop" }));
    let mut answer = dialogue.begin().await;
    for turn in 0..7 {
        let key = format!("turn {turn}");
        assert_eq!(asked(&answer), [key.as_str()]);
        answer = dialogue
            .go_on(&answer, json!({ key: uses(&[("a", "Oslo")]) }))
            .await;
    }
    let last = json!({ "turn 7": uses(&[("a", "Oslo")]) });
    let ended = dialogue.go_on(&answer, last).await;
    assert_eq!(ended["result"]["isError"], true);
}

// ROOT-01
#[tokio::test]
async fn roots_are_files_and_others_are_left_out() {
    let mut dialogue = Dialogue::call("roots");
    let first = dialogue.begin().await;
    assert_eq!(
        first["result"]["inputRequests"]["roots"],
        json!({ "method": "roots/list", "params": {} })
    );
    let root = |uri: &str| json!({ "uri": uri, "name": "a root" });
    let roots = json!({ "roots": [
        root("file:///srv/ada"),
        root("https://example.org/"),
        root("file:///with space"),
        root("/srv/ada"),
        root("FILE:///srv"),
        root(""),
    ] });
    let done = dialogue.go_on(&first, json!({ "roots": roots })).await;
    assert_eq!(text(&done), "file:///srv/ada FILE:///srv");
}
