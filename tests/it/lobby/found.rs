//! What the second lobby has found in the first one, each a test of its own.

use std::time::Duration;

use nim::game::{Outcome, Side};
use nim::lobby::{
    Cause, ClockRule, Conditions, Departure, Due, Event, FLAG_GRACE, GameResult, Kind, Lobby, LobbyRequest,
    Moment, Offer, Phase, PlayerId, Request, Who,
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
fn a_flag_gets_its_grace_once_whatever_happens_in_between() {
    let mut lobby = playing(Kind::Person, ClockRule::Move(1_000));
    let falls = Moment(1_001) + FLAG_GRACE;
    assert_eq!(lobby.due(), Some((falls, Due::Flag(Side::First))));
    // The clock shows zero, and its owner asks for something else than to move; so does somebody who watches.
    let late = Moment(1_000) + Duration::from_millis(200);
    grant(&mut lobby, Who::Player(PlayerId(1)), Request::Ask(LobbyRequest::Offer(Offer::Draw)), late);
    grant(&mut lobby, Who::Newcomer, Request::Watch { name: name() }, late);
    assert_eq!(lobby.due(), Some((falls, Due::Flag(Side::First))));
}

#[test]
fn an_exhibition_that_the_last_one_leaves_ends_its_game() {
    let mut lobby = playing(Kind::Bot, ClockRule::None);
    grant(&mut lobby, Who::Newcomer, Request::Watch { name: name() }, Moment::START);
    grant(
        &mut lobby,
        Who::Player(PlayerId(1)),
        Request::Ask(LobbyRequest::Offer(Offer::Draw)),
        Moment::START,
    );
    let leaves = Request::Unwatch { name: name(), how: Departure::Quit };
    let told = grant(&mut lobby, Who::Watcher, leaves, Moment::START);
    let result = GameResult { outcome: Outcome::Draw, cause: Cause::Abandoned };
    assert_eq!(told, [Event::Unwatched { name: name() }, Event::Ended { result }, Event::Closed]);
    assert_eq!(lobby.phase(), Phase::Closed);
    assert_eq!(Lobby::try_from(lobby.snapshot()), Ok(lobby));
}

#[test]
fn an_exhibition_whose_last_watcher_is_lost_stands_still_until_somebody_comes_or_it_is_given_up() {
    let mut lobby = playing(Kind::Bot, ClockRule::Move(60_000));
    grant(&mut lobby, Who::Newcomer, Request::Watch { name: name() }, Moment::START);
    let lost = Request::Unwatch { name: name(), how: Departure::Lost };
    let told = grant(&mut lobby, Who::Watcher, lost.clone(), Moment(10_000));
    assert_eq!(told, [Event::Unwatched { name: name() }]);
    assert_eq!((lobby.clocks().since, lobby.clocks().left.first), (None, 50_000));
    let mv = lobby.board().read_move("1").unwrap();
    let play = Request::Ask(LobbyRequest::Play { turn: lobby.turn(), mv });
    let late = lobby.decide(Who::Player(PlayerId(1)), play.clone(), Moment(11_000));
    assert_eq!(late, Err(nim::lobby::Refusal::Paused), "a thought that ends now is dropped");
    let kept = Duration::from_millis(lobby.conditions().away.kept_for.into());
    assert_eq!(lobby.due(), Some((Moment(10_000) + kept, Due::Abandoned)));

    grant(&mut lobby, Who::Newcomer, Request::Watch { name: name() }, Moment(100_000));
    assert_eq!(lobby.due(), Some((Moment(150_001) + FLAG_GRACE, Due::Flag(Side::First))));
    grant(&mut lobby, Who::Player(PlayerId(1)), play, Moment(101_000));
    grant(&mut lobby, Who::Watcher, lost, Moment(102_000));
    let result = GameResult { outcome: Outcome::Draw, cause: Cause::Abandoned };
    assert_eq!(lobby.decide_due(Moment(102_000) + kept).to_vec(), [Event::Ended { result }, Event::Closed]);
}
