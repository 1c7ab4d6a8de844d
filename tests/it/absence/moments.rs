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
const SILENT_AFTER: u64 = 40_000;
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

    /// Nothing has been heard from somebody since then.
    fn misses(&mut self, at: u64, who: Who, since: u64) -> Events {
        self.grants(at, who, Request::Lose { loss: Loss::Silent, since: Moment(since) })
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

#[test]
fn a_silent_connection_is_waited_for_longer_and_its_end_does_not_extend_that() {
    let mut table = Table::new(WhenAway::StandIn);
    table.misses(20_000, ANNA, 1_000);
    assert_eq!(table.due(), Some((1_000 + SILENT_AFTER, STAND_IN_FOR_ANNA)));
    assert!(table.loses(39_000, ANNA).is_empty(), "10 seconds from now are later than what was left");
    let mut table = Table::new(WhenAway::StandIn);
    table.misses(20_000, ANNA, 1_000);
    table.loses(21_000, ANNA);
    assert_eq!(table.due(), Some((21_000 + CLOSED_AFTER, STAND_IN_FOR_ANNA)), "what is sure is sooner");
}

#[test]
fn the_time_stops_with_the_return_and_restarts_with_the_next_absence() {
    let mut table = Table::new(WhenAway::StandIn);
    table.loses(0, ANNA);
    assert_eq!(table.grants(9_000, ANNA, Request::Return)[..], [Event::Back { side: Side::First }]);
    assert_eq!(table.due(), None);
    assert!(table.grants(9_100, ANNA, Request::Return).is_empty(), "she is back already");
    table.loses(9_500, ANNA);
    assert_eq!(table.due(), Some((9_500 + CLOSED_AFTER, STAND_IN_FOR_ANNA)));
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
fn what_could_be_claimed_cannot_any_more_once_the_other_one_is_back() {
    let mut table = Table::new(WhenAway::Forfeit);
    table.loses(0, ANNA);
    table.grants(2, ANNA, Request::Return);
    table.loses(3, ANNA);
    assert_eq!(
        table.refuses(4, BEN, Request::Ask(LobbyRequest::Claim)),
        Refusal::ClaimTooEarly { millis: u32::try_from(CLOSED_AFTER).unwrap() - 1 },
        "it was for one absence"
    );
    table.grants(5, ANNA, Request::Return);
    assert_eq!(table.refuses(u64::MAX, BEN, Request::Ask(LobbyRequest::Claim)), Refusal::NothingToClaim);
}

#[test]
fn a_player_who_chose_to_wait_may_still_claim_the_game() {
    let mut table = Table::new(WhenAway::Forfeit);
    table.loses(0, ANNA);
    table.grants(1, BEN, Request::Ask(LobbyRequest::Wait));
    assert_eq!(
        table.refuses(CLOSED_AFTER - 1, BEN, Request::Ask(LobbyRequest::Claim)),
        Refusal::ClaimTooEarly { millis: 1 },
        "who waits has lost nothing by it"
    );
    let result = GameResult { outcome: Outcome::Win(Side::Second), cause: Cause::Forfeited };
    assert_eq!(
        table.grants(CLOSED_AFTER, BEN, Request::Ask(LobbyRequest::Claim))[..],
        [Event::Ended { result }]
    );
}

#[test]
fn who_waits_no_more_has_what_was_agreed_at_once_if_its_time_has_come() {
    let mut table = Table::new(WhenAway::StandIn);
    assert_eq!(table.refuses(0, BEN, Request::Ask(LobbyRequest::WaitNoMore)), Refusal::WaitsNot);
    table.loses(0, ANNA);
    assert_eq!(table.refuses(0, BEN, Request::Ask(LobbyRequest::WaitNoMore)), Refusal::WaitsNot);
    table.grants(1, BEN, Request::Ask(LobbyRequest::Wait));
    assert!(table.passes(2 * CLOSED_AFTER).is_empty(), "ben waits");
    let told = table.grants(2 * CLOSED_AFTER, BEN, Request::Ask(LobbyRequest::WaitNoMore));
    assert_eq!(told[..], [Event::WaitedNoMore { side: Side::First }]);
    assert_eq!(table.passes(2 * CLOSED_AFTER)[..], [Event::StoodIn { side: Side::First }]);
    assert_eq!(
        table.refuses(2 * CLOSED_AFTER, BEN, Request::Ask(LobbyRequest::WaitNoMore)),
        Refusal::WaitsNot
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
fn a_stand_in_stops_when_nobody_is_left_who_watches_it() {
    let mut table = stood_in();
    assert_eq!(table.0.stood_in_for(), Some(PlayerId(1)));
    let thought = table.move_of_one();
    table.loses(20_000, BEN);
    assert_eq!(table.0.stood_in_for(), None);
    assert_eq!(table.refuses(20_001, STAND_IN, thought), Refusal::NotSeated);
    table.grants(30_000, BEN, Request::Return);
    assert_eq!(table.0.stood_in_for(), Some(PlayerId(1)), "it goes on for whoever is back first");
}

#[test]
fn the_first_of_two_to_come_back_is_not_taken_for_the_one_who_left_the_other_waiting() {
    let mut table = Table::new(WhenAway::StandIn);
    table.loses(0, ANNA);
    table.loses(0, BEN);
    table.grants(60_000, BEN, Request::Return);
    // While nobody waited no time passed: ben waits from now on.
    assert_eq!(table.passes(69_999)[..], []);
    assert_eq!(table.passes(70_000)[..], [Event::StoodIn { side: Side::First }]);
}

#[test]
fn a_bot_is_never_away_and_nobody_stands_in_for_its_sake() {
    let mut table = Table::with(WhenAway::StandIn, Kind::Bot);
    assert!(table.loses(0, BEN).is_empty());
    table.loses(0, ANNA);
    assert!(!table.0.has_people_here());
    assert_eq!(table.due(), Some((KEPT_FOR, Due::Abandoned)));
}

#[test]
fn a_seat_is_kept_after_a_game_from_its_end_or_from_the_loss_whichever_is_later() {
    let mut table = Table::new(WhenAway::Wait);
    table.loses(1_000, ANNA);
    table.grants(70_000, BEN, Request::Ask(LobbyRequest::Resign));
    assert_eq!(table.due(), Some((70_000 + KEPT_FOR, Due::Vacated(Side::First))));
    let left = [Event::Left { side: Side::First, how: Departure::Lost }];
    assert_eq!(table.passes(70_000 + KEPT_FOR)[..], left, "ben is there, so the lobby is not closed");
    let mut table = Table::new(WhenAway::Wait);
    table.grants(1_000, BEN, Request::Ask(LobbyRequest::Resign));
    table.loses(70_000, ANNA);
    assert_eq!(table.due(), Some((70_000 + KEPT_FOR, Due::Vacated(Side::First))));
}

#[test]
fn the_end_of_time_is_no_reason_to_panic() {
    let mut table = Table::new(WhenAway::StandIn);
    table.loses(u64::MAX, ANNA);
    assert_eq!(table.due(), Some((u64::MAX, STAND_IN_FOR_ANNA)));
    assert_eq!(table.0.due().map(|(at, _)| at + Duration::MAX), Some(Moment(u64::MAX)));
}
