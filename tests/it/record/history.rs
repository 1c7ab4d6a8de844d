//! What lobbies went through: told step by step, or at random.

use std::time::Duration;

use nim::game::any::Variant;
use nim::game::{Game, Side};
use nim::lobby::{
    AwayRule, Checksum, ClockRule, Conditions, Departure, Event, Hand, Kind, Level, Lobby, LobbyRequest,
    Loss, Moment, Name, Offer, Origin, Phase, PlayerId, Request, WhenAway, Who,
};
use nim::record::{Record, Setting};
use proptest::prelude::*;

/// A lobby with everything that happened in it.
pub(super) struct History {
    pub(super) setting: Setting,
    pub(super) lobby: Lobby,
    pub(super) events: Vec<(Moment, Event)>,
    pub(super) now: Moment,
}

impl History {
    pub(super) fn of(variant: &str, conditions: Conditions) -> Self {
        let (variant, code) = (variant.parse::<Variant>().unwrap(), "brave-otter".parse().unwrap());
        let lobby = Lobby::new(code, variant.clone(), conditions);
        // 2026-11-21 13:36:49 UTC.
        let setting = Setting { variant, conditions, code, opened: 1_795_268_209_000 };
        Self { setting, lobby, events: Vec::new(), now: Moment::START }
    }

    /// Two who sit down.
    pub(super) fn with(mut self, players: [(&str, Kind); 2]) -> Self {
        for (name, kind) in players {
            assert!(self.asks(Who::Newcomer, Request::Sit { name: Name::clean(name).unwrap(), kind }));
        }
        self
    }

    /// The games begin on another board.
    pub(super) fn from(mut self, origin: Origin) -> Self {
        self.happen([Event::Placed { origin }]);
        self
    }

    fn happen(&mut self, events: impl IntoIterator<Item = Event>) {
        for event in events {
            self.lobby.apply(&event, self.now).unwrap();
            self.events.push((self.now, event));
        }
    }

    /// The host goes, and comes back.
    pub(super) fn restarts(&mut self) {
        self.happen(self.lobby.decide_restart());
    }

    /// Whether it was granted.
    pub(super) fn asks(&mut self, who: Who, request: Request) -> bool {
        let decided = self.lobby.decide(who, request, self.now);
        decided.map(|events| self.happen(events)).is_ok()
    }

    pub(super) fn side_asks(&mut self, side: Side, request: Request) -> bool {
        let player = self.lobby.seats()[side].as_ref().map_or(PlayerId(0), |player| player.id);
        self.asks(Who::Player(player), request)
    }

    /// Time passes, and what falls due happens.
    pub(super) fn pass(&mut self, millis: u64) {
        let until = self.now + Duration::from_millis(millis);
        while let Some((at, _)) = self.lobby.due().filter(|&(at, _)| at <= until) {
            self.now = self.now.max(at);
            let events = self.lobby.decide_due(self.now);
            self.happen(events);
        }
        self.now = until;
    }

    /// The player to move makes this move after this many milliseconds.
    pub(super) fn plays(&mut self, text: &str, millis: u64) {
        self.pass(millis);
        let mv = self.lobby.board().read_move(text).unwrap();
        let (turn, side) = (self.lobby.turn(), self.lobby.board().turn());
        let player = self.lobby.seats()[side].as_ref().unwrap().id;
        let stood_in = self.lobby.hand(side) == Hand::StandIn;
        let who = if stood_in { Who::StandIn(player) } else { Who::Player(player) };
        assert!(self.asks(who, Request::Ask(LobbyRequest::Play { turn, mv })), "{text}");
    }

    pub(super) fn records(&self) -> Vec<Record> {
        let events = self.events.iter().map(|(at, event)| (*at, event));
        Record::games(&self.setting, events).unwrap()
    }

    pub(super) fn record(&self) -> Record {
        self.records().pop().unwrap()
    }

    /// One thing that may happen next, chosen by chance.
    fn step(&mut self, chance: Chance) {
        let Chance { what, which, wait } = chance;
        self.pass(wait.into());
        let side = if which % 2 == 0 { Side::First } else { Side::Second };
        let mover = self.lobby.board().turn();
        match what {
            _ if self.lobby.phase() == Phase::Waiting => {
                let kind = if which % 4 == 0 { Kind::Bot } else { Kind::Person };
                let names = (0..NAMES.len()).map(|more| NAMES[(usize::from(which) + more) % NAMES.len()]);
                let is_free = |name: &Name| {
                    let mut seats = self.lobby.seats().iter();
                    seats.all(|(_, seat)| seat.as_ref().is_none_or(|player| player.name != *name))
                };
                let name = names.map(|name| Name::clean(name).unwrap()).find(is_free).unwrap();
                self.asks(Who::Newcomer, Request::Sit { name, kind });
            }
            _ if matches!(self.lobby.phase(), Phase::Over { .. }) && what < 240 => {
                self.side_asks(side, Request::Ask(LobbyRequest::Again));
            }
            0..120 => self.moves(mover, which),
            120..140 => drop(
                self.side_asks(side, Request::Ask(LobbyRequest::Offer(Offer::ALL[usize::from(which) % 3]))),
            ),
            140..170 => self.answers(which % 5 > 0),
            170..180 => drop(self.side_asks(side, Request::Ask(LobbyRequest::Resume))),
            180..195 => {
                let loss = if which % 4 < 2 { Loss::Closed } else { Loss::Silent };
                let since = Moment(self.now.0.saturating_sub(u64::from(which) % 900));
                self.side_asks(side, Request::Lose { loss, since });
            }
            195..210 => drop(self.side_asks(side, Request::Return)),
            210..218 => drop(self.side_asks(side, Request::Ask(LobbyRequest::Wait))),
            218..220 => drop(self.side_asks(side, Request::Ask(LobbyRequest::WaitNoMore))),
            220..235 => drop(self.side_asks(side, Request::Ask(LobbyRequest::Claim))),
            235 if which % 3 == 0 => self.restarts(),
            235..238 => drop(self.side_asks(side, Request::Ask(LobbyRequest::Resign))),
            238..240 => drop(self.side_asks(side, Request::Leave(Departure::Quit))),
            240..248 => drop(self.asks(Who::Newcomer, Request::Watch { name: Name::anyone() })),
            _ if self.lobby.watchers() > 0 => {
                let how = if which % 2 == 0 { Departure::Quit } else { Departure::Lost };
                self.asks(Who::Watcher, Request::Unwatch { name: Name::anyone(), how });
            }
            _ => {}
        }
    }

    fn moves(&mut self, mover: Side, which: u16) {
        let Some(player) = self.lobby.to_move().map(|player| player.id) else { return };
        let position = self.lobby.board().position();
        let nth = u64::from(which) % position.move_count().clamp(1, 50);
        let Some(mv) = position.moves().nth(usize::try_from(nth).unwrap()) else { return };
        let stood_in = self.lobby.hand(mover) == Hand::StandIn;
        let who = if stood_in { Who::StandIn(player) } else { Who::Player(player) };
        self.asks(who, Request::Ask(LobbyRequest::Play { turn: self.lobby.turn(), mv }));
    }

    fn answers(&mut self, accept: bool) {
        let Some(open) = self.lobby.offer() else { return };
        let turn = self.lobby.turn();
        self.side_asks(!open.side, Request::Ask(LobbyRequest::Answer { turn, offer: open.offer, accept }));
    }
}

/// Names that look like something else in a record.
pub(super) const NAMES: [&str; 12] = [
    "anna",
    "5. First: take 3 0:00.01",
    "> nim record 1",
    "Checksum: 00000000",
    "Second: ben",
    "bot, fair",
    "\\",
    "李 Zoë 🦦",
    "Result: First won",
    "x, game 9",
    "…\"{}'`~*_#",
    "A stand-in plays",
];

/// What happens next in a random lobby: what, which of it, and after how many milliseconds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Chance {
    what: u8,
    which: u16,
    wait: u16,
}

const VARIANTS: [&str; 12] = [
    "java-tech:9",
    "take:12:4:misere",
    "one-two-ten",
    "nim:3-4-5",
    "nim:1000000000000000000-999999999999999999-1000000000000000000-1000000000000000000-7:misere",
    "even-or-odd",
    "tic-tac-toe",
    "connect-four",
    "pong-hau-ki",
    "mu-torere",
    "zero-sum:11",
    "nim:1-2",
];

fn clock() -> impl Strategy<Value = ClockRule> {
    prop_oneof![
        3 => Just(ClockRule::None),
        1 => (0..6_000u32).prop_map(ClockRule::Move),
        1 => (0..9_000u32, 0..500u32).prop_map(|(base, bonus)| ClockRule::Fischer { base, bonus }),
        1 => (0..8_000u32, 0..800u32).prop_map(|(base, delay)| ClockRule::Delay { base, delay }),
    ]
}

fn conditions() -> impl Strategy<Value = Conditions> {
    let then = proptest::sample::select(vec![WhenAway::Wait, WhenAway::StandIn, WhenAway::Forfeit]);
    let away = (then, 0..900u32, 0..1_500u32, 0..6_000u32, 0..9_000u32).prop_map(
        |(then, closed_after, silent_after, kept_for, rests_for)| AwayRule {
            then,
            closed_after,
            silent_after,
            kept_for,
            rests_for,
        },
    );
    let level = proptest::sample::select(Level::ALL.to_vec());
    (away, clock(), level, 0..4u8).prop_map(|(away, clock, level, best_of)| Conditions {
        away,
        clock,
        level,
        best_of,
        watchers: 3,
        ..Conditions::default()
    })
}

fn chance() -> impl Strategy<Value = Chance> {
    let wait = prop_oneof![6 => 0..60u16, 2 => 0..700u16, 1 => 0..5_000u16];
    (any::<u8>(), any::<u16>(), wait).prop_map(|(what, which, wait)| Chance { what, which, wait })
}

/// A board some moves behind the start of this variant, at which the game goes on.
fn further(variant: &str, moves: &[u16]) -> Origin {
    let mut start = variant.parse::<Variant>().unwrap().start();
    for which in moves {
        let position = start.position();
        let nth = usize::try_from(u64::from(*which) % position.move_count().clamp(1, 50)).unwrap();
        let next = position.moves().nth(nth).and_then(|mv| start.play(mv).ok());
        start = next.filter(|board| board.finish().is_none()).unwrap_or(start);
    }
    Origin::of(Checksum(7), u32::try_from(moves.len()).unwrap(), &start)
}

/// A lobby that went through anything.
pub(super) fn any_history() -> impl Strategy<Value = History> {
    let variant = proptest::sample::select(VARIANTS.as_slice());
    let moves = proptest::option::weighted(0.3, proptest::collection::vec(any::<u16>(), 0..12));
    (variant, conditions(), moves, proptest::collection::vec(chance(), 1..160)).prop_map(
        |(variant, conditions, moves, chances)| {
            let mut history = History::of(variant, conditions);
            if let Some(moves) = moves {
                history = history.from(further(variant, &moves));
            }
            for chance in chances {
                history.step(chance);
            }
            history
        },
    )
}

impl std::fmt::Debug for History {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?} {:#?}", self.setting, self.events)
    }
}

/// The origin that a game has which goes on from this one after so many moves.
pub(super) fn going_on(record: &Record, moves: usize) -> Origin {
    Origin::of(record.checksum(), u32::try_from(moves).unwrap(), &record.boards()[moves])
}
