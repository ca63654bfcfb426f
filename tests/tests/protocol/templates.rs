//! `modern.md` §13, resource templates.

use std::panic::{AssertUnwindSafe, catch_unwind};

use relay_core::{
    Read, Resource, Revision, Server,
    resource::{self, Entry},
    uri_template::{UriTemplate, Variables},
};
use relay_tests::wire::Wire;
use serde_json::json;

use crate::{
    eras::connect,
    lists::{RESOURCES, TEMPLATES},
};

/// A template whose contents are the values of its variables.
fn told(template: &str) -> Resource<()> {
    let names: Vec<_> = UriTemplate::parse(template)
        .iter()
        .flat_map(UriTemplate::variables)
        .map(str::to_owned)
        .collect();
    resource::template(template, "told")
        .with_mime_type("text/plain")
        .handle(move |read: Read<()>| {
            let values = names.iter().map(|name| read.variable(name).unwrap_or("-"));
            let told = format!("template {}", values.collect::<Vec<_>>().join("|"));
            async move { Ok(vec![resource::text(told)]) }
        })
}

fn direct(uri: &str) -> Resource<()> {
    resource::direct(uri, "direct")
        .handle(|_: Read<()>| async { Ok(vec![resource::text("direct")]) })
}

// TPL-01, LF-09
#[tokio::test]
async fn templates_are_listed_apart_by_their_text_and_over_pages() {
    let templates = [
        "note://{id}",
        "file:///docs/{+path}",
        "acme://items{?q,page}",
        "a://{b}/{c}",
    ];
    let server = Server::new([])
        .with_resources(templates.map(told).into_iter().chain([direct("note://7")]))
        .with_page_size(2);
    for revision in Revision::ALL {
        let mut wire = connect(&server, (), revision).await;
        let pages = TEMPLATES.walk(&mut wire).await;
        let expected = [
            ["a://{b}/{c}", "acme://items{?q,page}"],
            ["file:///docs/{+path}", "note://{id}"],
        ];
        assert_eq!(pages, expected, "{revision}");
        for template in pages.concat() {
            UriTemplate::parse(&template).expect("a template of RFC 6570");
        }
        let first = wire.result("resources/templates/list", json!({})).await;
        let expected =
            json!({ "uriTemplate": "a://{b}/{c}", "name": "told", "mimeType": "text/plain" });
        assert_eq!(first["resourceTemplates"][0], expected);
        let hints = ["ttlMs", "cacheScope"].map(|hint| first.get(hint).is_some());
        assert_eq!(hints, [revision.is_modern(); 2]);
        assert_eq!(RESOURCES.keys(&mut wire).await, ["note://7"]);
    }
}

// TPL-01
#[test]
fn what_is_no_template_is_refused_when_it_is_defined() {
    for template in [
        "note://{",
        "note://{}",
        "note://{a b}",
        "note://}",
        "note://{=a}",
        "{scheme}://a",
        "note://{a}{b}",
        "",
    ] {
        let fault = resource::try_template::<()>(template, "t").expect_err("a fault");
        assert_eq!(fault.name(), template);
        assert!(!fault.faults().is_empty());
    }
}

// TPL-02, RES-04, LF-09
#[tokio::test]
async fn a_read_is_routed_to_the_template_with_decoded_variables() {
    let server = Server::new([]).with_resources(
        [
            "note://{id}",
            "a://{b}/{c}",
            "acme://items{?q,page}",
            "file:///docs/caf%C3%A9/{name}",
        ]
        .map(told),
    );
    let routed = [
        ("note://7", "template 7"),
        ("note://a%20b", "template a b"),
        ("note://a%2Fb", "template a/b"),
        ("note://%C3%BCn%C3%AF", "template ünï"),
        ("note://100%25", "template 100%"),
        ("note://%257B", "template %7B"),
        ("a://x/y", "template x|y"),
        ("acme://items", "template -|-"),
        ("acme://items?page=2", "template -|2"),
        ("acme://items?q=a%26b&page=2", "template a&b|2"),
        ("file:///docs/caf%C3%A9/menu", "template menu"),
    ];
    for revision in Revision::ALL {
        let mut wire = connect(&server, (), revision).await;
        for (uri, text) in routed {
            let read = wire.result("resources/read", json!({ "uri": uri })).await;
            let expected = json!([{ "uri": uri, "mimeType": "text/plain", "text": text }]);
            assert_eq!(read["contents"], expected, "{revision} {uri}");
        }
        for uri in [
            "note://",
            "note://a/b",
            "note://7?x=1",
            "note://7#x",
            "NOTE://7",
            "a://x",
            "note://%FF",
        ] {
            let (_, message, data) = wire.error("resources/read", json!({ "uri": uri })).await;
            assert_eq!(
                (&*message, data),
                ("resource not found", json!({ "uri": uri }))
            );
        }
    }
}

// TPL-02
#[tokio::test]
async fn a_direct_resource_wins_over_a_template_that_its_uri_fits() {
    let resources = || [told("note://{id}"), direct("note://7")];
    let reversed = resources().into_iter().rev();
    for server in [
        Server::new([]).with_resources(resources()),
        Server::new([]).with_resources(reversed),
    ] {
        for revision in Revision::ALL {
            let mut wire = connect(&server, (), revision).await;
            for (uri, text) in [
                ("note://7", "direct"),
                ("note://8", "template 8"),
                ("note://%37", "template 7"),
            ] {
                let read = wire.result("resources/read", json!({ "uri": uri })).await;
                assert_eq!(read["contents"][0]["text"], text, "{revision}");
            }
        }
        let hidden = server.with_resource_access(|(), resource| resource.name() != "direct");
        let mut wire = Wire::new(hidden, ());
        let read = wire
            .result("resources/read", json!({ "uri": "note://7" }))
            .await;
        let text = &read["contents"][0]["text"];
        assert_eq!(
            text, "template 7",
            "what is hidden is as if it were not there"
        );
    }
}

// TPL-02
#[test]
fn templates_that_one_uri_could_be_of_are_refused_when_the_server_is_composed() {
    let pairs = [
        ("note://{id}", "note://{name}.md"),
        ("note://{+path}", "note://{id}"),
        ("note://{id}", "note://{id}"),
    ];
    for (one, other) in pairs {
        let compose = || Server::new([]).with_resources([told(one), told(other)]);
        let panicked = catch_unwind(AssertUnwindSafe(compose)).expect_err("a panic");
        let said = panicked.downcast_ref::<String>().expect("a text");
        assert!(said.contains(one) && said.contains(other), "{said}");
    }
}

// TPL-01, LF-09
#[tokio::test]
async fn a_template_may_list_its_own_resources_among_the_direct_ones() {
    let notes = resource::template("note://{id}", "note")
        .with_mime_type("text/markdown")
        .list(|_, after: Option<String>, limit: usize| async move {
            let all = ["note://z", "note://b", "note://y"];
            let seen = after.map_or(0, |after| {
                all.iter()
                    .position(|uri| *uri == after)
                    .map_or(0, |at| at + 1)
            });
            let entry = |uri: &&str| Entry::new(*uri, "n").with_title("N").with_description("D");
            Ok(all.iter().skip(seen).take(limit).map(entry).collect())
        })
        .handle(|_: Read<()>| async { Ok(vec![resource::text("x")]) });
    let resources = [
        notes,
        told("quiet://{id}"),
        direct("zz://1"),
        direct("aa://1"),
    ];
    let server = Server::new([]).with_resources(resources).with_page_size(2);
    for revision in Revision::ALL {
        let mut wire = connect(&server, (), revision).await;
        let expected = [
            &["aa://1", "zz://1"][..],
            &["note://z", "note://b"],
            &["note://y"],
        ];
        assert_eq!(RESOURCES.walk(&mut wire).await, expected, "{revision}");
    }
    let mut wire = Wire::new(server.with_page_size(9), ());
    let listed = wire.result("resources/list", json!({})).await;
    let expected = json!({
        "uri": "note://z", "name": "n", "title": "N", "description": "D", "mimeType": "text/markdown",
    });
    assert_eq!(listed["resources"][2], expected);
}

// TPL-03
#[tokio::test]
async fn a_matcher_of_the_authors_own_decides_in_place_of_the_template() {
    let day = resource::template("days://{date}", "day")
        .with_matcher(|uri| {
            let date = uri.strip_prefix("days://")?;
            (date.len() == 10).then(|| Variables::from_iter([("date", date)]))
        })
        .handle(|read: Read<()>| async move {
            Ok(vec![resource::text(
                read.variable("date").unwrap_or_default(),
            )])
        });
    let server = Server::new([]).with_resources([day]);
    let mut wire = Wire::new(server, ());
    let read = wire
        .result("resources/read", json!({ "uri": "days://2026-07-28" }))
        .await;
    assert_eq!(read["contents"][0]["text"], "2026-07-28");
    let (code, _, data) = wire
        .error("resources/read", json!({ "uri": "days://today" }))
        .await;
    assert_eq!((code, &data["uri"]), (-32602, &json!("days://today")));
}
