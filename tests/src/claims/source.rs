//! The rows that tests name: IDs in the comments above and within a test function.

use std::collections::BTreeSet;

use super::ids;

/// A row and a test that says it proves it.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub struct Proof {
    /// The row's ID.
    pub id: String,
    /// The name of the compiled tests, as in `target/debug/deps`: a crate's or a test target's.
    pub binary: String,
    /// The path of the file's module in that crate, empty at its root.
    pub module: String,
    /// The name of the test function.
    pub test: String,
}

/// The proofs in one source file, which is `module` of `binary`.
///
/// A test is a function with an attribute whose path ends in `test`; it reaches from the comments
/// and attributes above it to the closing brace at its own indentation.
#[must_use]
pub fn proofs(source: &str, binary: &str, module: &str) -> Vec<Proof> {
    let mut found = Vec::new();
    let mut above = BTreeSet::new();
    let mut is_test = false;
    let mut in_attribute = false;
    let mut open: Option<(String, String)> = None;
    for line in source.lines() {
        if let Some((test, end)) = &open {
            for id in comment_ids(line) {
                found.push(Proof {
                    id,
                    binary: binary.to_owned(),
                    module: module.to_owned(),
                    test: test.clone(),
                });
            }
            if line == end {
                open = None;
            }
            continue;
        }
        let code = line.trim_start();
        if code.starts_with("//") {
            above.extend(comment_ids(line));
        } else if in_attribute || code.starts_with("#[") {
            above.extend(comment_ids(line));
            is_test |= is_test_attribute(code);
            in_attribute = !code.ends_with(']');
        } else if let Some(name) = function(code).filter(|_| is_test) {
            above.extend(comment_ids(line));
            for id in std::mem::take(&mut above) {
                found.push(Proof {
                    id,
                    binary: binary.to_owned(),
                    module: module.to_owned(),
                    test: name.to_owned(),
                });
            }
            is_test = false;
            if !code.trim_end().ends_with('}') {
                let indentation = line.len() - code.len();
                open = Some((name.to_owned(), format!("{:indentation$}}}", "")));
            }
        } else {
            above.clear();
            is_test = false;
        }
    }
    found
}

/// The IDs in the comment on a line: after `//`, or after `#` in a script.
#[must_use]
pub fn comment_ids(line: &str) -> BTreeSet<String> {
    // A scheme's slashes follow a colon: `note://1`.
    let slashes = line
        .match_indices("//")
        .map(|(at, _)| at)
        .find(|at| line.get(..*at).is_some_and(|before| !before.ends_with(':')));
    let hash = line.match_indices("# ").map(|(at, _)| at).next();
    let begin = slashes.into_iter().chain(hash).min();
    begin
        .and_then(|at| line.get(at..))
        .map(ids)
        .unwrap_or_default()
}

fn is_test_attribute(code: &str) -> bool {
    let path = code.trim_start_matches("#[");
    let path = path.split(['(', ']', ' ']).next().unwrap_or_default();
    path == "test" || path.ends_with("::test")
}

fn function(code: &str) -> Option<&str> {
    let rest = code
        .strip_prefix("async ")
        .unwrap_or(code)
        .strip_prefix("fn ")?;
    rest.split(['(', '<']).next()
}
