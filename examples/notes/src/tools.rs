//! The tools: what a model can do with notes.

mod import;
mod share;

use std::sync::LazyLock;

use relay_core::codec::{self, Codec, IntegerCodec, ListCodec, StringCodec};
use relay_core::input::{Answer, Form};
use relay_core::{Call, Error, Tool, content, elicit, tool};
use schemars::JsonSchema;
use serde::Serialize;

use crate::store::{
    self, Draft, Edit, Hit, MAX_QUERY, MAX_TAG, MAX_TAGS, MAX_TEXT, MAX_TITLE, Summary,
};
use crate::tenant::Tenant;
use crate::{blocking, chart};

pub(crate) use share::{SharePage, share};

/// Every tool, but for [`share()`], which needs a page. Who may use which, the server says.
pub(crate) fn all() -> [Tool<Tenant>; 7] {
    [
        add(),
        chart(),
        delete(),
        edit(),
        import::import(),
        list(),
        search(),
    ]
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

/// The user agrees to it by accepting; there is nothing to fill in.
static DELETION: LazyLock<Form<()>> = LazyLock::new(|| elicit::form(codec::object(())));

fn delete() -> Tool<Tenant> {
    let confirm = codec::boolean().describe(
        "true once the user has agreed to lose this note; not needed where their client can ask them",
    );
    let input = codec::object((
        codec::field("id", id()),
        codec::defaulted("confirm", confirm, false),
    ));
    let deleted = codec::boolean().describe("false when there was no such note");
    let output = codec::object(codec::field("deleted", deleted));
    tool::define("delete", input, output)
        .with_title("Delete a note")
        .with_description("Deletes a note for good, once the user has agreed.")
        .read_only(false)
        .destructive(true)
        .idempotent(true)
        .open_world(false)
        .with_forms(&*DELETION)
        .handle_call(|call: Call<Tenant>, (id, confirm)| async move {
            let notebook = &call.context().notebook;
            if call.client().can_elicit() {
                // The user is asked whatever a model says of them.
                // The answer is to this note, whatever has become of it when the answer is there.
                let seen = call.once("note", async || {
                    let note = notebook.note(id).await?;
                    Ok(note.map(|note| (note.mark(), note.summary.title)))
                });
                let Some((mark, title)) = seen.await? else {
                    return Ok(false);
                };
                let message = format!("Delete the note “{title}” for good?");
                let agreed = call.elicit(DELETION.question("delete", message)).await?;
                if !matches!(agreed, Answer::Accepted(())) {
                    return Err(Error::new("nothing was deleted: the user did not agree"));
                }
                let deleted = notebook.delete_as(id, mark).await?;
                if !deleted && notebook.note(id).await?.is_some() {
                    let advice = "nothing was deleted: the note has changed since the user was \
                                  asked; call again to ask about it as it is now";
                    return Err(Error::new(advice));
                }
                Ok(deleted)
            } else if confirm {
                Ok(notebook.delete(id).await?)
            } else {
                let advice =
                    "nothing was deleted: ask the user, then call again with `confirm` true";
                Err(Error::new(advice))
            }
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

#[derive(Serialize, JsonSchema)]
struct Notes<N> {
    notes: Vec<N>,
}

fn no_note(id: u32) -> Error {
    Error::new(format!(
        "there is no note {id}; `list` and `search` give ids"
    ))
}
