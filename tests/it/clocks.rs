//! The clocks, on the lobby itself with given moments, and once over sockets.

use std::time::Duration;

use nim::game::any::Move;
use nim::game::nim::Take;
use nim::game::{Outcome, Side};
use nim::lobby::{
    AwayRule, Cause, ClockRule, Conditions, Due, Event, Events, FLAG_GRACE, GameResult, Kind, Lobby, Loss,
    Moment, Name, Offer, Phase, PlayerId, Request, WhenAway, Who,
};
use nim::wire::{HallRefusal, HallRequest, LobbyRequest, NewLobby, Refusal};

use crate::harness::{Program, TestClient, TestServer, Wire, join, pair, stopped_clock, terms};

const ANNA: Who = Who::Player(PlayerId(1));
const BEN: Who = Who::Player(PlayerId(2));
const FISCHER: ClockRule = ClockRule::Fischer { base: 60_000, bonus: 2_000 };
const DELAY: ClockRule = ClockRule::Delay { base: 60_000, delay: 5_000 };

fn lost(side: Side) -> GameResult {
    GameResult { outcome: Outcome::Win(!side), cause: Cause::Time }
}

fn grace() -> u64 {
    u64::try_from(FLAG_GRACE.as_millis()).unwrap()
}

fn take(count: u64) -> Move {
    Move::Nim(Take { pile: 0, count })
}

/// A game between anna and ben that began at the start of all time.
struct Table(Lobby);

impl Table {
    fn new(clock: ClockRule) -> Self {
        let away = AwayRule { then: WhenAway::Wait, ..AwayRule::default() };
        let conditions = Conditions { clock, away, ..Conditions::default() };
        let code = "brave-otter".parse().unwrap();
        let mut table = Self(Lobby::new(code, "java-tech:21".parse().unwrap(), conditions));
        for name in ["anna", "ben"] {
            let sits = Request::Sit { name: Name::clean(name).unwrap(), kind: Kind::Person };
            table.grants(0, Who::Newcomer, sits);
        }
        table
    }

    fn grants(&mut self, at: u64, who: Who, request: Request) -> Events {
        let events = self.0.decide(who, request, Moment(at)).unwrap();
        self.happen(at, events)
    }

    fn happen(&mut self, at: u64, events: Events) -> Events {
        events.iter().for_each(|event| self.0.apply(event, Moment(at)).unwrap());
        events
    }

    fn passes(&mut self, at: u64) -> Events {
        let events = self.0.decide_due(Moment(at));
        self.happen(at, events)
    }

    /// The player to move takes one object.
    fn moves(&mut self, at: u64) -> Events {
        let player = self.0.to_move().unwrap().id;
        let turn = self.0.turn();
        self.grants(at, Who::Player(player), Request::Ask(LobbyRequest::Play { turn, mv: take(1) }))
    }

    fn loses(&mut self, at: u64, who: Who) {
        self.grants(at, who, Request::Lose { loss: Loss::Closed, since: Moment(at) });
    }

    fn answers(&mut self, at: u64, who: Who, accept: bool) {
        let (turn, offer) = (self.0.turn(), self.0.offer().unwrap().offer);
        self.grants(at, who, Request::Ask(LobbyRequest::Answer { turn, offer, accept }));
    }

    fn pauses(&mut self, at: u64) {
        self.grants(at, ANNA, Request::Ask(LobbyRequest::Offer(Offer::Pause)));
        self.answers(at, BEN, true);
    }

    /// What anna and ben have left, in milliseconds.
    fn left(&self) -> (u32, u32) {
        let left = self.0.clocks().left;
        (left.first, left.second)
    }

    fn flag(&self) -> Option<u64> {
        self.0.due().map(|(at, due)| {
            assert!(matches!(due, Due::Flag(_)), "{due:?}");
            at.0
        })
    }
}

#[test]
fn each_rule_takes_what_passed_and_gives_its_own() {
    for (rule, before, after) in [
        (ClockRule::Move(30_000), (30_000, 30_000), (30_000, 30_000)),
        (FISCHER, (60_000, 60_000), (50_000, 59_000)),
        (DELAY, (60_000, 60_000), (53_000, 60_000)),
    ] {
        let mut table = Table::new(rule);
        assert_eq!(table.left(), before);
        table.moves(12_000);
        table.moves(15_000);
        assert_eq!(table.left(), after, "{rule}");
    }
}

#[test]
fn without_a_clock_nothing_falls() {
    let mut table = Table::new(ClockRule::None);
    assert_eq!(table.flag(), None);
    assert!(table.passes(u64::MAX).is_empty());
}

#[test]
fn a_flag_falls_after_the_grace_and_no_sooner() {
    for (rule, at) in [(ClockRule::Move(30_000), 30_000), (FISCHER, 60_000), (DELAY, 65_000)] {
        let mut table = Table::new(rule);
        assert!(table.passes(at + grace()).is_empty(), "{rule}");
        assert_eq!(table.flag(), Some(at + grace() + 1), "{rule}");
        assert_eq!(table.passes(at + grace() + 1)[..], [Event::Ended { result: lost(Side::First) }]);
    }
}

#[test]
fn a_move_in_the_grace_counts_and_a_later_one_is_answered_with_the_end() {
    let rule = ClockRule::Move(30_000);
    let mut table = Table::new(rule);
    assert!(matches!(table.moves(30_000 + grace())[..], [Event::Moved { turn: 1, .. }]));
    let mut table = Table::new(rule);
    assert_eq!(table.moves(30_000 + grace() + 1)[..], [Event::Ended { result: lost(Side::First) }]);
    assert!(matches!(table.0.phase(), Phase::Over { .. }) && table.flag().is_none());
}

#[test]
fn a_player_who_moved_in_the_grace_has_nothing_left_and_gets_the_bonus() {
    let mut table = Table::new(FISCHER);
    table.moves(60_000 + grace());
    assert_eq!(table.left(), (2_000, 60_000));
}

#[test]
fn the_clock_stands_while_the_game_rests() {
    let mut table = Table::new(FISCHER);
    table.pauses(10_000);
    assert_eq!(table.flag(), None);
    assert!(table.passes(10_000_000).is_empty());
    table.grants(10_000_000, BEN, Request::Ask(LobbyRequest::Resume));
    assert_eq!((table.left(), table.flag()), ((50_000, 60_000), Some(10_050_000 + grace() + 1)));
    table.moves(10_020_000);
    assert_eq!(table.left(), (32_000, 60_000));
}

#[test]
fn the_clock_of_an_absent_player_runs_while_the_other_one_is_there() {
    let mut table = Table::new(FISCHER);
    table.loses(5_000, ANNA);
    assert_eq!(table.flag(), Some(60_000 + grace() + 1));
    table.passes(60_000 + grace() + 1);
    assert!(matches!(table.0.phase(), Phase::Over { result, .. } if result == lost(Side::First)));
}

#[test]
fn the_clock_stands_while_nobody_is_there() {
    let mut table = Table::new(FISCHER);
    table.loses(5_000, BEN);
    table.loses(6_000, ANNA);
    assert!(table.passes(100_000).is_empty());
    table.grants(100_000, BEN, Request::Return);
    assert_eq!((table.left(), table.flag()), ((54_000, 60_000), Some(154_000 + grace() + 1)));
}

#[test]
fn a_move_that_is_taken_back_gives_no_time_back_but_a_whole_turn() {
    for (rule, left) in [(FISCHER, (42_000, 60_000)), (ClockRule::Move(30_000), (30_000, 30_000))] {
        let mut table = Table::new(rule);
        table.moves(20_000);
        table.grants(25_000, ANNA, Request::Ask(LobbyRequest::Offer(Offer::Takeback)));
        let ben = if rule == FISCHER { 5_000 } else { 0 };
        table.answers(25_000, BEN, true);
        assert_eq!(table.left(), (left.0, left.1 - ben), "{rule}");
        assert_eq!(table.0.to_move().unwrap().id, PlayerId(1));
    }
}

#[test]
fn offers_and_their_answers_take_the_time_of_the_player_to_move() {
    let mut table = Table::new(DELAY);
    table.grants(2_000, BEN, Request::Ask(LobbyRequest::Offer(Offer::Draw)));
    table.answers(4_000, ANNA, false);
    table.moves(8_000);
    assert_eq!(table.left(), (57_000, 60_000), "the delay is one for the turn, whatever happens in it");
}

#[test]
fn another_game_begins_with_whole_clocks() {
    let mut table = Table::new(FISCHER);
    table.passes(60_000 + grace() + 1);
    table.grants(70_000, ANNA, Request::Ask(LobbyRequest::Again));
    table.grants(80_000, BEN, Request::Ask(LobbyRequest::Again));
    assert_eq!((table.left(), table.flag()), ((60_000, 60_000), Some(140_000 + grace() + 1)));
}

#[tokio::test]
async fn a_flag_falls_by_itself_on_the_server_and_both_are_told() {
    let _clock = stopped_clock();
    let server = TestServer::start();
    let clock = ClockRule::Move(5_000);
    let (mut anna, mut ben) = pair(&server, NewLobby { clock, ..terms("java-tech:21") }).await;
    tokio::time::advance(Duration::from_secs(5)).await;
    anna.play(take(1)).await;
    ben.until_lobby(|lobby| lobby.turn() == 2).await;
    tokio::time::advance(Duration::from_millis(5_260)).await;
    assert_eq!((anna.result().await, ben.result().await), (lost(Side::Second), lost(Side::Second)));
    assert_eq!(anna.lobby(), ben.lobby());
}

#[tokio::test]
async fn both_are_told_the_same_clocks() {
    let _clock = stopped_clock();
    let server = TestServer::start();
    let (mut anna, mut ben) = pair(&server, NewLobby { clock: FISCHER, ..terms("java-tech:21") }).await;
    tokio::time::advance(Duration::from_secs(12)).await;
    anna.play(take(1)).await;
    ben.until_lobby(|lobby| lobby.turn() == 2).await;
    assert_eq!(anna.lobby().clocks(), ben.lobby().clocks());
    let first = anna.lobby().clocks().left.first;
    assert!((49_900..=50_000).contains(&first), "{first}");
}

#[tokio::test]
async fn a_clock_that_nobody_can_play_by_is_refused() {
    let server = TestServer::start();
    let mut anna = server.client("anna").await;
    for clock in [ClockRule::Move(999), ClockRule::Fischer { base: 0, bonus: 9_000 }] {
        let refusal =
            anna.refused_in_hall(HallRequest::Create(NewLobby { clock, ..terms("take:3:1") })).await;
        assert!(matches!(refusal, Refusal::Hall(HallRefusal::Conditions(_))), "{refusal:?}");
        assert_eq!(refusal.to_string(), "a clock gives 1 second at least");
    }
    anna.create_on(NewLobby { clock: ClockRule::Move(1_000), ..terms("take:3:1") }).await;
    assert_eq!(anna.refused(LobbyRequest::Resume).await.to_string(), "the game does not rest");
}

#[tokio::test]
async fn the_clocks_are_shown_and_a_flag_that_falls_is_told_in_words() {
    let mut both =
        Program::client(&["play", "java-tech:9", "--two", "--clock", "1s~100ms", "--name", "anna"]);
    both.until("The clock gives each 1 second for the game; it runs 100 milliseconds after a turn began.")
        .await;
    both.types("1\n").await;
    both.until("Time: anna 1.0 s, guest 1.0 s.").await;
    both.until("anna won: guest ran out of time.").await;
}

/// Two who play with two seconds for each move on the server at this address.
async fn hasty(address: std::net::SocketAddr) -> (TestClient, TestClient) {
    let mut anna = TestClient::hello(Wire::connect(address).await, "anna").await;
    let mut ben = TestClient::hello(Wire::connect(address).await, "ben").await;
    let clock = ClockRule::Move(2_000);
    let code = anna.create_on(NewLobby { clock, ..terms("java-tech:21") }).await;
    ben.tries(join(code)).await.unwrap();
    for player in [&mut anna, &mut ben] {
        player.until_lobby(|lobby| lobby.phase() == Phase::Playing).await;
    }
    (anna, ben)
}

#[cfg(unix)]
#[tokio::test]
async fn a_move_sent_in_time_counts_although_the_server_was_stopped() {
    let (stopped, there) = Program::listening_server(&[]).await;
    let other = TestServer::start();
    let (mut anna, _ben) = hasty(there).await;
    stopped.signal("STOP").await;
    anna.ask(LobbyRequest::Play { turn: 1, mv: take(1) }).await;
    // Where nobody is stopped a flag falls that began to fall later.
    let (mut cleo, _dora) = hasty(other.address()).await;
    assert_eq!(cleo.result().await.cause, Cause::Time);
    stopped.signal("CONT").await;
    let told = anna.until_event(|event| matches!(event, Event::Moved { .. } | Event::Ended { .. })).await;
    assert!(matches!(told, Event::Moved { turn: 1, .. }), "{told:?}");
}
