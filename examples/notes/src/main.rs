//! A notes server: a database of notes, full text search, a chart, and the import of a folder.
#![cfg_attr(
    not(test),
    expect(dead_code, reason = "the tools and resources that call it follow")
)]

mod blocking;
mod chart;
mod cli;
mod import;
mod store;
mod tenant;

use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;

use cli::{Cli, Command, Stdio};
use store::Store;

fn main() -> ExitCode {
    let Cli { command } = Cli::parse();
    let outcome = match command {
        Command::Stdio(options) => stdio(&options),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // When even standard error is gone, the exit code still tells.
            drop(writeln!(io::stderr(), "notes: {}", sentence(&*error)));
            ExitCode::FAILURE
        }
    }
}

/// Serves one client over standard input and output.
fn stdio(options: &Stdio) -> Result<(), Box<dyn Error>> {
    let file = options.database()?;
    let store = Store::open(&file)?;
    let _notebook = store.notebook(&options.tenant().name);
    Ok(())
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
