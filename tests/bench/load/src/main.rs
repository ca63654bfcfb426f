//! Starts the contenders, loads them, and prints what it measured as Markdown.
//!
//! `bench-load quick|full BINARIES`, run by `scripts/bench`, which builds the binaries and pins this
//! process to one core; each contender is pinned to another.

mod client;
mod contender;
mod figures;
mod footprint;
mod growth;
mod http;
mod instructions;
mod lines;
mod machine;
mod memory;
mod messages;
mod response;
mod rounds;
mod server;
mod table;
mod verdict;
mod work;

use std::{
    env,
    error::Error,
    io::{Write as _, stderr, stdout},
    path::PathBuf,
    process::ExitCode,
    time::{Duration, Instant},
};

use crate::verdict::Verdict;

/// What any of it can fail with.
type Failure = Box<dyn Error + Send + Sync>;

/// How much is measured.
#[derive(Clone, Debug)]
struct Plan {
    /// A few rows only.
    quick: bool,
    /// Where the contenders' binaries are.
    binaries: PathBuf,
    /// How often each contender has its turn.
    rounds: usize,
    /// How long a turn is, after the time it takes to warm up.
    window: Duration,
    warm_up: Duration,
}

impl Plan {
    fn read() -> Result<Self, Failure> {
        let words: Vec<_> = env::args().skip(1).collect();
        let [mode, binaries] = &words[..] else {
            return Err("usage: bench-load quick|full BINARIES".into());
        };
        let quick = mode == "quick";
        Ok(Self {
            quick,
            binaries: binaries.into(),
            rounds: if quick { 3 } else { 5 },
            window: Duration::from_millis(if quick { 300 } else { 500 }),
            warm_up: Duration::from_millis(100),
        })
    }
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            drop(writeln!(stderr(), "bench-load: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Failure> {
    let plan = Plan::read()?;
    let began = Instant::now();
    let mut verdict = Verdict::default();
    let mut parts = vec![machine::describe(&plan)?];
    parts.push(http::measure(&plan, &mut verdict)?);
    parts.push(messages::measure(&plan, &mut verdict)?);
    if !plan.quick {
        parts.push(memory::measure(&plan, &mut verdict)?);
        parts.push(growth::measure(&plan)?);
    }
    parts.push(instructions::measure(&plan, &mut verdict)?);
    parts.push(footprint::measure(&mut verdict)?);
    parts.insert(1, verdict.table());
    parts.push(format!(
        "Measured in {} seconds.\n",
        began.elapsed().as_secs()
    ));
    stdout().write_all(parts.join("\n").as_bytes())?;
    Ok(())
}

/// Says on standard error what is measured next.
fn tell(what: &str) {
    drop(writeln!(stderr(), "  {what}"));
}
