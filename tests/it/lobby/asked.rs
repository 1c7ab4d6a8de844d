//! The queries of a lobby: the game and its conditions, present and former players, and the last game.

use std::time::Duration;

use nim::game::Side;
use nim::lobby::{
    AwayRule, ClockRule, Conditions, ConnectionLoss, Due, Event, Hand, Hints, Kind, Lobby, LobbyRequest,
    Moment, Name, Offer, Phase, Player, PlayerId, Refusal, Request, WhenAway, Who,
};

use crate::record::history::History;

const ANNA: Who = Who::Player(PlayerId(1));
const BEN: Who = Who::Player(PlayerId(2));

/// A game of five sticks, one or two at a time, in a lobby that anna has opened.
fn annas(conditions: Conditions) -> History {
    let mut history = History::of("take:5:2", conditions);
    history.sits("anna", Kind::Person);
    history
}

/// The conditions of most of these lobbies.
fn agreed() -> Conditions {
    Conditions { best_of: 3, watchers: 7, ..Conditions::default() }
}

fn last_players(lobby: &Lobby) -> [Option<&str>; 2] {
    Side::BOTH.map(|side| lobby.last_player(side).map(|player| player.name.as_str()))
}

#[test]
fn the_last_games_players_and_moves_are_known_until_the_next_begins() {
    let mut history = annas(agreed());
    assert!(!history.lobby.has_last_game(), "nobody has played");
    assert_eq!(last_players(&history.lobby), [Some("anna"), None]);
    history.sits("ben", Kind::Person);
    assert!(!history.lobby.has_last_game(), "the game is going on");
    assert_eq!(history.lobby.played(1).unwrap_err(), Refusal::NotOver);
    history.plays("2", 0);
    history.plays("1", 0);
    history.plays("2", 0);
    assert!(history.lobby.has_last_game());
    let made: Vec<(Side, String, Hand)> =
        history.lobby.made().into_iter().map(|made| (made.side, made.text, made.hand)).collect();
    let took = |side, text: &str| (side, text.to_owned(), Hand::Own);
    assert_eq!(
        made,
        [took(Side::First, "take 2"), took(Side::Second, "take 1"), took(Side::First, "take 2")]
    );
    assert_eq!(history.lobby.played(2).unwrap().0.write_position(), "3 second");
    for number in [0, 4, u32::MAX] {
        assert_eq!(history.lobby.played(number).unwrap_err(), Refusal::NoSuchMove { count: 3 });
    }
    assert!(history.is_granted(BEN, Request::Ask(LobbyRequest::Leave)));
    assert_eq!(last_players(&history.lobby), [Some("anna"), Some("ben")], "only a present player can leave");
    assert!(history.lobby.has_last_game());
    assert!(history.is_granted(ANNA, Request::Ask(LobbyRequest::Again)));
    assert!(history.lobby.has_last_game(), "it waits for somebody else");
    history.sits("cleo", Kind::Person);
    assert!(!history.lobby.has_last_game());
    assert!(
        last_players(&history.lobby).contains(&Some("cleo"))
            && !last_players(&history.lobby).contains(&Some("ben"))
    );
}

#[test]
fn a_local_guest_joins_and_leaves_with_its_player() {
    let [name, guest] = ["anna", "ben"].map(|name| Name::clean(name).unwrap());
    let conditions = Conditions { hints: Hints::All, ..Conditions::default() };
    let mut history = History::of("take:5:2", conditions);
    assert!(history.is_granted(Who::Newcomer, Request::SitForTwo { name, guest }));
    assert_eq!(last_players(&history.lobby), [Some("anna"), Some("ben")]);
    assert!(history.lobby.has_guest(Side::First) && !history.lobby.has_guest(Side::Second));
    history.plays("2", 0);
    assert_eq!(history.lobby.may_hint(ANNA), Ok(()), "in ben's turn");
    history.plays("1", 0);
    assert_eq!(history.lobby.made().iter().map(|made| made.side).collect::<Vec<_>>(), Side::BOTH);
    let offers = |history: &History, offer| {
        history.lobby.decide(ANNA, LobbyRequest::Offer(offer), Moment::START).unwrap().events.to_vec()
    };
    let bens = Event::Offered { side: Side::Second, offer: Offer::Takeback };
    assert_eq!(offers(&history, Offer::Takeback), [bens, Event::TakenBack { moves: 1 }]);
    assert!(history.is_granted(ANNA, LobbyRequest::Offer(Offer::Pause).into()));
    assert!(history.lobby.is_paused());
    assert!(history.is_granted(ANNA, LobbyRequest::Resume.into()));
    assert!(
        history.is_granted(ANNA, Request::Disconnect { loss: ConnectionLoss::Closed, since: Moment::START })
    );
    assert!(history.lobby.is_deserted() && !history.lobby.is_here(Side::Second));
    assert_eq!(history.lobby.kept_without(PlayerId(1)), Some(history.lobby.kept_for()));
    assert!(history.is_granted(ANNA, Request::Return));
    assert!(history.lobby.is_here(Side::First) && history.lobby.is_here(Side::Second));
    assert!(history.is_granted(ANNA, LobbyRequest::Resign.into()));
    assert_eq!(history.lobby.score().won.second, 1, "anna was to move");
    assert!(history.is_granted(ANNA, LobbyRequest::Again.into()));
    assert!(history.lobby.games() == 2 && history.lobby.has_guest(Side::Second));
    assert_eq!(Lobby::try_from(history.lobby.snapshot()).unwrap(), history.lobby);
    assert!(history.is_granted(ANNA, Request::Ask(LobbyRequest::Leave)));
    assert_eq!(history.lobby.phase(), Phase::Closed);
}

#[test]
fn only_a_person_has_a_guest() {
    let mut history = annas(agreed());
    history.sits("minimax", Kind::Bot);
    let mut lie = history.lobby.snapshot();
    lie.seats.first.as_mut().unwrap().kind = Kind::Guest;
    assert!(Lobby::try_from(lie).is_err());
    let alone =
        Lobby::new("brave-otter".parse().unwrap(), "take:5:2".parse().unwrap(), Conditions::default());
    let player = Player { id: PlayerId(1), name: Name::anyone(), kind: Kind::Guest };
    assert!(alone.clone().apply(&Event::Sat { side: Side::First, player }, Moment::START).is_err());
}

#[test]
fn a_lobby_is_kept_for_a_while_after_its_only_person_leaves() {
    let away = AwayRule { kept_for: 77_000, ..AwayRule::default() };
    let conditions = Conditions { away, ..Conditions::default() };
    let kept = |history: &History| [1, 2, 3].map(|player| history.lobby.kept_without(PlayerId(player)));
    let a_while = Some(Duration::from_secs(77));
    let mut history = annas(conditions);
    assert_eq!(kept(&history), [a_while, None, None]);
    history.sits("ben", Kind::Person);
    assert_eq!(kept(&history), [None, None, None]);
    let mut history = annas(conditions);
    history.sits("minimax", Kind::Bot);
    assert_eq!(kept(&history), [a_while, None, None], "a bot cannot be waited for");
}

#[test]
fn the_lobby_lists_the_offers_available_now() {
    let mut history = annas(agreed());
    let may = |history: &History, offer| Side::BOTH.map(|side| history.lobby.may_offer(side, offer));
    assert_eq!(may(&history, Offer::Draw), [Err(Refusal::NoGame), Err(Refusal::NoGame)]);
    history.sits("ben", Kind::Person);
    assert_eq!(may(&history, Offer::Draw), [Ok(()), Ok(())]);
    assert_eq!(may(&history, Offer::Takeback)[0], Err(Refusal::NothingToTakeBack));
}

#[test]
fn a_copy_that_skips_unknown_events_never_goes_back() {
    let mut lobby = annas(agreed()).lobby;
    assert_eq!(lobby.last_event(), 1);
    lobby.skip_to(7);
    assert_eq!(lobby.last_event(), 7);
    lobby.skip_to(3);
    assert_eq!(lobby.last_event(), 7);
}

/// A game with this clock, whose first player loses the connection as it begins; the absence takes effect
/// after this many milliseconds.
fn without_anna(clock: ClockRule, then: WhenAway, closed_after: u32) -> Lobby {
    let away = AwayRule { then, closed_after, ..AwayRule::default() };
    let mut history = annas(Conditions { away, clock, ..Conditions::default() });
    history.sits("ben", Kind::Person);
    assert!(
        history.is_granted(ANNA, Request::Disconnect { loss: ConnectionLoss::Closed, since: Moment::START })
    );
    history.lobby
}

/// The time in milliseconds at which the flag of a player without a first move falls.
fn falls(clock: ClockRule) -> u32 {
    let (flag, _) = without_anna(clock, WhenAway::Wait, 0).due().unwrap();
    u32::try_from(flag.since(Moment::START).as_millis()).unwrap()
}

#[test]
fn an_expired_absence_comes_before_a_flag_of_the_same_time() {
    let clock = ClockRule::Move(5_000);
    let first = [falls(clock) - 1, falls(clock), falls(clock) + 1]
        .map(|closed_after| without_anna(clock, WhenAway::Forfeit, closed_after).flag_falls_first());
    assert_eq!(first, [false, false, true]);
}

#[test]
fn a_clock_precedes_an_absence_deadline_if_each_turn_must_end_before_it() {
    let faster = |clock, then, closed_after| {
        without_anna(clock, then, closed_after).conditions().clock_is_faster(ConnectionLoss::Closed)
    };
    let each = ClockRule::Move(5_000);
    for clock in
        [each, ClockRule::Delay { base: 4_000, delay: 900 }, ClockRule::Fischer { base: 3_000, bonus: 0 }]
    {
        assert!(!faster(clock, WhenAway::Forfeit, falls(clock)), "{clock}");
        assert!(faster(clock, WhenAway::Forfeit, falls(clock) + 1), "{clock}");
    }
    assert!(!faster(each, WhenAway::Wait, 60_000), "an absence has no effect");
    let fischer = ClockRule::Fischer { base: 5_000, bonus: 1 };
    assert!(!faster(fischer, WhenAway::Forfeit, 60_000), "the time left is unknown");
}

#[test]
fn an_absence_at_the_largest_time_does_not_panic() {
    let mut history = annas(Conditions::default());
    history.sits("ben", Kind::Person);
    let end = Moment(u64::MAX);
    history.asks(ANNA, Request::Disconnect { loss: ConnectionLoss::Closed, since: end }, end).unwrap();
    assert_eq!(history.lobby.due(), Some((end, Due::StandIn(Side::First))));
}

#[test]
fn a_game_is_claimed_at_the_agreed_moment_and_not_a_moment_before() {
    let away = AwayRule { then: WhenAway::Forfeit, ..AwayRule::default() };
    let mut history = History::of_two("take:5:2", Conditions { away, ..Conditions::default() });
    let lost = Request::Disconnect { loss: ConnectionLoss::Closed, since: Moment(500) };
    history.asks(ANNA, lost, Moment(500)).unwrap();
    let end = 500 + u64::from(away.closed_after);
    let mut claims = |at| history.asks(BEN, LobbyRequest::Claim.into(), Moment(at));
    assert_eq!(claims(end - 1), Err(Refusal::ClaimTooEarly { millis: 1 }));
    assert_eq!(claims(end), Ok(()));
}
