//! The sentences an author reads first when a definition does not fit. Each file under `cases`
//! does not compile; its first line is the sentence that the compiler must say.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test that can't prepare its case has failed"
)]

use std::{collections::BTreeMap, fs, path::Path, process::Command};

use relay_tests::workspace;
use serde_json::Value;

const MANIFEST: &str = r#"
[package]
name = "diagnostics"
version = "0.0.0"
edition = "2024"

[workspace]

[dependencies]
relay-core = { path = "CORE" }
schemars = "1"
serde = { version = "1", features = ["derive"] }
"#;

/// What each case must be told, by its name.
fn expectations() -> BTreeMap<String, (String, String)> {
    let folder = workspace::root().join("tests/tests/diagnostics/cases");
    let files = fs::read_dir(folder)
        .expect("the cases")
        .map(|entry| entry.expect("a case").path());
    files
        .map(|file| {
            let source = fs::read_to_string(&file).expect("a case is text");
            let sentence = source
                .lines()
                .next()
                .and_then(|line| line.strip_prefix("// expects: "));
            let sentence = sentence
                .expect("the first line says what is expected")
                .to_owned();
            let name = file
                .file_stem()
                .expect("a named file")
                .to_string_lossy()
                .into_owned();
            (name, (source, sentence))
        })
        .collect()
}

/// The errors that the compiler reports for each case, their notes and help included.
fn compile(cases: &BTreeMap<String, (String, String)>) -> BTreeMap<String, Vec<String>> {
    let project = Path::new(env!("CARGO_TARGET_TMPDIR")).join("diagnostics");
    let examples = project.join("examples");
    if examples.exists() {
        fs::remove_dir_all(&examples).expect("the old cases go");
    }
    fs::create_dir_all(&examples).expect("a folder for the cases");
    fs::create_dir_all(project.join("src")).expect("a folder for the package");
    fs::write(project.join("src/lib.rs"), "").expect("the package is written");
    let core = workspace::root().join("relay-core");
    let manifest = MANIFEST.replace("CORE", &core.to_string_lossy());
    fs::write(project.join("Cargo.toml"), manifest).expect("the manifest is written");
    fs::copy(
        workspace::root().join("Cargo.lock"),
        project.join("Cargo.lock"),
    )
    .expect("pinned");
    for (name, (source, _)) in cases {
        fs::write(examples.join(name).with_extension("rs"), source).expect("a case is written");
    }
    let output = Command::new(env!("CARGO"))
        .args([
            "check",
            "--examples",
            "--keep-going",
            "--message-format=json",
            "--quiet",
        ])
        .current_dir(&project)
        .env("CARGO_TARGET_DIR", project.join("target"))
        .output()
        .expect("cargo runs");
    let messages = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut errors: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in messages.lines() {
        let message: Value = serde_json::from_str(line).expect("cargo writes JSON");
        if let Some(rendered) = message["message"]["rendered"].as_str()
            && message["message"]["level"] == "error"
        {
            let case = message["target"]["name"]
                .as_str()
                .unwrap_or_default()
                .to_owned();
            errors.entry(case).or_default().push(rendered.to_owned());
        }
    }
    assert!(
        !errors.is_empty(),
        "nothing was compiled: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    errors
}

#[test]
fn the_compiler_says_what_to_change() {
    let cases = expectations();
    assert!(cases.len() >= 3, "the sentences an author sees most");
    let errors = compile(&cases);
    for (name, (_, sentence)) in &cases {
        let said = errors
            .get(name)
            .map(|said| said.concat())
            .unwrap_or_default();
        assert!(
            said.contains(sentence.as_str()),
            "{name}: expected {sentence:?} in:\n{said}"
        );
    }
}
