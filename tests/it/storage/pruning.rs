//! What is pruned first, and how much: by age, by size, and on a full disk.

use nim::game::BySide;
use nim::lobby::{Cause, Event, GameResult, Kind, Moment, Name, Player, PlayerId};
use nim::server::storage::sqlite::check;
use nim::server::storage::{Bounds, Entry, LobbyId, LobbyMeta, Note, Storage, WallTime};

use super::archive::opening;
use super::checkpoints::Long;
use super::{NEVER, Played, START, entry, happened};

/// Nothing is too old.
const AGELESS: WallTime = WallTime(0);

/// A lobby with this number of finished games, opened from the address that ends in `from` and closed at a
/// time of its own.
pub(crate) fn closed(lobby: u64, from: u8, games: u32) -> Vec<Entry> {
    let Note::Opened(meta) = opening(lobby).note else { panic!("a lobby is opened first") };
    let meta = LobbyMeta { opener: [192, 168, 0, from].into(), ..meta };
    let player = |id| Player { id: PlayerId(id), name: Name::clean("anna").unwrap(), kind: Kind::Bot };
    let players = BySide { first: player(1), second: player(2) };
    let result = GameResult { outcome: nim::game::Outcome::Draw, cause: Cause::Agreed };
    let mut events = Vec::new();
    for game in 1..=games {
        events.push((Event::Started { game, swap: false }, Some(Box::new(players.clone()))));
        events.push((Event::Ended { result }, None));
    }
    events.push((Event::Closed, None));
    let note =
        |(number, (event, who)): (u32, (Event, Option<_>))| match happened(number, Moment::START, event) {
            Note::Happened { number, at, event, frame, .. } => {
                Note::Happened { number, at, event, frame, players: who }
            }
            other => other,
        };
    let notes = (1..).zip(events).map(note);
    let entries = [Note::Opened(meta)].into_iter().chain(notes);
    entries.map(|note| Entry { wall: WallTime(START + lobby), ..entry(lobby, note) }).collect()
}

/// A journal with these lobbies: the address of each, and its number of finished games.
fn journal(lobbies: &[(u8, u32)]) -> Played {
    let mut journal = Played::by(1, 1);
    for (lobby, (from, games)) in (1..).zip(lobbies) {
        journal.storage().record(&closed(lobby, *from, *games)).unwrap();
    }
    journal
}

/// The lobbies that are left, by number.
fn left(journal: &Played) -> Vec<u64> {
    let other = journal.other();
    let mut select = other.prepare("SELECT id FROM lobbies ORDER BY id").unwrap();
    let ids = select.query_map([], |row| row.get::<_, i64>(0)).unwrap();
    ids.map(|id| id.unwrap().cast_unsigned()).collect()
}

#[test]
fn for_size_the_oldest_lobby_of_the_address_that_has_most_goes_first() {
    // Lobbies 1 and 2 of one address, and many newer ones of another.
    let mut lobbies = vec![(2, 10), (2, 10)];
    lobbies.extend([(1, 500); 20]);
    let mut journal = journal(&lobbies);
    let size = |journal: &Played| -> u64 {
        let number = |name: &str| {
            journal
                .other()
                .pragma_query_value(None, name, |row| row.get::<_, i64>(0))
                .unwrap()
                .cast_unsigned()
        };
        (number("page_count") - number("freelist_count")) * number("page_size")
    };
    let half = size(&journal) / 2;
    assert!(journal.prune(&Bounds { since: AGELESS, old: NEVER, bytes: half }) >= 8);
    let after = left(&journal);
    assert_eq!(after[..2], [1, 2], "what takes little stays");
    assert!(!after.contains(&3) && after.contains(&22), "of the others the oldest went: {after:?}");
    journal.prune(&Bounds { since: AGELESS, old: NEVER, bytes: 0 });
    assert_eq!(left(&journal), [0; 0]);
}

#[test]
fn a_note_says_about_how_many_bytes_it_adds_to_the_journal() {
    for (what, entries) in [
        ("moves", Long::of(19_000).events()),
        ("lobbies", (1..3_000).map(opening).collect()),
        ("games", (1..200).flat_map(|lobby| closed(lobby, 1, 40)).collect()),
    ] {
        let mut journal = Played::by(1, 1);
        let size = |journal: &Played| {
            let pages: u32 =
                journal.other().pragma_query_value(None, "page_count", |row| row.get(0)).unwrap();
            f64::from(pages) * 4096.0
        };
        let before = size(&journal);
        let said: usize = entries.iter().map(|entry| entry.note.bytes() as usize).sum();
        let said = f64::from(u32::try_from(said).unwrap());
        journal.storage().record(&entries).unwrap();
        let ratio = (size(&journal) - before) / said;
        println!("{what}: {ratio:.2} bytes for each that was announced");
        assert!((0.6..1.6).contains(&ratio), "{what}: {ratio}");
    }
}

#[test]
fn addresses_that_have_as_much_take_turns() {
    let mut journal = journal(&[(1, 9), (1, 9), (1, 9), (2, 9), (2, 9), (2, 9)]);
    let mut order = Vec::new();
    for bytes in (0..200_000).rev().step_by(1_000) {
        journal.prune(&Bounds { since: AGELESS, old: NEVER, bytes });
        let gone: Vec<u64> =
            (1..=6).filter(|id| !left(&journal).contains(id) && !order.contains(id)).collect();
        order.extend(gone);
    }
    let place = |id| order.iter().position(|gone| *gone == id).unwrap();
    assert!(place(1) < place(2) && place(2) < place(3), "{order:?}");
    assert!(place(4) < place(5) && place(5) < place(6), "{order:?}");
}

#[test]
fn of_what_was_too_old_at_the_start_a_tenth_of_all_finished_games_goes() {
    let later = WallTime(START + 1_000_000);
    let jump = Bounds { since: later, old: later, bytes: u64::MAX };
    let mut journal = journal(&[(1, 2); 50]);
    let mut kept = 50;
    for _ in 0..3 {
        let (mut lobbies, mut games) = (0, 0);
        loop {
            let pruned = journal.storage().prune(&jump).unwrap();
            (lobbies, games) = (lobbies + pruned.lobbies, games + pruned.games_by_age);
            assert!(pruned.keeps_old, "{pruned:?}");
            if pruned.is_done {
                break;
            }
        }
        let tenth = (kept * 2_u64).div_ceil(10);
        assert!(games <= tenth && games + 2 > tenth, "{games} of {kept} lobbies with two games");
        kept -= lobbies;
        assert_eq!(left(&journal).len() as u64, kept);
        assert_eq!(journal.prune(&jump), 0, "and no more at this start");
        journal.restart();
    }
    assert_eq!(left(&journal)[0], 51 - kept, "the oldest went first");
}

#[test]
fn what_becomes_too_old_while_the_server_runs_goes_and_so_does_what_has_no_games() {
    let (old, since) = (WallTime(START + 11), WallTime(START + 31));
    let mut journal = journal(&[(1, 1); 50]);
    // The first ten were too old at the start: five games may go.
    journal.prune(&Bounds { since, old, bytes: u64::MAX });
    assert_eq!(left(&journal), (6..=10).chain(31..=50).collect::<Vec<_>>());

    let mut lobbies = vec![(1, 0); 30];
    lobbies.extend([(1, 1); 10]);
    let mut journal = self::journal(&lobbies);
    let later = WallTime(START + 1_000);
    journal.prune(&Bounds { since: later, old: later, bytes: u64::MAX });
    assert_eq!(left(&journal), (32..=40).collect::<Vec<_>>());
}

#[test]
fn a_lobby_with_more_games_than_may_go_is_passed_over() {
    let later = WallTime(START + 1_000);
    let mut journal = journal(&[(1, 5), (1, 1), (1, 1), (1, 1), (1, 1), (1, 1)]);
    journal.prune(&Bounds { since: later, old: later, bytes: u64::MAX });
    assert_eq!(left(&journal), [1, 3, 4, 5, 6]);
    assert_eq!(journal.storage().load(&mut |_| {}).unwrap().next, LobbyId(7));
}

#[test]
fn a_long_lobby_goes_in_pieces_that_fit_into_the_reserve_and_after_a_crash_the_rest_goes() {
    let mut journal = Played::by(1, 1);
    let long = Long::of(15_000);
    journal.storage().record(&[opening(1)]).unwrap();
    for _ in 0..8 {
        journal.storage().record(&long.events()).unwrap();
    }
    journal.storage().record(&[entry(1, happened(120_000, Moment::START, Event::Closed))]).unwrap();
    // A journal that was closed has nothing beside it.
    journal.restart();
    let (bounds, beside) =
        (Bounds { since: AGELESS, old: NEVER, bytes: 0 }, journal.folder.path().join("journal.sqlite-wal"));
    let mut pieces = 0;
    loop {
        let pruned = journal.storage().prune(&bounds).unwrap();
        let size = beside.metadata().map_or(0, |file| file.len());
        assert!(size < 6_000_000, "piece {pieces}: {size} bytes beside the journal");
        if pruned.is_done {
            break;
        }
        pieces += 1;
        let mut archive = journal.storage().archive().unwrap();
        if pruned.lobbies == 0 {
            assert_eq!(archive.lobby_meta(LobbyId(1)).unwrap(), None, "nobody finds half a lobby");
            assert_eq!(archive.events(LobbyId(1)).unwrap().unwrap().len(), 0);
            assert_eq!(check(journal.folder.path()).unwrap().findings, [""; 0]);
        }
        drop(archive);
        journal.restart();
    }
    assert!(pieces >= 6 && left(&journal).is_empty(), "{pieces}");
}
