//! Queries of the past: the games, events and tickets of a journal.

use std::ops::ControlFlow;

use nim::lobby::{Event, Moment, PlayerId};
use nim::server::storage::{
    Archive, Bounds, Entry, GameCursor, LobbyId, Note, OwnSeats, PastGame, Storage, WallTime,
};
use nim::wire::TokenHash;

use super::model::Model;
use super::random_play::RandomPlay;
use super::{Played, entry, happened, owner};

fn without_places(mut games: Vec<PastGame>) -> Vec<PastGame> {
    for game in &mut games {
        game.place = GameCursor(0);
    }
    games
}

/// All games of a model, without their places, which only the engine knows.
fn games_of(model: &Model) -> Vec<PastGame> {
    without_places(model.games())
}

/// All games of an archive, read in pieces of this size, without their places.
pub(crate) fn all(archive: &mut dyn Archive, own: Option<&OwnSeats>, at_once: usize) -> Vec<PastGame> {
    let (mut games, mut rest) = (Vec::new(), Some(GameCursor::END));
    while let Some(before) = rest {
        let known = games.len();
        let take = &mut |game| {
            games.push(game);
            ControlFlow::Continue(())
        };
        rest = archive.games(before, own, at_once, take).unwrap();
        assert!(games.len() - known <= at_once && rest.is_none_or(|rest| rest < before));
    }
    assert!(games.is_sorted_by(|newer, older| newer.place > older.place));
    without_places(games)
}

/// The entry that opens the lobby with this number.
pub(crate) fn opening(lobby: u64) -> Entry {
    entry(lobby, RandomPlay::by(lobby, 1).batch(1).remove(0).note)
}

/// The lobbies that a ticket opens, and its players there.
fn seats(archive: &mut dyn Archive, hashes: &[u8]) -> Vec<(u64, u32)> {
    let hashes: Vec<TokenHash> = hashes.iter().map(|hash| TokenHash::of([*hash; 32])).collect();
    archive.seats_of(&hashes).unwrap().iter().map(|(lobby, player)| (lobby.0, player.0)).collect()
}

/// The lobbies alone.
fn opens(archive: &mut dyn Archive, hashes: &[u8]) -> Vec<u64> {
    let mut lobbies: Vec<u64> = seats(archive, hashes).into_iter().map(|(lobby, _)| lobby).collect();
    lobbies.dedup();
    lobbies
}

#[test]
fn games_are_listed_the_newest_first_while_others_are_recorded() {
    let mut journal = Played::by(61, 10);
    let mut archive = journal.storage().archive().unwrap();
    for _ in 0..6 {
        journal.plays(150);
        let games = games_of(&journal.model);
        for at_once in [1, 7, 1_000] {
            assert_eq!(all(&mut *archive, None, at_once), games);
        }
        // Some players have played both sides.
        let both = games.iter().step_by(5).map(|game| (game.lobby, game.players.second.id));
        let some = games.iter().step_by(3).map(|game| (game.lobby, game.players.first.id));
        let some: OwnSeats = some.chain(both).collect();
        let is_theirs = |game: &PastGame| {
            some.iter().any(|&(lobby, player)| {
                lobby == game.lobby && game.players.iter().any(|(_, known)| known.id == player)
            })
        };
        let theirs: Vec<_> = games.into_iter().filter(is_theirs).collect();
        assert_eq!(all(&mut *archive, Some(&some), 5), theirs);
        assert_eq!(all(&mut *archive, Some(&OwnSeats::default()), 5), []);
    }
    assert!(games_of(&journal.model).len() > 30, "the play has too few events");
}

#[test]
fn all_events_of_open_and_closed_lobbies_can_be_read() {
    let mut journal = Played::by(62, 10);
    journal.plays(500);
    let mut archive = journal.storage().archive().unwrap();
    for id in 1..journal.model.next().0 {
        let kept = journal.model.kept(LobbyId(id)).unwrap();
        assert_eq!(archive.lobby_meta(LobbyId(id)).unwrap(), Some((kept.opened, kept.meta)));
        assert_eq!(archive.events(LobbyId(id)).unwrap(), Some(kept.events));
    }
    for id in [0, journal.model.next().0, u64::MAX] {
        assert_eq!(archive.lobby_meta(LobbyId(id)).unwrap(), None);
        assert_eq!(archive.events(LobbyId(id)).unwrap(), Some(Vec::new()));
    }
}

#[test]
fn the_events_of_an_open_lobby_can_be_read_after_others_have_written_many_that_were_pruned() {
    let mut journal = Played::by(0, 1);
    let others = entry(2, happened(1, Moment::START, Event::Paused));
    journal.storage().record(&[opening(1), opening(2), others]).unwrap();
    let sql = "UPDATE events SET id = id + 100000000 WHERE lobby = 2";
    assert_eq!(journal.other().execute(sql, []).unwrap(), 1);
    let own = entry(1, happened(1, Moment::START, Event::Paused));
    journal.storage().record(&[own]).unwrap();
    let mut archive = journal.storage().archive().unwrap();
    let events = archive.events(LobbyId(1)).unwrap();
    assert_eq!(events.map(|events| events.len()), Some(1));
}

#[test]
fn a_ticket_opens_its_lobby_also_after_its_owner_has_left() {
    let mut journal = Played::by(0, 1);
    let mut archive = journal.storage().archive().unwrap();
    let entries = [
        opening(1),
        opening(2),
        entry(1, Note::Seated(owner(1, 10))),
        entry(1, Note::Seated(owner(2, 20))),
        entry(2, Note::Seated(owner(1, 30))),
    ];
    journal.record(&entries);
    assert_eq!(opens(&mut *archive, &[10]), [1]);
    assert_eq!(seats(&mut *archive, &[10, 20, 30, 40]), [(1, 1), (1, 2), (2, 1)]);
    assert_eq!(opens(&mut *archive, &[]), [0; 0]);
    // A player leaves, and then the lobby is closed.
    journal.record(&[entry(1, Note::Unseated(PlayerId(2)))]);
    journal.record(&[entry(1, happened(1, Moment::START, Event::Closed))]);
    journal.restart();
    let mut archive = journal.storage().archive().unwrap();
    assert_eq!(
        [10, 20, 30, 40].map(|hash| opens(&mut *archive, &[hash])),
        [vec![1], vec![1], vec![2], vec![]],
    );
    // Nobody has a seat with this ticket.
    let (open, _) = super::model::loaded(journal.storage());
    assert!(open.iter().all(|kept| kept.as_ref().unwrap().lobby == LobbyId(2)));
    journal.prune(&Bounds { since: WallTime(u64::MAX), old: WallTime(0), bytes: u64::MAX });
    assert_eq!(opens(&mut *archive, &[10, 20]), [0; 0], "it is forgotten");
    assert_eq!(archive.lobby_meta(LobbyId(1)).unwrap(), None);
}

#[test]
fn a_reader_never_blocks_the_writer() {
    let mut journal = Played::by(64, 10);
    journal.plays(300);
    let mut archive = journal.storage().archive().unwrap();
    let reader = std::thread::spawn(move || {
        let mut read = 0;
        for _ in 0..100 {
            read += all(&mut *archive, None, 64).len();
            archive.events(LobbyId(1)).unwrap();
        }
        read
    });
    for _ in 0..80 {
        // A read that waited for the writer would fail.
        journal.plays(5);
    }
    assert!(reader.join().unwrap() > 0);
}

#[test]
fn a_changed_former_ticket_opens_nothing_and_is_reported() {
    let mut journal = Played::by(65, 1);
    journal.plays(1);
    journal.record(&[entry(1, Note::Seated(owner(7, 10))), entry(1, Note::Unseated(PlayerId(7)))]);
    let mut archive = journal.storage().archive().unwrap();
    assert_eq!(opens(&mut *archive, &[10]), [1]);
    assert_eq!(journal.other().execute("UPDATE owners SET ticket = zeroblob(32)", []).unwrap(), 1);
    assert_eq!((opens(&mut *archive, &[10]), opens(&mut *archive, &[0])), (vec![], vec![]));
    let found = nim::server::storage::sqlite::check(journal.folder.path()).unwrap().findings.join("\n");
    assert!(found.contains("row 1 of owners does not fit its checksum"), "{found}");
}

#[test]
fn a_changed_row_of_the_games_table_is_rejected() {
    let mut journal = Played::by(68, 6);
    journal.plays(300);
    let mut archive = journal.storage().archive().unwrap();
    let before = all(&mut *archive, None, 100);
    journal.other().execute("UPDATE games SET first = 'eve' WHERE lobby = 1", []).unwrap();
    let after = all(&mut *archive, None, 100);
    let changed: Vec<&PastGame> = before.iter().filter(|game| !after.contains(game)).collect();
    assert!(!changed.is_empty() && after.iter().all(|game| before.contains(game)));
}
