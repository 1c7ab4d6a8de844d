//! Files that somebody takes away, replaces or cuts off while a server has them open: it is noticed with the next batch, and no
//! batch is taken for recorded that nobody would find again.

use std::fs::{self, OpenOptions};
use std::path::Path;

use nim::server::storage::sqlite::{Durability, check};
use nim::server::storage::{GameCursor, Sqlite, Storage, StorageError};

use super::model::{Model, open_in};
use super::opened;
use super::town::Town;

const FILES: [&str; 4] = ["journal.sqlite", "journal.sqlite-wal", "journal.sqlite-shm", "journal.lock"];

/// A journal in use, and all that it was told.
struct Use {
    journal: Sqlite,
    town: Town,
    model: Model,
}

impl Use {
    /// After so many batches of so many deeds, the first half of which are in the main file.
    fn of(folder: &Path, seed: u64, batches: usize, deeds: usize) -> Self {
        let journal = opened(folder, Durability::Process);
        let (town, model) = (Town::by(seed, 12), Model::default());
        let mut used = Self { journal, town, model };
        for number in 0..batches {
            if number == batches / 2 {
                drop(used.journal);
                used.journal = opened(folder, Durability::Process);
            }
            used.goes_on(deeds).unwrap();
        }
        used
    }

    /// Some more happens. What could not be recorded is tried once more.
    fn goes_on(&mut self, deeds: usize) -> Result<(), StorageError> {
        let batch = self.town.batch(deeds);
        let done = self.journal.record(&batch).or_else(|_| self.journal.record(&batch));
        done.map(|()| self.model.record(&batch))
    }

    /// Whether whoever opens the journal after a crash at this moment finds all of it.
    fn assert_there(&self, folder: &Path, what: &str) {
        let copy = tempfile::tempdir().unwrap();
        for name in FILES {
            fs::copy(folder.join(name), copy.path().join(name))
                .unwrap_or_else(|_| panic!("{what}: no {name}"));
        }
        assert_eq!(open_in(&mut opened(copy.path(), Durability::Process)), self.model.open(), "{what}");
    }
}

/// What somebody does to the files.
type Deed = fn(&Path);

fn cut(file: &Path, length: u64) {
    OpenOptions::new().write(true).open(file).unwrap().set_len(length).unwrap();
}

fn replace(file: &Path) {
    let copy = file.with_extension("copy");
    fs::copy(file, &copy).unwrap();
    fs::rename(copy, file).unwrap();
}

#[cfg(unix)]
#[test]
fn what_is_taken_away_is_written_anew() {
    let deeds: [(&str, Deed); 12] = [
        ("no journal", |folder| fs::remove_file(folder.join(FILES[0])).unwrap()),
        ("no WAL", |folder| fs::remove_file(folder.join(FILES[1])).unwrap()),
        ("no index", |folder| fs::remove_file(folder.join(FILES[2])).unwrap()),
        ("no lock", |folder| fs::remove_file(folder.join(FILES[3])).unwrap()),
        ("no file", |folder| FILES.iter().for_each(|name| fs::remove_file(folder.join(name)).unwrap())),
        ("no folder", |folder| fs::remove_dir_all(folder).unwrap()),
        ("the folder elsewhere", |folder| fs::rename(folder, folder.with_extension("else")).unwrap()),
        ("a copy of the journal", |folder| replace(&folder.join(FILES[0]))),
        ("a copy of the WAL", |folder| replace(&folder.join(FILES[1]))),
        ("a letter in the journal's place", |folder| {
            fs::remove_file(folder.join(FILES[0])).unwrap();
            fs::write(folder.join(FILES[0]), "Dear Ben").unwrap();
        }),
        ("a folder in the WAL's place", |folder| {
            fs::remove_file(folder.join(FILES[1])).unwrap();
            fs::write(folder.join(FILES[1]), "Dear Ben").unwrap();
        }),
        ("a new journal", |folder| {
            fs::remove_dir_all(folder).unwrap();
            drop(opened(folder, Durability::Process));
        }),
    ];
    for (what, deed) in deeds {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("data");
        let mut used = Use::of(&folder, 61, 10, 20);
        let mut archive = used.journal.archive().unwrap();
        let count = archive.games(GameCursor::END, None, 10_000).unwrap().games.len();
        deed(&folder);
        if matches!(what, "no index" | "no lock") {
            // Nothing is lost with these: they are looked at now and then, and whenever it has to be certain.
            used.journal.prove().unwrap();
        }
        used.goes_on(1).unwrap_or_else(|trouble| panic!("{what}: {trouble}"));
        used.assert_there(&folder, what);
        used.journal.prove().unwrap();
        for _ in 0..5 {
            used.goes_on(40).unwrap();
            used.assert_there(&folder, what);
        }
        assert!(archive.games(GameCursor::END, None, 10_000).unwrap().games.len() > count, "{what}");
        let report = check(&folder).unwrap();
        assert!(report.findings.is_empty(), "{what}: {report}");
        let Use { journal, model, .. } = used;
        drop((journal, archive));
        assert_eq!(open_in(&mut opened(&folder, Durability::Process)), model.open(), "{what}");
        assert!(!home.path().join("data/journal.renewed").exists());
    }
}

#[test]
fn what_is_cut_off_is_written_anew_or_nothing_is_recorded_any_more() {
    let deeds: [(&str, Deed); 7] = [
        ("an empty WAL", |folder| cut(&folder.join(FILES[1]), 0)),
        ("the head of a WAL", |folder| cut(&folder.join(FILES[1]), 32)),
        ("20,000 bytes of a WAL", |folder| cut(&folder.join(FILES[1]), 20_000)),
        ("a WAL without its last byte", |folder| {
            let file = folder.join(FILES[1]);
            cut(&file, file.metadata().unwrap().len() - 1);
        }),
        ("an empty journal", |folder| cut(&folder.join(FILES[0]), 0)),
        ("a page of a journal", |folder| cut(&folder.join(FILES[0]), 4096)),
        ("a journal without its last byte", |folder| {
            let file = folder.join(FILES[0]);
            cut(&file, file.metadata().unwrap().len() - 1);
        }),
    ];
    // One that SQLite still has in memory, and one that is too large for that.
    for (batches, size) in [(10, 20), (40, 1_000)] {
        let mut refused = 0;
        for (what, deed) in deeds {
            let home = tempfile::tempdir().unwrap();
            let mut used = Use::of(home.path(), 62, batches, size);
            // What is cut off while something is written behind it is noticed by whoever starts the next time.
            used.journal.prove().unwrap();
            deed(home.path());
            match used.goes_on(1) {
                Ok(()) => used.assert_there(home.path(), what),
                Err(trouble) => {
                    refused += 1;
                    assert!(
                        trouble.cause.contains("stop the server and start it again"),
                        "{what}: {trouble}"
                    );
                    assert_eq!(used.journal.prove(), Err(trouble.clone()), "{what}");
                    let Use { journal, model, .. } = used;
                    drop(journal);
                    let (mut journal, news) = Sqlite::open(home.path(), Durability::Process).unwrap();
                    let found = open_in(&mut journal);
                    assert!(!news.is_empty() || found.len() < model.open().len(), "{what}: {news:?}");
                }
            }
        }
        assert!(refused > 0 || batches == 10, "a large journal cannot have been in memory");
    }
}

#[test]
fn a_batch_that_was_written_before_the_loss_was_seen_is_not_written_twice() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("data");
    let mut used = Use::of(&folder, 63, 10, 20);
    fs::remove_dir_all(&folder).unwrap();
    // Where the folder was there is a file now, so that nothing can be made there.
    fs::write(&folder, "").unwrap();
    let mut batch = used.town.batch(3);
    for _ in 0..3 {
        let trouble = used.journal.record(&batch).unwrap_err().cause;
        assert!(trouble.contains("is no folder: choose another one"), "{trouble}");
        batch.extend(used.town.batch(2));
    }
    fs::remove_file(&folder).unwrap();
    used.journal.record(&batch).unwrap();
    used.model.record(&batch);
    used.assert_there(&folder, "a file in the folder's place");
    let report = check(&folder).unwrap();
    assert!(report.findings.is_empty(), "{report}");
}

/// A host may read the journal for long, and somebody always writes: the log is put into the journal meanwhile, and nothing of
/// that is taken for damage. What is given back to the disk makes the journal shorter.
#[test]
fn the_log_is_put_into_the_journal_while_batches_are_recorded() {
    use nim::server::storage::{Bounds, WallTime};
    let home = tempfile::tempdir().unwrap();
    let mut used = Use::of(home.path(), 65, 2, 20);
    let made = home.path().join(FILES[3]).metadata().unwrap().modified().unwrap();
    let log = home.path().join(FILES[1]);
    let reader = rusqlite::Connection::open(home.path().join(FILES[0])).unwrap();
    let length = |file: &Path| file.metadata().unwrap().len();
    let mut longest = 0;
    for round in 0..400 {
        if round == 200 {
            reader.execute_batch("BEGIN; SELECT * FROM events LIMIT 1").unwrap();
        }
        if round == 250 {
            reader.execute_batch("COMMIT").unwrap();
        }
        used.goes_on(300).unwrap();
        longest = longest.max(length(&log));
        if round % 50 == 49 {
            let bounds = Bounds { since: WallTime(u64::MAX), bytes: u64::MAX };
            while used.journal.prune(&bounds).unwrap() > 0 {}
        }
    }
    println!("the log had {longest} bytes");
    assert!(longest < 40 << 20, "the log had {longest} bytes");
    used.assert_there(home.path(), "after all");
    used.journal.prove().unwrap();
    let Use { journal: open, model, .. } = used;
    assert_eq!(home.path().join(FILES[3]).metadata().unwrap().modified().unwrap(), made, "written anew");
    drop((reader, open));
    assert!(!log.exists(), "a planned stop leaves one file");
    assert_eq!(open_in(&mut opened(home.path(), Durability::Process)), model.open());
}

#[test]
fn what_sqlite_and_a_host_do_to_the_files_is_no_loss() {
    let home = tempfile::tempdir().unwrap();
    let mut used = Use::of(home.path(), 64, 4, 50);
    let (journal, log) = (home.path().join(FILES[0]), home.path().join(FILES[1]));
    let identity = |path: &Path| path.metadata().unwrap().modified().unwrap();
    let made = identity(&home.path().join(FILES[3]));
    for tidy in ["PASSIVE", "TRUNCATE", "RESTART"].into_iter().cycle().take(12) {
        used.goes_on(30).unwrap();
        let other = rusqlite::Connection::open(&journal).unwrap();
        other.query_row(&format!("PRAGMA wal_checkpoint({tidy})"), [], |_| Ok(())).unwrap();
        drop(other);
        used.journal.prove().unwrap();
        let bounds =
            nim::server::storage::Bounds { since: nim::server::storage::WallTime(u64::MAX), bytes: 0 };
        while used.journal.prune(&bounds).unwrap() > 0 {}
    }
    used.goes_on(30).unwrap();
    used.assert_there(home.path(), "tidied up");
    assert!(log.exists() && identity(&home.path().join(FILES[3])) == made, "nothing was written anew");
}
