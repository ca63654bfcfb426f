//! The tools, declared with Relay.

use bench_shared::{Booking, FILLER, Leg, Meal, Options, Passenger, STEPS, Ticket, fillers};
use relay_http::relay_core::{Call, Progress, Server, Tool, codec, content, tool};

pub(crate) fn server<C: Send + Sync + 'static>(options: &Options) -> Server<C> {
    let working = [echo(), book(), book_built(), count()];
    let tools = working
        .into_iter()
        .chain(fillers(options.tools).map(filler));
    #[cfg(feature = "counted")]
    let tools = tools.chain([crate::allocated::tool()]);
    Server::new(tools)
        .with_info("bench", "1.0.0")
        .with_page_size(options.page)
}

fn echo<C: Send + Sync + 'static>() -> Tool<C> {
    tool::define(
        "echo",
        codec::object(codec::field(
            "text",
            codec::string().describe("What to say"),
        )),
        tool::content(),
    )
    .with_description("Gives the text back")
    .handle(|text| async move { Ok(vec![content::text(text)]) })
}

fn book<C: Send + Sync + 'static>() -> Tool<C> {
    tool::define("book", codec::input::<Booking>(), codec::output::<Ticket>())
        .with_description("Books a journey")
        .handle(|booking| async move { Ok(bench_shared::book(booking)) })
}

/// The same with the built codecs instead of a derived schema.
fn book_built<C: Send + Sync + 'static>() -> Tool<C> {
    let passenger = || {
        codec::object((
            codec::field("name", codec::string().min_length(1).max_length(100)),
            codec::field("age", codec::integer::<u8>().range(0..=130)),
        ))
        .map(
            |(name, age)| Passenger { name, age },
            |passenger| (passenger.name, passenger.age),
        )
    };
    let leg = || {
        let airport = || codec::string().pattern("^[A-Z]{3}$");
        codec::object((
            codec::field("from", airport()),
            codec::field("to", airport()),
            codec::field("day", codec::integer::<u16>().range(1..=366)),
        ))
        .map(
            |(from, to, day)| Leg { from, to, day },
            |leg| (leg.from, leg.to, leg.day),
        )
    };
    let input = codec::object((
        codec::field("passenger", passenger()),
        codec::field("legs", codec::list(leg()).min_items(1).max_items(8)),
        codec::field("bags", codec::integer::<u8>().range(0..=5)),
        codec::optional("meal", codec::string().choices(["meat", "vegan"])),
    ));
    let output = codec::object((
        codec::field("reference", codec::string().min_length(1).max_length(32)),
        codec::field("passenger", passenger()),
        codec::field("legs", codec::list(leg())),
        codec::field("price", codec::integer::<u32>()),
    ));
    tool::define("book_built", input, output)
        .with_description("Books a journey")
        .handle(|(passenger, legs, bags, meal)| async move {
            let meal = meal.map(|meal| {
                if meal == "meat" {
                    Meal::Meat
                } else {
                    Meal::Vegan
                }
            });
            let ticket = bench_shared::book(Booking {
                passenger,
                legs,
                bags,
                meal,
            });
            Ok((
                ticket.reference,
                ticket.passenger,
                ticket.legs,
                ticket.price,
            ))
        })
}

fn count<C: Send + Sync + 'static>() -> Tool<C> {
    tool::define("count", codec::object(()), tool::content())
        .with_description("Reports its progress")
        .handle_call(|call: Call<C>, ()| async move {
            for step in 1..=STEPS {
                call.progress(Progress::new(step.into()).with_total(STEPS.into()));
                tokio::task::yield_now().await;
            }
            Ok(vec![content::text("counted")])
        })
}

fn filler<C: Send + Sync + 'static>(name: String) -> Tool<C> {
    tool::define(
        &name,
        codec::object((
            codec::field(
                "query",
                codec::string()
                    .min_length(1)
                    .max_length(200)
                    .describe("What to look for"),
            ),
            codec::optional(
                "limit",
                codec::integer::<u32>()
                    .range(1..=100)
                    .describe("How many results to give"),
            ),
            codec::optional(
                "archived",
                codec::boolean().describe("Whether archived entries count"),
            ),
        )),
        tool::content(),
    )
    .with_description(FILLER)
    .handle(|(query, _limit, _archived)| async move { Ok(vec![content::text(query)]) })
}
