//! Instructions of one call from frame to frame, counted by valgrind: the same on every machine.

use std::{path::Path, process::Command};

use crate::{
    Failure, Plan,
    figures::short,
    table::Table,
    tell,
    verdict::{Goal, Verdict},
};

/// How many calls are counted.
const CALLS: u64 = 500;

pub(crate) fn measure(plan: &Plan, verdict: &mut Verdict) -> Result<String, Failure> {
    tell("instructions");
    let mut table = Table::new(["Call, from frame to frame", "Instructions"]);
    let few = count(&plan.binaries, "echo", 10)?;
    let many = count(&plan.binaries, "echo", 10_000)?;
    table.row(["echo of 30 B among 10 tools", &short(few)]);
    table.row(["echo of 30 B among 10,000 tools", &short(many)]);
    for (title, work) in [
        ("validated nested call among 52 tools", "book"),
        ("the same, built codecs", "book_built"),
        ("`tools/list` of 52", "list"),
        ("`server/discover`", "discover"),
    ] {
        table.row([title, &short(count(&plan.binaries, work, 52)?)]);
    }
    verdict.note(Goal::InstructionsGrowth, many / few);
    Ok(format!("### Instructions\n\n{table}"))
}

fn count(binaries: &Path, work: &str, tools: u64) -> Result<f64, Failure> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg("--toggle-collect=*calls*measured*")
        .arg(binaries.join("bench-relay"))
        .args(["calls", "--work", work])
        .args(["--tools", &tools.to_string(), "--calls", &CALLS.to_string()])
        .output()
        .map_err(|error| format!("valgrind can't be run: {error}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    let collected = said
        .lines()
        .find_map(|line| line.split_once("Collected : "));
    let collected = collected.and_then(|(_, count)| count.trim().parse::<f64>().ok());
    let collected = collected.filter(|_| output.status.success());
    Ok(collected.ok_or_else(|| format!("valgrind counted nothing: {said}"))? / CALLS as f64)
}
