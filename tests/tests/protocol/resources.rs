//! `modern.md` §13, resources.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use relay_core::{
    Error, Read, Resource, Revision, Server,
    content::{Annotations, Role},
    resource::{self, Contents, Entry},
};
use relay_tests::{
    fixture::{self, Guest},
    wire::Wire,
};
use serde_json::{Value, json};

use crate::{eras::connect, events::Events, lists::RESOURCES};

pub(crate) fn server_of(resources: impl IntoIterator<Item = Resource<()>>) -> Server<()> {
    Server::new([]).with_resources(resources)
}

pub(crate) fn fixed(
    uri: &str,
    contents: impl Fn() -> Vec<Contents> + Send + Sync + 'static,
) -> Resource<()> {
    resource::direct(uri, "fixed").handle(move |_: Read<()>| {
        let contents = contents();
        async move { Ok(contents) }
    })
}

/// The code that a resource which is not there has in a revision.
pub(crate) fn not_found(revision: Revision) -> i64 {
    if revision.is_modern() { -32602 } else { -32002 }
}

// RES-01, LF-09
#[tokio::test]
async fn resources_are_advertised_and_listed_by_uri() {
    let text = || vec![resource::text("x")];
    let seen = server_of(["b://1", "a://2", "B://1"].map(|uri| fixed(uri, text)));
    let unseen = seen.clone().with_resource_access(|(), _| false);
    let template = server_of([resource::template("t://{id}", "t")
        .handle(|_: Read<()>| async { Ok(vec![resource::text("x")]) })]);
    for (server, uris) in [
        (seen, &["B://1", "a://2", "b://1"][..]),
        (unseen, &[]),
        (template, &[]),
    ] {
        let discovered = Wire::new(server.clone(), ())
            .result("server/discover", json!({}))
            .await;
        assert_eq!(discovered["capabilities"]["resources"], json!({}));
        for revision in Revision::ALL {
            let mut wire = connect(&server, (), revision).await;
            assert_eq!(RESOURCES.keys(&mut wire).await, uris, "{revision}");
        }
    }
    let mut wire = Wire::new(server_of([]), ());
    let discovered = wire.result("server/discover", json!({})).await;
    assert_eq!(discovered["capabilities"].get("resources"), None);
    assert_eq!(wire.error("resources/list", json!({})).await.0, -32601);
}

// RES-02, RES-03, LF-07, ERR-01
#[tokio::test]
async fn what_is_not_there_is_an_error_that_names_the_uri() {
    for revision in Revision::ALL {
        let mut wire = connect(&fixture::server(), Guest::default(), revision).await;
        for uri in [
            "fixture://nothing",
            "fixture://About",
            "fixture://about/",
            "note://6",
            "note://x",
            "note://",
            "urn:isbn:0451450523",
            "fixture://empty",
            "fixture://ledger",
        ] {
            let refused = wire.error("resources/read", json!({ "uri": uri })).await;
            let expected = (
                not_found(revision),
                "resource not found".to_owned(),
                json!({ "uri": uri }),
            );
            assert_eq!(refused, expected, "{revision}");
        }
    }
}

// RES-04, LF-09
#[tokio::test]
async fn contents_have_a_uri_and_a_type_and_text_or_bytes() {
    let folder = || {
        vec![
            resource::text("").with_mime_type("text/x"),
            resource::blob([0xff, 0xfe])
                .with_uri("folder://a/1")
                .with_mime_type("image/png"),
            resource::text("plain").with_uri("folder://a/2"),
        ]
    };
    let typed = resource::direct("typed://a", "typed")
        .with_mime_type("text/markdown")
        .handle(|_: Read<()>| async { Ok(vec![resource::text("# A")]) });
    let server = server_of([fixed("folder://a", folder), typed]);
    for revision in Revision::ALL {
        let mut wire = connect(&server, (), revision).await;
        let read = wire
            .result("resources/read", json!({ "uri": "folder://a" }))
            .await;
        let expected = json!([
            { "uri": "folder://a", "mimeType": "text/x", "text": "" },
            { "uri": "folder://a/1", "mimeType": "image/png", "blob": "//4=" },
            { "uri": "folder://a/2", "text": "plain" },
        ]);
        assert_eq!(read["contents"], expected, "{revision}");
        let read = wire
            .result("resources/read", json!({ "uri": "typed://a" }))
            .await;
        let expected = json!([{ "uri": "typed://a", "mimeType": "text/markdown", "text": "# A" }]);
        assert_eq!(read["contents"], expected);
    }
}

// RES-07, LF-07
#[tokio::test]
async fn what_a_caller_may_not_read_is_neither_listed_nor_read() {
    let reads = Arc::<AtomicUsize>::default();
    let counted = {
        let reads = Arc::clone(&reads);
        move |_: Read<Guest>| {
            reads.fetch_add(1, Ordering::SeqCst);
            async { Ok(vec![resource::text("gold")]) }
        }
    };
    let server = Server::<Guest>::new([])
        .with_resources([
            resource::direct("safe://1", "safe").handle(counted.clone()),
            resource::template("vault://{id}", "vault")
                .list(|_, _, _| async { Ok(vec![Entry::new("vault://1", "one")]) })
                .handle(counted),
        ])
        .with_resource_access(|guest: &Guest, _| guest.admin);
    for revision in Revision::ALL {
        let mut wire = connect(&server, Guest::default(), revision).await;
        assert_eq!(RESOURCES.keys(&mut wire).await, [""; 0]);
        for uri in ["safe://1", "vault://1"] {
            let (code, ..) = wire.error("resources/read", json!({ "uri": uri })).await;
            assert_eq!(code, not_found(revision));
        }
        assert_eq!(reads.load(Ordering::SeqCst), 0);
    }
    let mut wire = Wire::new(server, Guest::admin());
    assert_eq!(RESOURCES.keys(&mut wire).await, ["safe://1", "vault://1"]);
    for uri in ["safe://1", "vault://1"] {
        wire.result("resources/read", json!({ "uri": uri })).await;
    }
    assert_eq!(reads.load(Ordering::SeqCst), 2);
}

// RES-08
#[tokio::test]
async fn a_failed_read_is_an_internal_error_that_hides_what_is_private() {
    let fails = |uri, error: fn() -> Error| {
        resource::direct(uri, "fails")
            .handle(move |_: Read<()>| async move { Err::<Vec<Contents>, _>(error()) })
    };
    let server = server_of([
        fails("x://private", || "no permission for /etc/secret".into()),
        fails("x://public", || Error::new("the disk is asleep")),
    ]);
    for revision in Revision::ALL {
        let mut wire = connect(&server, (), revision).await;
        let events = Events::capture();
        let private = wire
            .error("resources/read", json!({ "uri": "x://private" }))
            .await;
        assert_eq!(private, (-32603, "internal error".to_owned(), Value::Null));
        assert!(events.take()[0].contains("no permission for /etc/secret"));
        let public = wire
            .error("resources/read", json!({ "uri": "x://public" }))
            .await;
        assert_eq!(
            public,
            (-32603, "the disk is asleep".to_owned(), Value::Null)
        );
    }
}

// RES-11, RES-12, LF-09
#[tokio::test]
async fn annotations_and_sizes_are_shown_as_set() {
    let hints = || {
        Annotations::new()
            .with_audience([Role::User, Role::Assistant])
            .with_priority(0.25)
            .with_last_modified("2026-07-28T09:30:00Z")
    };
    let text = |_: Read<()>| async { Ok(vec![resource::text("x")]) };
    let out_of_range = Annotations::new()
        .with_audience([Role::User])
        .with_priority(7.0);
    let server = server_of([
        resource::direct("a://1", "one")
            .with_annotations(hints())
            .with_size(0)
            .handle(text),
        resource::direct("a://2", "two")
            .with_annotations(out_of_range)
            .with_size(9_007_199_254_740_991)
            .handle(text),
        resource::direct("a://3", "three").handle(text),
        resource::template("b://{id}", "b")
            .with_annotations(hints())
            .list(move |_, _, _| async move {
                Ok(vec![
                    Entry::new("b://1", "b1")
                        .with_size(12)
                        .with_annotations(hints()),
                ])
            })
            .handle(text),
    ]);
    for revision in Revision::ALL {
        let mut shown = json!({ "audience": ["user", "assistant"], "priority": 0.25 });
        // 2025-03-26 has no dates.
        if revision > Revision::V2025_03_26 {
            shown["lastModified"] = json!("2026-07-28T09:30:00Z");
        }
        let mut wire = connect(&server, (), revision).await;
        let listed = wire.result("resources/list", json!({})).await;
        let expected = json!([
            { "uri": "a://1", "name": "one", "size": 0, "annotations": shown },
            { "uri": "a://2", "name": "two", "size": 9_007_199_254_740_991_u64, "annotations": { "audience": ["user"], "priority": 1.0 } },
            { "uri": "a://3", "name": "three" },
            { "uri": "b://1", "name": "b1", "size": 12, "annotations": shown },
        ]);
        assert_eq!(listed["resources"], expected, "{revision}");
        let templates = wire.result("resources/templates/list", json!({})).await;
        assert_eq!(templates["resourceTemplates"][0]["annotations"], shown);
    }
}
