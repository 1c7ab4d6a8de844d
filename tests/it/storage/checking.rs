//! `check` and `backup`: what they find, what they copy, and that games go on meanwhile.

use std::fs;
use std::path::Path;

use nim::server::storage::sqlite::{Durability, backup, check};
use nim::server::storage::{Damage, LobbyId, Note, Storage};
use rusqlite::Connection;

use super::model::{Model, open_in};
use super::opened;
use super::town::Town;

/// A journal after some hundred deeds, in this folder.
fn played(folder: &Path, seed: u64) -> (nim::server::storage::Sqlite, Town, Model) {
    let mut journal = opened(folder, Durability::Process);
    let (mut town, mut model) = (Town::by(seed, 12), Model::default());
    for _ in 0..30 {
        let batch = town.batch(20);
        journal.record(&batch).unwrap();
        model.record(&batch);
    }
    (journal, town, model)
}

/// What is found after a change that no server makes.
fn found_after(change: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    drop(played(folder.path(), 41));
    let other = Connection::open(folder.path().join("journal.sqlite")).unwrap();
    assert!(other.execute(change, []).unwrap() > 0, "{change} changes nothing");
    drop(other);
    check(folder.path()).unwrap().findings.join("\n")
}

#[test]
fn a_sound_journal_is_told_to_be_sound_also_in_the_middle_of_games() {
    let folder = tempfile::tempdir().unwrap();
    let (mut journal, mut town, mut model) = played(folder.path(), 40);
    for _ in 0..3 {
        let report = check(folder.path()).unwrap();
        assert_eq!(report.findings, [""; 0]);
        assert_eq!(report.open, model.open().len() as u64);
        assert_eq!(report.lobbies, model.next().0 - 1);
        let sound = format!("sound: {} lobbies, {} of them open, and ", report.lobbies, report.open);
        assert!(report.to_string().starts_with(&sound), "{report}");
        let batch = town.batch(100);
        journal.record(&batch).unwrap();
        model.record(&batch);
    }
}

#[test]
fn a_change_by_anybody_else_is_found() {
    for (change, finding) in [
        ("UPDATE events SET body = x'00' WHERE id = 100", "row 100 of events does not fit its checksum"),
        ("UPDATE lobbies SET closed = NULL WHERE closed IS NOT NULL", "of lobbies does not fit its checksum"),
        ("UPDATE owners SET player = player + 100", "of owners does not fit its checksum"),
        ("DELETE FROM events WHERE id = 50", "is missing"),
        (
            "DELETE FROM lobbies WHERE id = 3",
            "lobby 3: an event is there, and no word of how the lobby was opened",
        ),
        (
            "UPDATE games SET first = 'nobody' WHERE lobby = 1",
            "lobby 1: the table games does not say what was played",
        ),
        ("DELETE FROM games WHERE lobby = 1", "lobby 1: the table games does not say what was played"),
        ("DELETE FROM seats", "the table seats does not say who sits there"),
        (
            "INSERT INTO games VALUES (999, 1, 1, 'a', 'b', 2, 'c', 'd', 1, 1, 1, 1, 'e', 'f', 0)",
            "lobby 999: it is in the table",
        ),
        ("UPDATE meta SET value = '7' WHERE name = 'journal'", "this is no journal of this version"),
    ] {
        let found = found_after(change);
        assert!(found.contains(finding), "{change}: {found}");
    }
}

#[test]
fn what_was_set_aside_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let (mut journal, _, model) = played(folder.path(), 42);
    let lobby = model.open()[0].lobby;
    journal.set_aside(&Damage { lobby, code: None, why: "event 3 cannot have happened".into() }).unwrap();
    let report = check(folder.path()).unwrap();
    let said = format!("lobby {} was set aside: event 3 cannot have happened", lobby.0);
    assert_eq!(report.findings, [said]);
    drop(journal);
    let (_, news) = nim::server::storage::Sqlite::open(folder.path(), Durability::Process).unwrap();
    assert_eq!(news, ["1 lobby is set aside and left alone: `nim-server check` says why"]);
}

#[test]
fn where_there_is_no_journal_there_is_nothing_to_check_or_to_copy() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("copy");
    let letter = folder.path().join("letter");
    fs::write(&letter, "Dear Ben").unwrap();
    for (place, sentence) in [
        (folder.path(), "there is no journal in "),
        (&folder.path().join("nowhere"), "there is no folder "),
        (&letter, "is no folder: choose another one"),
    ] {
        for said in [check(place).unwrap_err(), backup(place, &file).unwrap_err()] {
            assert!(said.to_string().contains(sentence), "{said}");
            assert!(!said.to_string().contains("os error"), "{said}");
        }
    }
    assert_eq!(names(folder.path()), ["letter"]);
}

#[test]
fn a_copy_is_a_journal_as_it_was_at_that_moment() {
    let (home, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (mut journal, mut town, model) = played(home.path(), 43);
    let file = folder.path().join("journal.sqlite");
    backup(home.path(), &file).unwrap();
    journal.record(&town.batch(50)).unwrap();
    assert_eq!(open_in(&mut opened(folder.path(), Durability::Power)), model.open());
    let report = check(folder.path()).unwrap();
    assert!(report.findings.is_empty(), "{report}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    }
    let said = backup(home.path(), &file).unwrap_err().to_string();
    assert!(said.contains("is there already: choose another name"), "{said}");
    assert_eq!(open_in(&mut opened(folder.path(), Durability::Power)), model.open());
}

/// The names of the files in a folder.
fn names(folder: &Path) -> Vec<String> {
    let files = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn whoever_looks_leaves_nothing_behind() {
    let home = tempfile::tempdir().unwrap();
    let (journal, _, _) = played(home.path(), 46);
    // Copies of a journal in use: with all that belongs to it, and without what SQLite makes again.
    for without in ["nothing", "journal.sqlite-shm"] {
        let folder = tempfile::tempdir().unwrap();
        for name in names(home.path()).iter().filter(|name| *name != without) {
            fs::copy(home.path().join(name), folder.path().join(name)).unwrap();
        }
        look_at(folder.path());
    }
    drop(journal);
    look_at(home.path());
    let odd = tempfile::tempdir().unwrap().path().join("50% öd? #1");
    fs::create_dir_all(&odd).unwrap();
    fs::copy(home.path().join("journal.sqlite"), odd.join("journal.sqlite")).unwrap();
    look_at(&odd);
}

/// Checks and copies a sound journal; there is nothing more in its folder afterwards.
fn look_at(folder: &Path) {
    let (before, copies) = (names(folder), tempfile::tempdir().unwrap());
    assert_eq!(check(folder).unwrap().findings, [""; 0]);
    backup(folder, &copies.path().join("copy")).unwrap();
    assert_eq!((names(folder), names(copies.path())), (before, vec!["copy".into()]));
}

#[test]
fn a_journal_that_a_server_refuses_is_not_copied() {
    for (change, refusal) in [
        (
            "UPDATE meta SET value = '9' WHERE name = 'journal'; PRAGMA user_version = 9",
            "and is of version 9",
        ),
        ("DROP TABLE meta; DROP TABLE seats; PRAGMA application_id = 5", "is a database of another program"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        drop(played(folder.path(), 47));
        Connection::open(folder.path().join("journal.sqlite")).unwrap().execute_batch(change).unwrap();
        let (before, copy) = (names(folder.path()), folder.path().join("copy"));
        let opened = nim::server::storage::Sqlite::open(folder.path(), Durability::Process);
        for said in [backup(folder.path(), &copy).unwrap_err(), opened.unwrap_err()] {
            assert!(said.cause.contains(refusal), "{said}");
        }
        assert!(!check(folder.path()).unwrap().findings.is_empty());
        assert_eq!(names(folder.path()), before);
    }
}

#[test]
fn a_journal_that_was_cut_off_is_not_taken_for_one_and_what_is_beside_it_stays() {
    let home = tempfile::tempdir().unwrap();
    let _journal = played(home.path(), 48);
    let folder = tempfile::tempdir().unwrap();
    for name in names(home.path()) {
        fs::copy(home.path().join(&name), folder.path().join(&name)).unwrap();
    }
    fs::write(folder.path().join("journal.sqlite"), "").unwrap();
    let before = names(folder.path());
    let refused = backup(folder.path(), &home.path().join("copy")).unwrap_err().cause;
    for said in [check(folder.path()).unwrap().findings.join("\n"), refused] {
        assert!(said.contains("is empty, for somebody has cut it off: start the server again"), "{said}");
    }
    assert_eq!(names(folder.path()), before);
}

#[test]
fn what_is_left_of_a_journal_that_was_removed_is_not_taken_for_nothing() {
    let home = tempfile::tempdir().unwrap();
    let _journal = played(home.path(), 50);
    let folder = tempfile::tempdir().unwrap();
    fs::copy(home.path().join("journal.sqlite-wal"), folder.path().join("journal.sqlite-wal")).unwrap();
    let refused = backup(folder.path(), &home.path().join("copy")).unwrap_err().cause;
    for said in [check(folder.path()).unwrap().findings.join("\n"), refused] {
        assert!(said.contains("journal.sqlite is gone, for somebody has removed it"), "{said}");
        assert!(said.contains("start the server again"), "{said}");
    }
    assert_eq!(names(folder.path()), ["journal.sqlite-wal"]);
}

#[test]
fn a_copy_is_there_once_it_is_whole() {
    let (home, copies) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (mut journal, mut town, _) = played(home.path(), 51);
    journal.record(&town.batch(20_000)).unwrap();
    let copy = copies.path().join("copy");
    let mut seen = Vec::new();
    std::thread::scope(|scope| {
        let copying = scope.spawn(|| backup(home.path(), &copy).unwrap());
        while !copying.is_finished() {
            seen.extend(copy.metadata().map(|file| file.len()));
        }
    });
    let whole = copy.metadata().unwrap().len();
    assert!(seen.iter().all(|length| *length == whole), "{seen:?}, and then {whole}");
    assert_eq!(names(copies.path()), ["copy"]);
}

#[test]
fn what_stands_in_the_way_of_a_copy_is_left_alone_unless_it_is_one_that_was_not_finished() {
    let (home, copies) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    drop(played(home.path(), 52));
    let (copy, part) = (copies.path().join("copy"), copies.path().join("copy.part"));
    let refused = || backup(home.path(), &copy).unwrap_err().cause;
    fs::write(&part, "my own").unwrap();
    let said = refused();
    assert!(said.contains("copy.part is no copy that was not finished"), "{said}");
    assert_eq!(fs::read(&part).unwrap(), b"my own");
    fs::write(&part, "").unwrap();
    let another = fs::File::open(&part).unwrap();
    another.lock().unwrap();
    let said = refused();
    assert!(said.contains("copy.part is being made by another backup: wait for it"), "{said}");
    assert_eq!(names(copies.path()), ["copy.part"]);
    drop(another);
    backup(home.path(), &copy).unwrap();
    assert_eq!(names(copies.path()), ["copy"]);
}

#[test]
fn a_damaged_journal_is_not_copied() {
    let folder = tempfile::tempdir().unwrap();
    drop(played(folder.path(), 44));
    let (path, copy) = (folder.path().join("journal.sqlite"), folder.path().join("copy"));
    let mut bytes = fs::read(&path).unwrap();
    bytes[4096 * 6..4096 * 12].fill(0x55);
    fs::write(&path, bytes).unwrap();
    assert!(backup(folder.path(), &copy).is_err() && !copy.exists());
    assert!(!check(folder.path()).unwrap().findings.is_empty());
}

#[test]
fn a_lobby_among_many_events_is_forgotten_piece_by_piece() {
    use nim::server::storage::{Bounds, WallTime};
    let folder = tempfile::tempdir().unwrap();
    let mut journal = opened(folder.path(), Durability::Process);
    let (mut town, mut model) = (Town::by(49, 30), Model::default());
    let mut events = 0;
    while events < 50_000 {
        let batch = town.batch(5_000);
        events += batch.iter().filter(|entry| matches!(entry.note, Note::Happened { .. })).count();
        journal.record(&batch).unwrap();
        model.record(&batch);
    }
    let aside = model.open()[0].lobby;
    journal.set_aside(&Damage { lobby: aside, code: None, why: String::new() }).unwrap();
    let bounds = Bounds { since: WallTime(u64::MAX), bytes: u64::MAX };
    let mut pieces = 0;
    while journal.prune(&bounds).unwrap() > 0 {
        pieces += 1;
        let others: Vec<_> = model.open().into_iter().filter(|kept| kept.lobby != aside).collect();
        assert_eq!(open_in(&mut journal), others);
        let report = check(folder.path()).unwrap();
        let half = |finding: &&String| !finding.contains(" was set aside: ");
        assert_eq!(report.findings.iter().find(half), None, "nobody meets half a lobby");
    }
    assert!(pieces > 3, "{pieces}");
    let report = check(folder.path()).unwrap();
    assert_eq!((report.findings.len(), report.lobbies), (0, model.open().len() as u64 - 1), "{report}");
}

#[test]
fn the_number_of_a_forgotten_lobby_is_not_given_again() {
    use nim::server::storage::{Bounds, WallTime};
    let folder = tempfile::tempdir().unwrap();
    let (mut journal, _, model) = played(folder.path(), 45);
    journal.prune(&Bounds { since: WallTime(u64::MAX), bytes: u64::MAX }).unwrap();
    for lobby in model.open() {
        journal.set_aside(&Damage { lobby: lobby.lobby, code: None, why: String::new() }).unwrap();
    }
    while journal.prune(&Bounds { since: WallTime(u64::MAX), bytes: u64::MAX }).unwrap() > 0 {}
    let report = check(folder.path()).unwrap();
    assert_eq!((report.lobbies, report.events, report.findings.len()), (0, 0, 0));
    assert_eq!(journal.load(&mut |_| {}).unwrap(), LobbyId(model.next().0));
}

#[test]
fn a_wrong_header_is_found_though_that_page_stands_whole_beside_the_journal() {
    let home = tempfile::tempdir().unwrap();
    let (journal, _, _) = played(home.path(), 9);
    assert_eq!(check(home.path()).unwrap().findings, [] as [&str; 0]);
    let path = home.path().join("journal.sqlite");
    let mut bytes = fs::read(&path).unwrap();
    bytes[18] = 7;
    fs::write(&path, bytes).unwrap();
    let findings = check(home.path()).unwrap().findings;
    assert_eq!(findings, ["the journal is damaged: its header is not as it was written"]);
    drop(journal);
}
