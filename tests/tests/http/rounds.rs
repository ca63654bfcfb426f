//! Questions over HTTP: an answer like any other, and the status of what can't be asked.

use std::sync::LazyLock;

use relay_core::{Call, Progress, Server, codec, elicit, input::Form, tool};
use relay_http::Endpoint;
use relay_tests::web::{Post, Web};
use serde_json::{Value, json};

static SURE: LazyLock<Form<()>> = LazyLock::new(|| elicit::form(codec::object(())));

fn server() -> Server<()> {
    let asks = |name: &str, tells: bool| {
        tool::define(name, codec::object(()), codec::string()).handle_call(
            move |call: Call<()>, ()| async move {
                if tells {
                    call.progress(Progress::new(1.0));
                    tokio::task::yield_now().await;
                }
                call.elicit(SURE.question("sure", "Sure?"))
                    .await?
                    .accepted()?;
                Ok("sure".to_owned())
            },
        )
    };
    Server::new([asks("ask", false), asks("tell", true)])
}

fn post(tool: &str, capabilities: &Value, more: &Value) -> Post {
    let meta = json!({
        "io.modelcontextprotocol/clientCapabilities": capabilities,
        "progressToken": 0,
    });
    let mut params = json!({ "name": tool, "_meta": meta });
    if let (Some(params), Some(more)) = (params.as_object_mut(), more.as_object()) {
        params.extend(more.clone());
    }
    Post::modern("tools/call", &params)
}

// MRTR-01, MRTR-05, MRTR-08, RS-02, JR-11
#[tokio::test]
async fn a_question_is_an_ordinary_answer() {
    let web = Web::new(Endpoint::new(server()));
    let able = json!({ "elicitation": {} });
    for tool in ["ask", "tell"] {
        let asked = web.send(&post(tool, &able, &json!({}))).await;
        assert_eq!(asked.status, 200);
        let asked = asked.messages().pop().expect("an answer");
        assert_eq!(asked["result"]["resultType"], "input_required");
        let state = asked["result"]["requestState"].as_str().expect("state");
        let yes = json!({ "sure": { "action": "accept" } });
        let round = json!({ "inputResponses": yes, "requestState": state });
        let done = web.send(&post(tool, &able, &round)).await;
        let done = done.messages().pop().expect("an answer");
        assert_eq!(done["result"]["content"][0]["text"], "sure");

        let tampered = json!({ "requestState": format!("{state}x") });
        let refused = web.send(&post(tool, &able, &tampered)).await;
        assert_eq!(refused.status, 200);
        assert_eq!(refused.messages()[0]["error"]["code"], -32602);
    }
    let refused = web.send(&post("ask", &json!({}), &json!({}))).await;
    assert_eq!(refused.status, 400);
    let refused = &refused.messages()[0];
    assert_eq!(refused["error"]["code"], -32021);
    assert_eq!(
        refused["error"]["data"],
        json!({ "requiredCapabilities": { "elicitation": { "form": {} } } })
    );
    // Once the stream is open the status is out.
    let refused = web.send(&post("tell", &json!({}), &json!({}))).await;
    assert_eq!(refused.status, 200);
    let last = refused.messages().pop().expect("an answer");
    assert_eq!(last["error"]["code"], -32021);
}
