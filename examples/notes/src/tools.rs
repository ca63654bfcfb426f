//! The tools: what a model can do with notes.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Duration;

use relay_core::codec::{self, Codec, IntegerCodec, ListCodec, StringCodec};
use relay_core::{Call, Error, Progress, Tool, content, tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::import::{self, ImportError, Report, Step};
use crate::store::{
    self, Draft, Edit, Hit, MAX_QUERY, MAX_TAG, MAX_TAGS, MAX_TEXT, MAX_TITLE, Summary,
};
use crate::tenant::Tenant;
use crate::{blocking, chart, sentence};

/// Every tool. Who may use which, the server says.
pub(crate) fn all() -> [Tool<Tenant>; 7] {
    [add(), chart(), delete(), edit(), import(), list(), search()]
}

fn add() -> Tool<Tenant> {
    let input = codec::object((
        codec::field("title", title()),
        codec::field("text", text()),
        codec::defaulted("tags", tags(), Vec::new()),
    ));
    tool::define("add", input, codec::output::<Summary>())
        .with_title("Add a note")
        .with_description("Keeps a new note. To change one that exists, use `edit`.")
        .read_only(false)
        .destructive(false)
        .idempotent(false)
        .open_world(false)
        .handle_call(|call: Call<Tenant>, (title, text, tags)| async move {
            let draft = Draft { title, text, tags };
            Ok(call.context().notebook.add(draft).await?)
        })
}

fn chart() -> Tool<Tenant> {
    let weeks = codec::integer::<u16>()
        .range(1..=chart::MAX_WEEKS)
        .describe("How many weeks to show, this one last");
    let input = codec::object(codec::defaulted("weeks", weeks, 12));
    tool::define("chart", input, tool::content())
        .with_title("Chart of notes")
        .with_description("Draws how many notes were added in each week, as a PNG image.")
        .read_only(true)
        .open_world(false)
        .handle_call(|call: Call<Tenant>, weeks| async move {
            let weeks = call.context().notebook.weeks(weeks.into()).await?;
            let picture = blocking::run(move || chart::render(&weeks)).await??;
            Ok(vec![content::image(picture, "image/png")])
        })
}

fn delete() -> Tool<Tenant> {
    let confirm = codec::boolean().describe("true once the user has agreed to lose this note");
    let input = codec::object((codec::field("id", id()), codec::field("confirm", confirm)));
    let deleted = codec::boolean().describe("false when there was no such note");
    let output = codec::object(codec::field("deleted", deleted));
    tool::define("delete", input, output)
        .with_title("Delete a note")
        .with_description("Deletes a note for good. Ask the user first.")
        .read_only(false)
        .destructive(true)
        .idempotent(true)
        .open_world(false)
        .handle_call(|call: Call<Tenant>, (id, confirm)| async move {
            if !confirm {
                let advice =
                    "nothing was deleted: ask the user, then call again with `confirm` true";
                return Err(Error::new(advice));
            }
            Ok(call.context().notebook.delete(id).await?)
        })
}

fn edit() -> Tool<Tenant> {
    let input = codec::object((
        codec::field("id", id()),
        codec::optional("title", title()),
        codec::optional("text", text()),
        codec::optional("tags", tags()),
    ));
    tool::define("edit", input, codec::output::<Summary>())
        .with_title("Edit a note")
        .with_description(
            "Replaces a note's title, text or tags; what is left out stays. To add to a text, read \
             `note://{id}` first and give the whole.",
        )
        .read_only(false)
        .destructive(true)
        .idempotent(true)
        .open_world(false)
        .handle_call(|call: Call<Tenant>, (id, title, text, tags)| async move {
            let edit = Edit { title, text, tags };
            if edit == Edit::default() {
                return Err(Error::new("give a title, a text or tags to change"));
            }
            let edited = call.context().notebook.edit(id, edit).await?;
            edited.ok_or_else(|| no_note(id))
        })
}

fn import() -> Tool<Tenant> {
    let (input, output) = (codec::input::<Import>(), codec::output::<Imported>());
    tool::define("import", input, output)
        .with_title("Import a folder")
        .with_description(
            "Adds the Markdown files in a folder of the user's computer, and in the folders within \
             it, as notes. A file whose title is there already is skipped.",
        )
        .read_only(false)
        .destructive(false)
        .idempotent(true)
        .open_world(true)
        .with_deadline(Duration::from_mins(10))
        .handle_call(|call: Call<Tenant>, Import { folder }| async move {
            let notebook = &call.context().notebook;
            let report = import::import(notebook, folder, |step| {
                call.progress(progress(step));
                if call.is_cancelled() {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            });
            Ok(Imported::from(report.await.map_err(explain)?))
        })
}

fn list() -> Tool<Tenant> {
    let input = codec::object((
        codec::optional("tag", tag().describe("Only notes that carry this tag")),
        codec::defaulted("limit", limit(), DEFAULT_LIMIT),
    ));
    tool::define("list", input, codec::output::<Notes<Summary>>())
        .with_title("List notes")
        .with_description("The notes last added or changed, the latest first, without their texts.")
        .read_only(true)
        .open_world(false)
        .handle_call(|call: Call<Tenant>, (tag, limit)| async move {
            let notes = call.context().notebook.recent(tag, limit).await?;
            Ok(Notes { notes })
        })
}

fn search() -> Tool<Tenant> {
    let query = codec::string()
        .min_length(1)
        .max_length(MAX_QUERY)
        .describe("Words that must all occur, each as the beginning of a word");
    let input = codec::object((
        codec::field("query", query),
        codec::defaulted("limit", limit(), DEFAULT_LIMIT),
    ));
    tool::define("search", input, codec::output::<Notes<Hit>>())
        .with_title("Search notes")
        .with_description("Finds notes by the words of their titles and texts, best match first.")
        .read_only(true)
        .open_world(false)
        .handle_call(|call: Call<Tenant>, (query, limit)| async move {
            let notes = call.context().notebook.search(&query, limit).await?;
            Ok(Notes { notes })
        })
}

const DEFAULT_LIMIT: usize = 20;

fn id() -> IntegerCodec<u32> {
    codec::integer().range(1..).describe("The note's id")
}

fn title() -> StringCodec {
    codec::string().min_length(1).max_length(MAX_TITLE)
}

fn text() -> StringCodec {
    codec::string().max_length(MAX_TEXT).describe("Markdown")
}

fn tag() -> Codec<String> {
    codec::string()
        .min_length(1)
        .max_length(MAX_TAG)
        .try_map(|typed| store::tag(&typed), |tag| tag)
}

fn tags() -> ListCodec<String> {
    codec::list(tag())
        .max_items(MAX_TAGS)
        .describe("A word or a few each, without `/`, `\\`, `:` and `..`")
}

fn limit() -> IntegerCodec<usize> {
    codec::integer()
        .range(1..=100)
        .describe("How many notes at most")
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Import {
    /// The folder's absolute path
    folder: PathBuf,
}

#[derive(Serialize, JsonSchema)]
struct Imported {
    /// How many notes were added
    imported: u32,
    /// The files that were left out, and why
    skipped: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct Notes<N> {
    notes: Vec<N>,
}

impl From<Report> for Imported {
    fn from(report: Report) -> Self {
        /// A model has no use for more.
        const SHOWN: usize = 100;

        let more = report.skipped.len().saturating_sub(SHOWN);
        let shown = report.skipped.iter().take(SHOWN).map(ToString::to_string);
        let rest = (more > 0).then(|| format!("and {more} more"));
        Self {
            imported: report.imported,
            skipped: shown.chain(rest).collect(),
        }
    }
}

fn progress(step: Step<'_>) -> Progress {
    let progress = Progress::new(step.done.into()).with_total(step.total.into());
    match step.next {
        Some(file) => progress.with_message(file.display().to_string()),
        None => progress,
    }
}

fn no_note(id: u32) -> Error {
    Error::new(format!(
        "there is no note {id}; `list` and `search` give ids"
    ))
}

/// What is wrong with the folder is for the model to mend; the rest is none of its business.
fn explain(error: ImportError) -> Error {
    match error {
        ImportError::NotAFolder { .. }
        | ImportError::Relative { .. }
        | ImportError::TooMany { .. }
        | ImportError::Unreadable { .. } => Error::new(sentence(&error)),
        ImportError::Stopped(_) | ImportError::Store(_) => error.into(),
    }
}
