use std::fs;
use std::path::PathBuf;
use std::slice;
use std::thread;
use std::time::Duration;

use proptest::prelude::*;
use rusqlite::Connection;
use tempfile::TempDir;

use super::{Draft, Edit, Notebook, Store, StoreError, Summary, read};

struct Fixture {
    folder: TempDir,
    store: Store,
}

impl Fixture {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("data/notes.db")).unwrap();
        Self { folder, store }
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("data/notes.db")
    }

    fn notebook(&self) -> Notebook {
        self.store.notebook("ann")
    }
}

fn draft(title: &str, text: &str, tags: &[&str]) -> Draft {
    Draft {
        title: title.to_owned(),
        text: text.to_owned(),
        tags: tags.iter().map(|&tag| tag.to_owned()).collect(),
    }
}

async fn titles_found(notebook: &Notebook, text: &str) -> Vec<String> {
    notebook
        .search(text, 10)
        .await
        .unwrap()
        .into_iter()
        .map(|hit| hit.title)
        .collect()
}

#[tokio::test]
async fn a_note_is_rewritten_by_its_title_and_keeps_its_tags() {
    let notebook = Fixture::new().notebook();
    for (title, text) in [("Plan", "old"), ("Plan", "older"), ("Other", "old")] {
        notebook.add(draft(title, text, &["kept"])).await.unwrap();
    }
    let new = draft("Plan", "new", &[]);
    assert!(notebook.differs(new.clone()).await.unwrap());
    assert!(notebook.rewrite(new.clone()).await.unwrap());
    assert!(
        !notebook.rewrite(new.clone()).await.unwrap(),
        "it says so now"
    );
    assert!(!notebook.differs(new).await.unwrap());
    assert!(!notebook.rewrite(draft("plan", "new", &[])).await.unwrap());
    assert!(!notebook.differs(draft("plan", "new", &[])).await.unwrap());
    let notes = notebook.page(None, 10).await.unwrap();
    let mut texts = Vec::new();
    for Summary { id, tags, .. } in notes {
        assert_eq!(tags, ["kept"]);
        texts.push(notebook.note(id).await.unwrap().unwrap().text);
    }
    assert_eq!(texts, ["old", "new", "old"]);
    assert_eq!(titles_found(&notebook, "new").await, ["Plan"]);
}

#[tokio::test]
async fn a_note_survives_a_restart() {
    let fixture = Fixture::new();
    let tags = ["b", "a", "b", " ", " a "];
    let added = fixture
        .notebook()
        .add(draft("Plan", "Buy apples", &tags))
        .await
        .unwrap();
    assert_eq!((added.id, added.title.as_str()), (1, "Plan"));
    assert_eq!(added.tags, ["a", "b"]);
    assert_eq!(added.created, added.updated);
    assert_eq!(
        (added.created.len(), added.created.as_bytes()[10]),
        (20, b'T')
    );

    let file = fixture.file();
    let Fixture { folder, store } = fixture;
    drop(store);
    let again = Store::open(&file)
        .unwrap()
        .notebook("ann")
        .note(1)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(again.summary, added);
    assert_eq!(again.text, "Buy apples");
    drop(folder);
}

#[tokio::test]
async fn tenants_never_see_each_other() {
    let fixture = Fixture::new();
    let (ann, bob) = (fixture.store.notebook("ann"), fixture.store.notebook("bob"));
    for title in ["One", "Two"] {
        ann.add(draft(title, "secret", &["private"])).await.unwrap();
    }
    let own = bob.add(draft("Mine", "open", &[])).await.unwrap();
    assert_eq!(own.id, 1, "another tenant's notes must not show in the ids");

    assert_eq!(bob.note(2).await.unwrap(), None);
    assert_eq!(bob.edit(2, Edit::default()).await.unwrap(), None);
    assert!(!bob.delete(2).await.unwrap());
    assert_eq!(bob.recent(Some("private".to_owned()), 9).await.unwrap(), []);
    assert_eq!(bob.recent(None, 9).await.unwrap(), slice::from_ref(&own));
    assert_eq!(bob.page(None, 9).await.unwrap(), [own]);
    assert_eq!(bob.search("secret", 9).await.unwrap(), []);
    assert_eq!(bob.tags(String::new(), None, 9).await.unwrap(), []);
    assert_eq!(bob.ids(String::new(), 9).await.unwrap(), ["1"]);
    assert_eq!(bob.weeks(1).await.unwrap()[0].notes, 1);
    assert!(
        bob.add_new(draft("One", "mine too", &[]))
            .await
            .unwrap()
            .is_some()
    );
    assert_eq!(ann.note(2).await.unwrap().unwrap().text, "secret");
}

#[tokio::test]
async fn an_edit_changes_what_it_names_and_the_index() {
    let fixture = Fixture::new();
    let notebook = fixture.notebook();
    notebook
        .add(draft("Fruit", "apples", &["old"]))
        .await
        .unwrap();

    let edit = Edit {
        text: Some("pears".to_owned()),
        ..Edit::default()
    };
    let edited = notebook.edit(1, edit).await.unwrap().unwrap();
    assert_eq!(
        (edited.title.as_str(), edited.tags.as_slice()),
        ("Fruit", &["old".to_owned()][..])
    );
    assert!(titles_found(&notebook, "apples").await.is_empty());
    assert_eq!(titles_found(&notebook, "pears").await, ["Fruit"]);

    let edit = Edit {
        tags: Some(vec!["new".to_owned()]),
        ..Edit::default()
    };
    assert_eq!(notebook.edit(1, edit).await.unwrap().unwrap().tags, ["new"]);
    assert_eq!(notebook.note(1).await.unwrap().unwrap().text, "pears");
}

#[tokio::test]
async fn a_deleted_note_is_gone_everywhere_and_its_id_stays_unused() {
    let fixture = Fixture::new();
    let notebook = fixture.notebook();
    notebook
        .add(draft("Fruit", "apples", &["food"]))
        .await
        .unwrap();
    // Whatever of it has changed, even within the second.
    for edit in [
        Edit {
            title: Some("Fruits".to_owned()),
            ..Edit::default()
        },
        Edit {
            text: Some("pears".to_owned()),
            ..Edit::default()
        },
        Edit {
            tags: Some(Vec::new()),
            ..Edit::default()
        },
    ] {
        let seen = notebook.note(1).await.unwrap().unwrap().mark();
        notebook.edit(1, edit).await.unwrap().unwrap();
        assert!(!notebook.delete_as(1, seen).await.unwrap());
    }
    let seen = notebook.note(1).await.unwrap().unwrap().mark();
    assert!(!notebook.delete_as(2, seen).await.unwrap());
    assert!(notebook.delete_as(1, seen).await.unwrap());
    assert!(!notebook.delete(1).await.unwrap());
    assert!(titles_found(&notebook, "apples").await.is_empty());
    assert_eq!(notebook.tags(String::new(), None, 9).await.unwrap(), []);
    assert_eq!(notebook.add(draft("Next", "", &[])).await.unwrap().id, 2);
}

#[tokio::test]
async fn search_wants_every_word_and_prefers_titles() {
    let fixture = Fixture::new();
    let notebook = fixture.notebook();
    for (title, text) in [
        (
            "Shopping",
            "Remember the Café near the garden, they sell apples",
        ),
        ("Garden", "Prune the apple tree"),
        ("Other", "Nothing here"),
    ] {
        notebook.add(draft(title, text, &["t"])).await.unwrap();
    }
    assert_eq!(
        titles_found(&notebook, "garden").await,
        ["Garden", "Shopping"]
    );
    assert_eq!(titles_found(&notebook, "APPLES garden").await, ["Shopping"]);
    assert_eq!(titles_found(&notebook, "cafe").await, ["Shopping"]);

    let hits = notebook.search("prune", 9).await.unwrap();
    assert_eq!((hits.len(), hits[0].id), (1, 2));
    assert_eq!(hits[0].snippet, "**Prune** the apple tree");
    assert_eq!(hits[0].tags, ["t"]);
}

#[test]
fn any_text_is_a_valid_query() {
    let fixture = Fixture::new();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let notebook = fixture.notebook();
    runtime
        .block_on(notebook.add(draft("AND OR", "NEAR(\"a\" b)", &[])))
        .unwrap();
    let search = |text: &str| {
        runtime
            .block_on(notebook.search(text, 9))
            .map(|hits| hits.len())
    };
    for text in [
        "\"", "a\"b", "title:x", "a AND", "NEAR(", "^a", "a*", "-a", "{a b}:c", "\u{fdd0}",
    ] {
        search(text).unwrap();
    }
    assert_eq!(search("AND NEAR( \"").unwrap(), 1);
    proptest!(|(text in any::<String>())| prop_assert!(search(&text).is_ok()));
    proptest!(|(text in "[ \"*^:(){}+a-cANDORNEAR\\-\0]{0,20}")| prop_assert!(search(&text).is_ok()));
}

#[tokio::test]
async fn pages_continue_after_the_last_key_shown() {
    let fixture = Fixture::new();
    let notebook = fixture.notebook();
    for number in 1..=12 {
        notebook
            .add(draft("x", "", &[&format!("tag{}", number % 3), "all"]))
            .await
            .unwrap();
    }
    let page = notebook.page(Some(9), 2).await.unwrap();
    assert_eq!(
        page.iter().map(|note| note.id).collect::<Vec<_>>(),
        [10, 11]
    );
    assert_eq!(
        notebook.ids("1".to_owned(), 9).await.unwrap(),
        ["1", "10", "11", "12"]
    );
    assert_eq!(notebook.ids("%".to_owned(), 9).await.unwrap(), [""; 0]);

    let tags = notebook
        .tags("t".to_owned(), Some("tag0".to_owned()), 9)
        .await
        .unwrap();
    let tags: Vec<_> = tags
        .iter()
        .map(|tag| (tag.name.as_str(), tag.notes))
        .collect();
    assert_eq!(tags, [("tag1", 4), ("tag2", 4)]);
    let tagged = notebook.recent(Some("tag0".to_owned()), 2).await.unwrap();
    assert_eq!(
        tagged.iter().map(|note| note.id).collect::<Vec<_>>(),
        [12, 9]
    );
}

#[tokio::test]
async fn weeks_begin_on_monday() {
    let fixture = Fixture::new();
    let notebook = fixture.notebook();
    // A Sunday, the Monday after it (twice), and the Sunday that ends that week.
    let times = [
        "2026-11-22 23:59:59",
        "2026-11-23",
        "2026-11-23 00:00:01",
        "2026-11-29 23:59:59",
    ];
    let connection = Connection::open(fixture.file()).unwrap();
    for (id, time) in (1..).zip(times) {
        notebook.add(draft("x", "", &[])).await.unwrap();
        connection
            .execute(
                "UPDATE note SET created = unixepoch(?1) WHERE id = ?2",
                (time, id),
            )
            .unwrap();
    }
    let weeks = |until: &str, count| {
        let connection = Connection::open(fixture.file()).unwrap();
        let weeks = read::weeks(&connection, "ann", until, count).unwrap();
        weeks
            .into_iter()
            .map(|week| (week.monday, week.notes))
            .collect::<Vec<_>>()
    };
    let expected = [("2026-11-16", 1), ("2026-11-23", 3)].map(|(day, n)| (day.to_owned(), n));
    assert_eq!(weeks("2026-11-29", 2), expected);
    assert_eq!(weeks("2026-11-23", 2), expected);
    assert_eq!(weeks("2026-11-30", 1), [("2026-11-30".to_owned(), 0)]);
}

#[test]
fn a_locked_database_is_named_in_one_sentence() {
    let fixture = Fixture::new();
    let file = fixture.file();
    let holder = Connection::open(&file).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    let error = Store::open_within(&file, Duration::ZERO).unwrap_err();
    assert!(matches!(error, StoreError::Locked { .. }), "{error:?}");
    let sentence = format!(
        "the database {} is locked by another process",
        file.display()
    );
    assert_eq!(error.to_string(), sentence);

    holder.execute_batch("ROLLBACK").unwrap();
    Store::open_within(&file, Duration::ZERO).unwrap();
}

#[tokio::test]
async fn a_file_that_is_no_sound_database_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("notes.db");
    fs::write(&file, "Dear diary, ".repeat(100)).unwrap();
    let error = Store::open(&file).unwrap_err();
    assert!(matches!(error, StoreError::Damaged { .. }), "{error:?}");
    assert!(error.to_string().contains(&file.display().to_string()));

    let fixture = Fixture::new();
    fixture
        .notebook()
        .add(draft("x", &"word ".repeat(20_000), &[]))
        .await
        .unwrap();
    let file = fixture.file();
    let Fixture { folder, store } = fixture;
    drop(store);
    let mut bytes = fs::read(&file).unwrap();
    let half = bytes.len() / 2;
    bytes[half..].fill(0xa5);
    fs::write(&file, bytes).unwrap();
    let error = Store::open(&file).unwrap_err();
    assert!(matches!(error, StoreError::Damaged { .. }), "{error:?}");
    drop(folder);
}

#[test]
fn a_database_of_another_program_or_a_newer_version_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("other.db");
    Connection::open(&file)
        .unwrap()
        .execute_batch("CREATE TABLE diary (day)")
        .unwrap();
    let before = fs::read(&file).unwrap();
    assert!(matches!(
        Store::open(&file),
        Err(StoreError::Foreign { .. })
    ));
    assert_eq!(fs::read(&file).unwrap(), before);

    let fixture = Fixture::new();
    let connection = Connection::open(fixture.file()).unwrap();
    connection.pragma_update(None, "user_version", 99).unwrap();
    assert!(matches!(
        Store::open(&fixture.file()),
        Err(StoreError::Newer { .. })
    ));
}

#[test]
fn a_path_that_cannot_hold_a_database_is_named() {
    let folder = tempfile::tempdir().unwrap();
    assert!(matches!(
        Store::open(folder.path()),
        Err(StoreError::CannotOpen { .. })
    ));

    let blocked = folder.path().join("file");
    fs::write(&blocked, "").unwrap();
    let error = Store::open(&blocked.join("notes.db")).unwrap_err();
    assert!(matches!(error, StoreError::Folder { .. }), "{error:?}");
}

#[test]
fn several_servers_may_create_one_file_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("notes.db");
    thread::scope(|scope| {
        let openings: Vec<_> = (0..8).map(|_| scope.spawn(|| Store::open(&file))).collect();
        for opening in openings {
            opening.join().unwrap().unwrap();
        }
    });
}
