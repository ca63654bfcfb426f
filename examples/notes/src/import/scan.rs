//! Finds the Markdown files in a folder.

use std::ffi::OsStr;
use std::fs::{self, DirEntry};
use std::path::{Path, PathBuf};

use super::{ImportError, Reason, Skipped};

/// The deepest folder that is looked into; the folder given is 0.
pub(super) const MAX_DEPTH: usize = 8;

/// What a folder holds.
#[derive(Debug)]
pub(super) struct Found {
    /// The folder, with every symbolic link on the way to it resolved.
    pub(super) root: PathBuf,
    /// Sorted.
    pub(super) files: Vec<PathBuf>,
    pub(super) skipped: Vec<Skipped>,
    /// Folders still to be looked into, and how deep they are.
    pending: Vec<(PathBuf, usize)>,
}

/// Looks through a folder. No symbolic link in it is followed, so that nothing outside is found.
/// More than `limit` entries of all kinds are too many.
pub(super) fn scan(folder: &Path, limit: usize) -> Result<Found, ImportError> {
    let unreadable = |source| ImportError::Unreadable {
        folder: folder.to_path_buf(),
        source,
    };
    if !folder.is_absolute() {
        return Err(ImportError::Relative {
            folder: folder.to_path_buf(),
        });
    }
    let root = folder.canonicalize().map_err(unreadable)?;
    if !root.is_dir() {
        return Err(ImportError::NotAFolder {
            folder: folder.to_path_buf(),
        });
    }
    let pending = vec![(root.clone(), 0)];
    let mut found = Found {
        root,
        files: Vec::new(),
        skipped: Vec::new(),
        pending,
    };
    let mut seen = 0;
    while let Some((path, depth)) = found.pending.pop() {
        let entries = match fs::read_dir(&path) {
            Ok(entries) => entries,
            Err(source) if depth == 0 => return Err(unreadable(source)),
            Err(_) => {
                found.skip(&path, Reason::Unreadable);
                continue;
            }
        };
        for entry in entries {
            seen += 1;
            if seen > limit {
                return Err(ImportError::TooMany {
                    folder: folder.to_path_buf(),
                    limit,
                });
            }
            match entry {
                Ok(entry) => found.take(&entry, depth),
                Err(_) => found.skip(&path, Reason::Unreadable),
            }
        }
    }
    found.files.sort_unstable();
    found
        .skipped
        .sort_unstable_by(|one, other| one.file.cmp(&other.file));
    Ok(found)
}

impl Found {
    fn take(&mut self, entry: &DirEntry, depth: usize) {
        let path = entry.path();
        if is_hidden(&path) {
            return;
        }
        match entry.file_type() {
            Ok(kind) if kind.is_symlink() => self.skip(&path, Reason::Link),
            Ok(kind) if kind.is_dir() && depth == MAX_DEPTH => self.skip(&path, Reason::Deep),
            Ok(kind) if kind.is_dir() => self.pending.push((path, depth + 1)),
            Ok(kind) if kind.is_file() && is_markdown(&path) => self.files.push(path),
            Ok(_) => {}
            Err(_) => self.skip(&path, Reason::Unreadable),
        }
    }

    fn skip(&mut self, path: &Path, reason: Reason) {
        let file = path.strip_prefix(&self.root).unwrap_or(path).to_path_buf();
        self.skipped.push(Skipped { file, reason });
    }
}

fn is_hidden(path: &Path) -> bool {
    path.file_name()
        .is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}

fn is_markdown(path: &Path) -> bool {
    let extension = path.extension().and_then(OsStr::to_str).unwrap_or_default();
    ["md", "markdown"]
        .iter()
        .any(|known| extension.eq_ignore_ascii_case(known))
}
