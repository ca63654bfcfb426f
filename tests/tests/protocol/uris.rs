//! `modern.md` §13: the URIs of resources.

use std::{
    panic::catch_unwind,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use relay_core::{Read, Revision, resource};
use relay_tests::{
    fixture::{self, Guest},
    wire::Wire,
};
use serde_json::{Value, json};

use crate::{
    eras::connect,
    lists::RESOURCES,
    resources::{fixed, not_found, server_of},
};

// RES-05
#[tokio::test]
async fn what_is_no_uri_is_refused() {
    let texts = [
        "",
        "note",
        "/etc/passwd",
        "//host/a",
        "note 1",
        "note://a b",
        "note://%",
        "note://%zz",
        "note://{id}",
        "1x://a",
        ":a",
        "note://é",
        "note://\n",
        "note://\0",
        "note://[::1",
        "C:\\notes",
        "note://a\\b",
    ];
    let odd = [
        json!(null),
        json!(7),
        json!(["note://1"]),
        json!({ "uri": "note://1" }),
        json!(true),
    ];
    for revision in Revision::ALL {
        let mut wire = connect(&fixture::server(), Guest::admin(), revision).await;
        for uri in texts.map(Value::from).iter().chain(&odd) {
            let (code, _, data) = wire.error("resources/read", json!({ "uri": uri })).await;
            assert_eq!((code, data), (-32602, Value::Null), "{revision} {uri}");
        }
        assert_eq!(wire.error("resources/read", json!({})).await.0, -32602);
    }
}

// RES-06
#[tokio::test]
async fn no_uri_leads_out_of_the_root_of_a_template() {
    let reads = Arc::<AtomicUsize>::default();
    let under = |template: &str| {
        let reads = Arc::clone(&reads);
        resource::template(template, "file").handle(move |read: Read<()>| {
            reads.fetch_add(1, Ordering::SeqCst);
            let path = read.variable("path").unwrap_or_default().to_owned();
            async move { Ok(vec![resource::text(path)]) }
        })
    };
    let server = server_of([under("file:///docs/{+path}"), under("doc://{path}")]);
    let paths = [
        "..",
        "../secret",
        "a/../../secret",
        "a/..",
        "%2e%2e/secret",
        "%2e%2e%2fsecret",
        "..%2Fsecret",
        ".%2e/secret",
        "a/%2E%2E/%2e%2e/secret",
        "/etc/passwd",
        "%2fetc%2fpasswd",
        "//host/share",
        "c:/boot.ini",
        "C:%5Cboot.ini",
        "c%3A/boot.ini",
        "C:",
        "a%00.txt",
        "%00",
        "..%5Csecret",
        "%5C%5Chost%5Cshare",
        "a%5C..%5C..%5Csecret",
    ];
    for revision in Revision::ALL {
        let mut wire = connect(&server, (), revision).await;
        for root in ["file:///docs/", "doc://"] {
            for path in paths {
                let uri = format!("{root}{path}");
                let (code, ..) = wire.error("resources/read", json!({ "uri": uri })).await;
                assert!(
                    code == -32602 || code == not_found(revision),
                    "{uri}: {code}"
                );
            }
        }
        assert_eq!(reads.load(Ordering::SeqCst), 0, "{revision}");
    }
    let mut wire = Wire::new(server, ());
    for (path, value) in [
        ("a/b.txt", "a/b.txt"),
        ("a..b/.c", "a..b/.c"),
        ("%252e%252e%252f", "%2e%2e%2f"),
    ] {
        let uri = format!("file:///docs/{path}");
        let read = wire.result("resources/read", json!({ "uri": uri })).await;
        assert_eq!(read["contents"][0]["text"], value);
    }
}

// RES-10, RES-09
#[tokio::test]
async fn any_scheme_is_good_that_rfc_3986_allows_and_no_other() {
    let define = |uri: &str| resource::try_direct::<()>(uri, "x").is_ok();
    for uri in [
        "note://7",
        "x-y.z+1:a",
        "urn:isbn:0451450523",
        "https://example.com/a",
        "git://a/b",
    ] {
        assert!(define(uri), "{uri}");
        let server = server_of([fixed(uri, || vec![resource::text("x")])]);
        let mut wire = Wire::new(server, ());
        assert_eq!(RESOURCES.keys(&mut wire).await, [uri]);
        let read = wire.result("resources/read", json!({ "uri": uri })).await;
        assert_eq!(read["contents"][0]["uri"], uri);
    }
    for uri in [
        "",
        "note",
        "1x://a",
        "n_te://a",
        "n te://a",
        "://a",
        "ünï://a",
        "note://a b",
        "note://{id}",
    ] {
        assert!(!define(uri), "{uri}");
        let panicked = catch_unwind(|| resource::direct::<()>(uri, "x")).err();
        let said = panicked.expect("a panic");
        let said = said.downcast_ref::<String>().expect("a text");
        assert!(said.contains(&format!("{uri:?}")), "{said}");
    }
    assert!(resource::try_direct::<()>("note://7", "").is_err());
    assert!(resource::try_template::<()>("1x://{id}", "x").is_err());
    assert!(resource::try_template::<()>("n te://{id}", "x").is_err());
}

// RES-09
#[tokio::test]
async fn what_only_the_server_can_fetch_is_under_no_web_address() {
    let mut wire = Wire::new(fixture::server(), Guest::admin());
    for uri in RESOURCES.keys(&mut wire).await {
        assert!(!uri.starts_with("http"), "{uri}");
        wire.ask("resources/read", json!({ "uri": uri })).await;
    }
}
