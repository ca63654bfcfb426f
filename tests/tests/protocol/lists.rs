//! The four lists, and their pages.

use relay_tests::wire::Wire;
use serde_json::{Value, json};

/// One of the methods that list something.
#[derive(Clone, Copy, Debug)]
pub(crate) struct List {
    pub(crate) method: &'static str,
    /// The member of the result that holds the items.
    pub(crate) member: &'static str,
    /// The member of an item that tells it from the others.
    pub(crate) key: &'static str,
}

pub(crate) const TOOLS: List = List {
    method: "tools/list",
    member: "tools",
    key: "name",
};
pub(crate) const PROMPTS: List = List {
    method: "prompts/list",
    member: "prompts",
    key: "name",
};
pub(crate) const RESOURCES: List = List {
    method: "resources/list",
    member: "resources",
    key: "uri",
};
pub(crate) const TEMPLATES: List = List {
    method: "resources/templates/list",
    member: "resourceTemplates",
    key: "uriTemplate",
};
pub(crate) const LISTS: [List; 4] = [TOOLS, PROMPTS, RESOURCES, TEMPLATES];

/// More pages than any list of these tests has: a walk that does not end fails instead.
const TOO_MANY: usize = 100;

/// One page: the keys of its items, and the cursor of the next one.
#[derive(Debug, PartialEq)]
pub(crate) struct Page {
    pub(crate) keys: Vec<String>,
    pub(crate) next: Option<String>,
}

impl List {
    /// The first page, or the one that a cursor leads to.
    pub(crate) async fn page<C: Send + Sync + 'static>(
        &self,
        wire: &mut Wire<C>,
        cursor: Option<&str>,
    ) -> Page {
        let params = cursor.map_or_else(|| json!({}), |cursor| json!({ "cursor": cursor }));
        self.read(&wire.result(self.method, params).await)
    }

    /// The page that a result holds.
    pub(crate) fn read(&self, result: &Value) -> Page {
        let next = result.get("nextCursor");
        assert!(
            next.is_none_or(Value::is_string),
            "a cursor is text, or is not there: {result}"
        );
        let items = result.get(self.member).and_then(Value::as_array);
        assert!(items.is_some(), "{} in {result}", self.member);
        let key = |item: &Value| {
            let key = item.get(self.key).and_then(Value::as_str);
            assert!(key.is_some(), "{} in {item}", self.key);
            key.unwrap_or_default().to_owned()
        };
        Page {
            keys: items.into_iter().flatten().map(key).collect(),
            next: next.and_then(Value::as_str).map(str::to_owned),
        }
    }

    /// All pages, one after another.
    pub(crate) async fn walk<C: Send + Sync + 'static>(
        &self,
        wire: &mut Wire<C>,
    ) -> Vec<Vec<String>> {
        let mut pages = Vec::new();
        let mut cursor = None;
        loop {
            let page = self.page(wire, cursor.as_deref()).await;
            pages.push(page.keys);
            assert!(pages.len() < TOO_MANY, "the walk goes on: {pages:?}");
            cursor = page.next;
            if cursor.is_none() {
                return pages;
            }
        }
    }

    /// Every key, in the order of the pages.
    pub(crate) async fn keys<C: Send + Sync + 'static>(&self, wire: &mut Wire<C>) -> Vec<String> {
        self.walk(wire).await.concat()
    }
}
