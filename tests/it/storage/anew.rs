//! The tables that follow from the events, made anew where a row is damaged: nothing is invented, whatever else is damaged.

use std::path::Path;

use nim::server::storage::sqlite::Durability;
use nim::server::storage::{Archive, GameCursor, PastGame, Sqlite, Storage};
use rusqlite::Connection;

use super::town::Town;
use super::versions::make_version_2;

/// Every how many-th event is damaged, and another each time.
const STRIDE: usize = 5;

fn games(archive: &mut dyn Archive) -> Vec<PastGame> {
    let mut games = archive.games(GameCursor::END, None, 1_000).unwrap().games;
    // Where a game stands is the engine's own number for it.
    for game in &mut games {
        game.place = GameCursor(0);
    }
    games
}

fn file(folder: &Path) -> Connection {
    Connection::open(folder.join("journal.sqlite")).unwrap()
}

/// A folder with a journal of some lobbies, closed ones among them, and the games that it tells of.
fn played() -> (tempfile::TempDir, Vec<PastGame>) {
    let folder = tempfile::tempdir().unwrap();
    let mut journal = super::opened(folder.path(), Durability::Process);
    journal.record(&Town::by(71, 8).batch(400)).unwrap();
    let told = games(&mut *journal.archive().unwrap());
    (folder, told)
}

/// The same files in another folder.
fn copied(folder: &Path) -> tempfile::TempDir {
    let copy = tempfile::tempdir().unwrap();
    std::fs::copy(folder.join("journal.sqlite"), copy.path().join("journal.sqlite")).unwrap();
    copy
}

/// For some of the events: what a journal tells of whose event was damaged, and `changed` besides; with what is said at the start.
fn told_of_each(folder: &Path, changed: impl Fn(&Connection)) -> Vec<(Vec<PastGame>, Vec<String>)> {
    let events: Vec<i64> = {
        let file = file(folder);
        let mut events = file.prepare("SELECT id FROM events ORDER BY id").unwrap();
        events.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    };
    let each = events.iter().step_by(STRIDE).map(|event| {
        let copy = copied(folder);
        let other = file(copy.path());
        assert_eq!(other.execute("UPDATE events SET body = zeroblob(2) WHERE id = ?1", [event]).unwrap(), 1);
        changed(&other);
        drop(other);
        let (journal, news) = Sqlite::open(copy.path(), Durability::Process).unwrap();
        (games(&mut *journal.archive().unwrap()), news)
    });
    each.collect()
}

fn says_of_a_damaged_event(news: &[String]) -> bool {
    news.iter().any(|said| said.contains("since an event of it is damaged: `nim-server check` says more"))
}

#[test]
fn of_a_lobby_with_a_damaged_event_no_game_is_made_up_where_the_games_are_damaged_too() {
    let (folder, before) = played();
    let every_row = |file: &Connection| {
        assert!(file.execute("UPDATE games SET cause = 'time'", []).unwrap() > 0);
    };
    for (after, news) in told_of_each(folder.path(), every_row) {
        assert!(after.iter().all(|game| before.contains(game)), "something is made up: {news:?}");
        assert!(says_of_a_damaged_event(&news), "{news:?}");
        assert!(!after.is_empty(), "one damaged lobby costs itself alone");
    }
}

#[test]
fn of_a_lobby_with_a_damaged_event_no_game_is_made_up_in_the_place_of_those_of_an_older_version() {
    let (folder, before) = played();
    make_version_2(folder.path());
    for (after, news) in told_of_each(folder.path(), |_| {}) {
        assert!(after.iter().all(|game| before.contains(game)), "something is made up: {news:?}");
        assert!(says_of_a_damaged_event(&news), "{news:?}");
    }
}
