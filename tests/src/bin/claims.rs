//! Lists the claimed checklist rows that no passing test names, and fails when there is one.
//!
//! `claims LOG [FOLDER..]`: the output of `cargo test`, and the folders of suites that passed as a
//! whole, whose comments name rows too.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Write, stdout};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs};

use relay_tests::claims::{Claims, Proof, comment_ids, missing, passed, proofs, rows, unknown};
use relay_tests::workspace::{Failure, files, is_rust, metadata, packages, root, text};
use serde_json::Value;

fn main() -> Result<ExitCode, Failure> {
    let mut arguments = env::args_os().skip(1).map(PathBuf::from);
    let log = arguments.next().ok_or("usage: claims LOG [FOLDER..]")?;
    let passed = passed(&fs::read_to_string(log)?);
    if passed.is_empty() {
        return Err("the log names no test that passed".into());
    }
    let mut others = BTreeSet::new();
    for folder in arguments {
        for file in files(&folder)? {
            let text = fs::read_to_string(file)?;
            others.extend(text.lines().flat_map(comment_ids));
        }
    }
    let protocol = root().join("docs/protocol");
    let claims = Claims::read(&fs::read_to_string(protocol.join("claimed.txt"))?);
    let mut checklists = BTreeMap::new();
    for name in ["modern.md", "legacy.md"] {
        checklists.extend(rows(&fs::read_to_string(protocol.join(name))?));
    }
    let proofs = all_proofs()?;
    let mut out = stdout().lock();
    let unknown = unknown(&proofs, &checklists);
    if !unknown.is_empty() {
        writeln!(out, "named by tests, but in no checklist: {unknown:?}")?;
        return Ok(ExitCode::FAILURE);
    }
    let report = missing(&claims, &proofs, &passed, &others, &checklists);
    let (claimed, tests) = (claims.claimed.len(), passed.len());
    if let Some(report) = report {
        let count = report.lines().count();
        writeln!(
            out,
            "{count} of {claimed} claimed rows are named by no passing test:\n{report}"
        )?;
        return Ok(ExitCode::FAILURE);
    }
    writeln!(
        out,
        "all {claimed} claimed rows are named by passing tests ({tests} tests passed)"
    )?;
    Ok(ExitCode::SUCCESS)
}

/// The proofs in every target of every package.
fn all_proofs() -> Result<Vec<Proof>, Failure> {
    let mut all = Vec::new();
    for package in packages(&metadata(false)?) {
        let targets: Vec<_> = package
            .pointer("/targets")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .map(|target| {
                (
                    text(target, "/name").replace('-', "_"),
                    Path::new(text(target, "/src_path")),
                )
            })
            .collect();
        for (name, root) in &targets {
            let folder = root.parent().unwrap_or(root);
            for file in files(folder)?.into_iter().filter(|file| is_rust(file)) {
                let is_root = file == *root;
                if !is_root && targets.iter().any(|(_, other)| file == *other) {
                    continue;
                }
                let module = if is_root {
                    String::new()
                } else {
                    module(folder, &file)
                };
                all.extend(proofs(&fs::read_to_string(&file)?, name, &module));
            }
        }
    }
    Ok(all)
}

/// `codec::list` for `codec/list.rs` and for `codec/list/mod.rs`.
fn module(folder: &Path, file: &Path) -> String {
    let inner = file.strip_prefix(folder).unwrap_or(file).with_extension("");
    let mut names: Vec<_> = inner.iter().map(|name| name.to_string_lossy()).collect();
    if names.last().is_some_and(|name| name == "mod") {
        names.pop();
    }
    names.join("::")
}
