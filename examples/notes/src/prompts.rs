//! The prompts: what a user asks for again and again.

use relay_core::{Call, Error, Prompt, content, prompt};

use crate::completion;
use crate::resources::{contents, index, note_uri};
use crate::store::Summary;
use crate::tenant::Tenant;

/// Every prompt.
pub(crate) fn all() -> [Prompt<Tenant>; 2] {
    [summarise(), weekly_review()]
}

fn summarise() -> Prompt<Tenant> {
    let id = prompt::required("id").with_description("The note's id");
    let style = prompt::defaulted("style", "bullets")
        .with_description("What the summary looks like: bullets, say, or one paragraph");
    prompt::define("summarise", (id, style))
        .with_title("Summarise a note")
        .with_description("The main points of one note")
        .complete("id", completion::ids)
        .complete("style", |_call: Call<Tenant>, typed: String| async move {
            let fits = |style: &&str| style.starts_with(&typed);
            Ok(STYLES.into_iter().filter(fits).collect::<Vec<_>>())
        })
        .handle_call(|call: Call<Tenant>, (id, style)| async move {
            let id = id.parse().map_err(|_not_a_number| Error::not_found())?;
            let note = call.context().notebook.note(id).await?;
            let note = contents(&note.ok_or_else(Error::not_found)?);
            Ok(vec![
                prompt::user(format!("Summarise this note as {style}:")),
                prompt::user(content::resource(note_uri(id), note)),
            ])
        })
}

const STYLES: [&str; 4] = ["bullets", "one paragraph", "one sentence", "questions"];

fn weekly_review() -> Prompt<Tenant> {
    prompt::define("weekly_review", ())
        .with_title("Weekly review")
        .with_description("Looks back on the notes of the last seven days")
        .handle_call(|call: Call<Tenant>, ()| async move {
            let notebook = &call.context().notebook;
            let notes = notebook.changed_within(7, MAX_REVIEWED).await?;
            Ok(vec![prompt::user(review(&notes))])
        })
}

/// How many notes a review names.
const MAX_REVIEWED: usize = 100;

fn review(notes: &[Summary]) -> String {
    if notes.is_empty() {
        return "I wrote no notes in the last seven days. Ask me what I did, and offer to keep it."
            .to_owned();
    }
    format!(
        "Review my last seven days by these notes, and read those that matter. What did I get \
         done, what is left open, and what comes next?\n\n{}",
        index(notes),
    )
}
