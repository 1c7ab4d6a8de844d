//! Events that cannot have happened, one kind after the other: a copy of a lobby believes none of them, and stays as it is.

use nim::game::any::Move;
use nim::game::nim::Take;
use nim::game::{Outcome, Side};
use nim::lobby::{Cause, Conditions, Event, GameResult, Hand, Kind, Lobby, Moment, Name, Player, PlayerId};

/// A lobby for java-tech:21 in which anna sits.
fn annas() -> Lobby {
    let mut lobby =
        Lobby::new("brave-otter".parse().unwrap(), "java-tech:21".parse().unwrap(), Conditions::default());
    lobby.apply(&sat(Side::First, 1, "anna"), Moment::START).unwrap();
    lobby
}

fn sat(side: Side, id: u32, name: &str) -> Event {
    let player = Player { id: PlayerId(id), name: Name::clean(name).unwrap(), kind: Kind::Person };
    Event::Sat { side, player }
}

/// A game there with ben, in which three moves were made.
fn three_moves() -> Lobby {
    let moved = |turn: u32| Event::Moved {
        turn,
        player: PlayerId(2 - turn % 2),
        mv: Move::Nim(Take { pile: 0, count: 1 }),
        hand: Hand::Own,
    };
    let began = [sat(Side::Second, 2, "ben"), Event::Started { game: 1, swap: false }];
    let mut lobby = annas();
    for event in began.into_iter().chain((1..4).map(moved)) {
        lobby.apply(&event, Moment::START).unwrap();
    }
    lobby
}

fn is_believed(lobby: &Lobby, event: &Event) -> bool {
    let mut copy = lobby.clone();
    let believed = copy.apply(event, Moment::START).is_ok();
    assert!(believed || copy.snapshot() == lobby.snapshot(), "what is refused changes nothing");
    believed
}

#[test]
fn one_or_two_moves_are_taken_back_and_none_while_the_game_rests() {
    let mut lobby = three_moves();
    let believed =
        |lobby: &Lobby| (0..5).map(|moves| is_believed(lobby, &Event::TakenBack { moves })).collect();
    let some: Vec<bool> = believed(&lobby);
    assert_eq!(some, [false, true, true, false, false]);
    assert!(!is_believed(&lobby, &Event::Resumed { side: Side::First }));
    lobby.apply(&Event::Paused, Moment::START).unwrap();
    assert!(!is_believed(&lobby, &Event::Paused), "it rests");
    let none: Vec<bool> = believed(&lobby);
    assert_eq!(none, [false; 5]);
}

#[test]
fn a_game_begins_where_both_sit_and_wish_it_and_it_is_the_next_one() {
    let started = |game, swap| Event::Started { game, swap };
    let mut lobby = three_moves();
    for swap in [false, true] {
        assert!(!is_believed(&lobby, &started(2, swap)), "one is being played");
    }
    let over =
        Event::Ended { result: GameResult { outcome: Outcome::Win(Side::Second), cause: Cause::Resigned } };
    lobby.apply(&over, Moment::START).unwrap();
    for side in [Side::Second, Side::First] {
        assert!(!is_believed(&lobby, &started(2, true)), "not both want another one");
        lobby.apply(&Event::AgainWanted { side }, Moment::START).unwrap();
    }
    let believed: Vec<bool> = (0..4).map(|game| is_believed(&lobby, &started(game, true))).collect();
    assert_eq!(believed, [false, false, true, false]);
}

#[test]
fn nobody_plays_alone() {
    let mut lobby = annas();
    assert!(!is_believed(&lobby, &Event::Started { game: 1, swap: false }));
    assert!(!is_believed(&lobby, &Event::Paused), "there is no game");
    lobby.apply(&sat(Side::Second, 2, "ben"), Moment::START).unwrap();
    let believed = [(1, true), (2, false), (1, false)]
        .map(|(game, swap)| is_believed(&lobby, &Event::Started { game, swap }));
    assert_eq!(believed, [false, false, true]);
}
