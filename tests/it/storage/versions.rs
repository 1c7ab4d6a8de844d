//! Journals that an older release wrote: they are brought up to date with all that is in them, and saved if they are damaged.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use nim::server::storage::sqlite::{Durability, check};
use nim::server::storage::{GameCursor, Sqlite, Storage};
use rusqlite::Connection;

use super::model::{Model, open_in};
use super::town::Town;

/// What was there in version 1.
const FIRST: [&str; 8] = ["meta", "lobbies", "events", "owners", "set_aside", "seats", "games", "played"];

/// The two tables that were others until version 2: they did not say which players sat and played.
const UNNUMBERED: [(&str, &str, &str); 2] = [
    (
        "seats",
        "lobby, side, name, kind",
        "CREATE TABLE seats (
    lobby INTEGER NOT NULL,
    side TEXT NOT NULL,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    PRIMARY KEY (lobby, side)
) STRICT, WITHOUT ROWID",
    ),
    (
        "games",
        "lobby, game, first, first_kind, second, second_kind, started, first_event, ended, last_event, outcome, cause",
        "CREATE TABLE games (
    lobby INTEGER NOT NULL,
    game INTEGER NOT NULL,
    first TEXT,
    first_kind TEXT,
    second TEXT,
    second_kind TEXT,
    started INTEGER NOT NULL,
    first_event INTEGER NOT NULL,
    ended INTEGER,
    last_event INTEGER,
    outcome TEXT,
    cause TEXT,
    PRIMARY KEY (lobby, game)
) STRICT, WITHOUT ROWID",
    ),
];

/// A journal after some hundred deeds.
fn played(folder: &Path) -> Model {
    let mut journal = super::opened(folder, Durability::Process);
    let (mut town, mut model) = (Town::by(81, 12), Model::default());
    for _ in 0..30 {
        let batch = town.batch(20);
        journal.record(&batch).unwrap();
        model.record(&batch);
    }
    model
}

/// It, as version 1 had it.
fn of_version_1(folder: &Path) -> Model {
    let model = of_version_2(folder);
    let file = Connection::open(folder.join("journal.sqlite")).unwrap();
    for kind in ["index", "view", "table"] {
        for name in items(&file, kind) {
            if !FIRST.contains(&name.as_str()) && !name.starts_with("sqlite_") {
                file.execute_batch(&format!("DROP {kind} {name}")).unwrap();
            }
        }
    }
    sign(&file, 1);
    model
}

/// It, as version 2 had it.
fn of_version_2(folder: &Path) -> Model {
    let model = played(folder);
    make_version_2(folder);
    model
}

/// Makes a journal of today as version 2 had it.
pub(super) fn make_version_2(folder: &Path) {
    let file = Connection::open(folder.join("journal.sqlite")).unwrap();
    for (name, columns, made) in UNNUMBERED {
        file.execute_batch(&format!(
            "CREATE TEMP TABLE kept AS SELECT {columns} FROM {name}; DROP TABLE {name}; {made};
             INSERT INTO {name} SELECT * FROM kept; DROP TABLE kept"
        ))
        .unwrap();
    }
    file.execute_batch("CREATE INDEX games_by_start ON games (first_event)").unwrap();
    sign(&file, 2);
}

/// Says that it is of this version.
fn sign(file: &Connection, version: u32) {
    let said = "UPDATE meta SET value = ?1 WHERE name = 'journal'";
    assert_eq!(file.execute(said, [version.to_string()]).unwrap(), 1);
    file.pragma_update(None, "user_version", version).unwrap();
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
fn an_older_journal_goes_on_with_all_that_is_in_it() {
    for (version, make) in [(1, of_version_1 as fn(&Path) -> Model), (2, of_version_2)] {
        let folder = tempfile::tempdir().unwrap();
        let model = make(folder.path());
        let before = files(folder.path());
        let report = check(folder.path()).unwrap();
        assert_eq!((report.findings.len(), report.open), (0, model.open().len() as u64), "{report}");
        let said = report.to_string();
        let older = format!("; it is of version {version}, and will be brought to");
        assert!(said.starts_with("sound: ") && said.contains(&older), "{said}");
        assert!(files(folder.path()) == before, "a check changes nothing");
        let (mut journal, news) = Sqlite::open(folder.path(), Durability::Process).unwrap();
        assert_eq!(news, [format!("the journal was brought from version {version} to version 3")]);
        assert_eq!(open_in(&mut journal), model.open());
        let report = check(folder.path()).unwrap();
        assert!(report.findings.is_empty(), "{report}");
        let mut archive = journal.archive().unwrap();
        assert!(
            archive.games(GameCursor::END, None, 1_000).unwrap().games.len() > 10,
            "its games can be read"
        );
        journal.record(&Town::by_from(82, 3, 5_000).batch(200)).unwrap();
        drop((journal, archive));
        super::opened(folder.path(), Durability::Process);
    }
}

#[test]
fn whose_games_an_older_journal_has_follows_from_what_happened() {
    let (older, newest) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let games = |folder: &Path| {
        let journal = super::opened(folder, Durability::Process);
        journal.archive().unwrap().games(GameCursor::END, None, 1_000).unwrap().games
    };
    of_version_2(older.path());
    drop(Sqlite::open(older.path(), Durability::Process).unwrap());
    played(newest.path());
    assert_eq!(games(older.path()), games(newest.path()));
    assert!(games(newest.path()).iter().any(|game| game.players.first.id.0 > 2), "nobody ever takes a seat");
}

#[test]
fn what_a_host_has_built_upon_a_table_that_is_made_anew_is_there_again() {
    let folder = tempfile::tempdir().unwrap();
    of_version_2(folder.path());
    let file = Connection::open(folder.path().join("journal.sqlite")).unwrap();
    let own = "CREATE INDEX by_name ON games (first, second); CREATE VIEW mine AS SELECT * FROM games WHERE first = 'anna';
        CREATE TABLE audit (game INTEGER);
        CREATE TRIGGER begins AFTER INSERT ON games BEGIN INSERT INTO audit VALUES (NEW.game); END;
        CREATE TABLE notes (lobby INTEGER, game INTEGER, FOREIGN KEY (lobby, game) REFERENCES games (lobby, game));
        INSERT INTO notes SELECT lobby, game FROM games LIMIT 1";
    file.execute_batch(own).unwrap();
    drop(file);
    let (journal, news) = Sqlite::open(folder.path(), Durability::Process).unwrap();
    assert_eq!(news, ["the journal was brought from version 2 to version 3"]);
    drop(journal);
    let file = Connection::open(folder.path().join("journal.sqlite")).unwrap();
    assert!(items(&file, "index").contains("by_name") && items(&file, "view").contains("mine"));
    assert!(items(&file, "trigger").contains("begins"));
    file.query_row("SELECT count(*), max(first_player) FROM mine", [], |_| Ok(())).unwrap();
    let noted: (u32, u32) = file
        .query_row("SELECT (SELECT count(*) FROM notes), (SELECT count(*) FROM audit)", [], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .unwrap();
    assert_eq!(noted, (1, 0), "nothing begins a second time");
}

#[test]
fn the_copy_that_a_server_left_which_ended_after_the_last_step_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    played(folder.path());
    let copy = folder.path().join("journal.version-2");
    fs::copy(folder.path().join("journal.sqlite"), &copy).unwrap();
    super::opened(folder.path(), Durability::Process);
    assert!(!copy.exists());
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
