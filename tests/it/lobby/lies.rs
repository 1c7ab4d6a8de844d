//! Events that cannot have happened, one kind after the other: a copy of a lobby believes none of them, and stays as it is.

use nim::game::Side;
use nim::game::any::Move;
use nim::game::nim::Take;
use nim::lobby::{Conditions, Event, Hand, Kind, Lobby, Moment, Name, Player, PlayerId};

/// A game of java-tech:21 between two people in which three moves were made.
fn three_moves() -> Lobby {
    let mut lobby =
        Lobby::new("brave-otter".parse().unwrap(), "java-tech:21".parse().unwrap(), Conditions::default());
    let player =
        |id, name: &str| Player { id: PlayerId(id), name: Name::clean(name).unwrap(), kind: Kind::Person };
    let moved = |turn: u32| Event::Moved {
        turn,
        player: PlayerId(2 - turn % 2),
        mv: Move::Nim(Take { pile: 0, count: 1 }),
        hand: Hand::Own,
    };
    let sat = [(Side::First, player(1, "anna")), (Side::Second, player(2, "ben"))];
    let sat = sat.map(|(side, player)| Event::Sat { side, player });
    let events = sat.into_iter().chain([Event::Started { game: 1, swap: false }]).chain((1..4).map(moved));
    for event in events {
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
    lobby.apply(&Event::Paused, Moment::START).unwrap();
    let none: Vec<bool> = believed(&lobby);
    assert_eq!(none, [false; 5]);
}
