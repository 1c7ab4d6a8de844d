//! Impossible events, one kind after the other: a copy of a lobby refuses them, and stays as it is.

use nim::game::Outcome;
use nim::game::Side::{self, First, Second};
use nim::lobby::{
    Cause, ClockRule, Conditions, ConnectionLoss, Departure, Event, GameResult, Hand, Kind, Lobby, Moment,
    Name, Notice, Offer, Player, PlayerId,
};

use crate::fuzzed::bodies::story::Told;
use crate::harness::take;

/// A lobby for java-tech:21 with anna in a seat.
fn annas() -> Lobby {
    let mut lobby =
        Lobby::new("brave-otter".parse().unwrap(), "java-tech:21".parse().unwrap(), Conditions::default());
    lobby.apply(&sat(First, 1, "anna"), Moment::START).unwrap();
    lobby
}

fn sat(side: Side, id: u32, name: &str) -> Event {
    let player = Player { id: PlayerId(id), name: Name::clean(name).unwrap(), kind: Kind::Person };
    Event::Sat { side, player }
}

/// A game there with ben, in which three moves were made.
fn three_moves() -> Lobby {
    let moved =
        |turn: u32| Event::Moved { turn, player: PlayerId(2 - turn % 2), mv: take(1), hand: Hand::Own };
    let began = [sat(Second, 2, "ben"), Event::Started { game: 1, swap: false }];
    after(annas(), began.into_iter().chain((1..4).map(moved)))
}

/// Fails unless a lobby accepts all true events and refuses all false ones unchanged.
#[track_caller]
fn believes<T: Clone + Into<Told>>(lobby: &Lobby, right: &[T], lies: &[T]) {
    for told in right.iter().cloned().map(T::into) {
        assert!(told.update(&mut lobby.clone(), Moment::START).is_ok(), "this is possible: {told:?}");
    }
    for told in lies.iter().cloned().map(T::into) {
        let mut copy = lobby.clone();
        assert!(told.update(&mut copy, Moment::START).is_err(), "this is impossible: {told:?}");
        assert_eq!(copy.snapshot(), lobby.snapshot(), "{told:?}");
    }
}

/// The same lobby after these events or notices.
fn after<T: Into<Told>>(mut lobby: Lobby, told: impl IntoIterator<Item = T>) -> Lobby {
    told.into_iter().for_each(|told| told.into().update(&mut lobby, Moment::START).unwrap());
    lobby
}

fn left(side: Side) -> Event {
    Event::Left { side, how: Departure::Quit }
}

fn wanted(side: Side) -> Event {
    Event::AgainWanted { side }
}

fn started(game: u32, swap: bool) -> Event {
    Event::Started { game, swap }
}

fn away(side: Side) -> Notice {
    Notice::Away { side, since: Moment::START, loss: ConnectionLoss::Closed }
}

/// anna resigns.
fn resigned() -> Event {
    Event::Ended { result: GameResult { outcome: Outcome::Win(Second), cause: Cause::Resigned } }
}

#[test]
fn a_takeback_of_other_than_one_or_two_moves_or_in_a_pause_is_refused() {
    let taken = |moves| Event::TakenBack { moves };
    let lies = [taken(0), taken(3), taken(4), Event::Resumed { side: First }];
    believes(&three_moves(), &[taken(1), taken(2)], &lies);
    let rests = after(three_moves(), [Event::Paused]);
    believes(&rests, &[], &(0..5).map(taken).chain([Event::Paused]).collect::<Vec<_>>());
}

#[test]
fn a_start_without_both_players_or_with_a_wrong_number_is_refused() {
    believes(&three_moves(), &[], &[started(2, false), started(2, true)]);
    let over = after(three_moves(), [resigned()]);
    believes(&over, &[], &[started(2, true)]);
    let one_wishes = after(over, [wanted(Second)]);
    believes(&one_wishes, &[], &[started(2, true)]);
    let both_wish = after(one_wishes, [wanted(First)]);
    believes(&both_wish, &[started(2, true)], &[0, 1, 3].map(|game| started(game, true)));
}

#[test]
fn a_new_player_with_a_wrong_number_or_a_taken_seat_is_refused() {
    let lies = [sat(First, 2, "ben"), sat(Second, 0, "ben"), sat(Second, 1, "ben"), sat(Second, 3, "ben")];
    believes(&annas(), &[sat(Second, 2, "ben")], &lies);
    let alone = after(three_moves(), [resigned(), left(Second)]);
    believes(&alone, &[], &[sat(Second, 3, "cleo")]);
    believes(&after(alone, [wanted(First)]), &[sat(Second, 3, "cleo")], &[]);
}

#[test]
fn a_game_event_with_one_player_is_refused() {
    believes(&annas(), &[], &[started(1, false), Event::Paused]);
    let both = after(annas(), [sat(Second, 2, "ben")]);
    believes(&both, &[started(1, false)], &[started(1, true), started(2, false)]);
}

#[test]
fn a_repeated_request_for_another_game_is_refused() {
    believes(&three_moves(), &[], &[wanted(First)]);
    believes(&after(three_moves(), [resigned(), left(First)]), &[], &[wanted(First)]);
    believes(&after(three_moves(), [resigned(), wanted(First)]), &[wanted(Second)], &[wanted(First)]);
}

#[test]
fn an_absence_of_anybody_but_a_seated_person_is_refused() {
    believes(&annas(), &[away(First)], &[away(Second)]);
    let minimax = Player { id: PlayerId(2), name: Name::clean("minimax").unwrap(), kind: Kind::Bot };
    let with_bot = after(annas(), [Event::Sat { side: Second, player: minimax }]);
    believes(&with_bot, &[], &[away(Second)]);
    believes(&after(with_bot, [Event::Closed]), &[], &[away(First)]);
}

#[test]
fn a_move_by_another_player_or_in_another_turn_is_refused() {
    let moved = |turn, player, count, hand| {
        let mv = take(count);
        Event::Moved { turn, player: PlayerId(player), mv, hand }
    };
    let right = [moved(4, 2, 1, Hand::Own)];
    let lies = [
        moved(3, 2, 1, Hand::Own),
        moved(5, 2, 1, Hand::Own),
        moved(4, 1, 1, Hand::Own),
        moved(4, 3, 1, Hand::Own),
        moved(4, 2, 1, Hand::StandIn),
        moved(4, 2, 60, Hand::Own),
    ];
    believes(&three_moves(), &right, &lies);
    let rests = after(three_moves(), [Event::Paused]);
    believes(&rests, &[], &right);
    believes(
        &after(rests, [resigned()]),
        &[],
        &[&right[..], &[resigned(), Event::TakenBack { moves: 1 }]].concat(),
    );
}

#[test]
fn leaving_during_a_game_or_twice_is_refused() {
    believes(&three_moves(), &[], &[left(First)]);
    believes(&after(three_moves(), [resigned(), left(First)]), &[left(Second)], &[left(First)]);
}

#[test]
fn an_absence_is_resolved_once_and_only_during_a_game() {
    let side = First;
    let [waited, no_more, back] =
        [Notice::WaitedFor { side }, Notice::WaitedNoMore { side }, Notice::Back { side }];
    let all = [waited.clone(), no_more.clone(), back.clone()];
    believes(&three_moves(), &[], &all);
    let is_away = after(three_moves(), [away(side)]);
    let undone = [waited.clone(), back.clone()];
    believes(&is_away, &undone, &all[1..2]);
    let stood_in = after(is_away.clone(), [Event::StoodIn { side }]);
    believes(&stood_in, &all[2..], &all[..2]);
    let waits = after(is_away, [waited]);
    believes(&waits, &all[1..], &all[..1]);
    let waits_no_more = after(waits, [no_more]);
    believes(&waits_no_more, &undone, &all[1..2]);
    believes(&after(waits_no_more, [resigned()]), &[back], &all[..2]);
}

#[test]
fn a_stand_in_plays_only_for_a_person_and_during_a_game() {
    let [begins, ends] = [|side| Event::StoodIn { side }, |side| Event::PlaysAgain { side }]
        .map(|event: fn(Side) -> Event| event);
    believes(&three_moves(), &[begins(First), begins(Second)], &[ends(First), ends(Second)]);
    let stood_in = after(three_moves(), [begins(First)]);
    believes(&stood_in, &[ends(First), begins(Second)], &[begins(First), ends(Second)]);
    believes(&after(stood_in, [resigned()]), &[], &[begins(First), ends(First)]);
    believes(&annas(), &[], &[begins(First), begins(Second)]);
}

#[test]
fn a_running_clock_can_stop_and_a_stopped_clock_can_start() {
    let both = [Event::ClockStopped, Event::ClockStarted];
    believes(&three_moves(), &[], &both);
    let conditions = Conditions { clock: ClockRule::Move(1_000), ..Conditions::default() };
    let lobby = Lobby::new("brave-otter".parse().unwrap(), "java-tech:21".parse().unwrap(), conditions);
    let seated = after(lobby, [sat(First, 1, "anna"), sat(Second, 2, "ben")]);
    believes(&seated, &[], &both);
    let timed = after(seated, [started(1, false)]);
    believes(&timed, &both[..1], &both[1..]);
    believes(&after(timed.clone(), [Event::Paused]), &[], &both);
    let stopped = after(timed, both[..1].to_vec());
    believes(&stopped, &both[1..], &both[..1]);
    believes(&after(stopped, [resigned()]), &[], &both);
}

#[test]
fn watching_a_closed_lobby_or_leaving_unwatched_is_refused() {
    let name = || Name::clean("cleo").unwrap();
    let watched = [Notice::Watched { name: name() }];
    let gone = [Notice::Unwatched { name: name() }, Notice::Kicked { name: name() }];
    believes(&annas(), &watched, &gone);
    let is_watched = after(annas(), watched.clone());
    believes(&is_watched, &[&watched[..], &gone].concat(), &[]);
    believes(&after(is_watched, [Event::Closed]), &[], &watched);
}

#[test]
fn an_offer_is_made_once_in_a_turn_and_declined_only_by_its_receiver() {
    let offered = |side, offer| Event::Offered { side, offer };
    let draw = |side| offered(side, Offer::Draw);
    let declined = |side| Event::Declined { side };
    believes(&three_moves(), &[], &[declined(First), declined(Second)]);
    let open = after(three_moves(), [draw(Second)]);
    // A new offer replaces the first one.
    let right = [declined(First), offered(Second, Offer::Pause)];
    believes(&open, &right, &[declined(Second), draw(Second), draw(First)]);
    believes(&after(open, [declined(First)]), &[draw(First)], &[draw(Second)]);
    believes(&after(three_moves(), [Event::Paused]), &[], &[draw(First)]);
    believes(&annas(), &[], &[draw(First)]);
}
