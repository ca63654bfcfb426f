//! The tests that passed, read from what `cargo test` prints.

use std::collections::BTreeSet;

use super::Proof;

/// The tests that passed in one run.
#[derive(Debug, Default)]
pub struct Passed(BTreeSet<(String, String)>);

impl Passed {
    /// Whether the test of `proof` is among them.
    #[must_use]
    pub fn holds(&self, proof: &Proof) -> bool {
        self.0.iter().any(|(binary, path)| {
            let inner = if proof.module.is_empty() {
                Some(path.as_str())
            } else {
                path.strip_prefix(&proof.module)
                    .and_then(|rest| rest.strip_prefix("::"))
            };
            let test = &proof.test;
            *binary == proof.binary
                && inner.is_some_and(|inner| {
                    inner == test
                        || inner
                            .strip_suffix(test)
                            .is_some_and(|rest| rest.ends_with("::"))
                })
        })
    }

    /// How many passed.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether none passed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Reads the output of `cargo test`, both of its streams.
#[must_use]
pub fn passed(output: &str) -> Passed {
    let mut passed = BTreeSet::new();
    let mut binary = None;
    for line in output.lines().map(str::trim) {
        if line.starts_with("Running ") {
            binary = executable(line);
        } else if line.starts_with("Doc-tests ") {
            binary = None;
        } else if let Some(binary) = binary {
            let test = line
                .strip_prefix("test ")
                .and_then(|rest| rest.strip_suffix(" ... ok"));
            if let Some(test) = test {
                let test = test.strip_suffix(" - should panic").unwrap_or(test);
                passed.insert((binary.to_owned(), test.to_owned()));
            }
        }
    }
    Passed(passed)
}

/// `relay_core` of `Running unittests src/lib.rs (target/debug/deps/relay_core-0123456789abcdef)`.
fn executable(line: &str) -> Option<&str> {
    let path = line.strip_suffix(')')?.rsplit('(').next()?;
    let file = path.rsplit(['/', '\\']).next()?;
    file.rsplit_once('-').map(|(name, _)| name)
}
