//! `modern.md` §14, pagination.

mod cursors;
mod walking;

use relay_core::{
    KeyRing, Read, Revision, Server, Tool, codec, prompt,
    resource::{self, Entry},
    tool,
};
use relay_tests::wire::Wire;
use serde_json::json;

use crate::{
    eras::connect,
    lists::{LISTS, List, Page, TOOLS},
};

const KEY: [u8; 32] = [7; 32];

fn keys() -> KeyRing {
    KeyRing::new(&KEY).unwrap_or_else(|_| KeyRing::random())
}

fn named(name: &str) -> Tool<()> {
    tool::define(name, codec::object(()), codec::string()).handle(|()| async { Ok(String::new()) })
}

fn numbered(count: usize) -> impl Iterator<Item = String> {
    (0..count).map(|n| format!("n{n}"))
}

/// A server whose four lists have `count` items each, in pages of two. Half of the resources are
/// those of a template.
fn server(count: usize) -> Server<()> {
    let text = |_: Read<()>| async { Ok(vec![resource::text("x")]) };
    let direct = numbered(count.div_ceil(2))
        .map(|n| resource::direct(&format!("d://{n}"), "d").handle(text));
    let templates = numbered(count).map(|n| {
        let template = resource::template(&format!("{n}://{{id}}"), "t");
        if n == "n0" {
            template
                .list(move |_, after: Option<String>, limit: usize| async move {
                    let all = numbered(count / 2).map(|id| format!("n0://{id}"));
                    let rest = all.filter(|uri| after.as_ref().is_none_or(|after| uri > after));
                    Ok(rest.take(limit).map(|uri| Entry::new(uri, "n")).collect())
                })
                .handle(text)
        } else {
            template.handle(text)
        }
    });
    let resources: Vec<_> = direct.chain(templates).collect();
    let prompts =
        numbered(count).map(|n| prompt::define(&n, ()).handle(|()| async { Ok(Vec::new()) }));
    Server::new(numbered(count).map(|n| named(&n)))
        .with_resources(resources)
        .with_prompts(prompts)
        .with_page_size(2)
        .with_info("pages", "1")
        .with_keys(keys())
}

/// The cursor of the second page.
async fn cursor<C: Send + Sync + 'static>(list: List, wire: &mut Wire<C>) -> String {
    let next = list.page(wire, None).await.next;
    assert!(next.is_some(), "{} has a second page", list.method);
    next.unwrap_or_default()
}

// PAGE-02, PAGE-05, P03, LF-09
#[tokio::test]
async fn a_walk_shows_each_item_once_and_the_last_page_has_no_cursor() {
    for count in [1, 2, 3, 4, 5, 6, 7] {
        for revision in Revision::ALL {
            let mut wire = connect(&server(count), (), revision).await;
            for list in LISTS {
                let pages = list.walk(&mut wire).await;
                let sizes: Vec<_> = pages.iter().map(Vec::len).collect();
                let expected: Vec<_> = (0..count).step_by(2).map(|at| 2.min(count - at)).collect();
                assert_eq!(sizes, expected, "{} of {count}", list.method);
                let keys = pages.concat();
                let mut unique = keys.clone();
                unique.sort();
                assert_eq!(unique, keys, "in order");
                unique.dedup();
                assert_eq!(unique.len(), count, "each once");
            }
        }
    }
}

// PAGE-02, P03
#[tokio::test]
async fn an_empty_list_is_one_page_without_a_cursor() {
    let unseen = server(3)
        .with_tool_visibility(|(), _| false)
        .with_prompt_access(|(), _| false)
        .with_resource_access(|(), _| false);
    for revision in Revision::ALL {
        let mut wire = connect(&unseen, (), revision).await;
        for list in LISTS {
            let result = wire.result(list.method, json!({})).await;
            assert_eq!(result.get("nextCursor"), None, "{result}");
            assert_eq!(result[list.member], json!([]));
        }
    }
}

// PAGE-04, PAGE-05, P03
#[tokio::test]
async fn null_is_the_first_page_and_a_cursor_can_be_used_again() {
    for revision in Revision::ALL {
        let mut wire = connect(&server(5), (), revision).await;
        for list in LISTS {
            let first = list.page(&mut wire, None).await;
            let null = wire.result(list.method, json!({ "cursor": null })).await;
            assert_eq!(list.read(&null), first);
            let second = list.page(&mut wire, first.next.as_deref()).await;
            let last = list.page(&mut wire, second.next.as_deref()).await;
            assert_eq!((last.keys.len(), &last.next), (1, &None));
            for (cursor, page) in [(&first.next, &second), (&second.next, &last)] {
                assert_eq!(list.page(&mut wire, cursor.as_deref()).await, *page);
            }
        }
    }
}

// PAGE-03
#[tokio::test]
async fn a_cursor_goes_on_at_another_replica_and_after_changes() {
    let rotated = KeyRing::new(&[8; 32])
        .and_then(|ring| ring.with_opening(&KEY))
        .expect("keys");
    let replicas = [
        server(5),
        server(5).with_info("pages", "2"),
        server(5).with_keys(rotated),
        server(5).with_audience("pages"),
        server(5).with_page_size(3),
        server(5).with_instructions("new"),
    ];
    for revision in Revision::ALL {
        for list in LISTS {
            let first = list
                .page(&mut connect(&server(5), (), revision).await, None)
                .await;
            for replica in &replicas {
                let mut wire = connect(replica, (), revision).await;
                let mut keys = first.keys.clone();
                let mut next = first.next.clone();
                while let Some(cursor) = next {
                    let page = list.page(&mut wire, Some(&cursor)).await;
                    keys.extend(page.keys);
                    next = page.next;
                }
                assert_eq!(keys, list.keys(&mut wire).await, "{}", list.method);
            }
        }
    }
    let mut wire = Wire::new(server(5), ());
    let good = cursor(TOOLS, &mut wire).await;
    let changed = server(5).unregister_tool("n1").unregister_tool("n2");
    let changed = changed.register_tool(named("n11")).expect("a new name");
    let page = TOOLS.page(&mut wire.served_by(changed), Some(&good)).await;
    assert_eq!(
        page,
        Page {
            keys: vec!["n11".into(), "n3".into()],
            next: page.next.clone()
        }
    );
    assert!(page.next.is_some());
}
