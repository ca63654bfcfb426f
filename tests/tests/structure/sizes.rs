use std::fs;
use std::io::Write;

use relay_tests::workspace::{files, is_rust, root, shown};

/// Lines that a file should stay under, and must.
const SHOULD: usize = 350;
const MUST: usize = 700;

/// The files over `limit`, the longest first.
fn over(sizes: &[(String, usize)], limit: usize) -> Vec<&(String, usize)> {
    let mut over: Vec<_> = sizes.iter().filter(|(_, lines)| *lines > limit).collect();
    over.sort_by_key(|(_, lines)| std::cmp::Reverse(*lines));
    over
}

fn is_tests(path: &str) -> bool {
    path.ends_with("/tests.rs")
}

#[test]
fn files_fit_in_the_head() {
    let mut sizes = Vec::new();
    for file in files(root())
        .unwrap()
        .into_iter()
        .filter(|file| is_rust(file))
    {
        let lines = fs::read_to_string(&file).unwrap().lines().count();
        sizes.push((shown(&file), lines));
    }
    sizes.retain(|(path, _)| !is_tests(path));
    // Straight to the stream: what a passing test prints is not shown.
    let mut errors = std::io::stderr();
    for (path, lines) in over(&sizes, SHOULD) {
        writeln!(
            errors,
            "warning: {path} has {lines} lines; {SHOULD} are enough as a rule"
        )
        .unwrap();
    }
    let too_long = over(&sizes, MUST);
    assert!(too_long.is_empty(), "{too_long:?}");

    let bad = [("a.rs", 700), ("b.rs", 701), ("c.rs", 900)].map(|(path, n)| (path.to_owned(), n));
    assert_eq!(over(&bad, MUST), [&bad[2], &bad[1]]);
    assert!(is_tests("relay-core/src/codec/tests.rs") && !is_tests("relay-core/src/attests.rs"));
}
