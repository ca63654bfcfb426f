//! One of several replicas of a server over HTTP, which share nothing but the keys in `RELAY_KEYS`.
//!
//! Flag: `--audience NAME`. Says its URL once it serves.

use std::{
    env,
    error::Error,
    io::{self, Write as _},
    process,
    sync::LazyLock,
};

use relay_core::{Call, KeyRing, Principal, Server, Tool, codec, elicit, input::Form, tool};
use relay_http::{Endpoint, Listener, StaticTokens};
use relay_runtime::{Runtime, store::MemoryStore};

type Failure = Box<dyn Error + Send + Sync>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let mut server = server().with_keys(KeyRing::from_env("RELAY_KEYS")?);
    if let Some(audience) = env::args().skip_while(|arg| arg != "--audience").nth(1) {
        server = server.with_audience(audience);
    }
    let users = ["ada", "bob"].map(|user| (user, Principal::new("https://login.example", user)));
    // Of its own: what one replica notes here, no other knows.
    let runtime = Runtime::new(server).with_store(MemoryStore::default());
    let endpoint = Endpoint::new(runtime)
        .with_verifier(StaticTokens::new(users)?)
        .replicated();
    let listener = Listener::bind(endpoint, "127.0.0.1:0").await?;
    writeln!(io::stdout(), "{}", listener.local_addr())?;
    listener.serve().await;
    Ok(())
}

fn server() -> Server<()> {
    let tools = [
        book(define("book")),
        book(define("book_other")),
        book(define("book_once").single_use()),
    ];
    Server::new(tools).with_info("replica", "1.0.0")
}

static SEAT: LazyLock<Form<String>> =
    LazyLock::new(|| elicit::form(codec::object(codec::field("seat", codec::string()))));
static MEAL: LazyLock<Form<String>> =
    LazyLock::new(|| elicit::form(codec::object(codec::field("meal", codec::string()))));
static BAGS: LazyLock<Form<u8>> =
    LazyLock::new(|| elicit::form(codec::object(codec::field("bags", codec::integer()))));

type Booking = tool::Definition<(String, u8), String>;

fn define(name: &str) -> Booking {
    let input = codec::object((
        codec::field("flight", codec::string()),
        codec::defaulted("seats", codec::integer::<u8>(), 1),
    ));
    tool::define(name, input, codec::string()).with_forms((&*SEAT, &*MEAL, &*BAGS))
}

/// Asks three questions, one after the other, and says at the end who held the seat and what it
/// was told.
fn book(booking: Booking) -> Tool<()> {
    booking.handle_call(|call: Call<()>, (flight, seats)| async move {
        let hold = call.once("hold", async || Ok(process::id())).await?;
        let seat = SEAT.question("seat", format!("Which seat on {flight}?"));
        let seat = call.elicit(seat).await?.accepted()?;
        let meal = call
            .elicit(MEAL.question("meal", "Which meal?"))
            .await?
            .accepted()?;
        let bags = call
            .elicit(BAGS.question("bags", "How many bags?"))
            .await?
            .accepted()?;
        Ok(format!(
            "{seats} on {flight}: {seat}, {meal}, {bags}, held by {hold}"
        ))
    })
}
