//! The time of somebody who is away, on the lobby itself: when it begins, when it stands, and what it leads
//! to.

use std::time::Duration;

use nim::client::words::Viewpoint;
use nim::game::{Outcome, Side};
use nim::lobby::{
    AwayRule, Cause, Conditions, Departure, Due, Event, Events, GameResult, Hand, Kind, Lobby, LobbyRequest,
    Loss, Moment, Name, Phase, PlayerId, Refusal, Request, WhenAway, Who,
};

use super::one;

const ANNA: Who = Who::Player(PlayerId(1));
const BEN: Who = Who::Player(PlayerId(2));
const STAND_IN: Who = Who::StandIn(PlayerId(1));

const CLOSED_AFTER: u64 = 10_000;
const KEPT_FOR: u64 = 900_000;

/// A lobby with anna on the first side and ben on the second, whose game began at the start of all time.
struct Table(Lobby);

impl Table {
    fn new(then: WhenAway) -> Self {
        Self::with(then, Kind::Person)
    }

    fn with(then: WhenAway, second: Kind) -> Self {
        let away = AwayRule { then, ..AwayRule::default() };
        let conditions = Conditions { away, ..Conditions::default() };
        let code = "brave-otter".parse().unwrap();
        let mut table = Self(Lobby::new(code, "java-tech:21".parse().unwrap(), conditions));
        for (name, kind) in [("anna", Kind::Person), ("ben", second)] {
            let sits = Request::Sit { name: Name::clean(name).unwrap(), kind };
            table.grants(0, Who::Newcomer, sits);
        }
        table
    }

    /// What is granted at this moment, and happens.
    fn grants(&mut self, at: u64, who: Who, request: Request) -> Events {
        let words = format!("{who:?} {request:?}");
        let events = self.0.decide(who, request, Moment(at));
        let events = events.unwrap_or_else(|refusal| panic!("{words}: {refusal}"));
        self.happen(at, events)
    }

    fn happen(&mut self, at: u64, events: Events) -> Events {
        events.iter().for_each(|event| self.0.apply(event, Moment(at)).unwrap());
        events
    }

    /// Why something is refused at this moment.
    fn refuses(&self, at: u64, who: Who, request: Request) -> Refusal {
        self.0.decide(who, request, Moment(at)).unwrap_err()
    }

    /// What happens by itself at this moment.
    fn passes(&mut self, at: u64) -> Events {
        let events = self.0.decide_due(Moment(at));
        self.happen(at, events)
    }

    fn move_of_one(&self) -> Request {
        Request::Ask(LobbyRequest::Play { turn: self.0.turn(), mv: one() })
    }

    fn plays(&mut self, at: u64, who: Who) -> Events {
        let request = self.move_of_one();
        self.grants(at, who, request)
    }

    /// A connection closes.
    fn loses(&mut self, at: u64, who: Who) -> Events {
        self.grants(at, who, Request::Lose { loss: Loss::Closed, since: Moment(at) })
    }

    fn due(&self) -> Option<(u64, Due)> {
        self.0.due().map(|(at, due)| (at.0, due))
    }
}

const STAND_IN_FOR_ANNA: Due = Due::StandIn(Side::First);

#[test]
fn a_stand_in_comes_when_the_agreed_time_is_over_and_not_a_moment_before() {
    let mut table = Table::new(WhenAway::StandIn);
    table.loses(500, ANNA);
    assert_eq!(table.due(), Some((500 + CLOSED_AFTER, STAND_IN_FOR_ANNA)));
    assert!(table.passes(499 + CLOSED_AFTER).is_empty());
    assert_eq!(table.passes(500 + CLOSED_AFTER)[..], [Event::StoodIn { side: Side::First }]);
    assert_eq!(table.0.hand(Side::First), Hand::StandIn);
}

#[test]
fn the_absence_clock_stands_on_the_opponents_turn() {
    let mut table = Table::new(WhenAway::StandIn);
    table.plays(0, ANNA);
    table.loses(0, ANNA);
    assert_eq!(table.due(), None, "ben thinks, and that takes nothing from anna");
    assert!(table.passes(10 * CLOSED_AFTER).is_empty());
    table.plays(10 * CLOSED_AFTER, BEN);
    assert_eq!(table.due(), Some((11 * CLOSED_AFTER, STAND_IN_FOR_ANNA)), "it begins with her turn");
}

/// A game in which the stand-in plays for anna.
fn stood_in() -> Table {
    let mut table = Table::new(WhenAway::StandIn);
    table.loses(0, ANNA);
    table.passes(CLOSED_AFTER);
    table
}

#[test]
fn a_thought_for_a_turn_or_a_seat_that_is_past_is_refused() {
    let mut table = stood_in();
    let thought = table.move_of_one();
    table.grants(20_000, ANNA, Request::Return);
    assert_eq!(table.refuses(20_001, STAND_IN, thought.clone()), Refusal::NotSeated, "she is back");
    table.plays(20_002, ANNA);
    assert_eq!(table.refuses(20_003, STAND_IN, thought.clone()), Refusal::NotSeated, "she has moved");
    table.plays(20_004, BEN);
    table.loses(20_005, ANNA);
    table.passes(20_005 + CLOSED_AFTER);
    assert_eq!(table.refuses(40_000, STAND_IN, thought), Refusal::OtherTurn, "it was for another turn");
    let moved = table.plays(40_001, STAND_IN);
    assert!(matches!(moved[..], [Event::Moved { player: PlayerId(1), hand: Hand::StandIn, .. }]));
}

#[test]
fn a_stand_in_asks_for_nothing_but_a_move_and_nobody_moves_beside_it() {
    let table = stood_in();
    for request in [
        Request::Ask(LobbyRequest::Resign),
        Request::Ask(LobbyRequest::Again),
        Request::Leave(Departure::Quit),
        Request::Ask(LobbyRequest::Wait),
        Request::Ask(LobbyRequest::WaitNoMore),
        Request::Ask(LobbyRequest::Claim),
    ] {
        assert_eq!(table.refuses(20_000, STAND_IN, request), Refusal::NotSeated);
    }
    assert_eq!(table.refuses(20_000, Who::StandIn(PlayerId(2)), table.move_of_one()), Refusal::NotSeated);
    assert_eq!(
        table.refuses(20_000, ANNA, table.move_of_one()),
        Refusal::NotYourTurn,
        "not before she is back"
    );
}

#[test]
fn a_game_is_claimed_at_the_agreed_moment_and_not_before() {
    let mut table = Table::new(WhenAway::Forfeit);
    assert_eq!(table.refuses(0, BEN, Request::Ask(LobbyRequest::Claim)), Refusal::NothingToClaim);
    table.loses(500, ANNA);
    assert_eq!(table.due(), None, "nothing happens by itself");
    let early = table.refuses(499 + CLOSED_AFTER, BEN, Request::Ask(LobbyRequest::Claim));
    assert_eq!(early, Refusal::ClaimTooEarly { millis: 1 });
    assert_eq!(
        table.refuses(500 + CLOSED_AFTER, ANNA, Request::Ask(LobbyRequest::Claim)),
        Refusal::NothingToClaim
    );
    let result = GameResult { outcome: Outcome::Win(Side::Second), cause: Cause::Forfeited };
    assert_eq!(
        table.grants(500 + CLOSED_AFTER, BEN, Request::Ask(LobbyRequest::Claim))[..],
        [Event::Ended { result }]
    );
}

#[test]
fn what_happens_after_no_time_is_said_to_happen_at_once() {
    let mut table = Table::new(WhenAway::StandIn);
    table.loses(0, ANNA);
    let why = |at| nim::client::words::status::why(&table.0, Moment(at), Viewpoint::Spectator);
    assert!(why(CLOSED_AFTER - 1_000).contains("; a stand-in plays in 1 second; "));
    assert!(why(CLOSED_AFTER).contains("; a stand-in plays at once; "), "{}", why(CLOSED_AFTER));
}

#[test]
fn when_both_are_away_the_game_stands_still_and_in_the_end_is_abandoned() {
    let mut table = Table::new(WhenAway::StandIn);
    table.loses(0, ANNA);
    table.loses(5_000, BEN);
    assert_eq!(table.due(), Some((5_000 + KEPT_FOR, Due::Abandoned)), "no stand-in plays for nobody");
    assert!(table.passes(4_999 + KEPT_FOR).is_empty());
    let result = GameResult { outcome: Outcome::Draw, cause: Cause::Abandoned };
    assert_eq!(table.passes(5_000 + KEPT_FOR)[..], [Event::Ended { result }, Event::Closed]);
    assert_eq!((table.0.phase(), table.due()), (Phase::Closed, None));
}

#[test]
fn the_end_of_time_is_no_reason_to_panic() {
    let mut table = Table::new(WhenAway::StandIn);
    table.loses(u64::MAX, ANNA);
    assert_eq!(table.due(), Some((u64::MAX, STAND_IN_FOR_ANNA)));
    assert_eq!(table.0.due().map(|(at, _)| at + Duration::MAX), Some(Moment(u64::MAX)));
}
