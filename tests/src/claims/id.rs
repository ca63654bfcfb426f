//! The form of a row's ID: a group and two digits, `JR-02`, or a case's letter and two digits, `S01`.

use std::collections::BTreeSet;

/// The IDs in a text, in the order of their names.
#[must_use]
pub fn ids(text: &str) -> BTreeSet<String> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_'))
        .filter(|word| is_id(word))
        .map(ToOwned::to_owned)
        .collect()
}

fn is_id(word: &str) -> bool {
    let is_number = |text: &str| text.len() == 2 && text.bytes().all(|b| b.is_ascii_digit());
    if let Some((group, number)) = word.split_once('-') {
        return group.len() > 1
            && group.bytes().all(|b| b.is_ascii_uppercase())
            && is_number(number);
    }
    let mut characters = word.chars();
    characters.next().is_some_and(|c| c.is_ascii_uppercase()) && is_number(characters.as_str())
}
