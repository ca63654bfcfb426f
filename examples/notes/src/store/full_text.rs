//! From what a user typed to a query that the full text index accepts.

/// Every word must occur, each as the beginning of a word of the note.
///
/// Words are quoted, so that nothing in them is an operator. `None` when there is no word at all.
pub(super) fn query(text: &str) -> Option<String> {
    let words: Vec<String> = text
        // A NUL would end the query inside its quotes.
        .split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| word.contains(char::is_alphanumeric))
        .map(|word| format!("\"{}\"*", word.replace('"', "\"\"")))
        .collect();
    (!words.is_empty()).then(|| words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::query;

    #[test]
    fn words_are_quoted_one_by_one() {
        assert_eq!(query("red  apples").as_deref(), Some(r#""red"* "apples"*"#));
        assert_eq!(query(r#"say "hi""#).as_deref(), Some(r#""say"* """hi"""*"#));
        assert_eq!(query("a\0b").as_deref(), Some(r#""a"* "b"*"#));
    }

    #[test]
    fn text_without_a_word_asks_for_nothing() {
        assert_eq!(query(""), None);
        assert_eq!(query(" - \" * ( \0 "), None);
    }
}
