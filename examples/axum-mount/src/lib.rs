//! An MCP endpoint beside the routes of an axum application, under one `tower-http` stack.

use std::{sync::Arc, time::Duration};

use axum::{Router, http::request::Parts, routing::get};
use relay_http::{
    Endpoint, SettingError,
    relay_core::{Call, Progress, Server, Tool, codec, tool},
    relay_runtime::Runtime,
};
use tower_http::{compression::CompressionLayer, trace::TraceLayer};

/// What the handlers need of the request they answer.
#[derive(Debug)]
pub struct Visitor {
    language: String,
}

/// The application: a page of its own at `/`, and the endpoint at `/mcp`.
///
/// The layers are for both. They pass streams on as they come: `tower-http` compresses no
/// `text/event-stream`. What an operator sets in `RELAY_ALLOWED_HOSTS` and `RELAY_ALLOWED_ORIGINS`
/// holds here too.
///
/// What only a listener can bound is left to the stack, and `axum::serve` bounds none of it: how long
/// the head of a request may take, how long a client may take nothing of a response, how many
/// connections there are, how long the end may take. A proxy in front has to, or
/// [`relay_http::Listener`] does where the endpoint has a port to itself.
///
/// # Errors
///
/// [`SettingError`] for a variable that can't be used.
pub fn app(runtime: Runtime<Visitor>) -> Result<Router, SettingError> {
    let endpoint = Endpoint::from_context(runtime, |parts: Arc<Parts>| async move {
        let language = parts.headers.get("accept-language");
        let language = language.and_then(|value| value.to_str().ok());
        Ok(Visitor {
            language: language.unwrap_or("en").to_owned(),
        })
    });
    let endpoint = endpoint.with_environment()?;
    Ok(Router::new()
        .route(
            "/",
            get(|| async { "An application with an MCP endpoint at /mcp\n" }),
        )
        .route_service("/mcp", endpoint.clone())
        .route_service("/mcp/", endpoint)
        .layer(CompressionLayer::new())
        .layer(TraceLayer::new_for_http()))
}

/// What runs the tools, and is shut down after the application.
#[must_use]
pub fn runtime() -> Runtime<Visitor> {
    Runtime::new(server())
}

fn server() -> Server<Visitor> {
    Server::new([greet(), count()]).with_info("axum-mount", env!("CARGO_PKG_VERSION"))
}

fn greet() -> Tool<Visitor> {
    tool::define(
        "greet",
        codec::object(codec::field("name", codec::string().max_length(100))),
        codec::string(),
    )
    .with_description("Greets in the visitor's language")
    .read_only(true)
    .handle_call(|call: Call<Visitor>, name: String| async move {
        let greeting = match call.context().language.get(..2) {
            Some("de") => "Guten Tag",
            Some("fr") => "Bonjour",
            _ => "Hello",
        };
        Ok(format!("{greeting}, {name}!"))
    })
}

fn count() -> Tool<Visitor> {
    tool::define(
        "count",
        codec::object(codec::field("to", codec::integer::<u8>().range(1..=100))),
        codec::string(),
    )
    .with_description("Counts, ten numbers a second, and says how far it is")
    .read_only(true)
    .handle_call(|call: Call<Visitor>, to: u8| async move {
        for number in 1..=to {
            call.progress(Progress::new(f64::from(number)).with_total(f64::from(to)));
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        Ok(format!("counted to {to}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    // T01, T04, T05
    #[test]
    fn no_client_refuses_a_tool() {
        for tool in server().tools() {
            let schema = tool.input_schema().to_value();
            let complaints = relay_tests::strict::complaints(&schema);
            assert_eq!(
                complaints,
                Vec::<String>::new(),
                "{}: {schema}",
                tool.name()
            );
        }
    }
}
