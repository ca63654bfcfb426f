use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use relay_tests::workspace::{Failure, files, metadata, packages, root, text};
use serde_json::Value;

/// Whose types may appear although they are below 1.0: the service trait that routers mount.
const ALLOWED: [&str; 3] = ["tower", "tower_layer", "tower_service"];

/// The library crates of others, and whether every version of each is below 1.0.
fn others() -> Result<BTreeMap<String, bool>, Failure> {
    let mut others = BTreeMap::new();
    for package in packages(&metadata(true)?) {
        if package.pointer("/source").is_none_or(Value::is_null) {
            continue;
        }
        let below = text(package, "/version").starts_with("0.");
        let name = text(package, "/name").replace('-', "_");
        let entry = others.entry(name).or_insert(below);
        *entry |= below;
    }
    Ok(others)
}

/// The crates below 1.0 that a public API names.
fn unstable<'a>(api: &'a str, others: &BTreeMap<String, bool>) -> BTreeSet<&'a str> {
    api.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'))
        .filter_map(|path| path.split_once("::"))
        .map(|(name, _)| name)
        .filter(|name| others.get(*name) == Some(&true) && !ALLOWED.contains(name))
        .collect()
}

#[test]
fn no_type_below_1_0_is_in_a_public_signature() {
    let others = others().unwrap();
    assert_eq!(others.get("tracing"), Some(&true));
    assert_eq!(others.get("serde_json"), Some(&false));
    let snapshots = files(&root().join("docs/api")).unwrap();
    assert!(snapshots.len() >= 3);
    for file in snapshots {
        let api = fs::read_to_string(&file).unwrap();
        assert!(unstable(&api, &others).is_empty(), "{}", file.display());
    }

    let bad = "pub fn a::f(&tracing::span::Span, serde_json::Value)\npub fn a::tracing::g()\n\
               impl tower_service::Service<R> for a::S";
    assert_eq!(unstable(bad, &others), ["tracing"].into());
}
