//! `modern.md` §14, caching hints.

use std::time::Duration;

use relay_core::{
    Cache, Cacheable, Read, Revision, Server, codec, prompt,
    resource::{self, Entry},
    tool,
};
use relay_tests::wire::Wire;
use serde_json::{Value, json};

use crate::{eras::connect, lists::LISTS};

const KINDS: [Cacheable; 6] = [
    Cacheable::Discover,
    Cacheable::PromptsList,
    Cacheable::ResourcesList,
    Cacheable::ResourcesRead,
    Cacheable::ResourceTemplatesList,
    Cacheable::ToolsList,
];

/// A server with three of everything, none of whose results depend on the caller.
fn server() -> Server<()> {
    let names = ["a", "b", "c"];
    let text = |_: Read<()>| async { Ok(vec![resource::text("x")]) };
    let tools = names.map(|name| {
        tool::define(name, codec::object(()), codec::string())
            .handle(|()| async { Ok(String::new()) })
    });
    let prompts = names.map(|name| {
        prompt::define(name, prompt::optional("x"))
            .complete("x", |_, _| async { Ok(vec!["x"]) })
            .handle(|_| async { Ok(Vec::new()) })
    });
    let direct = names.map(|name| resource::direct(&format!("d://{name}"), name).handle(text));
    let templates =
        names.map(|name| resource::template(&format!("{name}://{{id}}"), name).handle(text));
    Server::new(tools)
        .with_prompts(prompts)
        .with_resources(direct.into_iter().chain(templates))
}

fn public(server: Server<()>) -> Server<()> {
    let ttl = Cache::public(Duration::from_millis(90_500));
    KINDS
        .into_iter()
        .fold(server, |server, kind| server.with_cache(kind, ttl))
}

/// The requests whose results carry hints.
fn cacheable() -> [(Cacheable, &'static str, Value); 6] {
    [
        (Cacheable::Discover, "server/discover", json!({})),
        (Cacheable::PromptsList, "prompts/list", json!({})),
        (Cacheable::ResourcesList, "resources/list", json!({})),
        (
            Cacheable::ResourcesRead,
            "resources/read",
            json!({ "uri": "d://a" }),
        ),
        (
            Cacheable::ResourceTemplatesList,
            "resources/templates/list",
            json!({}),
        ),
        (Cacheable::ToolsList, "tools/list", json!({})),
    ]
}

fn hints(result: &Value) -> (&Value, &Value) {
    (&result["ttlMs"], &result["cacheScope"])
}

// CACHE-01, CACHE-07
#[tokio::test]
async fn results_that_can_be_cached_say_so_and_by_default_that_they_may_not() {
    let mut wire = Wire::new(server(), ());
    for (_, method, params) in cacheable() {
        let result = wire.result(method, params).await;
        assert_eq!(hints(&result), (&json!(0), &json!("private")), "{method}");
    }
    let read = wire
        .result("resources/read", json!({ "uri": "a://1" }))
        .await;
    assert_eq!(hints(&read), (&json!(0), &json!("private")));
}

// CACHE-01, CACHE-03
#[tokio::test]
async fn each_kind_of_result_has_a_hint_of_its_own() {
    for set in KINDS {
        let server = server().with_cache(set, Cache::public(Duration::from_secs(5)));
        let mut wire = Wire::new(server, ());
        for (kind, method, params) in cacheable() {
            let result = wire.result(method, params).await;
            let expected = if kind == set {
                (json!(5_000), json!("public"))
            } else {
                (json!(0), json!("private"))
            };
            assert_eq!(
                hints(&result),
                (&expected.0, &expected.1),
                "{set:?} {method}"
            );
        }
    }
    let own = resource::direct("o://1", "own")
        .with_cache(Cache::private(Duration::from_secs(7)))
        .handle(|_: Read<()>| async { Ok(vec![resource::text("x")]) });
    let mut wire = Wire::new(public(server().with_resources([own])), ());
    let read = wire
        .result("resources/read", json!({ "uri": "o://1" }))
        .await;
    assert_eq!(hints(&read), (&json!(7_000), &json!("private")));
}

// CACHE-01
#[tokio::test]
async fn no_other_result_and_no_legacy_one_has_hints() {
    let server = public(server());
    let others = [
        ("tools/call", json!({ "name": "a" })),
        ("prompts/get", json!({ "name": "a" })),
        (
            "completion/complete",
            json!({ "ref": { "type": "ref/prompt", "name": "a" }, "argument": { "name": "x", "value": "" } }),
        ),
    ];
    for revision in Revision::ALL {
        let mut wire = connect(&server, (), revision).await;
        let legacy = cacheable()
            .into_iter()
            .map(|(_, method, params)| (method, params))
            .filter(|(method, _)| !revision.is_modern() && *method != "server/discover");
        for (method, params) in others.iter().cloned().chain(legacy) {
            let result = wire.result(method, params).await;
            assert_eq!(
                hints(&result),
                (&Value::Null, &Value::Null),
                "{revision} {method}"
            );
        }
        let refused = wire
            .ask("resources/read", json!({ "uri": "d://none" }))
            .await;
        assert!(!refused.to_string().contains("ttlMs"), "{refused}");
    }
}

// CACHE-02
#[tokio::test]
async fn a_time_to_live_is_a_whole_number_of_milliseconds() {
    let written = [
        (Duration::ZERO, 0),
        (Duration::from_nanos(999_999), 0),
        (Duration::from_micros(1_999), 1),
        (Duration::from_secs(3_600), 3_600_000),
        (Duration::MAX, 9_007_199_254_740_991_u64),
    ];
    for (ttl, millis) in written {
        for (kind, method, params) in cacheable() {
            let server = server().with_cache(kind, Cache::public(ttl));
            let result = Wire::new(server, ()).result(method, params).await;
            assert_eq!(result["ttlMs"].as_u64(), Some(millis), "{method}");
        }
    }
}

// CACHE-04
#[tokio::test]
async fn all_pages_of_a_list_have_one_scope() {
    let lister = resource::template("z://{id}", "z")
        .list(|_, after: Option<String>, limit: usize| async move {
            let rest = (1..=3).map(|n| format!("z://{n}"));
            let rest = rest.filter(|uri| after.as_ref().is_none_or(|after| uri > after));
            Ok(rest.take(limit).map(|uri| Entry::new(uri, "z")).collect())
        })
        .handle(|_: Read<()>| async { Ok(vec![resource::text("x")]) });
    let direct = ["a", "b", "c"].map(|name| {
        resource::direct(&format!("d://{name}"), name)
            .handle(|_: Read<()>| async { Ok(vec![resource::text("x")]) })
    });
    let listing = server().with_resources(direct.into_iter().chain([lister]));
    let filtered = server()
        .with_tool_visibility(|(), tool| tool.name() != "a")
        .with_prompt_access(|(), prompt| prompt.name() != "b")
        .with_resource_access(|(), resource| resource.name() != "c");
    for (server, expected) in [
        (server(), None),
        (listing, Some("resources/list")),
        (filtered, Some("")),
    ] {
        let mut wire = Wire::new(public(server).with_page_size(1), ());
        for list in LISTS {
            let private = expected.is_some_and(|method| method.is_empty() || method == list.method);
            let mut cursor = json!(null);
            let mut pages = 0;
            loop {
                let result = wire.result(list.method, json!({ "cursor": cursor })).await;
                let scope = if private { "private" } else { "public" };
                assert_eq!(
                    hints(&result),
                    (&json!(90_500), &json!(scope)),
                    "{} page {pages}",
                    list.method
                );
                pages += 1;
                match result.get("nextCursor") {
                    Some(next) => cursor = next.clone(),
                    None => break,
                }
            }
            assert!(
                pages > 1 || list.method == "resources/templates/list",
                "{}",
                list.method
            );
        }
    }
}

// CACHE-06
#[tokio::test]
async fn what_depends_on_the_caller_is_private_whatever_the_author_says() {
    let lister = resource::template("z://{id}", "z")
        .list(|_, _, _| async { Ok(Vec::new()) })
        .handle(|_: Read<()>| async { Ok(vec![resource::text("x")]) });
    let own = resource::direct("d://a", "own")
        .with_cache(Cache::public(Duration::from_secs(7)))
        .handle(|_: Read<()>| async { Ok(vec![resource::text("x")]) });
    let resources = [
        "resources/list",
        "resources/read",
        "resources/templates/list",
    ];
    let cases: [(&str, Server<()>, &[&str]); 6] = [
        ("nothing", server(), &[]),
        (
            "tool visibility",
            server().with_tool_visibility(|(), _| true),
            &["tools/list"],
        ),
        (
            "tool callability",
            server().with_tool_callability(|(), _| true),
            &[],
        ),
        (
            "prompt access",
            server().with_prompt_access(|(), _| true),
            &["prompts/list"],
        ),
        (
            "resource access",
            server()
                .with_resources([own])
                .with_resource_access(|(), _| true),
            &resources,
        ),
        (
            "a lister",
            server().with_resources([
                lister,
                resource::direct("d://a", "a")
                    .handle(|_: Read<()>| async { Ok(vec![resource::text("x")]) }),
            ]),
            &["resources/list"],
        ),
    ];
    for (what, server, private) in cases {
        let mut wire = Wire::new(public(server), ());
        for (_, method, params) in cacheable() {
            let result = wire.result(method, params).await;
            let expected = if private.contains(&method) {
                "private"
            } else {
                "public"
            };
            assert_eq!(result["cacheScope"], expected, "{what}: {method}");
        }
    }
}
