//! What a lobby says when it is asked: what is played there and how, who sits or sat where, and what of the
//! last game is known.

use std::time::Duration;

use nim::game::Side;
use nim::lobby::{
    AwayRule, ClockRule, Conditions, Departure, Event, Hand, Hints, Kind, Lobby, LobbyRequest, Loss, Moment,
    Name, Offer, Phase, Player, PlayerId, Refusal, Request, WhenAway, Who,
};

const ANNA: Who = Who::Player(PlayerId(1));
const BEN: Who = Who::Player(PlayerId(2));

/// A lobby in which everything is asked at the same moment.
struct Room(Lobby);

impl Room {
    /// anna has opened it for a game of five sticks, one or two at a time.
    fn annas() -> Self {
        Self::of(Conditions { best_of: 3, watchers: 7, ..Conditions::default() })
    }

    /// The same, as agreed.
    fn of(conditions: Conditions) -> Self {
        let mut room =
            Self(Lobby::new("brave-otter".parse().unwrap(), "take:5:2".parse().unwrap(), conditions));
        room.sits("anna");
        room
    }

    fn sits(&mut self, name: &str) {
        self.seats(name, Kind::Person);
    }

    fn seats(&mut self, name: &str, kind: Kind) {
        self.asks(Who::Newcomer, Request::Sit { name: Name::clean(name).unwrap(), kind });
    }

    fn asks(&mut self, who: Who, request: Request) {
        for event in self.0.decide(who, request, Moment::START).unwrap() {
            self.0.apply(&event, Moment::START).unwrap();
        }
    }

    fn plays(&mut self, who: Who, text: &str) {
        let (turn, mv) = (self.0.turn(), self.0.board().read_move(text).unwrap());
        self.asks(who, Request::Ask(LobbyRequest::Play { turn, mv }));
    }

    fn last_players(&self) -> [Option<&str>; 2] {
        Side::BOTH.map(|side| self.0.last_player(side).map(|player| player.name.as_str()))
    }
}

#[test]
fn what_is_played_and_how_is_what_was_agreed() {
    let Room(lobby) = Room::annas();
    assert_eq!(lobby.variant().text(), "take:5:2:normal");
    assert_eq!((lobby.conditions().best_of, lobby.conditions().watchers), (3, 7));
    assert_eq!((lobby.origin(), lobby.start()), (None, lobby.variant().start()));
}

#[test]
fn of_the_last_game_it_is_known_who_played_and_made_which_move_until_the_next_one_begins() {
    let mut room = Room::annas();
    assert!(!room.0.has_last_game(), "nobody has played");
    assert_eq!(room.last_players(), [Some("anna"), None]);
    room.sits("ben");
    assert!(!room.0.has_last_game(), "they are at it");
    assert_eq!(room.0.played(1).unwrap_err(), Refusal::NotOver);
    room.plays(ANNA, "2");
    room.plays(BEN, "1");
    room.plays(ANNA, "2");
    assert!(room.0.has_last_game());
    let made: Vec<(Side, String, Hand)> =
        room.0.made().into_iter().map(|made| (made.side, made.text, made.hand)).collect();
    let took = |side, text: &str| (side, text.to_owned(), Hand::Own);
    assert_eq!(
        made,
        [took(Side::First, "take 2"), took(Side::Second, "take 1"), took(Side::First, "take 2")]
    );
    assert_eq!(room.0.played(2).unwrap().0.write_position(), "3 second");
    assert_eq!(room.0.played(4).unwrap_err(), Refusal::NoSuchMove { count: 3 });
    room.asks(BEN, Request::Leave(Departure::Quit));
    assert_eq!(room.last_players(), [Some("anna"), Some("ben")], "who has left was there");
    assert!(room.0.has_last_game());
    room.asks(ANNA, Request::Ask(LobbyRequest::Again));
    assert!(room.0.has_last_game(), "it waits for somebody else");
    room.sits("cleo");
    assert!(!room.0.has_last_game());
    assert!(room.last_players().contains(&Some("cleo")) && !room.last_players().contains(&Some("ben")));
}

#[test]
fn a_player_with_a_guest_asks_for_both_and_they_come_and_go_together() {
    let [name, guest] = ["anna", "ben"].map(|name| Name::clean(name).unwrap());
    let conditions = Conditions { hints: Hints::All, ..Conditions::default() };
    let mut room = Room(Lobby::new("brave-otter".parse().unwrap(), "take:5:2".parse().unwrap(), conditions));
    room.asks(Who::Newcomer, Request::SitForTwo { name, guest });
    assert_eq!(room.last_players(), [Some("anna"), Some("ben")]);
    assert!(room.0.has_guest(Side::First) && !room.0.has_guest(Side::Second));
    room.plays(ANNA, "2");
    assert_eq!(room.0.may_hint(ANNA), Ok(()), "in ben's turn");
    room.plays(ANNA, "1");
    assert_eq!(room.0.made().iter().map(|made| made.side).collect::<Vec<_>>(), Side::BOTH);
    let offers = |room: &Room, offer| {
        room.0
            .decide(ANNA, LobbyRequest::Offer(offer), Moment::START)
            .unwrap()
            .into_iter()
            .collect::<Vec<_>>()
    };
    let bens = Event::Offered { side: Side::Second, offer: Offer::Takeback };
    assert_eq!(offers(&room, Offer::Takeback), [bens, Event::TakenBack { moves: 1 }]);
    room.asks(ANNA, LobbyRequest::Offer(Offer::Pause).into());
    assert!(room.0.is_paused());
    room.asks(ANNA, LobbyRequest::Resume.into());
    room.asks(ANNA, Request::Lose { loss: Loss::Closed, since: Moment::START });
    assert!(room.0.is_deserted() && !room.0.is_here(Side::Second));
    assert_eq!(room.0.kept_without(PlayerId(1)), Some(room.0.kept_for()));
    room.asks(ANNA, Request::Return);
    assert!(room.0.is_here(Side::First) && room.0.is_here(Side::Second));
    room.asks(ANNA, LobbyRequest::Resign.into());
    assert_eq!(room.0.score().won.second, 1, "anna was to move");
    room.asks(ANNA, LobbyRequest::Again.into());
    assert!(room.0.games() == 2 && room.0.has_guest(Side::Second));
    assert_eq!(Lobby::try_from(room.0.snapshot()).unwrap(), room.0);
    room.asks(ANNA, Request::Leave(Departure::Quit));
    assert_eq!(room.0.phase(), Phase::Closed);
}

#[test]
fn nobody_but_a_person_has_a_guest() {
    let mut room = Room::annas();
    room.seats("minimax", Kind::Bot);
    let mut lie = room.0.snapshot();
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
    let kept = |room: &Room| [1, 2, 3].map(|player| room.0.kept_without(PlayerId(player)));
    let a_while = Some(Duration::from_secs(77));
    let mut room = Room::of(conditions);
    assert_eq!(kept(&room), [a_while, None, None]);
    room.sits("ben");
    assert_eq!(kept(&room), [None, None, None]);
    let mut room = Room::of(conditions);
    room.seats("minimax", Kind::Bot);
    assert_eq!(kept(&room), [a_while, None, None], "a bot is nobody to wait for");
}

#[test]
fn it_says_what_may_be_offered_now() {
    let mut room = Room::annas();
    let may = |room: &Room, offer| Side::BOTH.map(|side| room.0.may_offer(side, offer));
    assert_eq!(may(&room, Offer::Draw), [Err(Refusal::NoGame), Err(Refusal::NoGame)]);
    room.sits("ben");
    assert_eq!(may(&room, Offer::Draw), [Ok(()), Ok(())]);
    assert_eq!(may(&room, Offer::Takeback)[0], Err(Refusal::NothingToTakeBack));
}

#[test]
fn a_copy_that_skips_what_it_does_not_know_never_goes_back() {
    let Room(mut lobby) = Room::annas();
    assert_eq!(lobby.last_event(), 1);
    lobby.skip_to(7);
    assert_eq!(lobby.last_event(), 7);
    lobby.skip_to(3);
    assert_eq!(lobby.last_event(), 7);
}

/// A game by this clock, whose first player is lost as it begins: for this many milliseconds before that has
/// an effect.
fn without_anna(clock: ClockRule, then: WhenAway, closed_after: u32) -> Lobby {
    let away = AwayRule { then, closed_after, ..AwayRule::default() };
    let mut room = Room::of(Conditions { away, clock, ..Conditions::default() });
    room.sits("ben");
    room.asks(ANNA, Request::Lose { loss: Loss::Closed, since: Moment::START });
    room.0
}

/// After how many milliseconds the flag of a player without a first move falls.
fn falls(clock: ClockRule) -> u32 {
    let (flag, _) = without_anna(clock, WhenAway::Wait, 0).due().unwrap();
    u32::try_from(flag.since(Moment::START).as_millis()).unwrap()
}

#[test]
fn a_flag_that_falls_at_the_same_moment_as_time_runs_out_does_not_fall_first() {
    let clock = ClockRule::Move(5_000);
    let first = [falls(clock) - 1, falls(clock), falls(clock) + 1]
        .map(|closed_after| without_anna(clock, WhenAway::Forfeit, closed_after).flag_falls_first());
    assert_eq!(first, [false, false, true]);
}

#[test]
fn a_clock_is_faster_than_an_absence_where_each_turn_is_surely_over_before_it() {
    let faster = |clock, then, closed_after| {
        without_anna(clock, then, closed_after).conditions().clock_is_faster(Loss::Closed)
    };
    let each = ClockRule::Move(5_000);
    for clock in
        [each, ClockRule::Delay { base: 4_000, delay: 900 }, ClockRule::Fischer { base: 3_000, bonus: 0 }]
    {
        assert!(!faster(clock, WhenAway::Forfeit, falls(clock)), "{clock}");
        assert!(faster(clock, WhenAway::Forfeit, falls(clock) + 1), "{clock}");
    }
    assert!(!faster(each, WhenAway::Wait, 60_000), "nothing comes of an absence");
    let fischer = ClockRule::Fischer { base: 5_000, bonus: 1 };
    assert!(!faster(fischer, WhenAway::Forfeit, 60_000), "who knows how long they have");
}
