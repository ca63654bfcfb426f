//! What a server holds, by name or URI.

mod page;
mod rendered;

use std::sync::Arc;

use indexmap::IndexMap;

pub(crate) use page::page;
pub(crate) use rendered::Rendered;

/// Items under unique keys: found by key, told in registration order, and walked in key order.
#[derive(Clone, Debug)]
pub(crate) struct Catalog<T> {
    items: IndexMap<Arc<str>, T>,
    /// Positions in `items`, in the order of their keys.
    order: Vec<usize>,
}

impl<T> Catalog<T> {
    /// # Errors
    ///
    /// The first key that is given twice.
    pub(crate) fn new(items: impl IntoIterator<Item = (Arc<str>, T)>) -> Result<Self, Arc<str>> {
        let mut unique = IndexMap::new();
        for (key, item) in items {
            if unique.insert(Arc::clone(&key), item).is_some() {
                return Err(key);
            }
        }
        Ok(Self {
            order: order_of(&unique),
            items: unique,
        })
    }

    pub(crate) fn get(&self, key: &str) -> Option<&T> {
        self.items.get(key)
    }

    pub(crate) fn contains(&self, key: &str) -> bool {
        self.items.contains_key(key)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The items in registration order.
    pub(crate) fn values(&self) -> impl ExactSizeIterator<Item = &T> {
        self.items.values()
    }

    /// The items whose keys come after `key`, in the order of their keys; all of them for `None`.
    pub(crate) fn after(&self, key: Option<&str>) -> impl Iterator<Item = (&Arc<str>, &T)> {
        let seen = key.map_or(0, |key| {
            self.order.partition_point(|&position| {
                self.items
                    .get_index(position)
                    .is_some_and(|(other, _)| &**other <= key)
            })
        });
        self.order
            .iter()
            .skip(seen)
            .filter_map(|&position| self.items.get_index(position))
    }
}

impl<T: Clone> Catalog<T> {
    /// A copy with one more item, or nothing where the key is taken.
    pub(crate) fn with(&self, key: Arc<str>, item: T) -> Option<Self> {
        if self.contains(&key) {
            return None;
        }
        let mut items = self.items.clone();
        items.insert(key, item);
        Some(Self {
            order: order_of(&items),
            items,
        })
    }

    /// A copy without the item of that key.
    pub(crate) fn without(&self, key: &str) -> Self {
        let mut items = self.items.clone();
        items.shift_remove(key);
        Self {
            order: order_of(&items),
            items,
        }
    }
}

impl<T> Default for Catalog<T> {
    fn default() -> Self {
        Self {
            items: IndexMap::new(),
            order: Vec::new(),
        }
    }
}

fn order_of<T>(items: &IndexMap<Arc<str>, T>) -> Vec<usize> {
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by_key(|&position| items.get_index(position).map(|(key, _)| key));
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    fn catalog(keys: &[&str]) -> Catalog<usize> {
        Catalog::new(
            keys.iter()
                .enumerate()
                .map(|(at, &key)| (Arc::from(key), at)),
        )
        .expect("unique keys")
    }

    // TOOL-02, T09
    #[test]
    fn walks_in_key_order_and_tells_in_registration_order() {
        let catalog = catalog(&["c", "a", "b"]);
        assert_eq!(catalog.values().copied().collect::<Vec<_>>(), [0, 1, 2]);
        let walked: Vec<_> = catalog.after(None).map(|(key, _)| &**key).collect();
        assert_eq!(walked, ["a", "b", "c"]);
    }

    // PAGE-03
    #[test]
    fn after_a_key_that_is_gone_comes_the_next_one() {
        let catalog = catalog(&["a", "b", "c"]).without("b");
        let walked: Vec<_> = catalog.after(Some("b")).map(|(key, _)| &**key).collect();
        assert_eq!(walked, ["c"]);
    }

    #[test]
    fn names_the_first_key_given_twice() {
        let keys = ["a", "b", "a"].map(|key| (Arc::<str>::from(key), ()));
        assert_eq!(Catalog::new(keys).err().as_deref(), Some("a"));
    }
}
