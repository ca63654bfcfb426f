//! The server that the official conformance suite talks to: its tools, resources and prompts have
//! the names and answers that the suite expects.
//!
//! ```text
//! cargo run --release -p conformance -- 127.0.0.1:8090
//! cargo run --release -p conformance -- stdio
//! ```

mod media;
mod prompts;
mod resources;
mod rounds;
mod tools;

use std::{
    error::Error,
    io::{Write, stderr, stdout},
    process::ExitCode,
};

use relay_http::{Endpoint, Listener, relay_core::Server};

fn server() -> Server<()> {
    Server::new(tools::all().into_iter().chain(rounds::tools()))
        .with_info("relay-conformance", env!("CARGO_PKG_VERSION"))
        .with_logging(true)
        .with_resources(resources::all().into_iter().chain([rounds::resource()]))
        .with_prompts(prompts::all().into_iter().chain([rounds::prompt()]))
}

#[tokio::main]
async fn main() -> ExitCode {
    let address = std::env::args().nth(1);
    let address = address.as_deref().unwrap_or("127.0.0.1:8090");
    match serve(address).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            drop(writeln!(stderr(), "conformance: {error}"));
            ExitCode::FAILURE
        }
    }
}

async fn serve(address: &str) -> Result<(), Box<dyn Error>> {
    if address == "stdio" {
        return Ok(relay_stdio::serve(server(), ()).await?);
    }
    let listener = Listener::bind(Endpoint::new(server()), address).await?;
    // Whoever started this reads the port here.
    drop(writeln!(stdout(), "{}", listener.url()));
    listener.serve().await;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    // T01, T04, T05
    #[test]
    fn no_client_refuses_a_tool() {
        // The suite wants the schema of one tool as it is written (SCH-04).
        let server = server();
        for tool in server
            .tools()
            .filter(|tool| tool.name() != "json_schema_2020_12_tool")
        {
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
