//! `modern.md` §4: the version that each request names.

use relay_core::Revision;
use relay_tests::{
    fixture::{self, Guest},
    wire::{LEGACY, Wire},
};
use serde_json::{Value, json};

use super::requests::wire;

/// The parameters of a request in a version.
fn in_version(version: &str) -> Value {
    json!({ "_meta": { "io.modelcontextprotocol/protocolVersion": version } })
}

// VER-01, VER-03, V02
#[tokio::test]
async fn a_version_that_is_not_implemented_is_refused_with_those_that_are() {
    let mut wire = wire();
    let discovered = wire.result("server/discover", json!({})).await;
    let supported = discovered["supportedVersions"]
        .as_array()
        .expect("a list")
        .clone();
    assert_eq!(supported, [json!("2026-07-28")]);
    for version in [
        "1900-01-01",
        "2099-12-31",
        "v999.0.0",
        "",
        "2026-07-28 ",
        "2024-11-05",
        "DRAFT-2026-v1",
        "ü\n\u{0}",
    ] {
        for method in [
            "tools/list",
            "server/discover",
            "tools/call",
            "no/such/method",
            "initialize",
        ] {
            let (code, message, data) = wire.error(method, in_version(version)).await;
            assert_eq!(code, -32022, "{method} {version:?}");
            assert_eq!(data["requested"], version);
            assert_eq!(data["supported"].as_array(), Some(&supported));
            assert!(message.contains("2026-07-28"), "{message}");
        }
        wire.survives().await;
    }
}

// VER-02, VER-04
#[tokio::test]
async fn a_legacy_version_in_a_modern_envelope_is_refused_enabled_or_not() {
    let every = fixture::server();
    let some = fixture::server().with_revisions([Revision::V2026_07_28, Revision::V2025_06_18]);
    let modern = fixture::server().with_revisions([Revision::V2026_07_28]);
    for server in [every, some, modern] {
        let mut wire = Wire::new(server, Guest::default());
        for revision in LEGACY {
            let (code, _, data) = wire
                .error("tools/list", in_version(revision.as_str()))
                .await;
            assert_eq!(code, -32022, "{revision}");
            let expected = json!({ "requested": revision.as_str(), "supported": ["2026-07-28"] });
            assert_eq!(data, expected);
            wire.survives().await;
        }
    }
}

// VER-03
#[tokio::test]
async fn one_list_of_versions_serves_discovery_and_refusals() {
    for served in [&Revision::ALL[..], &Revision::ALL[..1], &Revision::ALL[..3]] {
        let server = fixture::server().with_revisions(served.iter().rev().copied());
        let mut wire = Wire::new(server, Guest::default());
        let discovered = wire.result("server/discover", json!({})).await;
        let (_, _, data) = wire.error("tools/list", in_version("1900-01-01")).await;
        assert_eq!(discovered["supportedVersions"], data["supported"]);
        // Each of them works in an envelope.
        for version in data["supported"].as_array().expect("a list") {
            let version = version.as_str().expect("a version");
            assert!(wire.result("tools/list", in_version(version)).await["tools"].is_array());
        }
    }
}

// VER-05
#[tokio::test]
async fn each_request_is_judged_by_its_own_version() {
    for revision in LEGACY {
        let mut wire = wire().initialized(revision).await;
        for _ in 0..2 {
            let modern = wire
                .result("tools/list", json!({ "_meta": relay_tests::wire::meta() }))
                .await;
            assert_eq!(modern["resultType"], "complete");
            let legacy = wire.result("tools/list", json!({})).await;
            assert!(legacy.get("resultType").is_none(), "{revision}");
            let mut meta = relay_tests::wire::meta();
            meta.insert(
                "io.modelcontextprotocol/protocolVersion".to_owned(),
                json!("1900-01-01"),
            );
            assert_eq!(
                wire.error("tools/list", json!({ "_meta": meta })).await.0,
                -32022
            );
        }
    }
    let mut wire = wire();
    for _ in 0..2 {
        assert_eq!(
            wire.error("tools/list", in_version("1900-01-01")).await.2["requested"],
            "1900-01-01"
        );
        assert_eq!(
            wire.error("tools/list", in_version("1901-01-01")).await.2["requested"],
            "1901-01-01"
        );
        assert!(wire.result("tools/list", in_version("2026-07-28")).await["tools"].is_array());
    }
}
