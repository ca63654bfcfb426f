//! What a server weighs.

use std::{collections::BTreeSet, fs, process::Command};

use crate::{
    Failure, Plan,
    figures::bytes,
    table::Table,
    tell,
    verdict::{Goal, Verdict},
};

pub(crate) fn measure(plan: &Plan, verdict: &mut Verdict) -> Result<String, Failure> {
    tell("footprint");
    let mut table = Table::new(["Server over HTTP and stdio", "Crates", "Release binary"]);
    let without = crates("bench-relay", &["--no-default-features"])?;
    let rmcp = crates("bench-rmcp", &[])?;
    let rows = [
        ("Relay without `validate`", without, "bench-relay-bare"),
        (
            "Relay",
            crates("bench-relay", &["--no-default-features", "--features=validate"])?,
            "bench-relay-validate",
        ),
        (
            "Relay with axum",
            crates("bench-relay", &[])?,
            "bench-relay",
        ),
        ("rmcp with axum", rmcp, "bench-rmcp"),
        ("floor", crates("bench-floor", &[])?, "bench-floor"),
    ];
    for (name, crates, binary) in rows {
        let size = fs::metadata(plan.binaries.join(binary));
        let size = size.map_or_else(|_| "—".to_owned(), |file| bytes(file.len()));
        table.row([name, &crates.to_string(), &size]);
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
