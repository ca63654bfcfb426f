//! How much a server is built of; `scripts/bench builds` says how long that takes.

use std::{collections::BTreeSet, process::Command};

use crate::{
    Failure,
    table::Table,
    tell,
    verdict::{Goal, Verdict},
};

pub(crate) fn measure(verdict: &mut Verdict) -> Result<String, Failure> {
    tell("footprint");
    let mut table = Table::new(["Server over HTTP and stdio", "Crates it is built of"]);
    let without = crates("bench-relay", &["--no-default-features"])?;
    let with = crates(
        "bench-relay",
        &["--no-default-features", "--features=validate"],
    )?;
    let rmcp = crates("bench-rmcp", &[])?;
    for (name, crates) in [
        ("Relay without `validate`", without),
        ("Relay", with),
        ("rmcp with axum", rmcp),
        ("floor, HTTP alone", crates("bench-floor", &[])?),
    ] {
        table.row([name, &crates.to_string()]);
    }
    verdict.note(Goal::Crates, without as f64 / rmcp as f64);
    Ok(format!("### Footprint\n\n{table}"))
}

/// How many crates a package is built of, those of this benchmark apart.
fn crates(package: &str, features: &[&str]) -> Result<usize, Failure> {
    let output = Command::new("cargo")
        .args(["tree", "--edges=normal,build", "--prefix=none"])
        .args(["--format={p}", "--package", package])
        .args(features)
        .output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    let tree = String::from_utf8(output.stdout)?;
    let name = |line: &str| {
        let mut words = line.split(' ');
        let package = (words.next()?.to_owned(), words.next()?.to_owned());
        Some(package).filter(|(name, _)| !name.starts_with("bench-"))
    };
    Ok(tree.lines().filter_map(name).collect::<BTreeSet<_>>().len())
}
