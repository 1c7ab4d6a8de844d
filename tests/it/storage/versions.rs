//! Journals that an older release wrote: they are brought up to date with all that is in them, and saved if they are damaged.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use nim::server::storage::sqlite::{Durability, check};
use nim::server::storage::{Place, Sqlite, Storage};
use rusqlite::Connection;

use super::model::{Model, open_in};
use super::town::Town;

/// What was there in version 1.
const FIRST: [&str; 8] = ["meta", "lobbies", "events", "owners", "set_aside", "seats", "games", "played"];

/// A journal after some hundred deeds, as version 1 had it.
fn of_version_1(folder: &Path) -> Model {
    let mut journal = super::opened(folder, Durability::Process);
    let (mut town, mut model) = (Town::by(81, 12), Model::default());
    for _ in 0..30 {
        let batch = town.batch(20);
        journal.record(&batch).unwrap();
        model.record(&batch);
    }
    drop(journal);
    let file = Connection::open(folder.join("journal.sqlite")).unwrap();
    for kind in ["index", "view", "table"] {
        for name in items(&file, kind) {
            if !FIRST.contains(&name.as_str()) && !name.starts_with("sqlite_") {
                file.execute_batch(&format!("DROP {kind} {name}")).unwrap();
            }
        }
    }
    file.execute("UPDATE meta SET value = '1' WHERE name = 'journal'", []).unwrap();
    file.pragma_update(None, "user_version", 1).unwrap();
    model
}

/// All files of a folder, with what is in them.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let paths = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    paths.map(|path| (path.clone(), fs::read(path).unwrap())).collect()
}

#[test]
fn what_is_wrong_with_an_older_journal_is_found_before_it_is_brought_up_to_date() {
    let folder = tempfile::tempdir().unwrap();
    of_version_1(folder.path());
    let file = Connection::open(folder.path().join("journal.sqlite")).unwrap();
    file.execute("UPDATE events SET body = x'00' WHERE id = 100", []).unwrap();
    drop(file);
    let said = check(folder.path()).unwrap().to_string();
    assert!(said.contains("row 100 of events does not fit its checksum"), "{said}");
    assert!(said.contains("1 thing is wrong: ") && said.contains("it is of version 1"), "{said}");
}

fn items(file: &Connection, kind: &str) -> BTreeSet<String> {
    let mut items =
        file.prepare("SELECT name FROM sqlite_schema WHERE type = ?1 AND sql IS NOT NULL").unwrap();
    items.query_map([kind], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap()
}

#[test]
fn a_journal_of_version_1_goes_on_with_all_that_is_in_it() {
    let folder = tempfile::tempdir().unwrap();
    let model = of_version_1(folder.path());
    let before = files(folder.path());
    let report = check(folder.path()).unwrap();
    assert_eq!((report.findings.len(), report.open), (0, model.open().len() as u64), "{report}");
    let said = report.to_string();
    assert!(
        said.starts_with("sound: ") && said.contains("; it is of version 1, and will be brought to"),
        "{said}"
    );
    assert!(files(folder.path()) == before, "a check changes nothing");
    let (mut journal, news) = Sqlite::open(folder.path(), Durability::Process).unwrap();
    assert_eq!(news, ["the journal was brought from version 1 to version 2"]);
    assert_eq!(open_in(&mut journal), model.open());
    let report = check(folder.path()).unwrap();
    assert!(report.findings.is_empty(), "{report}");
    let mut archive = journal.archive().unwrap();
    assert!(archive.games(Place::END, None, 1_000).unwrap().games.len() > 10, "its games can be read");
    journal.record(&Town::by_from(82, 3, 5_000).batch(200)).unwrap();
    drop((journal, archive));
    super::opened(folder.path(), Durability::Process);
}

#[test]
fn a_damaged_journal_of_version_1_is_saved_as_far_as_it_can_be() {
    let folder = tempfile::tempdir().unwrap();
    let model = of_version_1(folder.path());
    let path = folder.path().join("journal.sqlite");
    let bytes = fs::read(&path).unwrap();
    let mut saved = 0;
    for page in 1..bytes.len() / 4096 {
        let mut damaged = bytes.clone();
        damaged[page * 4096..][..4096].fill(0x5a);
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("journal.sqlite"), damaged).unwrap();
        let (mut journal, news) = Sqlite::open(folder.path(), Durability::Process).unwrap();
        let open = open_in(&mut journal);
        assert!(
            open == model.open() || news[0].starts_with("the journal was damaged"),
            "page {page}: {news:?}"
        );
        assert!(
            open.iter().all(|kept| model.open().contains(kept)) || news.len() > 1,
            "page {page}: {news:?}"
        );
        saved += usize::from(!open.is_empty());
    }
    assert!(saved > 3, "nothing was saved of a journal with a damaged page");
}
