//! A server whose handlers ask, and what its clients send.

use std::sync::{
    Arc, LazyLock,
    atomic::{AtomicUsize, Ordering},
};

use relay_core::{
    Call, Error, KeyRing, Prompt, Read, Reply, Resource, Server, Tool, codec, elicit,
    input::{Answer, Form},
    prompt,
    resource::{self, Entry},
    roots, sample, tool,
};
use relay_tests::wire::Wire;
use serde_json::{Map, Value, json};

/// What happens behind the handlers.
#[derive(Debug, Default)]
pub(crate) struct Desk {
    /// How often a handler began.
    pub(crate) runs: AtomicUsize,
    /// How often a seat was held, which is done once.
    pub(crate) holds: AtomicUsize,
    /// How often what is done once fails first.
    pub(crate) failures: AtomicUsize,
}

impl Desk {
    pub(crate) fn runs(&self) -> usize {
        self.runs.load(Ordering::SeqCst)
    }

    pub(crate) fn holds(&self) -> usize {
        self.holds.load(Ordering::SeqCst)
    }

    fn begin(&self) {
        self.runs.fetch_add(1, Ordering::SeqCst);
    }

    fn hold(&self) -> Result<usize, std::io::Error> {
        let fails = self
            .failures
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| {
                left.checked_sub(1)
            });
        if fails.is_ok() {
            return Err(std::io::Error::other("the desk is closed"));
        }
        Ok(self.holds.fetch_add(1, Ordering::SeqCst))
    }
}

pub(crate) static SEAT: LazyLock<Form<u8>> = LazyLock::new(|| {
    let row = codec::integer::<u8>().range(1..=30);
    elicit::form(codec::object(codec::field("row", row)))
});

pub(crate) static MEAL: LazyLock<Form<String>> = LazyLock::new(|| {
    let meal = codec::string().choices(["veg", "meat"]);
    elicit::form(codec::object(codec::field("meal", meal)))
});

pub(crate) static SURE: LazyLock<Form<()>> = LazyLock::new(|| elicit::form(codec::object(())));

/// Keys that every replica has.
pub(crate) fn keys() -> KeyRing {
    KeyRing::new(&[7; 32]).expect("a key")
}

pub(crate) fn server() -> Server<Desk> {
    let tools = vec![
        book("book"),
        book("rebook"),
        together(),
        asks("confirm", |call| async move {
            Ok(match call.elicit(SURE.question("sure", "Sure?")).await? {
                Answer::Accepted(()) => "yes",
                Answer::Declined => "no",
                Answer::Cancelled => "neither",
            }
            .to_owned())
        }),
        asks("insist", |call| async move {
            call.elicit(SURE.question("sure", "Sure?"))
                .await?
                .accepted()?;
            Ok("yes".to_owned())
        }),
        asks("forever", |call| async move {
            for round in 0.. {
                call.elicit(SURE.question(format!("again {round}"), "Again?"))
                    .await?
                    .accepted()?;
            }
            Ok("never".to_owned())
        }),
        trip(),
        later(),
    ];
    Server::new(tools.into_iter().chain(odd()).chain(others()))
        .with_prompts([letter(), asking_completer()])
        .with_resources([diary(), unlisted()])
        .with_info("asking", "1")
        .with_keys(keys())
}

/// What handlers should not do, and still may.
fn odd() -> Vec<Tool<Desk>> {
    vec![
        asks("twice", |call| async move {
            let question = || SEAT.question("seat", "Which row?");
            let first = call.elicit(question()).await;
            let second = call.elicit(question()).await?.accepted()?;
            Ok(format!("{}{second}", first?.accepted()?))
        }),
        asks("step_twice", |call| async move {
            for _ in 0..2 {
                call.once("step", async || Ok(1)).await?;
            }
            Ok("done".to_owned())
        }),
        asks("swallow", |call| async move {
            Ok(match call.elicit(SURE.question("sure", "Sure?")).await {
                Ok(_) => "asked".to_owned(),
                Err(_) => "did not ask".to_owned(),
            })
        }),
        asks("large", |call| async move {
            let text = call.once("text", async || Ok("x".repeat(60_000))).await?;
            call.elicit(SURE.question("sure", "Sure?"))
                .await?
                .accepted()?;
            Ok(text)
        }),
    ]
}

/// What is asked of others than the user, or by other means than a form.
fn others() -> Vec<Tool<Desk>> {
    vec![
        asks("link", |call| async move {
            let link = elicit::url("link", "Connect", "https://notes.example/connect/7");
            call.elicit(link).await?.accepted()?;
            Ok("connected".to_owned())
        }),
        asks("capital", |call| async move {
            let question = sample::request("capital", 100)
                .with_system_prompt("Be brief.")
                .with_temperature(0.5)
                .with_stop_sequences(["."])
                .with_model("small")
                .user("What is the capital of France?");
            let said = call.sample(question).await?;
            Ok(format!("{} ({})", said.text(), said.model()))
        }),
        asks("roots", |call| async move {
            let roots = call.roots("roots").await?;
            let uris: Vec<_> = roots.iter().map(roots::Root::uri).collect();
            Ok(uris.join(" "))
        }),
        asks("everything", |call| async move {
            let link = elicit::url("link", "Connect", "https://notes.example/connect/7");
            let capital = sample::request("capital", 100).user("What is the capital of France?");
            let (seat, (link, capital), roots) = call
                .ask((
                    SEAT.question("seat", "Which row?"),
                    (link, capital),
                    vec![roots::request("roots")],
                ))
                .await?;
            link.accepted()?;
            let roots: usize = roots.iter().map(Vec::len).sum();
            Ok(format!("{} {} {roots}", seat.accepted()?, capital.text()))
        }),
    ]
}

fn asks<F, Fut>(name: &str, handler: F) -> Tool<Desk>
where
    F: Fn(Call<Desk>) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<String, Error>> + Send + 'static,
{
    tool::define(name, codec::object(()), codec::string()).handle_call(
        move |call: Call<Desk>, ()| {
            call.context().begin();
            handler(call)
        },
    )
}

/// Holds a seat once, then asks for the row and, in a round of its own, the meal.
fn book(name: &str) -> Tool<Desk> {
    let input = codec::object((
        codec::field("flight", codec::string()),
        codec::optional("bags", codec::integer::<u8>()),
    ));
    tool::define(name, input, codec::string())
        .with_forms((&SEAT, &MEAL))
        .handle_call(
            |call: Call<Desk>, (flight, _): (String, Option<u8>)| async move {
                call.context().begin();
                let hold = call
                    .once("hold", async || Ok(call.context().hold()?))
                    .await?;
                let seat = SEAT.question("seat", format!("Which row on {flight}?"));
                let row = call.elicit(seat).await?.accepted()?;
                let meal = call.elicit(MEAL.question("meal", "Which meal?")).await?;
                let meal = meal.accepted()?;
                Ok(format!("{flight}: hold {hold}, row {row}, {meal}"))
            },
        )
}

fn together() -> Tool<Desk> {
    asks("together", |call| async move {
        let seat = SEAT.question("seat", "Which row?");
        let meal = MEAL.question("meal", "Which meal?");
        let (seat, meal) = call.ask((seat, meal)).await?;
        Ok(format!("row {}, {}", seat.accepted()?, meal.accepted()?))
    })
}

/// Does one thing once, then asks three things one after another.
fn trip() -> Tool<Desk> {
    asks("trip", |call| async move {
        let hold = call
            .once("hold", async || Ok(call.context().hold()?))
            .await?;
        let seat = call.elicit(SEAT.question("seat", "Which row?")).await?;
        let meal = call.elicit(MEAL.question("meal", "Which meal?")).await?;
        call.elicit(SURE.question("sure", "Book it?"))
            .await?
            .accepted()?;
        let (row, meal) = (seat.accepted()?, meal.accepted()?);
        Ok(format!("hold {hold}, row {row}, {meal}"))
    })
}

/// Comes back twice before it is done.
fn later() -> Tool<Desk> {
    tool::define("later", codec::object(()), codec::string()).handle_call(
        |call: Call<Desk>, ()| async move {
            call.context().begin();
            let done: u32 = call.state()?.unwrap_or_default();
            Ok(match done {
                2 => Reply::structured("done".to_owned()),
                _ => Reply::later(done + 1),
            })
        },
    )
}

fn letter() -> Prompt<Desk> {
    prompt::define("letter", prompt::required("to"))
        .with_forms(&SEAT)
        .handle_call(|call: Call<Desk>, to: String| async move {
            call.context().begin();
            let row = call.elicit(SEAT.question("seat", "Which row?")).await?;
            let row = row.accepted()?;
            Ok(vec![prompt::user(format!("Write to {to} in row {row}."))])
        })
}

/// Its completer asks, which it may not.
fn asking_completer() -> Prompt<Desk> {
    prompt::define("completed", prompt::required("row"))
        .complete("row", |call: Call<Desk>, _: String| async move {
            let row = call.elicit(SEAT.question("seat", "Which row?")).await?;
            Ok(vec![row.accepted()?.to_string()])
        })
        .handle(|row: String| async move { Ok(vec![prompt::user(row)]) })
}

fn diary() -> Resource<Desk> {
    resource::template("diary://{day}", "diary")
        .with_forms(&SURE)
        .handle(|read: Read<Desk>| async move {
            read.context().begin();
            read.elicit(SURE.question("sure", "Open the diary?"))
                .await?
                .accepted()?;
            Ok(vec![resource::text(format!("On {}.", read.uri()))])
        })
}

/// Its lister asks, which it may not.
fn unlisted() -> Resource<Desk> {
    resource::template("unlisted://{id}", "unlisted")
        .list(|call: Call<Desk>, _: Option<String>, _: usize| async move {
            call.elicit(SURE.question("sure", "Sure?"))
                .await?
                .accepted()?;
            Ok(Vec::<Entry>::new())
        })
        .handle(|_: Read<Desk>| async { Ok(vec![resource::text("")]) })
}

/// All that a client can be asked.
pub(crate) fn able() -> Value {
    json!({
        "elicitation": { "form": {}, "url": {} },
        "sampling": { "tools": {} },
        "roots": {},
    })
}

/// One request and its rounds.
pub(crate) struct Dialogue {
    pub(crate) wire: Wire<Desk>,
    pub(crate) desk: Arc<Desk>,
    method: &'static str,
    params: Value,
}

impl Dialogue {
    pub(crate) fn new(method: &'static str, params: Value) -> Self {
        Self::on(server(), method, params)
    }

    pub(crate) fn on(server: Server<Desk>, method: &'static str, mut params: Value) -> Self {
        let capabilities = json!({ "io.modelcontextprotocol/clientCapabilities": able() });
        if params.get("_meta").is_none() {
            params["_meta"] = capabilities;
        }
        let desk = Arc::new(Desk::default());
        Self {
            wire: Wire::new(server, Arc::clone(&desk)),
            desk,
            method,
            params,
        }
    }

    pub(crate) fn call(tool: &str) -> Self {
        Self::new("tools/call", json!({ "name": tool }))
    }

    pub(crate) fn book() -> Self {
        Self::new("tools/call", booking())
    }

    /// The same request of a client that can be asked this.
    pub(crate) fn able(mut self, capabilities: &Value) -> Self {
        self.params["_meta"] =
            json!({ "io.modelcontextprotocol/clientCapabilities": capabilities });
        self
    }

    /// The answer to the request with more parameters.
    pub(crate) async fn with(&mut self, more: Value) -> Value {
        let mut params = self.params.clone();
        let members = params.as_object_mut().expect("an object");
        members.extend(more.as_object().cloned().unwrap_or_default());
        self.wire.ask(self.method, params).await
    }

    pub(crate) async fn begin(&mut self) -> Value {
        self.with(json!({})).await
    }

    /// The answer to the next round, with these responses and the state of the last answer.
    pub(crate) async fn go_on(&mut self, asked: &Value, responses: Value) -> Value {
        let state = state(asked);
        self.with(json!({ "inputResponses": responses, "requestState": state }))
            .await
    }
}

pub(crate) fn booking() -> Value {
    json!({ "name": "book", "arguments": { "flight": "LH 400", "bags": 2 } })
}

/// The keys of what an answer asks.
pub(crate) fn asked(answer: &Value) -> Vec<&str> {
    assert_eq!(answer["result"]["resultType"], "input_required", "{answer}");
    let requests = answer["result"]["inputRequests"].as_object();
    requests
        .into_iter()
        .flat_map(Map::keys)
        .map(String::as_str)
        .collect()
}

pub(crate) fn state(answer: &Value) -> &str {
    answer["result"]["requestState"].as_str().expect("state")
}

/// The text of a tool's result.
pub(crate) fn text(answer: &Value) -> &str {
    assert_eq!(answer["result"]["resultType"], "complete", "{answer}");
    answer["result"]["content"][0]["text"]
        .as_str()
        .expect("text")
}

pub(crate) fn accept(content: &Value) -> Value {
    json!({ "action": "accept", "content": content })
}
