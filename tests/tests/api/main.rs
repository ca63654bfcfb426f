//! The public API of each library crate is the one written down in `docs/api`.
//!
//! After a change on purpose, `UPDATE_API=1 cargo test -p relay-tests --test api` writes it anew.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;
use std::{env, fs};

use relay_tests::workspace::{Failure, metadata, packages, root, text};
use serde_json::Value;

/// The packages for others to use: those with a library, `relay-tests` apart.
fn libraries() -> Result<Vec<String>, Failure> {
    let metadata = metadata(false)?;
    let is_library = |package: &&Value| {
        let name = text(package, "/name");
        name.starts_with("relay-") && name != "relay-tests"
    };
    Ok(packages(&metadata)
        .filter(is_library)
        .map(|package| text(package, "/name").to_owned())
        .collect())
}

fn public_api(library: &str) -> Result<String, Failure> {
    // A folder of its own: the variable below would have everything else built again.
    let target = root().join("target/api");
    let status = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args([
            "rustdoc",
            "--locked",
            "--quiet",
            "--lib",
            "--all-features",
            "--package",
            library,
        ])
        .arg("--target-dir")
        .arg(&target)
        .args([
            "--",
            "-Z",
            "unstable-options",
            "--output-format=json",
            "--cap-lints=allow",
        ])
        .env("RUSTC_BOOTSTRAP", "1")
        .current_dir(root())
        .status()?;
    if !status.success() {
        return Err(format!("cargo rustdoc of {library}: {status}").into());
    }
    let json = target
        .join("doc")
        .join(library.replace('-', "_"))
        .with_extension("json");
    let api = public_api::Builder::from_rustdoc_json(json)
        .omit_auto_derived_impls(true)
        .omit_auto_trait_impls(true)
        .omit_blanket_impls(true)
        .build()?;
    Ok(api.to_string())
}

fn snapshot(library: &str) -> PathBuf {
    root().join("docs/api").join(library).with_extension("txt")
}

/// What differs, a line each: `-` was written down, `+` is there now.
fn differences(old: &str, new: &str) -> String {
    let lines = |text: &str| text.lines().map(ToOwned::to_owned).collect::<BTreeSet<_>>();
    let (old, new) = (lines(old), lines(new));
    let gone = old.difference(&new).map(|line| format!("- {line}\n"));
    let come = new.difference(&old).map(|line| format!("+ {line}\n"));
    gone.chain(come).collect()
}

#[test]
fn the_public_api_is_the_one_written_down() {
    let libraries = libraries().unwrap();
    assert!(libraries.len() >= 3, "{libraries:?}");
    let mut report = String::new();
    for library in &libraries {
        let api = public_api(library).unwrap();
        let file = snapshot(library);
        if env::var_os("UPDATE_API").is_some() {
            fs::create_dir_all(root().join("docs/api")).unwrap();
            fs::write(&file, &api).unwrap();
            continue;
        }
        report += &differences(&fs::read_to_string(&file).unwrap_or_default(), &api);
    }
    assert!(
        report.is_empty(),
        "the public API is not the one in docs/api:\n{report}\
         If it is meant to be, run `UPDATE_API=1 cargo test -p relay-tests --test api` and commit."
    );
}

#[test]
fn a_difference_is_told() {
    assert_eq!(differences("pub fn a()\n", "pub fn a()\n"), "");
    let told = differences("pub fn a()\npub fn b()\n", "pub fn a()\npub fn c()\n");
    assert_eq!(told, "- pub fn b()\n+ pub fn c()\n");
}
