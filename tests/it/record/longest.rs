//! The longest games: the limit of moves ends them, and their records are within the record's own bounds.

use nim::game::{MAX_MOVES, Outcome, Side};
use nim::lobby::{Cause, Conditions, GameResult, LobbyRequest, Offer, Phase, Refusal, Request, Who};
use nim::record::{MAX_BYTES, MAX_LINES, Record};
use nim::server::storage::sqlite::Durability;
use nim::server::storage::{LobbyId, Storage};
use nim::wire::{ToClient, body_of, decode};

use super::history::History;
use crate::storage::archive::opening;
use crate::storage::crash::opened;
use crate::storage::{entry, happened};

/// The largest pile, and the longest moves that may be made of it.
const ENDLESS: &str = "take:1000000000000000000:10000000000000";
const TAKE: &str = "10000000000000";

fn is_drawn_by_the_limit(history: &History) -> bool {
    let drawn = GameResult { outcome: Outcome::Draw, cause: Cause::MoveLimit };
    matches!(history.lobby.phase(), Phase::Over { result, .. } if result == drawn)
}

/// Writes the record and reads it again.
#[track_caller]
fn round_trips(record: &Record) {
    let text = record.to_string();
    assert!(text.len() <= MAX_BYTES && text.lines().count() < MAX_LINES);
    assert_eq!(record.verdict(), "Draw: the game had 20,000 moves");
    assert!(Record::read(text.as_bytes()).as_ref() == Ok(record));
}

#[test]
fn a_game_of_20_000_moves_is_a_draw_and_is_recorded_read_written_and_parsed_again() {
    let mut history = History::of_two(ENDLESS, Conditions::default());
    assert!(history.lobby.variant().rules().ends_with(" A game of 20,000 moves is a draw."));
    for number in 1..=MAX_MOVES {
        assert_eq!((history.lobby.phase(), history.lobby.snapshot().moves), (Phase::Playing, number - 1));
        history.plays(TAKE, 1);
    }
    assert!(is_drawn_by_the_limit(&history));
    assert_eq!(history.lobby.to_move(), None);
    let first = history.lobby.seats().first.as_ref().unwrap().id;
    let mv = history.lobby.board().read_move("1").unwrap();
    let play = Request::Ask(LobbyRequest::Play { turn: history.lobby.turn(), mv });
    assert_eq!(history.lobby.decide(Who::Player(first), play, history.now), Err(Refusal::NoGame));

    let folder = tempfile::tempdir().unwrap();
    let mut storage = opened(folder.path(), Durability::Process);
    let notes = (1..).zip(&history.events).map(|(number, (at, event))| happened(number, *at, event.clone()));
    let entries: Vec<_> = [opening(1)].into_iter().chain(notes.map(|note| entry(1, note))).collect();
    storage.record(&entries).unwrap();
    let frames = storage.archive().unwrap().events(LobbyId(1)).unwrap().unwrap();
    let events: Vec<_> = frames
        .iter()
        .map(|frame| match decode(body_of(frame)) {
            Ok(ToClient::Lobby { at, event, .. }) => (at, event),
            other => panic!("{other:?}"),
        })
        .collect();
    assert!(events == history.events);
    let records = Record::games(&history.setting, events.iter().map(|(at, event)| (*at, event))).unwrap();
    round_trips(&records[0]);
}

#[test]
fn moves_that_are_taken_back_count_and_a_record_holds_two_offers_and_their_answers_for_each() {
    let mut history = History::of_two(ENDLESS, Conditions::default());
    for _ in 1..MAX_MOVES {
        let mover = history.lobby.board().turn();
        history.plays(TAKE, 1);
        history.offers(mover, Offer::Draw, false);
        history.offers(mover, Offer::Takeback, true);
    }
    assert_eq!((history.lobby.past().len(), history.lobby.phase()), (0, Phase::Playing));
    history.plays(TAKE, 1);
    assert!(is_drawn_by_the_limit(&history));
    round_trips(&history.record());
}

#[test]
fn each_game_of_a_lobby_has_the_limit_for_itself() {
    let mut history = History::of_two("java-tech:3", Conditions::default());
    history.plays("2", 1);
    history.plays("1", 1);
    assert_eq!(history.lobby.snapshot().moves, 2);
    for side in Side::BOTH {
        assert!(history.side_asks(side, Request::Ask(LobbyRequest::Again)));
    }
    assert_eq!((history.lobby.snapshot().moves, history.lobby.turn()), (0, 3));
}

#[test]
fn only_the_rules_of_games_that_can_reach_the_limit_name_it() {
    for (variant, names) in [
        ("take:20000:3", false),
        ("take:20001:3", true),
        ("nim:10000-10001", true),
        ("nim:10000-10000:max=2", false),
        ("even-or-odd:20001", true),
        ("connect-four", false),
        ("pong-hau-ki", false),
    ] {
        let rules = variant.parse::<nim::game::any::Variant>().unwrap().rules();
        assert_eq!(rules.ends_with(" A game of 20,000 moves is a draw."), names, "{variant}: {rules}");
    }
}
