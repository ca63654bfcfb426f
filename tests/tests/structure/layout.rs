use relay_tests::workspace::top_level;

const ALLOWED: [&str; 18] = [
    ".ci",
    ".gitignore",
    "CHANGELOG.md",
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE",
    "README.md",
    "clippy.toml",
    "deny.toml",
    "docs",
    "examples",
    "relay-core",
    "relay-http",
    "relay-runtime",
    "relay-stdio",
    "rustfmt.toml",
    "scripts",
    "tests",
];

fn strangers(names: &[String]) -> Vec<&str> {
    let names = names.iter().map(String::as_str);
    names.filter(|name| !ALLOWED.contains(name)).collect()
}

#[test]
fn nothing_else_lies_at_the_top() {
    assert_eq!(strangers(&top_level().unwrap()), [""; 0]);

    let bad = ["README.md", "notes.txt", "src", "tests"].map(ToOwned::to_owned);
    assert_eq!(strangers(&bad), ["notes.txt", "src"]);
}
