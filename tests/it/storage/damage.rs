//! Journals that are not as they were written: killed, cut off, flipped, half gone. Whatever is wrong, nothing is loaded that
//! was not recorded, and nothing is missing unsaid but what an older state of the whole explains.
//!
//! Every so many bytes are tried, and with `NIM_DAMAGE=all` in the environment every one, which takes an hour.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use nim::server::storage::sqlite::Durability;
use nim::server::storage::{Entry, Kept, LobbyId, Note, Owner, Sqlite, Storage};
use rusqlite::Connection;
use tempfile::TempDir;

use super::model::{Model, loaded, open_in};
use super::opened;
use super::town::Town;

const MAIN: &str = "journal.sqlite";
const WAL: &str = "journal.sqlite-wal";

/// A journal as it was when the power went, and all that had been recorded until then.
struct Crash {
    folder: TempDir,
    model: Model,
    /// What there was to be loaded after each batch.
    states: Vec<Vec<Kept>>,
}

impl Crash {
    /// A journal with some hundred events, in so many batches in the main file, and so many more beside it.
    fn after(seed: u64, settled: usize, fresh: usize) -> Self {
        let (home, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (mut town, mut model, mut states) = (Town::by(seed, 12), Model::default(), vec![Vec::new()]);
        for batches in [settled, fresh] {
            // A journal that is closed has everything in its main file.
            let mut journal = opened(home.path(), Durability::Process);
            for _ in 0..batches {
                let batch = town.batch(15);
                journal.record(&batch).unwrap();
                model.record(&batch);
                states.push(model.open());
            }
            copy(home.path(), folder.path());
        }
        if fresh == 0 {
            copy(home.path(), folder.path());
        }
        Self { folder, model, states }
    }

    fn file(&self, name: &str) -> Vec<u8> {
        fs::read(self.folder.path().join(name)).unwrap()
    }

    /// Opens a copy of it in which one file is other than it was, or gone; what it says and what it has is held to the rule.
    fn judge(&self, what: &str, name: &str, bytes: Option<&[u8]>) -> Outcome {
        let folder = tempfile::tempdir().unwrap();
        copy(self.folder.path(), folder.path());
        match bytes {
            Some(bytes) => fs::write(folder.path().join(name), bytes).unwrap(),
            None => fs::remove_file(folder.path().join(name)).unwrap(),
        }
        let (mut journal, news) = match Sqlite::open(folder.path(), Durability::Process) {
            Ok(opened) => opened,
            Err(trouble) => return Outcome::Refused(trouble.to_string()),
        };
        let (found, next) = loaded(&mut journal);
        let damages: Vec<String> =
            found.iter().filter_map(|lobby| lobby.as_ref().err()).map(ToString::to_string).collect();
        let found: Vec<Kept> = found.into_iter().filter_map(Result::ok).collect();
        for kept in &found {
            self.assert_was_recorded(kept, what);
        }
        if Some(&found) == self.states.last() {
            return Outcome::Whole;
        }
        let said: Vec<String> = news.into_iter().chain(damages).collect();
        if said.is_empty() {
            assert!(self.states.contains(&found), "{what}: something is missing, and nothing is said");
            return Outcome::Older;
        }
        assert!(next.0 > found.iter().map(|kept| kept.lobby.0).max().unwrap_or(0), "{what}");
        let lost =
            self.states.last().map_or(0, |all| all.iter().filter(|kept| !found.contains(kept)).count());
        Outcome::Said { said, lost }
    }

    /// Whether a lobby is as it was at some time.
    fn assert_was_recorded(&self, kept: &Kept, what: &str) {
        let true_one =
            self.model.kept(kept.lobby).unwrap_or_else(|| panic!("{what}: {kept:?} was never there"));
        assert_eq!((kept.opened, &kept.opening), (true_one.opened, &true_one.opening), "{what}");
        assert!(true_one.events.starts_with(&kept.events), "{what}: an event was invented");
        let owners = self.owners(kept.lobby);
        assert!(kept.owners.iter().all(|owner| owners.contains(&owner)), "{what}: an owner was invented");
    }

    fn owners<'a>(&'a self, lobby: LobbyId) -> Vec<&'a Owner> {
        let entries = self.model.entries.iter().filter(|entry| entry.lobby == lobby);
        let owner = |entry: &'a Entry| match &entry.note {
            Note::Seated(owner) => Some(owner),
            _ => None,
        };
        entries.filter_map(owner).collect()
    }
}

/// How a damaged journal was opened.
#[derive(Debug)]
enum Outcome {
    /// Nothing is missing.
    Whole,
    /// It is as it was before.
    Older,
    /// Something is wrong, and it is said; so many lobbies are not as they were at last.
    Said {
        said: Vec<String>,
        lost: usize,
    },
    Refused(String),
}

/// How many came out in each way.
#[derive(Debug, Default)]
struct Tally {
    whole: usize,
    older: usize,
    said: usize,
    refused: usize,
    /// The most lobbies that were lost at once.
    lost: usize,
    sentences: HashSet<String>,
}

impl Tally {
    fn count(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Whole => self.whole += 1,
            Outcome::Older => self.older += 1,
            Outcome::Said { said, lost } => {
                self.said += 1;
                self.lost = self.lost.max(lost);
                self.sentences.extend(said.iter().map(|said| without_names(said)));
            }
            Outcome::Refused(trouble) => {
                self.refused += 1;
                self.sentences.insert(without_names(&trouble));
            }
        }
    }
}

/// A sentence in which no file and no lobby is named.
fn without_names(sentence: &str) -> String {
    let words = sentence.split(' ').filter(|word| !word.contains('/') && !word.contains('('));
    let words = words.map(|word| if word.parse::<u64>().is_ok() { "N" } else { word });
    words.collect::<Vec<_>>().join(" ")
}

fn copy(from: &Path, to: &Path) {
    for file in fs::read_dir(from).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), to.join(file.file_name())).unwrap();
    }
}

/// Every byte, or every so many.
fn places(length: usize, stride: usize) -> impl Iterator<Item = usize> {
    let all = std::env::var_os("NIM_DAMAGE").is_some_and(|word| word == "all");
    (0..length).step_by(if all { 1 } else { stride })
}

#[test]
fn a_server_that_is_killed_finds_everything_again() {
    for durability in [Durability::Process, Durability::Power] {
        let home = tempfile::tempdir().unwrap();
        let mut journal = opened(home.path(), durability);
        let (mut town, mut model) = (Town::by(11, 12), Model::default());
        for size in 1..25 {
            let batch = town.batch(size);
            journal.record(&batch).unwrap();
            model.record(&batch);
            let folder = tempfile::tempdir().unwrap();
            copy(home.path(), folder.path());
            assert_eq!(open_in(&mut opened(folder.path(), durability)), model.open());
        }
    }
}

#[test]
fn every_flipped_byte_of_a_journal_is_survived() {
    let crash = Crash::after(21, 25, 0);
    let (bytes, mut tally) = (crash.file(MAIN), Tally::default());
    for place in places(bytes.len(), 101) {
        for bits in [0x01, 0x80, 0xff] {
            let mut flipped = bytes.clone();
            flipped[place] ^= bits;
            let outcome = crash.judge(&format!("byte {place} ^ {bits:#x}"), MAIN, Some(&flipped));
            if let Outcome::Said { lost: 2.., said } = &outcome {
                println!("byte {place} ^ {bits:#x}: {}", said.join("\n    "));
            }
            tally.count(outcome);
        }
    }
    println!("{} bytes: {tally:#?}", bytes.len());
    assert!(tally.whole > 0 && tally.said > 0);
    assert!(tally.lost <= 1, "a flipped byte costs {} lobbies", tally.lost);
    assert_eq!((tally.older, tally.refused), (0, 0), "a flipped byte is no older journal");
}

#[test]
fn every_flipped_byte_beside_a_journal_is_survived() {
    let crash = Crash::after(22, 10, 8);
    let (bytes, mut tally) = (crash.file(WAL), Tally::default());
    for place in places(bytes.len(), 1_009) {
        let mut flipped = bytes.clone();
        flipped[place] ^= 0x10;
        tally.count(crash.judge(&format!("byte {place} of the WAL"), WAL, Some(&flipped)));
    }
    println!("{} bytes: {tally:#?}", bytes.len());
    assert!(tally.older > 0);
}

#[test]
fn every_truncated_journal_is_survived() {
    let crash = Crash::after(23, 25, 0);
    let (bytes, mut tally) = (crash.file(MAIN), Tally::default());
    for length in places(bytes.len(), 307) {
        tally.count(crash.judge(&format!("{length} bytes"), MAIN, Some(&bytes[..length])));
    }
    println!("{} bytes: {tally:#?}", bytes.len());
    assert_eq!((tally.older, tally.refused), (0, 0), "a part of a journal is no older journal");
}

#[test]
fn what_is_cut_off_beside_a_journal_is_an_older_state() {
    let crash = Crash::after(24, 10, 8);
    let (bytes, mut tally) = (crash.file(WAL), Tally::default());
    for length in places(bytes.len(), 1_013) {
        tally.count(crash.judge(&format!("{length} bytes of the WAL"), WAL, Some(&bytes[..length])));
    }
    println!("{} bytes: {tally:#?}", bytes.len());
    assert_eq!((tally.said, tally.refused), (0, 0));
    assert!(tally.older > 1);
}

#[test]
fn a_missing_file_is_survived() {
    let crash = Crash::after(25, 10, 8);
    assert!(matches!(crash.judge("no shm", "journal.sqlite-shm", None), Outcome::Whole));
    assert!(matches!(crash.judge("no lock", "journal.lock", None), Outcome::Whole));
    assert!(matches!(crash.judge("no WAL", WAL, None), Outcome::Older));
    let Outcome::Said { said, .. } = crash.judge("no journal", MAIN, None) else {
        panic!("nothing was said")
    };
    assert!(said[0].starts_with("the journal is gone"), "{said:?}");
}

#[test]
fn damaged_pages_cost_their_own_lobbies_alone() {
    let crash = Crash::after(26, 60, 0);
    let (bytes, all) = (crash.file(MAIN), crash.states.last().unwrap().len());
    let mut saved = 0;
    for page in 1..bytes.len() / 4096 {
        let mut damaged = bytes.clone();
        for byte in &mut damaged[page * 4096..][..4096] {
            *byte = byte.wrapping_mul(31).wrapping_add(7);
        }
        if let Outcome::Said { said, .. } = crash.judge(&format!("page {page}"), MAIN, Some(&damaged)) {
            println!("page {page}: {}", said.join("\n    "));
            saved += usize::from(!said[0].contains(" 0 of "));
        }
    }
    println!("{all} lobbies");
    assert!(saved > 3, "nothing can be saved of a journal with a damaged page");
}

#[test]
fn a_damaged_first_page_hides_no_lobby() {
    let crash = Crash::after(28, 25, 0);
    let bytes = crash.file(MAIN);
    for range in [0..16, 0..4096, 40..4096, 100..110, 2_000..4096] {
        let mut damaged = bytes.clone();
        damaged[range.clone()].fill(0xa5);
        let what = format!("bytes {range:?}");
        assert!(matches!(crash.judge(&what, MAIN, Some(&damaged)), Outcome::Whole), "{what}");
    }
}

#[test]
fn whatever_is_wrong_with_what_a_journal_says_of_itself_costs_no_lobby() {
    let crash = Crash::after(29, 25, 0);
    for change in [
        "UPDATE meta SET value = '7' WHERE name = 'journal'",
        "UPDATE meta SET value = '3' WHERE name = 'journal'",
        "UPDATE meta SET value = '1' WHERE name = 'journal'",
        "UPDATE meta SET value = '0' WHERE name = 'journal'",
        "UPDATE meta SET name = 'iournal' WHERE name = 'journal'",
        "UPDATE meta SET name = 'jourmal' WHERE name = 'journal'",
        "UPDATE meta SET value = 'mim-server' WHERE name = 'program'",
        "DELETE FROM meta",
        "DROP TABLE meta",
        "PRAGMA application_id = 5",
        "PRAGMA user_version = 1",
        "PRAGMA user_version = 3",
        "PRAGMA user_version = 0",
    ] {
        let folder = tempfile::tempdir().unwrap();
        copy(crash.folder.path(), folder.path());
        Connection::open(folder.path().join(MAIN)).unwrap().execute_batch(change).unwrap();
        let (mut journal, news) = Sqlite::open(folder.path(), Durability::Process).unwrap();
        assert_eq!(Some(&open_in(&mut journal)), crash.states.last(), "{change}: {news:?}");
        drop(journal);
        opened(folder.path(), Durability::Process);
    }
}

#[test]
fn what_was_written_over_in_a_journal_is_found_beside_it() {
    let crash = Crash::after(30, 0, 18);
    let length = crash.file(MAIN).len();
    for bytes in [vec![0x5a; length], vec![0; length], vec![0x5a; 4096], Vec::new()] {
        let what = format!("{} bytes of nothing", bytes.len());
        assert!(matches!(crash.judge(&what, MAIN, Some(&bytes)), Outcome::Whole), "{what}");
    }
}

#[test]
fn what_is_no_journal_at_all_is_put_away() {
    let crash = Crash::after(27, 5, 0);
    for bytes in [&b""[..], b"SQLite format 3\0", &[0; 8192], b"a letter to a friend, longer than a header"] {
        let folder = tempfile::tempdir().unwrap();
        copy(crash.folder.path(), folder.path());
        fs::write(folder.path().join(MAIN), bytes).unwrap();
        let (mut journal, news) = Sqlite::open(folder.path(), Durability::Process).unwrap();
        assert!(news[0].starts_with("the journal was damaged ("), "{news:?}");
        assert!(news[0].ends_with("no lobby could be read in it"), "{news:?}");
        assert_eq!(open_in(&mut journal), []);
        let away = fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().path());
        let is_away = |path: &PathBuf| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            name.starts_with("journal.damaged-20") && !name.ends_with("-wal") && !name.ends_with("-shm")
        };
        let away: Vec<PathBuf> = away.filter(is_away).collect();
        assert_eq!(fs::read(&away[0]).unwrap(), bytes);
        drop(journal);
        opened(folder.path(), Durability::Process);
    }
}
