//! The workspace as its tests see it: where it is, its packages, its files.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use std::{env, fs};

use serde_json::Value;

/// Folders that hold what was built or installed, never what was written.
const GENERATED: [&str; 7] = [
    ".git",
    ".idea",
    ".venv",
    ".vscode",
    "__pycache__",
    "node_modules",
    "target",
];

/// Any failure while looking at the workspace.
pub type Failure = Box<dyn Error + Send + Sync>;

/// The folder of the checkout.
#[must_use]
pub fn root() -> &'static Path {
    // Cargo says where the package is at run time: what was compiled elsewhere must not look there.
    static ROOT: LazyLock<PathBuf> = LazyLock::new(|| {
        let compiled = || env!("CARGO_MANIFEST_DIR").into();
        let tests = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(compiled));
        tests.parent().map(Path::to_path_buf).unwrap_or(tests)
    });
    &ROOT
}

/// The folder of the published schemas, `<revision>/schema.json` and their examples, from
/// `RELAY_SPEC_DIR` or beside the checkout. They are not ours to keep; where they are missing, a
/// test has nothing to compare with, and `scripts/test` says so.
#[must_use]
pub fn schemas() -> Option<PathBuf> {
    let given = env::var_os("RELAY_SPEC_DIR").map(PathBuf::from);
    let spec = given.unwrap_or_else(|| root().join("../shared/spec"));
    Some(spec.join("schema")).filter(|folder| folder.is_dir())
}

/// What `cargo metadata` says, with or without the packages of others.
///
/// # Errors
///
/// When cargo can't be run or refuses.
pub fn metadata(dependencies: bool) -> Result<Value, Failure> {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo
        .args(["metadata", "--locked", "--format-version=1"])
        .current_dir(root());
    if !dependencies {
        cargo.arg("--no-deps");
    }
    let output = cargo.output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// The packages in `metadata`.
pub fn packages(metadata: &Value) -> impl Iterator<Item = &Value> {
    metadata
        .pointer("/packages")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
}

/// The text at a JSON pointer, empty where there is none.
#[must_use]
pub fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value
        .pointer(pointer)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

/// The names at the top of the checkout, sorted, without what was built.
///
/// # Errors
///
/// When the folder can't be read.
pub fn top_level() -> Result<Vec<String>, Failure> {
    let mut names = Vec::new();
    for entry in fs::read_dir(root())? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if !GENERATED.contains(&name.as_str()) {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

/// Every file written for the project under `folder`, sorted, without what was built or installed.
///
/// # Errors
///
/// When a folder can't be read.
pub fn files(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            if GENERATED.contains(&entry.file_name().to_string_lossy().as_ref()) {
                continue;
            }
            let kind = entry.file_type()?;
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file() {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Whether a file holds Rust.
#[must_use]
pub fn is_rust(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "rs")
}

/// A path as it reads from the top of the checkout.
#[must_use]
pub fn shown(path: &Path) -> String {
    path.strip_prefix(root())
        .unwrap_or(path)
        .display()
        .to_string()
}
