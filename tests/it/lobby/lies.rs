//! Events that cannot have happened, one kind after the other: a copy of a lobby believes none of them, and
//! stays as it is.

use nim::game::any::Move;
use nim::game::nim::Take;
use nim::game::{Outcome, Side};
use nim::lobby::{
    Cause, Conditions, Departure, Event, GameResult, Hand, Kind, Lobby, Loss, Moment, Name, Offer, Player,
    PlayerId,
};

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
    after(annas(), began.into_iter().chain((1..4).map(moved)))
}

fn is_believed(lobby: &Lobby, event: &Event) -> bool {
    let mut copy = lobby.clone();
    let believed = copy.apply(event, Moment::START).is_ok();
    assert!(believed || copy.snapshot() == lobby.snapshot(), "what is refused changes nothing");
    believed
}

/// The same lobby after this.
fn after(mut lobby: Lobby, events: impl IntoIterator<Item = Event>) -> Lobby {
    events.into_iter().for_each(|event| lobby.apply(&event, Moment::START).unwrap());
    lobby
}

fn left(side: Side) -> Event {
    Event::Left { side, how: Departure::Quit }
}

fn wanted(side: Side) -> Event {
    Event::AgainWanted { side }
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

/// anna gives up.
fn resigned() -> Event {
    Event::Ended { result: GameResult { outcome: Outcome::Win(Side::Second), cause: Cause::Resigned } }
}

#[test]
fn a_game_begins_where_both_sit_and_wish_it_and_it_is_the_next_one() {
    let started = |game, swap| Event::Started { game, swap };
    let mut lobby = three_moves();
    for swap in [false, true] {
        assert!(!is_believed(&lobby, &started(2, swap)), "one is being played");
    }
    lobby = after(lobby, [resigned()]);
    for side in [Side::Second, Side::First] {
        assert!(!is_believed(&lobby, &started(2, true)), "not both want another one");
        lobby = after(lobby, [wanted(side)]);
    }
    let believed: Vec<bool> = (0..4).map(|game| is_believed(&lobby, &started(game, true))).collect();
    assert_eq!(believed, [false, false, true, false]);
}

#[test]
fn a_new_player_gets_the_next_number_and_a_free_seat_before_the_game() {
    let lobby = annas();
    assert!(is_believed(&lobby, &sat(Side::Second, 2, "ben")));
    assert!(!is_believed(&lobby, &sat(Side::First, 2, "ben")), "anna sits there");
    for id in [0, 1, 3] {
        assert!(!is_believed(&lobby, &sat(Side::Second, id, "ben")), "{id} is not who comes next");
    }
    let alone = after(three_moves(), [resigned(), left(Side::Second)]);
    assert!(!is_believed(&alone, &sat(Side::Second, 3, "cleo")), "nobody there wants another game yet");
    assert!(is_believed(&after(alone, [wanted(Side::First)]), &sat(Side::Second, 3, "cleo")));
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

#[test]
fn another_game_is_wanted_once_by_each_who_sits() {
    assert!(!is_believed(&three_moves(), &wanted(Side::First)), "it is not over");
    let lobby = after(three_moves(), [resigned(), left(Side::First)]);
    assert!(!is_believed(&lobby, &wanted(Side::First)), "they have left");
    let lobby = after(three_moves(), [resigned(), wanted(Side::First)]);
    let believed = Side::BOTH.map(|side| is_believed(&lobby, &wanted(side)));
    assert_eq!(believed, [false, true]);
}

#[test]
fn people_are_away_who_sit_in_a_lobby_that_is_open() {
    let away = |side| Event::Away { side, since: Moment::START, loss: Loss::Closed };
    let mut lobby = annas();
    assert!(is_believed(&lobby, &away(Side::First)));
    assert!(!is_believed(&lobby, &away(Side::Second)), "nobody sits there");
    let minimax = Player { id: PlayerId(2), name: Name::clean("minimax").unwrap(), kind: Kind::Bot };
    lobby.apply(&Event::Sat { side: Side::Second, player: minimax }, Moment::START).unwrap();
    assert!(!is_believed(&lobby, &away(Side::Second)), "a bot is never away");
    lobby.apply(&Event::Closed, Moment::START).unwrap();
    assert!(!is_believed(&lobby, &away(Side::First)), "nothing happens any more");
}

#[test]
fn a_move_is_made_only_by_the_player_to_move_and_in_its_turn() {
    let mv = Move::Nim(Take { pile: 0, count: 1 });
    let (turn, player, hand) = (4, PlayerId(2), Hand::Own);
    let mut lobby = three_moves();
    assert!(is_believed(&lobby, &Event::Moved { turn, player, mv, hand }));
    let none = Move::Nim(Take { pile: 0, count: 60 });
    let lies = [
        Event::Moved { turn: 3, player, mv, hand },
        Event::Moved { turn: 5, player, mv, hand },
        Event::Moved { turn, player: PlayerId(1), mv, hand },
        Event::Moved { turn, player: PlayerId(3), mv, hand },
        Event::Moved { turn, player, mv, hand: Hand::StandIn },
        Event::Moved { turn, player, mv: none, hand },
    ];
    for lie in &lies {
        assert!(!is_believed(&lobby, lie), "{lie:?}");
    }
    lobby.apply(&Event::Paused, Moment::START).unwrap();
    assert!(!is_believed(&lobby, &Event::Moved { turn, player, mv, hand }), "it rests");
    lobby.apply(&resigned(), Moment::START).unwrap();
    assert!(!is_believed(&lobby, &Event::Moved { turn, player, mv, hand }), "it is over");
    assert!(!is_believed(&lobby, &resigned()), "it is over already");
    assert!(!is_believed(&lobby, &Event::TakenBack { moves: 1 }), "it is over for good");
}

#[test]
fn nobody_leaves_in_a_game_or_twice() {
    assert!(!is_believed(&three_moves(), &left(Side::First)));
    let lobby = after(three_moves(), [resigned(), left(Side::First)]);
    let believed = Side::BOTH.map(|side| is_believed(&lobby, &left(side)));
    assert_eq!(believed, [false, true]);
}

#[test]
fn something_is_done_about_an_absence_once_and_while_a_game_is_played() {
    let [stood_in, waited, waited_no_more, back] = [
        Event::StoodIn { side: Side::First },
        Event::WaitedFor { side: Side::First },
        Event::WaitedNoMore { side: Side::First },
        Event::Back { side: Side::First },
    ];
    let believed =
        |lobby: &Lobby| [&stood_in, &waited, &waited_no_more, &back].map(|event| is_believed(lobby, event));
    let mut lobby = three_moves();
    assert_eq!(believed(&lobby), [false; 4], "nobody is away");
    let away = Event::Away { side: Side::First, since: Moment::START, loss: Loss::Closed };
    lobby.apply(&away, Moment::START).unwrap();
    assert_eq!(believed(&lobby), [true, true, false, true], "nothing was done yet");
    let mut helped = lobby.clone();
    helped.apply(&stood_in, Moment::START).unwrap();
    assert_eq!(believed(&helped), [false, false, false, true], "somebody stands in");
    lobby.apply(&waited, Moment::START).unwrap();
    assert_eq!(believed(&lobby), [false, false, true, true], "the other one waits");
    lobby.apply(&waited_no_more, Moment::START).unwrap();
    assert_eq!(believed(&lobby), [true, true, false, true], "they wait no more");
    lobby.apply(&resigned(), Moment::START).unwrap();
    assert_eq!(believed(&lobby), [false, false, false, true], "no game is played");
}

#[test]
fn nobody_comes_to_watch_where_all_is_over_or_goes_who_has_not_come() {
    let name = || Name::clean("cleo").unwrap();
    let (watched, unwatched) = (Event::Watched { name: name() }, Event::Unwatched { name: name() });
    let mut lobby = annas();
    assert_eq!([&watched, &unwatched].map(|event| is_believed(&lobby, event)), [true, false]);
    lobby.apply(&watched, Moment::START).unwrap();
    assert_eq!([&watched, &unwatched].map(|event| is_believed(&lobby, event)), [true, true]);
    lobby.apply(&Event::Closed, Moment::START).unwrap();
    assert!(!is_believed(&lobby, &watched));
}

#[test]
fn an_offer_is_made_once_in_a_turn_and_declined_only_by_its_receiver() {
    let offered = |side| Event::Offered { side, offer: Offer::Draw };
    let declined = Side::BOTH.map(|side| Event::Declined { side });
    let believed = |lobby: &Lobby| declined.each_ref().map(|event| is_believed(lobby, event));
    let mut lobby = three_moves();
    assert_eq!(believed(&lobby), [false; 2]);
    lobby.apply(&offered(Side::Second), Moment::START).unwrap();
    assert_eq!(believed(&lobby), [true, false]);
    assert!(!is_believed(&lobby, &offered(Side::Second)), "it is offered already");
    assert!(!is_believed(&lobby, &offered(Side::First)), "it is to be answered first");
    let other = Event::Offered { side: Side::Second, offer: Offer::Pause };
    assert!(is_believed(&lobby, &other), "it takes the place of the first one");
    lobby.apply(&declined[0], Moment::START).unwrap();
    let again = Side::BOTH.map(|side| is_believed(&lobby, &offered(side)));
    assert_eq!(again, [true, false]);

    let rests = after(three_moves(), [Event::Paused]);
    assert!(!is_believed(&rests, &offered(Side::First)));
    assert!(!is_believed(&annas(), &offered(Side::First)), "there is no game");
}
