//! Damaged journals: no unrecorded event is loaded, everything readable is recovered, and the damage is
//! reported.
//!
//! The tests try a sample of all bytes; `.ci/campaign` tries every byte, which takes an hour.

use std::fs;
use std::path::{Path, PathBuf};

use nim::server::storage::Sqlite;
use nim::server::storage::sqlite::{Durability, check};
use rusqlite::Connection;

use super::crash::{Crash, INDEX, MAIN, Outcome, Tally, WAL, copied, places};
use super::model::open_in;
use super::{Played, opened};
use crate::harness::campaign;

/// The size of a page in bytes.
const PAGE: usize = 4_096;

/// Opens the damaged journal in this folder. Returns its report.
fn recovered(folder: &Path) -> (Sqlite, String) {
    let (journal, mut news) = Sqlite::open(folder, Durability::Process).unwrap();
    let said = news.remove(0);
    assert!(said.starts_with("the journal was damaged ("), "{said}");
    (journal, said)
}

/// The damaged files that were set aside in a folder.
fn put_away(folder: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let mut away: Vec<_> =
        files.filter(|path| path.to_string_lossy().contains("journal.damaged-20")).collect();
    away.sort();
    away
}

#[test]
fn a_killed_server_loads_everything_again() {
    for durability in [Durability::Process, Durability::Power] {
        let mut journal = Played::surviving(durability, 11, 12);
        for size in 1..25 {
            journal.plays(size);
            let folder = copied(journal.folder.path());
            assert_eq!(open_in(&mut opened(folder.path(), durability)), journal.model.to_load());
        }
    }
}

#[test]
fn a_flipped_byte_costs_at_most_the_lobbies_on_its_page_and_is_reported() {
    let crash = Crash::after(21, 40, 0);
    let (bytes, mut tally) = (crash.file(MAIN), Tally::default());
    // The first page has the table of contents: without it nothing can be read.
    for place in places(bytes.len() - PAGE, 1_021).map(|place| PAGE + place) {
        for bits in [0x01, 0xff] {
            let mut flipped = bytes.clone();
            flipped[place] ^= bits;
            tally.count(&crash.judge(&format!("byte {place} ^ {bits:#x}"), MAIN, Some(&flipped)));
        }
    }
    println!("{} bytes: {tally:#?}", bytes.len());
    assert!(tally.whole > 0 && tally.said > 0);
    assert!(tally.lost < crash.states.last().unwrap().len(), "some lobbies are always recovered");
    assert_eq!((tally.older, tally.refused), (0, 0));
}

/// As after a flipped bit in the header of a row, which has the types of its values.
#[test]
fn a_row_whose_values_have_other_types_is_left_out_and_reported() {
    for (table, change) in [
        ("events", "UPDATE events SET lobby = NULL WHERE id = 20"),
        (
            "owners",
            "UPDATE owners SET lobby = 'x' WHERE (lobby, player) = (SELECT min(lobby), 1 FROM owners)",
        ),
        ("meta", "UPDATE meta SET last_lobby = NULL"),
    ] {
        let crash = Crash::after(35, 10, 0);
        let journal = Connection::open(crash.folder.path().join(MAIN)).unwrap();
        let begin = |journal: &Connection| journal.execute_batch("PRAGMA writable_schema = ON").unwrap();
        let end = |journal: &Connection| journal.execute_batch("PRAGMA writable_schema = RESET").unwrap();
        let schema = "SELECT sql FROM sqlite_schema WHERE name = ?1";
        let strict: String = journal.query_row(schema, [table], |row| row.get(0)).unwrap();
        let lax = strict.replace(" NOT NULL", "").replace(") STRICT,", ")").replace(") STRICT", ")");
        let replace = "UPDATE sqlite_schema SET sql = ?2 WHERE name = ?1";
        begin(&journal);
        journal.execute(replace, [table, &lax]).unwrap();
        end(&journal);
        assert_eq!(journal.execute(change, []).unwrap(), 1, "{change}");
        begin(&journal);
        journal.execute(replace, [table, &strict]).unwrap();
        end(&journal);
        drop(journal);
        let found = check(crash.folder.path()).unwrap().findings.join("\n");
        assert!(found.contains(&format!("of {table} does not fit its checksum")), "{change}: {found}");
        assert!(!found.contains("cannot be read"), "{change}: {found}");
        let outcome = crash.judge(change, MAIN, Some(&crash.file(MAIN)));
        let Outcome::Opened { said, .. } = outcome else { panic!("{change}: {outcome:?}") };
        assert!(said[0].contains("1 row did not fit its checksum"), "{change}: {said:?}");
    }
}

#[test]
fn a_damaged_first_page_is_reported_and_loads_no_older_state() {
    let crash = Crash::after(28, 25, 0);
    let (bytes, mut tally) = (crash.file(MAIN), Tally::default());
    for place in places(PAGE, 131) {
        let mut damaged = bytes.clone();
        damaged[place] ^= 0xff;
        tally.count(&crash.judge(&format!("byte {place}"), MAIN, Some(&damaged)));
    }
    println!("{tally:#?}");
    assert!(tally.whole > 0 && tally.said > 0 && tally.older == 0);
}

/// As on a disk that writes a page to the wrong place.
#[test]
fn a_misplaced_page_is_survived() {
    let crash = Crash::after(31, 4, 0);
    let (bytes, mut tally) = (crash.file(MAIN), Tally::default());
    let pages = bytes.len() / PAGE;
    for (from, to) in (0..pages * pages)
        .map(|pair| (pair / pages, pair % pages))
        .step_by(if campaign::is_on() { 1 } else { 7 })
    {
        let mut changed = bytes.clone();
        changed.copy_within(from * PAGE..(from + 1) * PAGE, to * PAGE);
        let what = format!("page {from} in the place of page {to}");
        tally.count(&crash.judge(&what, MAIN, Some(&changed)));
    }
    println!("{pages} pages: {tally:#?}");
    assert!(tally.said > 0 && tally.older == 0);
}

#[test]
fn a_truncated_journal_is_survived() {
    let crash = Crash::after(23, 20, 0);
    let (bytes, mut tally) = (crash.file(MAIN), Tally::default());
    for length in places(bytes.len(), 4_999) {
        tally.count(&crash.judge(&format!("{length} bytes"), MAIN, Some(&bytes[..length])));
    }
    println!("{} bytes: {tally:#?}", bytes.len());
    assert_eq!((tally.older, tally.refused), (0, 0), "a part of a journal is not an older journal");
}

#[test]
fn damage_to_the_wal_costs_at_most_the_last_events() {
    let crash = Crash::after(22, 10, 8);
    let (bytes, mut tally) = (crash.file(WAL), Tally::default());
    for place in places(bytes.len(), 8_009) {
        let mut flipped = bytes.clone();
        flipped[place] ^= 0x10;
        for changed in [&flipped[..], &bytes[..place]] {
            tally.count(&crash.judge(&format!("byte {place}"), WAL, Some(changed)));
        }
    }
    tally.count(&crash.judge("no -wal", WAL, None));
    println!("{} bytes: {tally:#?}", bytes.len());
    assert!(tally.older > 0 && tally.refused == 0);
    assert!(
        matches!(crash.judge("no -shm", INDEX, None), Outcome::Opened { lost: 0, said } if said.is_empty())
    );
}

#[test]
fn a_damaged_page_costs_no_row_of_another_page() {
    let crash = Crash::after(26, 60, 0);
    let (bytes, all) = (crash.file(MAIN), crash.states.last().unwrap().len());
    let mut saved = 0;
    for page in 1..bytes.len() / PAGE {
        let mut damaged = bytes.clone();
        for byte in &mut damaged[page * PAGE..][..PAGE] {
            *byte = byte.wrapping_mul(31).wrapping_add(7);
        }
        if let Outcome::Opened { said, lost } = crash.judge(&format!("page {page}"), MAIN, Some(&damaged)) {
            println!("page {page}: {lost} of {all} lost: {}", said.join("\n    "));
            saved += usize::from(lost < all);
        }
    }
    assert!(saved * 10 > bytes.len() / PAGE * 7, "only {saved} times something was recovered");
}

#[test]
fn a_file_of_another_kind_is_set_aside() {
    let crash = Crash::after(27, 5, 0);
    for bytes in [&b""[..], b"SQLite format 3\0", &[0; 8192], b"a letter to a friend, longer than a header"] {
        let folder = copied(crash.folder.path());
        fs::write(folder.path().join(MAIN), bytes).unwrap();
        let (mut journal, said) = recovered(folder.path());
        assert!(said.contains("no open lobby was found in it"), "{said}");
        assert_eq!(open_in(&mut journal), []);
        assert_eq!(fs::read(&put_away(folder.path())[0]).unwrap(), bytes);
        drop(journal);
        opened(folder.path(), Durability::Process);
    }
}

#[test]
fn an_empty_journal_keeps_its_wal() {
    let crash = Crash::after(29, 0, 10);
    let folder = copied(crash.folder.path());
    fs::write(folder.path().join(MAIN), "").unwrap();
    drop(recovered(folder.path()));
    let kept = put_away(folder.path()).into_iter().find(|path| path.to_string_lossy().ends_with("-wal"));
    assert_eq!(fs::read(kept.unwrap()).unwrap(), crash.file(WAL));
}

#[test]
fn a_recovery_that_was_interrupted_is_finished_at_the_next_start() {
    let crash = Crash::after(34, 10, 0);
    let folder = copied(crash.folder.path());
    fs::rename(folder.path().join(MAIN), folder.path().join("journal.sqlite-recovered")).unwrap();
    let (mut journal, news) = Sqlite::open(folder.path(), Durability::Process).unwrap();
    assert!(news.len() == 1 && news[0].contains("what could be recovered of it is used"), "{news:?}");
    assert_eq!(Some(&crash.whole(open_in(&mut journal))), crash.states.last());
}
