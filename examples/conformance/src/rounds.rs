//! What asks its client something before it answers.

use std::sync::LazyLock;

use relay_http::relay_core::{
    Call, Error, Prompt, Read, Resource, Tool, codec,
    content::{self, Block},
    elicit,
    input::{Form, sample::Sampled},
    prompt, resource, roots, sample, tool,
};

static NAME: LazyLock<Form<String>> =
    LazyLock::new(|| elicit::form(codec::object(codec::field("name", codec::string()))));

static OK: LazyLock<Form<bool>> =
    LazyLock::new(|| elicit::form(codec::object(codec::field("ok", codec::boolean()))));

static COLOR: LazyLock<Form<String>> =
    LazyLock::new(|| elicit::form(codec::object(codec::field("color", codec::string()))));

static CONTEXT: LazyLock<Form<String>> =
    LazyLock::new(|| elicit::form(codec::object(codec::field("context", codec::string()))));

pub(crate) fn tools() -> Vec<Tool<()>> {
    vec![
        asks("elicitation", "Asks for a name", greet),
        asks("sampling", "Asks the client's model", |call| async move {
            Ok(call.sample(capital()).await?.text())
        }),
        asks("list_roots", "Asks for the roots", |call| async move {
            let roots = call.roots("client_roots").await?;
            let uris: Vec<_> = roots.iter().map(roots::Root::uri).collect();
            Ok(format!("The roots: {}", uris.join(", ")))
        }),
        asks("request_state", "Keeps state", |call| async move {
            let state = call
                .once("state", async || Ok("state-ok".to_owned()))
                .await?;
            confirmed(&call).await?;
            Ok(state)
        }),
        asks(
            "multiple_inputs",
            "Asks several at once",
            |call| async move {
                let name = NAME.question("user_name", "What is your name?");
                let roots = roots::request("client_roots");
                let (name, capital, roots) = call.ask((name, capital(), roots)).await?;
                let (name, roots) = (name.accepted()?, roots.len());
                Ok(format!(
                    "{name}, {}, {roots} roots",
                    Sampled::text(&capital)
                ))
            },
        ),
        asks("multi_round", "Asks one after another", |call| async move {
            let name = call.elicit(NAME.question("step1", "Step 1: what is your name?"));
            let name = name.await?.accepted()?;
            let color = call.elicit(COLOR.question("step2", "Step 2: which color do you like?"));
            Ok(format!("{name} likes {}.", color.await?.accepted()?))
        }),
        asks("tampered_state", "Asks to confirm", |call| async move {
            confirmed(&call).await?;
            Ok("Confirmed.".to_owned())
        }),
        asks(
            "capabilities",
            "Asks what the client can",
            |call| async move {
                if call.client().can_elicit() {
                    return greet(call).await;
                }
                Ok(call.sample(capital()).await?.text())
            },
        ),
        tool::define(
            "test_streaming_elicitation",
            codec::object(()),
            tool::content(),
        )
        .with_description("Asks for a name, where the client can be asked")
        .with_forms(&NAME)
        .handle_call(|call: Call<()>, ()| async move {
            let text = if call.client().can_elicit() {
                greet(call).await?
            } else {
                "Nothing was asked.".to_owned()
            };
            Ok(vec![content::text(text)])
        }),
    ]
}

pub(crate) fn prompt() -> Prompt<()> {
    prompt::define("test_input_required_result_prompt", ())
        .with_description("A prompt that asks for what it is about")
        .with_forms(&CONTEXT)
        .handle_call(|call: Call<()>, ()| async move {
            let context = call.elicit(CONTEXT.question("user_context", "What is it about?"));
            let context = context.await?.accepted()?;
            Ok(vec![prompt::user(format!("Write a greeting: {context}."))])
        })
}

/// Not the first in a list, which the suite reads without an answer at hand.
pub(crate) fn resource() -> Resource<()> {
    resource::direct("test://with-input", "with-input")
        .with_description("A text that asks for what it is about")
        .with_mime_type("text/plain")
        .with_forms(&CONTEXT)
        .handle(|read: Read<()>| async move {
            let context = read.elicit(CONTEXT.question("user_context", "What is it about?"));
            let context = context.await?.accepted()?;
            Ok(vec![resource::text(format!("It is about {context}."))])
        })
}

fn asks<F, Fut>(name: &str, description: &str, handler: F) -> Tool<()>
where
    F: Fn(Call<()>) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<String, Error>> + Send + 'static,
{
    let name = format!("test_input_required_result_{name}");
    tool::define(&name, codec::object(()), tool::content())
        .with_description(description)
        .with_forms((&NAME, &OK, &COLOR))
        .handle_call(move |call: Call<()>, ()| {
            let answered = handler(call);
            async move { Ok::<Vec<Block>, _>(vec![content::text(answered.await?)]) }
        })
}

async fn greet(call: Call<()>) -> Result<String, Error> {
    let name = call.elicit(NAME.question("user_name", "What is your name?"));
    Ok(format!("Hello, {}!", name.await?.accepted()?))
}

async fn confirmed(call: &Call<()>) -> Result<(), Error> {
    let ok = call.elicit(OK.question("confirm", "Is that all right?"));
    if ok.await?.accepted()? {
        Ok(())
    } else {
        Err(Error::new("It was not confirmed."))
    }
}

fn capital() -> sample::Request {
    sample::request("capital_question", 100).user("What is the capital of France?")
}
