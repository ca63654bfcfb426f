//! Where and with what it was measured.

use std::{fs, process::Command, thread::available_parallelism};

use crate::{Failure, Plan};

pub(crate) fn describe(plan: &Plan) -> Result<String, Failure> {
    let processors = fs::read_to_string("/proc/cpuinfo")?;
    let processor = processors
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(": "))
        .map_or("unknown", |(_, name)| name);
    let cores = processors.matches("processor\t").count();
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease")?;
    let kernel = kernel.split('-').next().unwrap_or_default().trim();
    let rust = Command::new("rustc").arg("--version").output()?;
    let rust = String::from_utf8(rust.stdout)?;
    let rust = rust.split(" (").next().unwrap_or_default();
    let versions = ["rmcp", "axum", "hyper", "tokio", "serde_json"].map(version);
    let versions = versions.into_iter().collect::<Result<Vec<_>, _>>()?;
    let pinned = available_parallelism()?.get() == 1;
    let load = fs::read_to_string("/proc/loadavg")?;
    let load = load.split(' ').next().unwrap_or_default();
    Ok(format!(
        "{cores} cores of {processor}, Linux {kernel}, {rust}; {}. The contender on one core, the \
         load on {}; load average {load} at the start. {} rounds of {} ms, contender after \
         contender: medians, ranges in parentheses.\n",
        versions.join(", "),
        if pinned { "another" } else { "any" },
        plan.rounds,
        plan.window.as_millis(),
    ))
}

/// A crate and its version, as the lock file has it.
fn version(name: &str) -> Result<String, Failure> {
    let lock = fs::read_to_string("Cargo.lock")?;
    let mut lines = lock.lines();
    let wanted = format!("name = {name:?}");
    let line = lines.find(|line| *line == wanted).and(lines.next());
    let version = line.and_then(|line| line.split('"').nth(1));
    Ok(format!(
        "{name} {}",
        version.ok_or("a version in the lock file")?
    ))
}
