//! The lines an author writes, as `docs/design.md` §3 shows them: they have to infer.

use std::{
    future::{Future, ready},
    io,
    num::ParseIntError,
    sync::{Arc, LazyLock},
};

use relay_core::{
    Call, Error, Progress, Prompt, Read, Reply, Resource, Server, Tool, codec, completion, content,
    elicit,
    input::Form,
    prompt,
    resource::{self, Entry},
    server::RegisterError,
    tool,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Deserialize, JsonSchema)]
struct Booking {
    flight: String,
}

#[derive(Serialize, JsonSchema)]
struct Ticket {
    id: u32,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Seat {
    row: u32,
}

static SEAT: LazyLock<Form<Seat>> = LazyLock::new(|| elicit::form(codec::derived()));

#[derive(Serialize, Deserialize)]
struct Hold(u32);

#[derive(Deserialize, JsonSchema)]
struct Range {
    first: i32,
}

struct Desk {
    first_ticket: u32,
}

impl Desk {
    fn hold(&self, booking: &Booking) -> impl Future<Output = Result<Hold, ParseIntError>> {
        let flight = booking.flight.parse::<u32>();
        ready(flight.map(|flight| Hold(self.first_ticket.saturating_add(flight))))
    }

    fn book(
        &self,
        Hold(hold): Hold,
        Seat { row }: Seat,
    ) -> impl Future<Output = io::Result<Ticket>> {
        let id = hold.checked_add(row).filter(|id| *id > self.first_ticket);
        ready(
            id.map(|id| Ticket { id })
                .ok_or_else(|| io::ErrorKind::Other.into()),
        )
    }
}

struct Tenant {
    desk: Desk,
    hidden: Vec<&'static str>,
    notes: Vec<(i64, String)>,
}

impl Tenant {
    fn sees(&self, tool: &tool::Declaration) -> bool {
        !self.hidden.contains(&tool.name())
    }

    fn ids(&self, prefix: &str) -> impl Future<Output = io::Result<Vec<String>>> {
        let all = self.notes.iter().map(|(id, _)| id.to_string());
        ready(Ok(all.filter(|id| id.starts_with(prefix)).collect()))
    }

    fn note(&self, id: i64) -> impl Future<Output = io::Result<Option<String>>> {
        let note = self.notes.iter().find(|(other, _)| *other == id);
        ready(Ok(note.map(|(_, text)| text.clone())))
    }
}

fn render(range: &Range) -> io::Result<Vec<u8>> {
    range
        .first
        .checked_mul(2)
        .map(|last| last.to_be_bytes().to_vec())
        .ok_or_else(|| io::ErrorKind::InvalidInput.into())
}

fn say() -> Tool<Tenant> {
    tool::define(
        "say",
        codec::object((
            codec::field(
                "text",
                codec::string().max_length(200).describe("What to say"),
            ),
            codec::defaulted("times", codec::integer::<i64>().range(1..=9), 1),
        )),
        codec::string(),
    )
    .with_description("Repeats a text")
    .read_only(true)
    .handle(|(text, times)| async move { Ok(text.repeat(usize::try_from(times)?)) })
}

fn book() -> Tool<Tenant> {
    tool::define("book", codec::input::<Booking>(), codec::output::<Ticket>())
        .with_forms(&SEAT)
        .handle_call(|call: Call<Tenant>, booking: Booking| async move {
            let hold = call
                .once("hold", async || {
                    Ok(call.context().desk.hold(&booking).await?)
                })
                .await?;
            let seat = call
                .elicit(SEAT.question("seat", format!("Which seat on {}?", booking.flight)))
                .await?
                .accepted()?;
            call.progress(
                Progress::new(1.0)
                    .with_total(2.0)
                    .with_message("seat chosen"),
            );
            Ok(Reply::structured(
                call.context().desk.book(hold, seat).await?,
            ))
        })
}

fn chart() -> Tool<Tenant> {
    tool::define("chart", codec::input::<Range>(), tool::content())
        .handle(|range| async move { Ok(vec![content::image(render(&range)?, "image/png")]) })
}

fn notes() -> Resource<Tenant> {
    resource::template("note://{id}", "note")
        .with_mime_type("text/markdown")
        .complete("id", |call: Call<Tenant>, prefix: String| async move {
            Ok(call.context().ids(&prefix).await?)
        })
        .list(
            |_call: Call<Tenant>, after: Option<String>, limit: usize| async move {
                let all = [Entry::new("note://7", "groceries")];
                Ok(all
                    .into_iter()
                    .filter(|_| after.is_none())
                    .take(limit)
                    .collect())
            },
        )
        .handle(|read: Read<Tenant>| async move {
            let note = read.context().note(read.parse::<i64>("id")?).await?;
            Ok(vec![resource::text(note.ok_or_else(Error::not_found)?)])
        })
}

fn review() -> Prompt<Tenant> {
    prompt::define(
        "code_review",
        (
            prompt::required("code"),
            prompt::defaulted("language", "rust"),
        ),
    )
    .complete(
        "language",
        |_call: Call<Tenant>, prefix: String| async move {
            let languages = ["python", "rust"].into_iter();
            Ok(languages
                .filter(|language| language.starts_with(&prefix))
                .collect::<Vec<_>>())
        },
    )
    .handle(|(code, language)| async move {
        Ok(vec![prompt::user(format!(
            "Review this {language} code:\n{code}"
        ))])
    })
}

fn service() -> Server<Tenant> {
    Server::new([say(), book(), chart()])
        .with_resources([notes()])
        .with_prompts([review()])
        .with_info("notes", "1.0.0")
        .with_instructions("Ask for a note by its id.")
        .with_tool_visibility(|tenant: &Tenant, tool| tenant.sees(tool))
        .with_tool_callability(Tenant::sees)
        .with_completion(
            |call: Call<Tenant>, asked: completion::Request| async move {
                Ok(call.context().ids(&asked.value).await?)
            },
        )
}

#[test]
fn the_design_pages_server_composes() {
    let server = service();
    let names: Vec<_> = server.tools().map(tool::Declaration::name).collect();
    assert_eq!(names, ["say", "book", "chart"]);
    let more = server.register_tool(say());
    assert_eq!(
        more.err().map(|error| error.to_string()).as_deref(),
        Some(
            "the server already has a tool named \"say\"; unregister it first, or choose another name"
        )
    );
    assert!(!server.unregister_tool("say").has_tool("say"));
    assert!(server.has_tool("say"), "the value itself never changes");
}

#[test]
fn prompts_and_resources_come_and_go_by_value() {
    let server = service();
    let taken = |uri: &str| RegisterError::DuplicateResource {
        uri: uri.to_owned(),
    };
    assert_eq!(
        server.register_resource(notes()).err(),
        Some(taken("note://{id}"))
    );
    let name = "code_review".to_owned();
    assert_eq!(
        server.register_prompt(review()).err(),
        Some(RegisterError::DuplicatePrompt { name })
    );
    let overlapping = resource::template("note://{number}", "number")
        .handle(|_: Read<Tenant>| async { Ok(vec![resource::text("")]) });
    assert_eq!(
        server
            .register_resource(overlapping)
            .err()
            .map(|error| error.to_string())
            .as_deref(),
        Some(
            "one URI could be of both \"note://{number}\" and \"note://{id}\"; tell them apart by their text"
        )
    );
    let without = server
        .unregister_resource("note://{id}")
        .unregister_prompt("code_review");
    assert!(without.register_resource(notes()).is_ok());
    assert!(without.register_prompt(review()).is_ok());
}

#[test]
fn small_contexts_lift_into_larger_ones() {
    struct App {
        tenant: Arc<Tenant>,
    }
    let tenant = |app: &App| Arc::clone(&app.tenant);
    let server: Server<App> = Server::new([say().map_context(tenant)])
        .with_resources([notes().map_context(tenant)])
        .with_prompts([review().map_context(tenant)]);
    assert!(server.has_tool("say"));
}

#[test]
#[should_panic(expected = "two tools are named \"say\"")]
fn a_repeated_tool_name_stops_the_start() {
    drop(Server::new([say(), say()]));
}

#[test]
#[should_panic(expected = "two resources have the URI template \"note://{id}\"")]
fn a_repeated_template_stops_the_start() {
    drop(service().with_resources([notes(), notes()]));
}

#[test]
#[should_panic(expected = "two prompts are named \"code_review\"")]
fn a_repeated_prompt_stops_the_start() {
    drop(service().with_prompts([review(), review()]));
}
