//! Journals that are not as they were written: killed, cut off, flipped, half gone. Whatever is wrong, nothing is loaded that
//! was not recorded, and nothing is missing unsaid.
//!
//! Every so many bytes are tried, and with `NIM_DAMAGE=all` in the environment every one, which takes an hour.

use std::fs;
use std::path::PathBuf;

use nim::server::storage::sqlite::Durability;
use nim::server::storage::{Sqlite, Storage};
use rusqlite::Connection;

use super::crash::{Crash, MAIN, Outcome, Tally, copy, places};
use super::model::{Model, open_in};
use super::opened;
use super::town::Town;

/// The bytes of a page.
const PAGE: usize = 4_096;

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
            let what = format!("byte {place} ^ {bits:#x}");
            let outcome = crash.judge(&what, MAIN, Some(&flipped));
            tally.count(&what, outcome);
        }
    }
    println!("{} bytes: {tally:#?}", bytes.len());
    assert!(tally.whole > 0 && tally.said > 0);
    assert!(tally.lost <= 1, "a flipped byte costs {} lobbies", tally.lost);
    assert_eq!((tally.unsaid, tally.refused), (0, 0), "a flipped byte is no older journal");
}

/// As a disk leaves it that writes a page to the wrong place. Found by the fuzzer: rows of another table kept a server from ever
/// starting, and a page without rows in the place of all lobbies was nothing that anybody was told.
#[test]
fn a_page_in_the_place_of_another_one_is_survived() {
    let crash = Crash::after(31, 4, 0);
    let (bytes, mut tally) = (crash.file(MAIN), Tally::default());
    let pages = bytes.len() / PAGE;
    for (from, to) in (0..pages * pages).map(|pair| (pair / pages, pair % pages)) {
        let mut changed = bytes.clone();
        changed.copy_within(from * PAGE..(from + 1) * PAGE, to * PAGE);
        let what = format!("page {from} in the place of page {to}");
        tally.count(&what, crash.judge(&what, MAIN, Some(&changed)));
    }
    println!("{pages} pages: {tally:#?}");
    assert!(tally.said > 0 && tally.mended > 0);
    assert_eq!(tally.unsaid, 0, "that is no older journal");
}

#[test]
fn every_truncated_journal_is_survived() {
    let crash = Crash::after(23, 25, 0);
    let (bytes, mut tally) = (crash.file(MAIN), Tally::default());
    for length in places(bytes.len(), 307) {
        let what = format!("{length} bytes");
        tally.count(&what, crash.judge(&what, MAIN, Some(&bytes[..length])));
    }
    println!("{} bytes: {tally:#?}", bytes.len());
    assert_eq!((tally.unsaid, tally.refused), (0, 0), "a part of a journal is no older journal");
}

#[test]
fn a_journal_that_was_removed_beside_its_log_is_saved_as_one_that_was_emptied() {
    for (settled, fresh) in [(0, 25), (10, 15)] {
        let crash = Crash::after(30, settled, fresh);
        let [removed, emptied] =
            [None, Some(&b""[..])].map(|bytes| match crash.judge("no journal", MAIN, bytes) {
                Outcome::Whole { .. } => 0,
                Outcome::Said { lost, .. } => lost,
                other => panic!("{other:?}"),
            });
        let all = crash.states.last().unwrap().len();
        assert!(removed == emptied && removed < all, "{removed} and {emptied} of {all}");
    }
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
        assert!(matches!(crash.judge(&what, MAIN, Some(&damaged)), Outcome::Whole { .. }), "{what}");
    }
}

#[test]
fn whatever_is_wrong_with_what_a_journal_says_of_itself_costs_no_lobby() {
    let crash = Crash::after(29, 25, 0);
    for change in [
        "UPDATE meta SET value = '7' WHERE name = 'journal'",
        "UPDATE meta SET value = '4' WHERE name = 'journal'",
        "UPDATE meta SET value = '2' WHERE name = 'journal'",
        "UPDATE meta SET value = '1' WHERE name = 'journal'",
        "UPDATE meta SET value = '0' WHERE name = 'journal'",
        "UPDATE meta SET name = 'iournal' WHERE name = 'journal'",
        "UPDATE meta SET name = 'jourmal' WHERE name = 'journal'",
        "UPDATE meta SET value = 'mim-server' WHERE name = 'program'",
        "DELETE FROM meta",
        "DROP TABLE meta",
        "PRAGMA application_id = 5",
        "PRAGMA user_version = 1",
        "PRAGMA user_version = 2",
        "PRAGMA user_version = 4",
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
        assert!(matches!(crash.judge(&what, MAIN, Some(&bytes)), Outcome::Whole { .. }), "{what}");
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
