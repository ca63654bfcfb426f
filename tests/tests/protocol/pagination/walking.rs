//! Walking the pages of a list while its items come and go.

use std::collections::BTreeSet;

use proptest::prelude::*;
use relay_core::{
    Prompt, Read, Resource, Revision, Server, prompt,
    resource::{self, Entry},
};
use relay_tests::wire::Wire;

use super::{keys, named};
use crate::{
    eras::{connect, runtime},
    lists::{List, PROMPTS, RESOURCES, TEMPLATES, TOOLS},
};

/// Items by number: those below `POSSIBLE` may be there.
type Items = BTreeSet<u8>;

const POSSIBLE: u8 = 14;

/// Between two pages: some items come and some go.
#[derive(Clone, Debug)]
struct Change {
    come: Vec<u8>,
    go: Vec<u8>,
}

#[derive(Clone, Debug)]
struct Story {
    at_first: Items,
    changes: Vec<Change>,
    page_size: usize,
    revision: Revision,
}

fn stories() -> impl Strategy<Value = Story> {
    let items = || prop::collection::vec(0..POSSIBLE, 0..4);
    let change = (items(), items()).prop_map(|(come, go)| Change { come, go });
    (
        prop::collection::btree_set(0..POSSIBLE, 0..12),
        prop::collection::vec(change, 0..8),
        1..5_usize,
        prop::sample::select(&Revision::ALL[..]),
    )
        .prop_map(|(at_first, changes, page_size, revision)| Story {
            at_first,
            changes,
            page_size,
            revision,
        })
}

/// The key of an item: two orders of magnitude, so that text order is not number order, and mixed
/// case.
fn key(item: u8) -> String {
    let letter = if item.is_multiple_of(2) { 'a' } else { 'B' };
    format!("{letter}{}", u32::from(item) * 7 % 101)
}

impl Story {
    /// Walks the list while the changes happen, and checks what was shown: each item that was
    /// there all the time once, no item twice, and none that never was.
    async fn hold(
        &self,
        list: List,
        key: impl Fn(u8) -> String,
        serve: impl Fn(Option<&Server<()>>, &Items) -> Server<()>,
    ) {
        let mut items = self.at_first.clone();
        let mut stayed = items.clone();
        let mut ever = items.clone();
        let mut server = serve(None, &items);
        let mut wire: Wire<()> = connect(&server, (), self.revision).await;
        let mut changes = self.changes.iter();
        let mut shown = Vec::new();
        let mut cursor = None;
        loop {
            let page = list.page(&mut wire, cursor.as_deref()).await;
            assert!(page.keys.len() <= self.page_size, "{page:?}");
            assert!(
                page.next.is_none() || page.keys.len() == self.page_size,
                "{page:?}"
            );
            shown.extend(page.keys);
            cursor = page.next;
            if cursor.is_none() {
                break;
            }
            if let Some(Change { come, go }) = changes.next() {
                items.extend(come);
                ever.extend(come);
                items.retain(|item| !go.contains(item));
                stayed.retain(|item| !go.contains(item));
                server = serve(Some(&server), &items);
                wire = wire.served_by(server.clone());
            }
        }
        let times = |item: &u8| shown.iter().filter(|shown| **shown == key(*item)).count();
        assert!(
            stayed.iter().all(|item| times(item) == 1),
            "{self:?} {shown:?}"
        );
        assert!(
            ever.iter().all(|item| times(item) <= 1),
            "{self:?} {shown:?}"
        );
        let known: Vec<_> = ever.iter().map(|item| key(*item)).collect();
        assert!(
            shown.iter().all(|key| known.contains(key)),
            "{self:?} {shown:?}"
        );
    }

    fn settings(&self, server: Server<()>) -> Server<()> {
        server
            .with_page_size(self.page_size)
            .with_keys(keys())
            .with_info("walk", "1")
    }
}

fn prompt_of(item: u8) -> Prompt<()> {
    prompt::define(&key(item), ()).handle(|()| async { Ok(Vec::new()) })
}

fn direct_of(item: u8) -> Resource<()> {
    resource::direct(&format!("d://{}", key(item)), "d")
        .handle(|_: Read<()>| async { Ok(vec![resource::text("x")]) })
}

fn template_of(item: u8) -> Resource<()> {
    resource::template(&format!("{}://{{id}}", key(item)), "t")
        .handle(|_: Read<()>| async { Ok(vec![resource::text("x")]) })
}

/// A template that lists these items of its own, by URI.
fn lister_of(scheme: &str, items: impl Iterator<Item = u8>) -> Resource<()> {
    let mut uris: Vec<_> = items
        .map(|item| format!("{scheme}://{}", key(item)))
        .collect();
    uris.sort();
    resource::template(&format!("{scheme}://{{id}}"), "l")
        .list(move |_, after: Option<String>, limit: usize| {
            let rest = uris
                .iter()
                .filter(|uri| after.as_ref().is_none_or(|after| *uri > after));
            let entries = rest.take(limit).map(|uri| Entry::new(uri, "l")).collect();
            async move { Ok(entries) }
        })
        .handle(|_: Read<()>| async { Ok(vec![resource::text("x")]) })
}

/// A third of the resources are direct, the others are those of two templates.
fn uri(item: u8) -> String {
    let scheme = match item % 3 {
        0 => "d",
        1 => "m",
        _ => "a",
    };
    format!("{scheme}://{}", key(item))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    // PAGE-03, PAGE-05, P03
    #[test]
    fn tools_that_stayed_are_shown_once(story in stories()) {
        runtime().expect("a runtime").block_on(story.hold(TOOLS, key, |before, items| {
            let Some(before) = before else {
                // One that is never gone keeps the list itself there.
                let tools = items.iter().map(|item| named(&key(*item)));
                let hidden = tools.chain([named("hidden")]);
                return story
                    .settings(Server::new(hidden))
                    .with_tool_visibility(|(), tool| tool.name() != "hidden");
            };
            let mut server = before.clone();
            for item in 0..POSSIBLE {
                let name = key(item);
                if !items.contains(&item) {
                    server = server.unregister_tool(&name);
                } else if !server.has_tool(&name) {
                    server = server.register_tool(named(&name)).expect("a free name");
                }
            }
            server
        }));
    }

    // PAGE-03, PAGE-05, P03
    #[test]
    fn prompts_that_stayed_are_shown_once(story in stories()) {
        runtime().expect("a runtime").block_on(story.hold(PROMPTS, key, |_, items| {
            let prompts = items.iter().map(|item| prompt_of(*item));
            let hidden = prompt::define("hidden", ()).handle(|()| async { Ok(Vec::new()) });
            story
                .settings(Server::new([]).with_prompts(prompts.chain([hidden])))
                .with_prompt_access(|(), prompt| prompt.name() != "hidden")
        }));
    }

    // PAGE-03, PAGE-05, P03
    #[test]
    fn resources_that_stayed_are_shown_once(story in stories()) {
        runtime().expect("a runtime").block_on(story.hold(RESOURCES, uri, |_, items| {
            let of = |kind: u8| items.iter().copied().filter(move |item| item % 3 == kind);
            let resources = of(0).map(direct_of).chain([lister_of("m", of(1)), lister_of("a", of(2))]);
            story.settings(Server::new([]).with_resources(resources))
        }));
    }

    // PAGE-03, PAGE-05, P03
    #[test]
    fn templates_that_stayed_are_shown_once(story in stories()) {
        let template = |item| format!("{}://{{id}}", key(item));
        runtime().expect("a runtime").block_on(story.hold(TEMPLATES, template, |_, items| {
            let templates = items.iter().map(|item| template_of(*item));
            story.settings(Server::new([]).with_resources(templates.chain([direct_of(0)])))
        }));
    }

    // PAGE-03, P03
    #[test]
    fn templates_that_list_may_come_and_go_themselves(story in stories()) {
        let uri = |item: u8| format!("x{}://{}", item % 5, key(item));
        runtime().expect("a runtime").block_on(story.hold(RESOURCES, uri, |_, items| {
            let of = |kind: u8| items.iter().copied().filter(move |item| item % 5 == kind);
            let listers = (0..5).filter(|kind| of(*kind).next().is_some());
            let listers = listers.map(|kind| lister_of(&format!("x{kind}"), of(kind)));
            story.settings(Server::new([]).with_resources(listers.chain([template_of(99)])))
        }));
    }
}
