//! The list of claimed rows, and the checklists that say what each row asks.

use std::collections::{BTreeMap, BTreeSet};

use super::{group, ids};

/// What `docs/protocol/claimed.txt` says.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Claims {
    /// The rows that a test has to prove.
    pub claimed: BTreeSet<String>,
    /// The rows of the same groups that are left for later.
    pub later: BTreeSet<String>,
    /// What the list itself says about a row: the cases, which are in no checklist.
    pub titles: BTreeMap<String, String>,
}

impl Claims {
    /// Reads the list: IDs, `later` before those that are not claimed, ` - ` before a remark.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let mut claims = Self::default();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let (names, remark) = line.split_once(" - ").unwrap_or((line, ""));
            if let Some(later) = names.strip_prefix("later ") {
                claims.later.extend(ids(later));
                continue;
            }
            for id in ids(names) {
                if !remark.is_empty() {
                    claims.titles.insert(id.clone(), remark.to_owned());
                }
                claims.claimed.insert(id);
            }
        }
        claims
    }

    /// What is wrong with the list itself, measured by the checklists' rows: an ID that no row has,
    /// one that is both claimed and left, a row of a claimed group that the list forgot.
    #[must_use]
    pub fn mistakes(&self, rows: &BTreeMap<String, String>) -> Vec<String> {
        let mut mistakes = Vec::new();
        let is_row = |id: &str| rows.contains_key(id) || self.titles.contains_key(id);
        for id in self.claimed.union(&self.later) {
            if !is_row(id) {
                mistakes.push(format!("{id} is in no checklist"));
            }
        }
        for id in self.claimed.intersection(&self.later) {
            mistakes.push(format!("{id} is both claimed and left for later"));
        }
        let groups: BTreeSet<_> = self.claimed.iter().filter_map(|id| group(id)).collect();
        for id in rows.keys() {
            let known = self.claimed.contains(id) || self.later.contains(id);
            if !known && group(id).is_some_and(|group| groups.contains(group)) {
                mistakes.push(format!("{id} is neither claimed nor left for later"));
            }
        }
        mistakes
    }
}

/// The rows of a checklist: the ID in the first cell of a table, and what triggers it.
#[must_use]
pub fn rows(checklist: &str) -> BTreeMap<String, String> {
    let mut rows = BTreeMap::new();
    let mut trigger = None;
    for line in checklist.lines() {
        let cells: Vec<_> = line
            .split(" | ")
            .map(|cell| cell.trim_matches(['|', ' ']))
            .collect();
        let Some(first) = cells.first() else { continue };
        if *first == "ID" {
            trigger = cells.iter().position(|cell| *cell == "Trigger");
        } else if ids(first).contains(*first) {
            let cell = trigger
                .and_then(|at| cells.get(at))
                .copied()
                .unwrap_or_default();
            rows.insert((*first).to_owned(), cell.to_owned());
        }
    }
    rows
}
