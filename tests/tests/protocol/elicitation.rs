//! `modern.md` §15: what a form may hold, and how a URL is asked.

use relay_core::{
    Call, Resource, Server, codec,
    codec::{Format, IntoCodec},
    elicit, prompt, resource, tool,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    asking::{Desk, Dialogue, accept, asked, keys, text},
    events::Events,
};

/// What the client is asked to draw.
async fn drawn<C>(codec: C) -> Value
where
    C: IntoCodec,
    C::Value: Send + Sync,
{
    let form = elicit::form(codec);
    form.check().expect("a form");
    let tool = tool::define("ask", codec::object(()), codec::string()).handle_call(
        move |call: Call<Desk>, ()| {
            let form = form.clone();
            async move {
                let answer = call.elicit(form.question("it", "Fill this in")).await?;
                answer.accepted()?;
                Ok("filled in".to_owned())
            }
        },
    );
    let server = Server::new([tool]).with_keys(keys());
    let mut dialogue = Dialogue::on(server, "tools/call", json!({ "name": "ask" }));
    let answer = dialogue.begin().await;
    assert_eq!(asked(&answer), ["it"]);
    answer["result"]["inputRequests"]["it"]["params"]["requestedSchema"].clone()
}

fn faults(codec: impl IntoCodec) -> Vec<String> {
    let found = elicit::form(codec).check().err();
    let found = found.into_iter().flatten();
    found.map(|fault| fault.to_string()).collect()
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Class {
    /// Where there is more room
    First,
    /// Where most sit
    Second,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Meal {
    Veg,
    Meat,
}

/// A journey.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Journey {
    /// Who travels
    name: String,
    seats: u8,
    note: Option<String>,
    class: Class,
    meals: Vec<Meal>,
    classes: Vec<Class>,
    #[serde(default)]
    insured: bool,
}

// ELIC-01, ELIC-02
#[tokio::test]
async fn derived_types_are_forms_that_clients_can_draw() {
    let first = json!({ "const": "first", "title": "Where there is more room" });
    let second = json!({ "const": "second", "title": "Where most sit" });
    assert_eq!(
        drawn(codec::derived::<Journey>()).await,
        json!({
            "type": "object",
            "properties": {
                "name": { "type": "string", "description": "Who travels" },
                "seats": { "type": "integer", "minimum": 0, "maximum": 255 },
                "note": { "type": "string" },
                "class": { "type": "string", "oneOf": [first, second] },
                "meals": { "type": "array", "items": { "type": "string", "enum": ["veg", "meat"] } },
                "classes": { "type": "array", "items": { "anyOf": [first, second] } },
                "insured": { "type": "boolean", "default": false },
            },
            "required": ["name", "seats", "class", "meals", "classes"],
        })
    );
}

// ELIC-01, ELIC-02
#[tokio::test]
async fn built_codecs_are_forms_that_clients_can_draw() {
    let choice = || codec::string().choices(["a", "b"]);
    let form = codec::object((
        codec::field(
            "text",
            codec::string().min_length(1).max_length(9).title("Text"),
        ),
        codec::field("mail", codec::string().format(Format::Email)),
        codec::field("day", codec::string().format(Format::Date)),
        codec::field("time", codec::string().format(Format::DateTime)),
        codec::field("site", codec::string().format(Format::Uri)),
        codec::field("share", codec::number().range(0.0..=1.0)),
        codec::defaulted("count", codec::integer::<i64>().range(1..=9), 3),
        codec::defaulted("yes", codec::boolean(), true),
        codec::optional("one", choice()),
        codec::defaulted(
            "some",
            codec::list(choice()).min_items(1).max_items(2).unique(),
            ["a"],
        ),
    ));
    assert_eq!(
        drawn(form).await["properties"],
        json!({
            "text": { "type": "string", "title": "Text", "minLength": 1, "maxLength": 9 },
            "mail": { "type": "string", "format": "email" },
            "day": { "type": "string", "format": "date" },
            "time": { "type": "string", "format": "date-time" },
            "site": { "type": "string", "format": "uri" },
            "share": { "type": "number", "minimum": 0.0, "maximum": 1.0 },
            "count": { "type": "integer", "minimum": 1, "maximum": 9, "default": 3 },
            "yes": { "type": "boolean", "default": true },
            "one": { "type": "string", "enum": ["a", "b"] },
            "some": {
                "type": "array", "default": ["a"], "minItems": 1, "maxItems": 2,
                "items": { "type": "string", "enum": ["a", "b"] },
            },
        })
    );
    assert_eq!(
        drawn(codec::object(())).await,
        json!({ "type": "object", "properties": {} })
    );
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind")]
enum Either {
    One { row: u8 },
    Other { meal: String },
}

// ELIC-02
#[test]
fn what_is_not_flat_is_no_form() {
    let field = |codec| faults(codec::object(codec::field("it", codec)));
    for (faults, said) in [
        (faults(codec::string()), "a form is an object"),
        (faults(codec::list(codec::string())), "a form is an object"),
        (faults(codec::dictionary(codec::string())), "no dictionary"),
        (
            field(
                codec::object(codec::field("deep", codec::string()))
                    .into_codec()
                    .map(|_| (), |()| String::new()),
            ),
            "/it: a form is flat",
        ),
    ] {
        assert!(
            faults.iter().any(|fault| fault.contains(said)),
            "{faults:?}"
        );
    }
    let texts = codec::object(codec::field("it", codec::list(codec::string())));
    assert!(faults(texts)[0].contains("a list in a form is a selection"));
    let numbers = codec::object(codec::field("it", codec::list(codec::integer::<u8>())));
    assert!(faults(numbers)[0].contains("a list in a form is a selection"));
    let any = codec::object(codec::field("it", codec::any()));
    assert!(faults(any)[0].starts_with("/it: a field of a form is a text"));
    let null = codec::object(codec::field("it", codec::nullable(codec::string())));
    assert!(faults(null)[0].starts_with("/it: a field of a form is a text"));
    let pattern = codec::object(codec::field("it", codec::string().pattern("^a")));
    assert!(faults(pattern)[0].starts_with("/it: a form can't say `pattern`"));
    let half = codec::object(codec::field("it", codec::number().multiple_of(0.5)));
    assert!(faults(half)[0].starts_with("/it: a form can't say `multipleOf`"));
    let uuid = codec::object(codec::field("it", codec::string().format(Format::Uuid)));
    assert!(faults(uuid)[0].contains("not `uuid`"));
    assert!(!faults(codec::derived::<Either>()).is_empty());
}

// ELIC-03, ELIC-07
#[test]
fn secrets_and_links_are_refused_where_the_form_is_declared_all_at_once() {
    let text = |name| codec::field(name, codec::string());
    let form = elicit::form(codec::object((
        text("name"),
        text("password"),
        text("apiKey"),
        text("card_number"),
        codec::field("note", codec::string().describe("See https://example.org")),
        codec::field("deep", codec::object(text("pin"))),
    )));
    let definition = || tool::define("login", codec::object(()), codec::string());
    let error = definition().try_with_forms(&form).expect_err("faults");
    assert_eq!(error.name(), "login");
    let message = error.to_string();
    for said in [
        "/password: this looks like a secret",
        "/apiKey: this looks like a secret",
        "/card_number: this looks like a secret",
        "/note: a form has no links in it",
        "/deep: a form is flat",
    ] {
        assert!(message.contains(said), "{said}\n{message}");
    }
    assert!(!message.contains("/name"), "{message}");
    let good = elicit::form(codec::object(text("name")));
    assert!(definition().try_with_forms((&good, &good)).is_ok());
    assert!(definition().try_with_forms((&good, &form)).is_err());
    let prompt = prompt::define::<(), _>("login", ()).try_with_forms(&form);
    assert!(prompt.is_err());
    let resource = resource::direct::<()>("login://now", "login").try_with_forms(&form);
    assert!(resource.is_err());
}

// ELIC-03
#[test]
#[should_panic(expected = "/secret: this looks like a secret")]
fn a_form_that_cannot_be_asked_stops_the_start() {
    let form = elicit::form(codec::object(codec::field("secret", codec::string())));
    let login: Resource<()> = resource::direct("login://now", "login")
        .with_forms(&form)
        .handle(|_| async { Ok(vec![resource::text("")]) });
    drop(login);
}

// ELIC-03
#[tokio::test]
async fn a_form_that_was_not_declared_is_not_asked_either() {
    let form = elicit::form(codec::object(codec::field("pin", codec::string())));
    let tool = tool::define("ask", codec::object(()), codec::string()).handle_call(
        move |call: Call<Desk>, ()| {
            let form = form.clone();
            async move {
                call.elicit(form.question("pin", "Your PIN?"))
                    .await?
                    .accepted()
            }
        },
    );
    let log = Events::capture();
    let mut dialogue = Dialogue::on(Server::new([tool]), "tools/call", json!({ "name": "ask" }));
    let answer = dialogue.begin().await;
    assert_eq!(answer["result"]["isError"], true);
    assert!(!answer.to_string().contains("PIN"));
    assert!(log.take()[0].contains("looks like a secret"));
}

// ELIC-04, ELIC-13, ELIC-14, MRTR-07
#[tokio::test]
async fn a_url_is_asked_with_no_form_and_no_id() {
    let mut dialogue = Dialogue::call("link");
    let first = dialogue.begin().await;
    assert_eq!(
        first["result"]["inputRequests"]["link"],
        json!({
            "method": "elicitation/create",
            "params": {
                "mode": "url",
                "message": "Connect",
                "url": "https://notes.example/connect/7",
            },
        })
    );
    // To accept is to agree, and brings nothing with it.
    let filled = accept(&json!({ "account": "ada" }));
    for yes in [json!({ "action": "accept" }), filled] {
        let done = dialogue.go_on(&first, json!({ "link": yes })).await;
        assert_eq!(text(&done), "connected");
    }
    let no = dialogue
        .go_on(&first, json!({ "link": { "action": "decline" } }))
        .await;
    assert_eq!(no["result"]["isError"], true);
}

// ELIC-04, ELIC-05, ELIC-06
#[tokio::test]
async fn nobody_is_sent_to_a_url_that_is_unsafe() {
    for url in [
        "http://example.org/",
        "https://ada:secret@example.org/",
        "nowhere",
    ] {
        let tool = tool::define("ask", codec::object(()), codec::string()).handle_call(
            move |call: Call<Desk>, ()| async move {
                call.elicit(elicit::url("link", "Connect", url))
                    .await?
                    .accepted()?;
                Ok(String::new())
            },
        );
        let log = Events::capture();
        let server = Server::new([tool]);
        let mut dialogue = Dialogue::on(server, "tools/call", json!({ "name": "ask" }));
        let answer = dialogue.begin().await;
        assert_eq!(answer["result"]["isError"], true, "{url}");
        assert!(!answer.to_string().contains(url));
        assert!(log.take()[0].contains("the URL of the question"));
    }
}
