//! `check` and `backup`: what they find and copy, also during games.

use std::fs;
use std::path::Path;

use nim::lobby::{Event, Moment};
use nim::server::storage::sqlite::{Durability, backup, check};
use nim::server::storage::{Bounds, LobbyId, Note, Sqlite, Storage, WallTime};
use rusqlite::Connection;

use super::archive::opening;
use super::model::{loaded, open_in};
use super::{Played, entry, happened, opened};
use crate::harness::campaign;

const EVERYTHING: Bounds = Bounds { since: WallTime(u64::MAX), old: super::NEVER, bytes: u64::MAX };

/// A journal with a random play of this seed.
fn played(seed: u64) -> Played {
    let mut journal = Played::by(seed, 12);
    (0..30).for_each(|_| journal.plays(20));
    journal
}

/// The findings after a change that no server makes.
fn found_after(change: &str) -> String {
    let journal = played(41);
    assert!(journal.other().execute(change, []).unwrap() > 0, "{change} changes nothing");
    check(journal.closes().path()).unwrap().findings.join("\n")
}

/// The names of the files in a folder.
fn names(folder: &Path) -> Vec<String> {
    let files = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn an_intact_journal_passes_the_check_even_during_games() {
    let mut journal = played(40);
    for _ in 0..3 {
        let report = check(journal.folder.path()).unwrap();
        assert_eq!(report.findings, [""; 0]);
        let model = &journal.model;
        assert_eq!((report.open, report.lobbies), (model.open().len() as u64, model.next().0 - 1));
        let sound = format!("sound: {} lobbies, {} of them open, and ", report.lobbies, report.open);
        assert!(report.to_string().starts_with(&sound), "{report}");
        journal.plays(100);
    }
}

#[test]
fn a_foreign_change_is_found() {
    for (change, finding) in [
        ("UPDATE events SET body = x'00' WHERE id = 100", "row 100 of events does not fit its checksum"),
        ("UPDATE lobbies SET closed = NULL WHERE closed IS NOT NULL", "of lobbies does not fit its checksum"),
        ("UPDATE owners SET player = player + 100", "of owners does not fit its checksum"),
        ("DELETE FROM events WHERE id = 50", "is missing"),
        ("DELETE FROM lobbies WHERE id = 3", "lobby 3: it has an event, and how it was opened is missing"),
        ("UPDATE games SET first = 'nobody' WHERE lobby = 1", "row 1 of games does not fit its checksum"),
        ("DELETE FROM owners WHERE held = 1", "no ticket of "),
    ] {
        let found = found_after(change);
        assert!(found.contains(finding), "{change}: {found}");
    }
}

#[test]
fn a_damaged_lobby_is_named_at_each_start_and_keeps_its_rows_and_number() {
    let mut journal = played(42);
    // An event that no checkpoint covers: the others are not read at a start.
    while journal.model.to_load().last().is_none_or(|newest| newest.events.is_empty()) {
        journal.plays(1);
    }
    let newest = journal.model.to_load().pop().unwrap();
    let lobby = newest.lobby;
    let number = newest.checkpoint.map_or(0, |checkpoint| checkpoint.snapshot.events) + 1;
    let spoil = format!("UPDATE events SET body = x'00' WHERE lobby = {} AND number = {number}", lobby.0);
    assert_eq!(journal.other().execute(&spoil, []).unwrap(), 1);
    for _ in 0..2 {
        journal.restart();
        let (found, next) = loaded(journal.storage());
        let damaged: Vec<LobbyId> = found.into_iter().filter_map(|lobby| Some(lobby.err()?.lobby)).collect();
        assert_eq!((damaged, next), (vec![lobby], journal.model.next()));
        journal.prune(&EVERYTHING);
    }
    let mut archive = journal.storage().archive().unwrap();
    assert!(archive.lobby_meta(lobby).unwrap().is_some(), "its rows stay");
    assert!(archive.events(lobby).unwrap_err().is_damage(), "its record is known to be damaged");
}

#[test]
fn check_and_backup_without_a_journal_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("copy");
    let letter = folder.path().join("letter");
    fs::write(&letter, "Dear Ben").unwrap();
    for (place, sentence) in [
        (folder.path(), "there is no journal in "),
        (&folder.path().join("nowhere"), "there is no folder "),
        (&letter, "is not a folder: choose another one"),
    ] {
        for said in [check(place).unwrap_err(), backup(place, &file).unwrap_err()] {
            assert!(said.to_string().contains(sentence), "{said}");
            assert!(!said.to_string().contains("os error"), "{said}");
        }
    }
    assert_eq!(names(folder.path()), ["letter"]);
}

#[test]
fn a_backup_is_the_journal_at_that_time() {
    let (mut journal, folder) = (played(43), tempfile::tempdir().unwrap());
    let (file, open) = (folder.path().join("journal.sqlite"), journal.model.to_load());
    backup(journal.folder.path(), &file).unwrap();
    journal.plays(50);
    assert_eq!(open_in(&mut opened(folder.path(), Durability::Power)), open);
    let report = check(folder.path()).unwrap();
    assert!(report.findings.is_empty(), "{report}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    }
    let said = backup(journal.folder.path(), &file).unwrap_err().to_string();
    assert!(said.contains("is there already: choose another name"), "{said}");
    assert_eq!(open_in(&mut opened(folder.path(), Durability::Power)), open);
}

#[test]
fn a_backup_appears_only_when_it_is_complete() {
    let (mut journal, copies) = (played(51), tempfile::tempdir().unwrap());
    journal.plays(5_000);
    let (home, copy) = (journal.folder.path(), copies.path().join("copy"));
    let mut seen = Vec::new();
    std::thread::scope(|scope| {
        let copying = scope.spawn(|| backup(home, &copy).unwrap());
        while !copying.is_finished() {
            seen.extend(copy.metadata().map(|file| file.len()));
        }
    });
    let whole = copy.metadata().unwrap().len();
    assert!(seen.iter().all(|length| *length == whole), "{seen:?}, and then {whole}");
    assert_eq!(names(copies.path()), ["copy"]);
}

#[test]
fn a_check_of_an_unused_journal_leaves_no_files_beside_it() {
    let home = played(46).closes();
    let odd = home.path().join("50% öd? #1");
    fs::create_dir_all(&odd).unwrap();
    fs::copy(home.path().join("journal.sqlite"), odd.join("journal.sqlite")).unwrap();
    for folder in [home.path(), &odd] {
        let (before, copies) = (names(folder), tempfile::tempdir().unwrap());
        assert_eq!(check(folder).unwrap().findings, [""; 0]);
        backup(folder, &copies.path().join("copy")).unwrap();
        assert_eq!((names(folder), names(copies.path())), (before, vec!["copy".into()]));
    }
}

#[test]
fn a_refused_journal_is_not_copied_and_stays_unchanged() {
    let not_ours = "DROP VIEW played; DROP TABLE lobbies; DROP TABLE events; DROP TABLE owners;
        DROP TABLE checkpoints; DROP TABLE meta;
        DROP TABLE games; CREATE TABLE recipes (name TEXT); PRAGMA application_id = 5";
    for (change, refusal) in [
        ("PRAGMA user_version = 9", "is of version 9, and this program knows version 1"),
        (not_ours, "is a database of another program: choose another folder"),
    ] {
        let folder = played(47).closes();
        let file = folder.path().join("journal.sqlite");
        Connection::open(&file).unwrap().execute_batch(change).unwrap();
        let (bytes, before, copy) =
            (fs::read(&file).unwrap(), names(folder.path()), folder.path().join("copy"));
        let opened = Sqlite::open(folder.path(), Durability::Process);
        for said in [backup(folder.path(), &copy).unwrap_err(), opened.unwrap_err()] {
            assert!(said.cause.contains(refusal), "{said}");
        }
        assert!(!check(folder.path()).unwrap().findings.is_empty());
        assert_eq!((fs::read(&file).unwrap(), names(folder.path())), (bytes, before));
    }
}

#[test]
fn of_a_journal_with_damaged_pages_the_rest_is_copied_and_an_empty_file_is_not() {
    let folder = played(44).closes();
    let (path, copy) = (folder.path().join("journal.sqlite"), folder.path().join("copy"));
    let mut bytes = fs::read(&path).unwrap();
    bytes[4096 * 6..4096 * 12].fill(0x55);
    fs::write(&path, bytes).unwrap();
    let left_out = backup(folder.path(), &copy).unwrap().join("\n");
    assert!(left_out.contains("a part of the journal could not be read") && copy.exists(), "{left_out}");
    fs::remove_file(&copy).unwrap();
    assert!(!check(folder.path()).unwrap().findings.is_empty());
    fs::write(&path, "").unwrap();
    for said in [backup(folder.path(), &copy).unwrap_err(), check(folder.path()).unwrap_err()] {
        assert!(said.cause.contains("is damaged (the file is empty): start the server"), "{said}");
    }
}

#[test]
fn a_large_lobby_is_pruned_in_pieces() {
    let mut journal = Played::by(49, 30);
    let (oldest, mut events) = (1_000_000, 0);
    journal.record(&[opening(oldest)]);
    // More rows than one piece has: the oldest lobby is spread over all of them.
    while events < campaign::count("NIM_EVENTS", 21_000, 50_000) {
        let batch = journal.play.batch(3_000);
        events += batch.iter().filter(|entry| matches!(entry.note, Note::Happened { .. })).count() as u64;
        journal.record(&batch);
    }
    journal.record(&[entry(oldest, happened(1, Moment::START, Event::Closed))]);
    let others = journal.model.to_load();
    let mut pieces = 0;
    while !journal.storage().prune(&EVERYTHING).unwrap().is_done {
        pieces += 1;
        assert_eq!(open_in(journal.storage()), others);
        // A check of everything takes a while.
        if pieces > 1 {
            continue;
        }
        assert_eq!(check(journal.folder.path()).unwrap().findings, [""; 0], "no lobby appears incomplete");
    }
    assert!(pieces > 3, "{pieces}");
    let report = check(journal.folder.path()).unwrap();
    assert_eq!((report.findings.len(), report.lobbies), (0, others.len() as u64), "{report}");
}

#[test]
fn the_number_of_a_pruned_lobby_is_not_used_again() {
    let mut journal = played(45);
    for lobby in journal.model.open() {
        let number = u32::try_from(lobby.events.len()).unwrap() + 1;
        journal.record(&[entry(lobby.lobby.0, happened(number, Moment::START, Event::Closed))]);
    }
    journal.prune(&EVERYTHING);
    let report = check(journal.folder.path()).unwrap();
    assert_eq!((report.lobbies, report.events, report.findings.len()), (0, 0, 0));
    assert_eq!(journal.storage().load(&mut |_| {}).unwrap().next, LobbyId(journal.model.next().0));
}

#[test]
fn a_copy_leaves_damaged_rows_out_and_names_them() {
    let (journal, folder) = (played(52), tempfile::tempdir().unwrap());
    let file = folder.path().join("journal.sqlite");
    let spoil = [
        "UPDATE events SET body = x'00' WHERE id = 100",
        "UPDATE games SET first = 'nobody' WHERE lobby = 1 AND game = 1",
        "UPDATE owners SET name = 'nobody' WHERE (lobby, player) = (SELECT lobby, max(player) FROM owners GROUP BY lobby LIMIT 1)",
    ];
    for change in spoil {
        assert_eq!(journal.other().execute(change, []).unwrap(), 1, "{change}");
    }
    let left_out = backup(journal.folder.path(), &file).unwrap().join("\n");
    for named in ["row 100 of events does not", "lobby 1: row 1 of games", " of owners does not"] {
        assert!(left_out.contains(named), "{left_out}");
    }
    let rows = |connection: &Connection| -> i64 {
        let sql = "SELECT (SELECT count(*) FROM events) + (SELECT count(*) FROM games) + (SELECT count(*) FROM owners)";
        connection.query_row(sql, [], |row| row.get(0)).unwrap()
    };
    let copy = Connection::open(&file).unwrap();
    assert_eq!(rows(&copy), rows(&journal.other()) - 3);
    drop(copy);
    let said = check(folder.path()).unwrap().findings.join("\n");
    assert!(!said.contains("checksum"), "no damaged row was copied: {said}");
}

/// Where the first page of a table is in a file, and its size.
fn page_of(table: &str, file: &Path) -> (usize, usize) {
    let root = "SELECT rootpage, (SELECT page_size FROM pragma_page_size) FROM sqlite_schema WHERE name = ?1";
    let (number, size): (u32, u32) = Connection::open(file)
        .unwrap()
        .query_row(root, [table], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap();
    ((number as usize - 1) * size as usize, size as usize)
}

#[test]
fn a_copy_without_the_rows_that_a_damaged_page_hides_is_not_called_whole() {
    let folder = played(54).closes();
    let (file, copy) = (folder.path().join("journal.sqlite"), folder.path().join("copy"));
    let (start, _) = page_of("meta", &file);
    let mut bytes = fs::read(&file).unwrap();
    // How many rows the page has: SQLite reads none of it, without an error.
    assert_eq!(bytes[start + 3..start + 5], [0, 1]);
    bytes[start + 4] = 0;
    fs::write(&file, bytes).unwrap();
    let found = backup(folder.path(), &copy).unwrap().join("\n");
    assert!(found.contains("the file is damaged: SQLite says: "), "{found:?}");
}

#[test]
fn every_flipped_bit_of_the_table_meta_is_found() {
    let folder = played(53).closes();
    let file = folder.path().join("journal.sqlite");
    let (start, size) = page_of("meta", &file);
    let bytes = fs::read(&file).unwrap();
    // The page's header has the place of its one row, which reaches to the end of the page.
    let place = usize::from(u16::from_be_bytes([bytes[start + 8], bytes[start + 9]]));
    assert!((8..40).contains(&(size - place)), "a row of {} bytes", size - place);
    for bit in (start + place) * 8..(start + size) * 8 {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        fs::write(&file, &flipped).unwrap();
        let found = check(folder.path()).unwrap().findings;
        assert!(!found.is_empty(), "bit {} of byte {}", bit % 8, bit / 8 - start - place);
    }
    fs::write(&file, &bytes).unwrap();
    assert_eq!(check(folder.path()).unwrap().findings, [""; 0]);
}
