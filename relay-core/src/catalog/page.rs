use super::Catalog;

/// One page of a list: what it shows, and the key of its last item where there are more.
#[derive(Debug)]
pub(crate) struct Page<'a, T> {
    pub(crate) items: Vec<&'a T>,
    pub(crate) next: Option<&'a str>,
}

/// The first `size` shown items of a catalogue that come after a key.
pub(crate) fn page<'a, T>(
    catalog: &'a Catalog<T>,
    after: Option<&str>,
    size: usize,
    shown: impl Fn(&T) -> bool,
) -> Page<'a, T> {
    let mut last = None;
    let mut items = Vec::new();
    for (key, item) in catalog.after(after).filter(|(_, item)| shown(item)) {
        if items.len() == size {
            return Page { items, next: last };
        }
        items.push(item);
        last = Some(&**key);
    }
    Page { items, next: None }
}
