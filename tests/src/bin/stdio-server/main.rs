//! The fixture server in a process of its own, with tools that behave badly towards it.
//!
//! Flags: `--line-limit BYTES`, `--grace MS`, `--deadline MS`, `--concurrency N`; `--one-thread`
//! runs handlers where the transport runs; `--patient` leaves the executor as `#[tokio::main]`
//! does; `--parent` only starts another one, and holds its pipes. The environment names the user.

mod tools;

use std::{
    env,
    error::Error,
    io::{self, BufRead as _, BufReader, Write as _},
    process::{Command, Stdio as Pipe},
    time::Duration,
};

use relay_core::Principal;
use relay_runtime::{Limits, Runtime};
use relay_stdio::Stdio;
use relay_tests::fixture::Guest;
use tokio::runtime::Builder;
use tracing::level_filters::LevelFilter;

type Failure = Box<dyn Error + Send + Sync>;

fn main() -> Result<(), Failure> {
    if flag("--parent") {
        return parent();
    }
    // Where a default subscriber writes to is stdout.
    tracing_subscriber::fmt()
        .with_max_level(LevelFilter::DEBUG)
        .init();
    let mut executor = if flag("--one-thread") {
        Builder::new_current_thread()
    } else {
        Builder::new_multi_thread()
    };
    let executor = executor.enable_all().build()?;
    let served = executor.block_on(stdio().serve(runtime(), Guest::admin()));
    writeln!(io::stderr(), "served: {served:?}")?;
    if flag("--patient") {
        drop(executor);
    } else {
        executor.shutdown_background();
    }
    Ok(served?)
}

fn stdio() -> Stdio {
    let mut stdio = Stdio::new();
    if let Some(bytes) = number("--line-limit") {
        stdio = stdio.with_line_limit(usize::try_from(bytes).unwrap_or(usize::MAX));
    }
    if let Ok(user) = env::var("FIXTURE_USER") {
        stdio = stdio.with_principal(Principal::new("environment", user));
    }
    stdio
}

fn runtime() -> Runtime<Guest> {
    let mut limits = Limits::default();
    if let Some(ms) = number("--grace") {
        limits = limits.with_grace(Duration::from_millis(ms));
    }
    if let Some(ms) = number("--deadline") {
        limits = limits.with_deadline(Duration::from_millis(ms));
    }
    if let Some(handlers) = number("--concurrency") {
        limits = limits.with_concurrency(usize::try_from(handlers).unwrap_or(usize::MAX));
    }
    Runtime::new(tools::server()).with_limits(limits)
}

/// Starts a server, says when it serves, and waits for it.
fn parent() -> Result<(), Failure> {
    let mut server = Command::new(env::current_exe()?)
        .stdin(Pipe::piped())
        .stdout(Pipe::piped())
        .spawn()?;
    let (stdin, stdout) = (server.stdin.take(), server.stdout.take());
    let (mut stdin, stdout) = stdin.zip(stdout).ok_or("no pipes")?;
    stdin.write_all(b"garbage\n")?;
    BufReader::new(stdout).read_line(&mut String::new())?;
    writeln!(io::stderr(), "the child serves")?;
    server.wait()?;
    drop(stdin);
    Ok(())
}

fn flag(name: &str) -> bool {
    env::args().any(|argument| argument == name)
}

fn number(name: &str) -> Option<u64> {
    let mut arguments = env::args().skip_while(|argument| argument != name);
    arguments.nth(1)?.parse().ok()
}
