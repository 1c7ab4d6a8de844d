//! What stands beside a journal after a crash, and is not as it was written: nothing that was told is missing unsaid as long as
//! anything there knows of it.

use std::fs;
use std::path::Path;

use nim::server::storage::Storage;
use nim::server::storage::sqlite::{Durability, backup, check};
use rusqlite::Connection;

use super::crash::{Crash, INDEX, MAIN, Outcome, Tally, WAL, copy, places};
use super::opened;
use super::town::Town;

/// The bytes in front of a WAL, and those of a page in it with what stands in front of that.
const WAL_HEADER: usize = 32;
const FRAME: usize = 24 + 4096;

/// The files of a journal with this WAL, and with what SQLite noted beside it or without.
fn with_wal(bytes: &[u8], has_index: bool) -> Vec<(&str, Option<&[u8]>)> {
    [(WAL, Some(bytes))].into_iter().chain((!has_index).then_some((INDEX, None))).collect()
}

#[test]
fn a_flipped_byte_beside_a_journal_costs_one_lobby_at_most_and_is_told() {
    let crash = Crash::after(22, 10, 8);
    let (bytes, mut tally) = (crash.file(WAL), Tally::default());
    let header = 0..WAL_HEADER + 24;
    for place in header.chain(places(bytes.len(), 1_009)) {
        for (bits, has_index) in [(0x10, true), (0x01, false), (0x80, true)] {
            let mut flipped = bytes.clone();
            flipped[place] ^= bits;
            let what = format!("byte {place} of the WAL");
            tally.count(&what, crash.judge_all(&what, &with_wal(&flipped, has_index)));
        }
    }
    println!("{} bytes: {tally:#?}", bytes.len());
    assert!(tally.said * 50 < tally.mended, "nearly every byte is put right");
    assert!(tally.lost <= 1, "a flipped byte costs {} lobbies", tally.lost);
    assert_eq!((tally.unsaid, tally.refused), (0, 0));
}

#[test]
fn whatever_is_written_over_beside_a_journal_is_told() {
    let crash = Crash::after(32, 10, 8);
    let (bytes, mut chance) = (crash.file(WAL), fastrand::Rng::with_seed(32));
    for length in [2, 7, 100, 512, 4096, 20_000] {
        let mut tally = Tally::default();
        for place in places(bytes.len() - length, 3_011) {
            let mut damaged = bytes.clone();
            chance.fill(&mut damaged[place..place + length]);
            let what = format!("{length} bytes from {place} of the WAL");
            tally.count(&what, crash.judge_all(&what, &with_wal(&damaged, true)));
        }
        println!("{length} of {} bytes: {tally:#?}", bytes.len());
        assert_eq!((tally.unsaid, tally.refused), (0, 0));
    }
}

#[test]
fn of_what_is_written_over_only_the_end_of_a_wal_is_like_a_transaction_that_was_never_told() {
    let crash = Crash::after(33, 10, 8);
    let bytes = crash.file(WAL);
    let mut tally = Tally::default();
    for place in places(bytes.len() - 100, 3_011) {
        let mut damaged = bytes.clone();
        damaged[place..place + 100].fill(0xa5);
        let outcome = crash.judge_all(&format!("from {place}"), &with_wal(&damaged, false));
        let is_last_frame = place + 100 > bytes.len() - FRAME;
        assert!(is_last_frame || !matches!(outcome, Outcome::Unsaid), "from {place} of {}", bytes.len());
        tally.count(&format!("from {place}"), outcome);
    }
    println!("{} bytes: {tally:#?}", bytes.len());
    assert!(tally.said > 0 && tally.refused == 0);
}

#[test]
fn what_is_cut_off_beside_a_journal_is_told() {
    let crash = Crash::after(24, 10, 8);
    let (bytes, mut tally) = (crash.file(WAL), Tally::default());
    let at_frames = (0..bytes.len() / FRAME).map(|frames| WAL_HEADER + frames * FRAME);
    for length in at_frames.chain(places(bytes.len(), 1_013)) {
        let what = format!("{length} bytes of the WAL");
        tally.count(&what, crash.judge(&what, WAL, Some(&bytes[..length])));
    }
    println!("{} bytes: {tally:#?}", bytes.len());
    assert_eq!((tally.unsaid, tally.refused), (0, 0));
    assert!(tally.said > 1);
}

/// Without what SQLite noted, a WAL that was cut off is that of a server which was killed before it wrote the rest.
#[test]
fn what_is_cut_off_together_with_the_index_is_an_older_state() {
    let crash = Crash::after(24, 10, 8);
    let (bytes, mut tally) = (crash.file(WAL), Tally::default());
    for length in places(bytes.len(), 1_013) {
        let outcome = crash.judge_all(&format!("{length} bytes"), &with_wal(&bytes[..length], false));
        let is_header = (1..WAL_HEADER).contains(&length);
        assert!(!is_header || matches!(outcome, Outcome::Said { .. }), "{length} bytes: {outcome:?}");
        tally.count(&format!("{length} bytes"), outcome);
    }
    println!("{} bytes: {tally:#?}", bytes.len());
    assert!(tally.unsaid > 1 && tally.refused == 0);
    assert_eq!(tally.mended, 0, "nothing is wrong with what is there");
}

#[test]
fn a_missing_file_is_survived() {
    let crash = Crash::after(25, 10, 8);
    let is_well = |outcome| matches!(outcome, Outcome::Whole { said } if said.is_empty());
    assert!(is_well(crash.judge("no shm", INDEX, None)));
    assert!(is_well(crash.judge("no lock", "journal.lock", None)));
    for (files, sentence) in [
        (&[(WAL, None)][..], "journal.sqlite-wal was removed, and what was recorded last"),
        (&[(WAL, None), (INDEX, None)][..], "journal.sqlite-wal is missing, which belongs to"),
    ] {
        let Outcome::Said { said, .. } = crash.judge_all(sentence, files) else {
            panic!("{sentence}: nothing was said")
        };
        assert!(said.len() == 1 && said[0].starts_with(sentence), "{said:?}");
    }
    let (Outcome::Said { said, .. } | Outcome::Whole { said }) = crash.judge("no journal", MAIN, None) else {
        panic!("nothing was said")
    };
    assert_eq!(said[0], "journal.sqlite was removed, and what belongs beside it was not");
}

#[test]
fn nothing_is_said_to_be_missing_where_nothing_is() {
    let is_silent = |folder: &Path| {
        assert_eq!(check(folder).unwrap().findings, [""; 0]);
        opened(folder, Durability::Process);
    };
    let home = tempfile::tempdir().unwrap();
    let as_killed = || {
        let folder = tempfile::tempdir().unwrap();
        copy(home.path(), folder.path());
        folder
    };
    // Killed before anything was written; also one whose log a tool has put into the journal, as long as the log is there.
    let mut journal = opened(home.path(), Durability::Power);
    is_silent(as_killed().path());
    journal.record(&Town::by(31, 3).batch(30)).unwrap();
    is_silent(as_killed().path());
    let other = Connection::open(home.path().join(MAIN)).unwrap();
    for mode in ["PASSIVE", "TRUNCATE"] {
        other.query_row(&format!("PRAGMA wal_checkpoint({mode})"), [], |_| Ok(())).unwrap();
        is_silent(as_killed().path());
        let killed = as_killed();
        fs::remove_file(killed.path().join(INDEX)).unwrap();
        is_silent(killed.path());
    }
    drop(other);
    // A copy, and what was closed.
    let copied = tempfile::tempdir().unwrap();
    backup(home.path(), &copied.path().join(MAIN)).unwrap();
    is_silent(copied.path());
    drop(journal);
    is_silent(as_killed().path());
    // In the middle of being closed: all is in the journal, and beside it too.
    let connection = Connection::open(home.path().join(MAIN)).unwrap();
    connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(())).unwrap();
    is_silent(as_killed().path());
    // One of a program that noted nothing of its state.
    connection.execute("DELETE FROM meta WHERE name = 'state'", []).unwrap();
    connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(())).unwrap();
    let killed = as_killed();
    fs::remove_file(killed.path().join(WAL)).unwrap();
    fs::remove_file(killed.path().join(INDEX)).unwrap();
    is_silent(killed.path());
}
