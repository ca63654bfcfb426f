//! A notes server: a database of notes, full text search, a chart, and the import of a folder.
//!
//! ```text
//! notes          # over HTTP, at http://127.0.0.1:8080/mcp
//! notes stdio    # over standard input and output, for a client that starts it
//! ```

mod blocking;
mod chart;
mod cli;
mod completion;
mod http;
mod import;
mod prompts;
mod resources;
mod server;
mod signals;
mod store;
mod tenant;
mod tools;

use std::env;
use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;
use relay_core::{KeyError, KeyRing, Server};
use tokio::runtime::Runtime;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::prelude::*;

use cli::{Cli, Command, Http, Options};
use store::Store;
use tenant::Tenant;

fn main() -> ExitCode {
    let Cli { command, http } = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(unusable) if unusable.use_stderr() => return failed(&cli::sentence(&unusable)),
        // The help, or the version.
        Err(asked) => {
            drop(asked.print());
            return ExitCode::SUCCESS;
        }
    };
    log();
    let outcome = match command {
        Some(Command::Stdio(options)) => serve_stdio(&options),
        None => serve_http(&http),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failed(&sentence(&*error)),
    }
}

fn failed(sentence: &str) -> ExitCode {
    // When even standard error is gone, the exit code still tells.
    drop(writeln!(io::stderr(), "notes: {sentence}"));
    ExitCode::FAILURE
}

/// Serves whoever reaches the port, until a signal.
fn serve_http(Http { listen, options }: &Http) -> Result<(), Box<dyn Error>> {
    let store = Store::open(&options.database()?)?;
    let server = server(options)?;
    let executor = Runtime::new()?;
    let outcome = executor.block_on(http::serve(server, options.tenant(&store), listen));
    // A query that still runs must not hold up the end of the process.
    executor.shutdown_background();
    Ok(outcome?)
}

/// Serves one client over standard input and output.
fn serve_stdio(options: &Options) -> Result<(), Box<dyn Error>> {
    let store = Store::open(&options.database()?)?;
    let server = server(options)?;
    let executor = Runtime::new()?;
    let outcome = executor.block_on(relay_stdio::serve(server, options.tenant(&store)));
    // A query that still runs must not keep the client waiting for the process to end.
    executor.shutdown_background();
    Ok(outcome?)
}

/// The server as the operator wants it. What it gives its clients to bring back opens in this
/// process only, unless `RELAY_KEYS` has keys for it.
fn server(options: &Options) -> Result<Server<Tenant>, Box<dyn Error>> {
    let mut server = server::server()
        .with_audience(options.audience())
        .with_page_size(options.page_size.into());
    if let Some(page) = &options.share_page {
        server = server.register_tool(tools::share(page.clone()))?;
    }
    match KeyRing::from_env("RELAY_KEYS") {
        Ok(keys) => Ok(server.with_keys(keys)),
        Err(KeyError::Missing { .. }) => Ok(server),
        Err(error) => Err(error.into()),
    }
}

/// Logs to standard error, from warnings up unless `RUST_LOG` says otherwise: standard output is
/// the client's.
fn log() {
    let wanted = env::var("RUST_LOG")
        .ok()
        .and_then(|wanted| wanted.parse::<Targets>().ok());
    let targets = wanted.unwrap_or_else(|| Targets::new().with_default(LevelFilter::WARN));
    let lines = tracing_subscriber::fmt::layer().with_writer(io::stderr);
    tracing_subscriber::registry()
        .with(lines.with_filter(targets))
        .init();
}

/// An error and what caused it, in one line.
fn sentence(error: &dyn Error) -> String {
    let mut line = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        line = format!("{line}: {error}");
        cause = error.source();
    }
    line
}
