//! The import of a folder, and what it asks.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::Duration;

use relay_core::input::Form;
use relay_core::{Call, Error, Progress, Tool, codec, elicit, tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::import::{self, Conflicts, Existing, ImportError, Report, Step};
use crate::sentence;
use crate::tenant::Tenant;

static CONFLICTS: LazyLock<Form<Existing>> = LazyLock::new(|| {
    let existing = codec::derived::<Existing>().title("Notes that are there already");
    elicit::form(codec::object(codec::field("existing", existing)))
});

pub(super) fn import() -> Tool<Tenant> {
    let (input, output) = (codec::input::<Import>(), codec::output::<Outcome>());
    tool::define("import", input, output)
        .with_title("Import a folder")
        .with_description(
            "Adds the Markdown files in a folder of the user's computer, and in the folders within \
             it, as notes. A file whose title is there already is skipped, unless the user chooses \
             to replace such notes.",
        )
        .read_only(false)
        .destructive(true)
        .idempotent(true)
        .open_world(true)
        .with_deadline(Duration::from_mins(10))
        .with_forms(&*CONFLICTS)
        .handle_call(|call: Call<Tenant>, Import { folder }| async move {
            let replace = to_replace(&call, &folder).await?;
            let notebook = &call.context().notebook;
            let report = import::import(notebook, folder, replace, |step| {
                call.progress(progress(step));
                if call.is_cancelled() {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            });
            Ok(Outcome::from(report.await.map_err(explain)?))
        })
}

/// The notes that the import may replace: those that the user was asked about, if they say so.
async fn to_replace(call: &Call<Tenant>, folder: &Path) -> Result<Option<Conflicts>, Error> {
    if !call.client().can_elicit() {
        return Ok(None);
    }
    // Once: the answer comes with another request, when there may be other conflicts.
    let conflicts = call.once("conflicts", async || {
        let notebook = &call.context().notebook;
        let found = import::conflicts(notebook, folder.to_path_buf());
        found.await.map_err(explain)
    });
    let conflicts = conflicts.await?;
    if conflicts.count() == 0 {
        return Ok(None);
    }
    let question = CONFLICTS.question("conflicts", message(&conflicts));
    let existing = call.elicit(question).await?.accepted()?;
    Ok((existing == Existing::Replace).then_some(conflicts))
}

fn message(conflicts: &Conflicts) -> String {
    let (count, titles) = (conflicts.count(), &conflicts.titles);
    let noun = if count == 1 { "file has" } else { "files have" };
    let named = titles.join(", ");
    let rest = if titles.len() < count { ", …" } else { "" };
    format!("{count} {noun} the title of a note that says something else: {named}{rest}")
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Import {
    /// The folder's absolute path
    folder: PathBuf,
}

#[derive(Serialize, JsonSchema)]
struct Outcome {
    /// How many notes were added
    imported: u32,
    /// How many notes were replaced
    replaced: u32,
    /// The files that were left out, and why
    skipped: Vec<String>,
}

impl From<Report> for Outcome {
    fn from(report: Report) -> Self {
        /// A model has no use for more.
        const SHOWN: usize = 100;

        let more = report.skipped.len().saturating_sub(SHOWN);
        let shown = report.skipped.iter().take(SHOWN).map(ToString::to_string);
        let rest = (more > 0).then(|| format!("and {more} more"));
        Self {
            imported: report.imported,
            replaced: report.replaced,
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
