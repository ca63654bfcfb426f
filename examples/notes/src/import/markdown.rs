//! From a Markdown file to a note.

use std::borrow::Cow;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::Reason;
use crate::store::{Draft, MAX_TEXT, MAX_TITLE};

/// No text that fits is longer than this, in bytes.
const MAX_BYTES: usize = MAX_TEXT * 4;

/// Reads a file; no more of it than a note may hold.
pub(super) fn read(file: &Path) -> Result<Draft, Reason> {
    let mut bytes = Vec::new();
    File::open(file)
        .and_then(|opened| opened.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes))
        .map_err(|_cause| Reason::Unreadable)?;
    if bytes.len() > MAX_BYTES {
        return Err(Reason::Large);
    }
    let text = String::from_utf8(bytes).map_err(|_not_utf8| Reason::NotText)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    if text.trim().is_empty() {
        return Err(Reason::Empty);
    }
    if text.chars().count() > MAX_TEXT {
        return Err(Reason::Large);
    }
    let title = heading(text).or_else(|| name(file)).ok_or(Reason::Empty)?;
    Ok(Draft {
        title,
        text: text.to_owned(),
        tags: Vec::new(),
    })
}

/// The words of the first heading that has any, without their formatting.
fn heading(text: &str) -> Option<String> {
    // What stands between the fences of a front matter is no heading.
    let mut events = Parser::new_ext(text, Options::ENABLE_YAML_STYLE_METADATA_BLOCKS);
    while events.any(|event| matches!(event, Event::Start(Tag::Heading { .. }))) {
        let within = events
            .by_ref()
            .take_while(|event| !matches!(event, Event::End(TagEnd::Heading(_))));
        let words: String = within.filter_map(words).collect();
        if let Some(title) = title(&words) {
            return Some(title);
        }
    }
    None
}

fn words(event: Event<'_>) -> Option<Cow<'_, str>> {
    match event {
        Event::Text(words) | Event::Code(words) => Some(words.into()),
        Event::SoftBreak | Event::HardBreak => Some(" ".into()),
        _ => None,
    }
}

fn name(file: &Path) -> Option<String> {
    title(&file.file_stem()?.to_string_lossy())
}

/// On one line and no longer than a title may be; `None` when nothing is left.
fn title(words: &str) -> Option<String> {
    let line = words.split_whitespace().collect::<Vec<_>>().join(" ");
    let title: String = line.chars().take(MAX_TITLE).collect();
    (!title.is_empty()).then_some(title)
}

#[cfg(test)]
mod tests {
    use super::{heading, title};

    #[test]
    fn the_first_heading_is_the_title() {
        for (text, expected) in [
            ("# Plan\n## Part", "Plan"),
            ("Some words\n\n### The *big* `plan` ###\n", "The big plan"),
            ("```\n# not this\n```\n\n# This", "This"),
            ("Two\nlines\n====\n", "Two lines"),
            ("---\ntitle: x\n# not this\n---\n\n# This", "This"),
            ("#\n\n# [Link](http://example.com)", "Link"),
        ] {
            assert_eq!(heading(text).as_deref(), Some(expected), "{text}");
        }
        assert_eq!(heading("#hashtag\n\nno heading"), None);
    }

    #[test]
    fn a_title_is_one_line_of_bounded_length() {
        assert_eq!(title(" a\t b\n").as_deref(), Some("a b"));
        assert_eq!(
            title(&"é".repeat(500)).map(|title| title.chars().count()),
            Some(200)
        );
        assert_eq!(title(" \n"), None);
    }
}
