//! Regression tests for bugs that the comparison with the model has found.

use std::time::Duration;

use nim::game::{Outcome, Side};
use nim::lobby::{
    Cause, ClockRule, Conditions, Departure, Due, Event, FLAG_GRACE, GameResult, Kind, Lobby, LobbyRequest,
    Moment, Name, Notice, Offer, Phase, PlayerId, Request, Who,
};

use crate::fuzzed::bodies::story::Told;
use crate::record::history::History;

/// A lobby with two players.
fn playing(kind: Kind, clock: ClockRule) -> History {
    let conditions = Conditions { clock, watchers: 1, ..Conditions::default() };
    History::of("take:7:2", conditions).with([("anna", kind), ("ben", kind)])
}

/// The events of a granted request.
fn grant(history: &mut History, who: Who, request: Request, now: Moment) -> Vec<Told> {
    let before = history.told.len();
    history.asks(who, request, now).unwrap();
    history.told[before..].iter().map(|(_, told)| told.clone()).collect()
}

#[test]
fn a_flag_gets_its_grace_once_whatever_happens_in_between() {
    let mut history = playing(Kind::Person, ClockRule::Move(1_000));
    let falls = Moment(1_001) + FLAG_GRACE;
    assert_eq!(history.lobby.due(), Some((falls, Due::Flag(Side::First))));
    // The clock shows zero, and its owner sends a request other than a move; so does a watcher.
    let late = Moment(1_000) + Duration::from_millis(200);
    grant(&mut history, Who::Player(PlayerId(1)), Request::Ask(LobbyRequest::Offer(Offer::Draw)), late);
    grant(&mut history, Who::Newcomer, Request::Watch { name: Name::anyone() }, late);
    assert_eq!(history.lobby.due(), Some((falls, Due::Flag(Side::First))));
}

#[test]
fn an_exhibition_ends_when_the_last_watcher_leaves() {
    let mut history = playing(Kind::Bot, ClockRule::None);
    grant(&mut history, Who::Newcomer, Request::Watch { name: Name::anyone() }, Moment::START);
    grant(
        &mut history,
        Who::Player(PlayerId(1)),
        Request::Ask(LobbyRequest::Offer(Offer::Draw)),
        Moment::START,
    );
    let leaves = Request::Unwatch { name: Name::anyone(), how: Departure::Quit };
    let told = grant(&mut history, Who::Watcher, leaves, Moment::START);
    let result = GameResult { outcome: Outcome::Draw, cause: Cause::Abandoned };
    let unwatched = Notice::Unwatched { name: Name::anyone() };
    assert_eq!(told, [Event::Ended { result }.into(), Event::Closed.into(), Told::from(unwatched)]);
    assert_eq!(history.lobby.phase(), Phase::Closed);
    assert_eq!(Lobby::try_from(history.lobby.snapshot()), Ok(history.lobby));
}

#[test]
fn an_exhibition_pauses_when_the_last_watcher_disconnects_until_somebody_comes_or_it_expires() {
    let mut history = playing(Kind::Bot, ClockRule::Move(60_000));
    grant(&mut history, Who::Newcomer, Request::Watch { name: Name::anyone() }, Moment::START);
    let lost = Request::Unwatch { name: Name::anyone(), how: Departure::Lost };
    let told = grant(&mut history, Who::Watcher, lost.clone(), Moment(10_000));
    let unwatched = Notice::Unwatched { name: Name::anyone() };
    assert_eq!(told, [Event::ClockStopped.into(), Told::from(unwatched)]);
    assert_eq!((history.lobby.clocks().since, history.lobby.clocks().left.first), (None, 50_000));
    let mv = history.lobby.board().read_move("1").unwrap();
    let play = Request::Ask(LobbyRequest::Play { turn: history.lobby.turn(), mv });
    let late = history.lobby.decide(Who::Player(PlayerId(1)), play.clone(), Moment(11_000));
    assert_eq!(late, Err(nim::lobby::Refusal::Paused), "a late result is dropped");
    let kept = Duration::from_millis(history.lobby.conditions().away.kept_for.into());
    assert_eq!(history.lobby.due(), Some((Moment(10_000) + kept, Due::Abandoned)));

    grant(&mut history, Who::Newcomer, Request::Watch { name: Name::anyone() }, Moment(100_000));
    assert_eq!(history.lobby.due(), Some((Moment(150_001) + FLAG_GRACE, Due::Flag(Side::First))));
    grant(&mut history, Who::Player(PlayerId(1)), play, Moment(101_000));
    grant(&mut history, Who::Watcher, lost, Moment(102_000));
    let result = GameResult { outcome: Outcome::Draw, cause: Cause::Abandoned };
    assert_eq!(
        history.lobby.decide_due(Moment(102_000) + kept).to_vec(),
        [Event::Ended { result }, Event::Closed]
    );
}
