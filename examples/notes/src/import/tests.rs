use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use tempfile::TempDir;

use super::scan::{MAX_DEPTH, scan};
use super::{
    Conflicts, ImportError, MAX_CONFLICTS, Reason, Report, Skipped, Step, conflicts, import, mark,
};
use crate::store::{Draft, MAX_TEXT, Notebook, Store};

struct Fixture {
    folder: TempDir,
    notebook: Notebook,
    _database: TempDir,
}

impl Fixture {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let database = tempfile::tempdir().unwrap();
        for (file, text) in files {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let store = Store::open(&database.path().join("notes.db")).unwrap();
        Self {
            folder,
            notebook: store.notebook("ann"),
            _database: database,
        }
    }

    async fn import(&self) -> Result<Report, ImportError> {
        self.import_from(self.folder.path()).await
    }

    async fn import_from(&self, folder: &Path) -> Result<Report, ImportError> {
        let go_on = |_: Step<'_>| ControlFlow::Continue(());
        import(&self.notebook, folder.to_path_buf(), None, go_on).await
    }

    async fn keep(&self, title: &str, text: &str) {
        let draft = Draft {
            title: title.to_owned(),
            text: text.to_owned(),
            tags: vec!["kept".to_owned()],
        };
        self.notebook.add(draft).await.unwrap();
    }

    async fn titles(&self) -> Vec<String> {
        let notes = self.notebook.page(None, 100).await.unwrap();
        notes.into_iter().map(|note| note.title).collect()
    }
}

/// A report as `imported` and one line for each file skipped.
fn outline(report: &Report) -> (u32, Vec<String>) {
    (
        report.imported,
        report.skipped.iter().map(ToString::to_string).collect(),
    )
}

#[tokio::test]
async fn markdown_files_become_notes_and_nothing_else_does() {
    let fixture = Fixture::new(&[
        ("a.md", "\u{feff}# Apples\n\nred"),
        ("b/c.MARKDOWN", "no heading"),
        ("b/picture.png", "not text"),
        (".hidden/d.md", "# Hidden"),
        (".e.md", "# Hidden too"),
    ]);
    let report = fixture.import().await.unwrap();
    assert_eq!(outline(&report), (2, vec![]));
    assert_eq!(fixture.titles().await, ["Apples", "c"]);
    assert_eq!(
        fixture.notebook.note(1).await.unwrap().unwrap().text,
        "# Apples\n\nred"
    );
}

#[tokio::test]
async fn a_title_that_exists_is_skipped() {
    let fixture = Fixture::new(&[("a.md", "# One"), ("b.md", "# One"), ("c.md", "# Two")]);
    let report = fixture.import().await.unwrap();
    assert_eq!(
        outline(&report),
        (2, vec!["b.md: a note has this title already".to_owned()])
    );
    assert_eq!(fixture.import().await.unwrap().imported, 0);
    assert_eq!(fixture.titles().await, ["One", "Two"]);
}

#[tokio::test]
async fn conflicts_are_titles_whose_notes_say_something_else() {
    let fixture = Fixture::new(&[
        ("a.md", "# One\n\nnew"),
        ("b.md", "# Two\n\nnew"),
        ("c.md", "# Two\n\nnewer"),
        ("d.md", "# Three\n\nold"),
        ("e.md", "# Four\n\nnew"),
        ("empty.md", ""),
    ]);
    for title in ["One", "Two", "Three"] {
        fixture.keep(title, &format!("# {title}\n\nold")).await;
    }
    let folder = fixture.folder.path().to_path_buf();
    let found = conflicts(&fixture.notebook, folder.clone()).await.unwrap();
    let titles = ["One", "Two"].map(str::to_owned).to_vec();
    let marks = titles.iter().map(|title| mark(title)).collect();
    assert_eq!(found, Conflicts { titles, marks });

    let go_on = |_: Step<'_>| ControlFlow::Continue(());
    let report = import(&fixture.notebook, folder.clone(), Some(found), go_on);
    let report = report.await.unwrap();
    assert_eq!((report.imported, report.replaced), (1, 2));
    let skipped: Vec<_> = report.skipped.iter().map(ToString::to_string).collect();
    let there = "a note has this title already";
    let expected = [
        format!("c.md: {there}"),
        format!("d.md: {there}"),
        "empty.md: empty".into(),
    ];
    assert_eq!(skipped, expected);
    assert_eq!(fixture.titles().await, ["One", "Two", "Three", "Four"]);
    let two = fixture.notebook.note(2).await.unwrap().unwrap();
    assert_eq!(two.text, "# Two\n\nnew", "the first file of a title counts");

    // The second file of a title is no conflict of its own, and nothing else is one any more.
    assert_eq!(
        conflicts(&fixture.notebook, folder).await.unwrap(),
        Conflicts::default()
    );
}

#[tokio::test]
async fn only_the_conflicts_that_were_found_are_replaced() {
    let fixture = Fixture::new(&[("a.md", "# One\n\nnew"), ("b.md", "# Two\n\nsame")]);
    fixture.keep("One", "old").await;
    fixture.keep("Two", "# Two\n\nsame").await;
    let folder = fixture.folder.path().to_path_buf();
    let found = conflicts(&fixture.notebook, folder.clone()).await.unwrap();
    assert_eq!(found.titles, ["One"]);
    for file in ["a2.md", "c.md"] {
        let text = "# Three\n\nnew";
        fs::write(folder.join(file), text).unwrap();
    }
    fixture.keep("Three", "old").await;

    let go_on = |_: Step<'_>| ControlFlow::Continue(());
    let report = import(&fixture.notebook, folder, Some(found), go_on);
    let report = report.await.unwrap();
    assert_eq!((report.imported, report.replaced), (0, 1));
    let skipped = |file: &str, reason| Skipped {
        file: file.into(),
        reason,
    };
    let expected = [
        skipped("a2.md", Reason::NotAsked),
        skipped("b.md", Reason::Duplicate),
        skipped("c.md", Reason::Duplicate),
    ];
    assert_eq!(report.skipped, expected);
    let three = fixture.notebook.note(3).await.unwrap().unwrap();
    assert_eq!(three.text, "old");
}

#[tokio::test]
async fn very_many_conflicts_are_found_in_parts() {
    let fixture = Fixture::new(&[]);
    let folder = fixture.folder.path().to_path_buf();
    for n in 0..=MAX_CONFLICTS {
        fs::write(folder.join(format!("{n:04}.md")), "new").unwrap();
        fixture.keep(&format!("{n:04}"), "old").await;
    }
    let found = conflicts(&fixture.notebook, folder).await.unwrap();
    assert_eq!(found.count(), MAX_CONFLICTS);
    // With what sealing adds, it fits in the request state.
    let record = serde_json::to_string(&found).unwrap();
    assert!(record.len() * 4 / 3 < 32 * 1024, "{}", record.len());
}

#[tokio::test]
async fn few_conflicts_are_named_and_all_are_counted() {
    let files: Vec<_> = (0..9)
        .map(|n| (format!("{n}.md"), format!("# {n}")))
        .collect();
    let files: Vec<_> = files
        .iter()
        .map(|(file, text)| (&**file, &**text))
        .collect();
    let fixture = Fixture::new(&files);
    for n in 0..9 {
        fixture.keep(&n.to_string(), "something else").await;
    }
    let found = conflicts(&fixture.notebook, fixture.folder.path().to_path_buf());
    let found = found.await.unwrap();
    assert_eq!(
        (found.count(), found.titles.join("")),
        (9, "01234".to_owned())
    );
}

#[tokio::test]
async fn files_that_are_no_notes_are_skipped_with_their_reason() {
    let longest = "é".repeat(MAX_TEXT);
    let fixture = Fixture::new(&[
        ("empty.md", " \n"),
        ("longest.md", &longest),
        ("longer.md", &format!("{longest}.")),
        ("huge.md", &"x".repeat(MAX_TEXT * 5)),
    ]);
    fs::write(fixture.folder.path().join("binary.md"), b"\xff\xfe\0").unwrap();
    let report = fixture.import().await.unwrap();
    let reason = |name: &str| {
        report
            .skipped
            .iter()
            .find(|skipped| skipped.file == Path::new(name))
            .map(|s| s.reason)
    };
    assert_eq!(report.imported, 1);
    assert_eq!(reason("empty.md"), Some(Reason::Empty));
    assert_eq!(reason("longer.md"), Some(Reason::Large));
    assert_eq!(reason("huge.md"), Some(Reason::Large));
    assert_eq!(reason("binary.md"), Some(Reason::NotText));
}

#[cfg(unix)]
#[tokio::test]
async fn links_lead_nowhere() {
    use std::os::unix::fs::symlink;

    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret.md"), "# Secret").unwrap();
    let fixture = Fixture::new(&[("a.md", "# One")]);
    let inside = fixture.folder.path();
    symlink(outside.path(), inside.join("folder")).unwrap();
    symlink(outside.path().join("secret.md"), inside.join("file.md")).unwrap();
    symlink(inside, inside.join("loop")).unwrap();
    let report = fixture.import().await.unwrap();
    let expected = ["file.md", "folder", "loop"]
        .map(|file| format!("{file}: a symbolic link, which is not followed"));
    assert_eq!(outline(&report), (1, expected.to_vec()));
    assert_eq!(fixture.titles().await, ["One"]);
}

#[tokio::test]
async fn depth_and_number_are_bounded() {
    let path = |depth| format!("{}note.md", "x/".repeat(depth));
    let (last, below) = (path(MAX_DEPTH), path(MAX_DEPTH + 1));
    let fixture = Fixture::new(&[(&last, "# Deep"), (&below, "# Too deep")]);
    let report = fixture.import().await.unwrap();
    assert_eq!((report.imported, report.skipped.len()), (1, 1));
    assert_eq!(report.skipped[0].reason, Reason::Deep);

    let folder = fixture.folder.path();
    let entries = MAX_DEPTH + 2;
    assert!(scan(folder, entries).is_ok());
    let error = scan(folder, entries - 1).unwrap_err();
    assert!(matches!(error, ImportError::TooMany { .. }), "{error:?}");
}

#[tokio::test]
async fn a_folder_is_named_by_its_absolute_path() {
    let fixture = Fixture::new(&[]);
    for folder in ["", ".", "..", "src", "~"] {
        let error = fixture.import_from(Path::new(folder)).await.unwrap_err();
        assert!(matches!(error, ImportError::Relative { .. }), "{error:?}");
    }
}

#[tokio::test]
async fn a_folder_that_is_none_is_named() {
    let fixture = Fixture::new(&[("a.md", "# One")]);
    let file = fixture.folder.path().join("a.md");
    let error = fixture.import_from(&file).await.unwrap_err();
    assert!(matches!(error, ImportError::NotAFolder { .. }), "{error:?}");
    let absent = fixture.folder.path().join("absent");
    let error = fixture.import_from(&absent).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("the folder {} cannot be read", absent.display())
    );
}

#[tokio::test]
async fn every_step_is_told_and_can_be_the_last() {
    let fixture = Fixture::new(&[("a.md", "# One"), ("b/b.md", "# Two"), ("c.md", "# Three")]);
    let folder = fixture.folder.path().to_path_buf();
    let mut steps = Vec::new();
    let report = import(&fixture.notebook, folder.clone(), None, |step| {
        steps.push((step.done, step.total, step.next.map(Path::to_path_buf)));
        if step.done == 1 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    assert_eq!(report.await.unwrap().imported, 1);
    let told = [(0, "a.md"), (1, "b/b.md")].map(|(done, file)| (done, 3, Some(file.into())));
    assert_eq!(steps, told);
    assert_eq!(fixture.titles().await, ["One"]);

    let mut last = None;
    let report = import(&fixture.notebook, folder, None, |step| {
        last = Some((step.done, step.total, step.next.is_some()));
        ControlFlow::Continue(())
    });
    assert_eq!(report.await.unwrap().imported, 2);
    assert_eq!(last, Some((3, 3, false)));
}
