//! Takes a folder of Markdown files into a notebook.

mod markdown;
mod scan;

use std::collections::{BTreeSet, HashSet};
use std::fmt::{self, Display};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::blocking::{self, Stopped};
use crate::store::{Notebook, StoreError};

/// Adds every Markdown file in `folder` and the folders within it that are not hidden.
///
/// `watch` hears of each step before it is taken, and once more when all are done. When it breaks,
/// the import ends there; what was added stays.
///
/// A note's title is the file's first heading, or else the file's name. Files are taken in the
/// order of their paths. One whose title the notebook has already replaces that note if it is among
/// the conflicts to `replace`, and else is left out. Of two files with one title, the first counts. So importing a folder again adds what is new in
/// it.
///
/// # Errors
///
/// [`ImportError`] when the folder cannot be read or the notebook fails. A single file that cannot
/// be taken is no error: the [`Report`] tells why.
///
/// # Cancel safety
///
/// When the future is dropped, the file at hand is the last.
pub(crate) async fn import(
    notebook: &Notebook,
    folder: PathBuf,
    replace: Option<Conflicts>,
    mut watch: impl FnMut(Step<'_>) -> ControlFlow<()>,
) -> Result<Report, ImportError> {
    let found = blocking::run(move || scan::scan(&folder, MAX_ENTRIES)).await??;
    let mut report = Report {
        skipped: found.skipped,
        ..Report::default()
    };
    let mut taken = HashSet::new();
    let total = u32::try_from(found.files.len()).unwrap_or(u32::MAX);
    for (done, file) in (0..total).zip(found.files) {
        let name = file
            .strip_prefix(&found.root)
            .unwrap_or(&file)
            .to_path_buf();
        if watch(Step {
            done,
            total,
            next: Some(&name),
        })
        .is_break()
        {
            return Ok(report);
        }
        let skip = |reason| Skipped {
            file: name.clone(),
            reason,
        };
        match blocking::run(move || markdown::read(&file)).await? {
            Ok(draft) => {
                let first = taken.insert(draft.title.clone());
                if notebook.add_new(draft.clone()).await?.is_some() {
                    report.imported += 1;
                    continue;
                }
                let reason = match &replace {
                    Some(conflicts) if first && conflicts.name(&draft.title) => {
                        if notebook.rewrite(draft).await? {
                            report.replaced += 1;
                            continue;
                        }
                        Reason::Duplicate
                    }
                    Some(_) if first && notebook.differs(draft).await? => Reason::NotAsked,
                    _ => Reason::Duplicate,
                };
                report.skipped.push(skip(reason));
            }
            Err(reason) => report.skipped.push(skip(reason)),
        }
    }
    // All is done, so that there is nothing left to stop.
    let _ = watch(Step {
        done: total,
        total,
        next: None,
    });
    Ok(report)
}

/// The files of a folder that [`import`] would take, but for notes of their titles that say
/// something else; the first of them, if there are very many.
///
/// # Errors
///
/// As for [`import`].
pub(crate) async fn conflicts(
    notebook: &Notebook,
    folder: PathBuf,
) -> Result<Conflicts, ImportError> {
    /// As many as a person reads.
    const NAMED: usize = 5;

    let found = blocking::run(move || scan::scan(&folder, MAX_ENTRIES)).await??;
    let mut conflicts = Conflicts::default();
    let mut taken = HashSet::new();
    for file in found.files {
        let Ok(draft) = blocking::run(move || markdown::read(&file)).await? else {
            continue;
        };
        let title = draft.title.clone();
        if taken.insert(title.clone()) && notebook.differs(draft).await? {
            conflicts.marks.insert(mark(&title));
            if conflicts.titles.len() < NAMED {
                conflicts.titles.push(title);
            }
        }
        if conflicts.count() == MAX_CONFLICTS {
            break;
        }
    }
    Ok(conflicts)
}

/// How many files and folders of all kinds are looked at.
const MAX_ENTRIES: usize = 10_000;

/// How many conflicts are found at a time: so many can travel with the question about them.
const MAX_CONFLICTS: usize = 1_000;

/// What to do with a note whose title a file has, and whose text it has not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Existing {
    Skip,
    Replace,
}

/// Which notes an import would replace if it were to, and the first titles of them.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Conflicts {
    pub(crate) titles: Vec<String>,
    marks: BTreeSet<u64>,
}

impl Conflicts {
    pub(crate) fn count(&self) -> usize {
        self.marks.len()
    }

    fn name(&self, title: &str) -> bool {
        self.marks.contains(&mark(title))
    }
}

/// What stands for a title, however long it is. Another build may find another mark: it then takes
/// the conflict for one that nobody was asked about.
fn mark(title: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    title.hash(&mut hasher);
    hasher.finish()
}

/// How far an import has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step<'a> {
    pub(crate) done: u32,
    pub(crate) total: u32,
    /// The file that is taken next, relative to the folder; `None` at the end.
    pub(crate) next: Option<&'a Path>,
}

/// What an import did.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Report {
    pub(crate) imported: u32,
    pub(crate) replaced: u32,
    pub(crate) skipped: Vec<Skipped>,
}

/// A file or folder that was not imported. Display is one line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Skipped {
    /// Relative to the imported folder.
    pub(crate) file: PathBuf,
    pub(crate) reason: Reason,
}

impl Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.file.display(), self.reason)
    }
}

/// Why a file or folder was not imported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    Deep,
    Duplicate,
    Empty,
    Large,
    Link,
    NotAsked,
    NotText,
    Unreadable,
}

impl Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Deep => "too many folders deep",
            Self::Duplicate => "a note has this title already",
            Self::Empty => "empty",
            Self::Large => "longer than a note may be",
            Self::Link => "a symbolic link, which is not followed",
            Self::NotAsked => {
                "a note has this title and says something else, and the user was not asked about it"
            }
            Self::NotText => "not UTF-8 text",
            Self::Unreadable => "cannot be read",
        })
    }
}

/// Why nothing, or nothing more, was imported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum ImportError {
    #[error("{} is not a folder", .folder.display())]
    NotAFolder { folder: PathBuf },

    /// Relative to what, only this process knows: a client starts it anywhere.
    #[error("{} is not an absolute path", .folder.display())]
    Relative { folder: PathBuf },

    #[error(transparent)]
    Stopped(#[from] Stopped),

    #[error(transparent)]
    Store(#[from] StoreError),

    #[error("the folder {} has more than {limit} entries", .folder.display())]
    TooMany { folder: PathBuf, limit: usize },

    #[error("the folder {} cannot be read", .folder.display())]
    Unreadable { folder: PathBuf, source: io::Error },
}

#[cfg(test)]
mod tests;
