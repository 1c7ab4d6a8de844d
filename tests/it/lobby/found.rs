//! What the second lobby has found in the first one, each a test of its own.

use std::time::Duration;

use nim::game::{Outcome, Side};
use nim::lobby::{
    Cause, ClockRule, Conditions, Due, Event, FLAG_GRACE, GameResult, Kind, Lobby, Moment, Offer, Phase,
    PlayerId, Request, Who,
};

use super::{code, name};

/// A lobby in which two have sat down.
fn playing(kind: Kind, clock: ClockRule) -> Lobby {
    let conditions = Conditions { clock, watchers: 1, ..Conditions::default() };
    let mut lobby = Lobby::new(code(), "take:7:2".parse().unwrap(), conditions);
    for _ in Side::BOTH {
        grant(&mut lobby, Who::Newcomer, Request::Sit { name: name(), kind }, Moment::START);
    }
    lobby
}

fn grant(lobby: &mut Lobby, who: Who, request: Request, now: Moment) -> Vec<Event> {
    let events = lobby.decide(who, request, now).unwrap();
    events.iter().for_each(|event| lobby.apply(event, now).unwrap());
    events.to_vec()
}

#[test]
fn a_flag_gets_its_grace_once_whatever_happens_meanwhile() {
    let mut lobby = playing(Kind::Person, ClockRule::Move(1_000));
    let falls = Moment(1_001) + FLAG_GRACE;
    assert_eq!(lobby.due(), Some((falls, Due::Flag(Side::First))));
    // The clock shows zero, and its owner asks for something else than to move; so does somebody who watches.
    let late = Moment(1_000) + Duration::from_millis(200);
    grant(&mut lobby, Who::Player(PlayerId(1)), Request::Offer(Offer::Draw), late);
    grant(&mut lobby, Who::Newcomer, Request::Watch { name: name() }, late);
    assert_eq!(lobby.due(), Some((falls, Due::Flag(Side::First))));
}

#[test]
fn an_exhibition_that_nobody_watches_any_more_ends_its_game() {
    let mut lobby = playing(Kind::Bot, ClockRule::None);
    grant(&mut lobby, Who::Newcomer, Request::Watch { name: name() }, Moment::START);
    grant(&mut lobby, Who::Player(PlayerId(1)), Request::Offer(Offer::Draw), Moment::START);
    let told = grant(&mut lobby, Who::Watcher, Request::Unwatch { name: name() }, Moment::START);
    let result = GameResult { outcome: Outcome::Draw, cause: Cause::Abandoned };
    assert_eq!(told, [Event::Unwatched { name: name() }, Event::Ended { result }, Event::Closed]);
    assert_eq!(lobby.phase(), Phase::Closed);
    assert_eq!(Lobby::try_from(lobby.snapshot()), Ok(lobby));
}
