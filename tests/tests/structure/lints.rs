use std::fs;

use relay_tests::workspace::{Failure, files, is_rust, metadata, packages, root, shown, text};

/// Whether a section of a manifest holds a line.
fn says(manifest: &str, section: &str, line: &str) -> bool {
    manifest
        .lines()
        .map(str::trim)
        .skip_while(|text| *text != section)
        .skip(1)
        .take_while(|text| !text.starts_with('['))
        .any(|text| text == line)
}

/// Lines of code, comments and string literals on one line apart, that say `unsafe`.
fn unsafe_lines(source: &str) -> Vec<usize> {
    let is_unsafe = |line: &str| {
        let code = line.split("//").next().unwrap_or_default();
        let outside = code.split('"').step_by(2);
        outside
            .flat_map(|part| part.split(|c: char| !(c.is_alphanumeric() || c == '_')))
            .any(|word| word == "unsafe")
    };
    let numbered = source.lines().zip(1..);
    numbered
        .filter(|(line, _)| is_unsafe(line))
        .map(|(_, number)| number)
        .collect()
}

fn manifests() -> Result<Vec<(String, String)>, Failure> {
    packages(&metadata(false)?)
        .map(|package| {
            let manifest = fs::read_to_string(text(package, "/manifest_path"))?;
            Ok((text(package, "/name").to_owned(), manifest))
        })
        .collect()
}

#[test]
fn every_member_uses_the_lints_of_the_workspace() {
    for (name, manifest) in manifests().unwrap() {
        assert!(says(&manifest, "[lints]", "workspace = true"), "{name}");
    }
    let workspace = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    assert!(says(
        &workspace,
        "[workspace.lints.rust]",
        "unsafe_code = \"forbid\""
    ));

    assert!(!says(
        "[lints]\n[package]\nworkspace = true",
        "[lints]",
        "workspace = true"
    ));
    assert!(!says(
        "[lints.rust]\nworkspace = true",
        "[lints]",
        "workspace = true"
    ));
}

#[test]
fn nothing_is_unsafe() {
    for file in files(root())
        .unwrap()
        .into_iter()
        .filter(|file| is_rust(file))
    {
        let lines = unsafe_lines(&fs::read_to_string(&file).unwrap());
        assert!(lines.is_empty(), "{}: {lines:?}", shown(&file));
    }

    let bad = "// unsafe\nlet text = \"unsafe\";\nunsafe { f() }\n#![forbid(unsafe_code)]\n";
    assert_eq!(unsafe_lines(bad), [3]);
}
