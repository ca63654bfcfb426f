//! The resources: notes, and the notes of each tag, as Markdown.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use relay_core::resource::{self, Contents, Entry};
use relay_core::{Call, Error, Read, Resource};

use crate::completion;
use crate::store::{Note, Summary, Tag};
use crate::tenant::Tenant;

/// Every resource.
pub(crate) fn all() -> [Resource<Tenant>; 2] {
    [note(), tag()]
}

fn note() -> Resource<Tenant> {
    resource::template("note://{id}", "note")
        .with_title("Note")
        .with_description("One note")
        .with_mime_type(MARKDOWN)
        .complete("id", completion::ids)
        .list(|call: Call<Tenant>, after, limit| async move {
            let after = after.and_then(|uri| uri.strip_prefix(NOTE)?.parse().ok());
            let notes = call.context().notebook.page(after, limit).await?;
            Ok(notes.into_iter().map(note_entry).collect())
        })
        .handle(|read: Read<Tenant>| async move {
            let note = read.context().notebook.note(read.parse("id")?).await?;
            Ok(vec![contents(&note.ok_or_else(Error::not_found)?)])
        })
}

fn tag() -> Resource<Tenant> {
    resource::template("notes://tag/{tag}", "tag")
        .with_title("Tag")
        .with_description("The notes that carry a tag")
        .with_mime_type(MARKDOWN)
        .complete("tag", completion::tags)
        .list(|call: Call<Tenant>, after, limit| async move {
            let after = after.and_then(|uri| tag_of(&uri));
            let tags = call.context().notebook.tags(String::new(), after, limit);
            Ok(tags.await?.iter().map(tag_entry).collect())
        })
        .handle(|read: Read<Tenant>| async move {
            let tag: String = read.parse("tag")?;
            let notebook = &read.context().notebook;
            let notes = notebook.recent(Some(tag.clone()), MAX_LISTED).await?;
            if notes.is_empty() {
                return Err(Error::not_found());
            }
            let page = format!("# {tag}\n\n{}", index(&notes));
            Ok(vec![resource::text(page)])
        })
}

/// A note as a reader sees it: under its title, unless the text begins with that.
pub(crate) fn contents(note: &Note) -> Contents {
    let Note { summary, text } = note;
    let heading = format!("# {}", summary.title);
    let text = if text.lines().next() == Some(&heading) {
        text.clone()
    } else {
        format!("{heading}\n\n{text}")
    };
    resource::text(text).with_mime_type(MARKDOWN)
}

/// Notes as a list, each with its URI.
pub(crate) fn index(notes: &[Summary]) -> String {
    let line = |note: &Summary| format!("- {} ({})\n", note.title, note_uri(note.id));
    notes.iter().map(line).collect::<Vec<_>>().concat()
}

pub(crate) fn note_uri(id: u32) -> String {
    format!("{NOTE}{id}")
}

const MARKDOWN: &str = "text/markdown";
const NOTE: &str = "note://";
const TAG: &str = "notes://tag/";

/// How many notes the page of a tag names.
const MAX_LISTED: usize = 1_000;

/// What a URI can't hold as it is.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

fn note_entry(note: Summary) -> Entry {
    let entry = Entry::new(note_uri(note.id), note.title);
    if note.tags.is_empty() {
        entry
    } else {
        entry.with_description(note.tags.join(", "))
    }
}

fn tag_entry(tag: &Tag) -> Entry {
    let count = match tag.notes {
        1 => "1 note".to_owned(),
        notes => format!("{notes} notes"),
    };
    Entry::new(tag_uri(&tag.name), &tag.name).with_description(count)
}

pub(crate) fn tag_uri(tag: &str) -> String {
    format!("{TAG}{}", utf8_percent_encode(tag, RESERVED))
}

fn tag_of(uri: &str) -> Option<String> {
    let decoded = percent_decode_str(uri.strip_prefix(TAG)?).decode_utf8();
    Some(decoded.ok()?.into_owned())
}
