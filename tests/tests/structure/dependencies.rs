use relay_tests::workspace::{Failure, metadata, packages, text};
use serde_json::Value;

/// The crates of the library and those of ours that each may depend on.
const LAYERS: [(&str, &[&str]); 4] = [
    ("relay-core", &[]),
    ("relay-runtime", &["relay-core"]),
    ("relay-http", &["relay-core", "relay-runtime"]),
    ("relay-stdio", &["relay-core", "relay-runtime"]),
];

/// What core must not use of tokio: it spawns nothing, waits for no time, opens no socket.
const NOT_IN_CORE: [&str; 7] = [
    "fs",
    "full",
    "net",
    "process",
    "rt",
    "rt-multi-thread",
    "time",
];

struct Edge {
    from: String,
    to: String,
    test_only: bool,
    features: Vec<String>,
}

fn edges() -> Result<Vec<Edge>, Failure> {
    let mut edges = Vec::new();
    for package in packages(&metadata(false)?) {
        let dependencies = package.pointer("/dependencies").and_then(Value::as_array);
        for dependency in dependencies.into_iter().flatten() {
            let features = dependency.pointer("/features").and_then(Value::as_array);
            edges.push(Edge {
                from: text(package, "/name").to_owned(),
                to: text(dependency, "/name").to_owned(),
                test_only: text(dependency, "/kind") == "dev",
                features: features
                    .into_iter()
                    .flatten()
                    .filter_map(Value::as_str)
                    .map(ToOwned::to_owned)
                    .collect(),
            });
        }
    }
    Ok(edges)
}

fn upward(edges: &[Edge]) -> Vec<String> {
    let layer = |name: &str| LAYERS.iter().find(|(layer, _)| *layer == name);
    let is_ours = |name: &str| name.starts_with("relay-");
    let wrong = |edge: &&Edge| match layer(&edge.from) {
        Some((_, below)) => is_ours(&edge.to) && !below.contains(&edge.to.as_str()),
        // Tests and examples may use every crate.
        None => false,
    };
    let shown = |edge: &Edge| format!("{} depends on {}", edge.from, edge.to);
    edges.iter().filter(wrong).map(shown).collect()
}

fn executors_in_core(edges: &[Edge]) -> Vec<String> {
    edges
        .iter()
        .filter(|edge| edge.from == "relay-core" && edge.to == "tokio" && !edge.test_only)
        .flat_map(|edge| &edge.features)
        .filter(|feature| NOT_IN_CORE.contains(&feature.as_str()))
        .map(|feature| format!("relay-core uses tokio's {feature}"))
        .collect()
}

fn edge(from: &str, to: &str, features: &[&str]) -> Edge {
    Edge {
        from: from.to_owned(),
        to: to.to_owned(),
        test_only: false,
        features: features.iter().map(|&feature| feature.to_owned()).collect(),
    }
}

#[test]
fn crates_depend_downward_only() {
    let edges = edges().unwrap();
    assert!(
        edges
            .iter()
            .any(|edge| edge.from == "relay-runtime" && edge.to == "relay-core")
    );
    assert_eq!(upward(&edges), [""; 0]);

    let bad = [
        edge("relay-runtime", "relay-core", &[]),
        edge("relay-core", "relay-runtime", &[]),
        edge("relay-stdio", "relay-http", &[]),
        edge("relay-stdio", "relay-tests", &[]),
        edge("relay-tests", "relay-stdio", &[]),
    ];
    assert_eq!(
        upward(&bad),
        [
            "relay-core depends on relay-runtime",
            "relay-stdio depends on relay-http",
            "relay-stdio depends on relay-tests"
        ]
    );
}

#[test]
fn core_has_no_executor() {
    let edges = edges().unwrap();
    assert_eq!(executors_in_core(&edges), [""; 0]);

    let bad = [
        edge("relay-core", "tokio", &["sync", "rt"]),
        edge("notes", "tokio", &["rt"]),
    ];
    assert_eq!(executors_in_core(&bad), ["relay-core uses tokio's rt"]);
}
