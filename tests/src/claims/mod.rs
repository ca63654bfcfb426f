//! Which rows of the checklists are proved: claimed in `docs/protocol/claimed.txt`, named in a
//! comment on a test, and that test passed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

mod id;
mod list;
mod passed;
mod source;

pub use id::ids;
pub use list::{Claims, rows};
pub use passed::{Passed, passed};
pub use source::{Proof, comment_ids, proofs};

/// The claimed rows that nothing proves, each with what can be said about it; `None` when all are.
#[must_use]
pub fn missing(
    claims: &Claims,
    proofs: &[Proof],
    passed: &Passed,
    others: &BTreeSet<String>,
    rows: &BTreeMap<String, String>,
) -> Option<String> {
    let mut report = String::new();
    for id in &claims.claimed {
        let mut naming = proofs.iter().filter(|proof| &proof.id == id).peekable();
        if others.contains(id) {
            continue;
        }
        let silent = naming.peek().is_none();
        let names: Vec<_> = naming.clone().map(|proof| proof.test.as_str()).collect();
        if naming.any(|proof| passed.holds(proof)) {
            continue;
        }
        let row = claims.titles.get(id).or_else(|| rows.get(id));
        let row = row.map_or("", String::as_str);
        let _ = if silent {
            writeln!(report, "  {id}  {row}")
        } else {
            writeln!(
                report,
                "  {id}  {row} [named by {}, which did not pass]",
                names.join(", ")
            )
        };
    }
    (!report.is_empty()).then_some(report)
}

/// The IDs that tests name and no checklist has, although it has their group: slips of the pen.
#[must_use]
pub fn unknown<'a>(proofs: &'a [Proof], rows: &BTreeMap<String, String>) -> BTreeSet<&'a str> {
    let groups: BTreeSet<_> = rows.keys().filter_map(|id| group(id)).collect();
    proofs
        .iter()
        .map(|proof| proof.id.as_str())
        .filter(|id| !rows.contains_key(*id))
        .filter(|id| group(id).is_some_and(|group| groups.contains(group)))
        .collect()
}

/// `JR` of `JR-02`; a case has none.
fn group(id: &str) -> Option<&str> {
    id.split_once('-').map(|(group, _)| group)
}

#[cfg(test)]
mod tests;
