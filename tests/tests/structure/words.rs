use std::fs;

use relay_tests::workspace::{files, root, shown};

/// Paths of one machine, and hosts of package registries. Each is written in two halves, so that
/// this file does not hold it.
const WORDS: [&str; 8] = [
    concat!("/wo", "rk/"),
    concat!("/ro", "ot/"),
    concat!("/ho", "me/"),
    concat!("/Us", "ers/"),
    concat!("registry.", "npmjs"),
    concat!("pythonhosted", ".org"),
    concat!("pypi", ".org"),
    concat!("index.crates", ".io"),
];

fn found(text: &str) -> Vec<(usize, &'static str)> {
    let mut found = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        found.extend(
            WORDS
                .iter()
                .filter(|word| line.contains(**word))
                .map(|word| (number, *word)),
        );
    }
    found
}

#[test]
fn no_file_names_a_machine_or_a_registry() {
    for file in files(root()).unwrap() {
        let text = fs::read(&file).unwrap();
        let found = found(&String::from_utf8_lossy(&text));
        assert!(found.is_empty(), "{}: {found:?}", shown(&file));
    }

    let bad = format!("fine\nsee {}main", WORDS[0]);
    assert_eq!(found(&bad), [(2, WORDS[0])]);
}
