//! Drives a lobby by bytes. All random walks through lobbies use it: the fuzzer, and the tests of records,
//! of the Python copy of a lobby, and of the model of a lobby.

use nim::game::any::{Move, Variant};
use nim::game::nim::Take;
use nim::game::{Game, Side};
use nim::lobby::{
    AwayRule, BotRule, Checksum, ClockRule, Conditions, ConnectionLoss, Decision, Departure, Event, Hand,
    Hints, Kind, Level, Lobby, LobbyRequest, Moment, Name, Notice, Offer, Origin, OutOfStep, Phase, PlayerId,
    Refusal, Request, Text, WhenAway, Who,
};
use nim::record::LobbyInfo;

use super::feed::Feed;

/// The bytes of one step. It is fixed, so that a changed step does not shift the others.
pub(crate) const STEP: usize = 12;

/// Names that look like other parts of a record.
pub(crate) const NAMES: [&str; 12] = [
    "anna",
    "5. First: take 3 0:00.01",
    "nim record 1",
    "Checksum: 00000000",
    "Second: ben",
    "bot, fair",
    "\\",
    "李 Zoë 🦦",
    "Result: First won",
    "x, game 9",
    "…\"'`~*_#",
    "A standing plays",
];

/// A lobby and all its events.
#[derive(Clone)]
pub(crate) struct Story {
    pub(crate) setting: LobbyInfo,
    pub(crate) lobby: Lobby,
    /// The events alone, as they are recorded.
    pub(crate) events: Vec<(Moment, Event)>,
    /// The events and the notices, as they are sent.
    pub(crate) told: Vec<(Moment, Told)>,
    pub(crate) now: Moment,
}

/// A message to everybody in the lobby.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Told {
    Event(Event),
    Notice(Notice),
}

impl Told {
    /// Applies the message to a copy of the lobby.
    pub(crate) fn update(&self, copy: &mut Lobby, at: Moment) -> Result<(), OutOfStep> {
        match self {
            Self::Event(event) => copy.apply(event, at),
            Self::Notice(notice) => copy.note(notice, at),
        }
    }
}

impl From<Event> for Told {
    fn from(event: Event) -> Self {
        Self::Event(event)
    }
}

impl From<Notice> for Told {
    fn from(notice: Notice) -> Self {
        Self::Notice(notice)
    }
}

/// One step of the story.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    /// A request, in a frame that arrived this many milliseconds ago.
    Ask(Who, Request, u64),
    /// Time passes, and due events happen.
    Pass(Moment),
    /// Time passes, but the server is too busy to handle due events.
    Stall(Moment),
    /// The server restarts.
    Restart,
}

impl Story {
    pub(crate) fn of(variant: &str, conditions: Conditions) -> Self {
        let variant: Variant = variant.parse().expect("it is a variant");
        let code = "brave-otter".parse().expect("it is a code");
        let lobby = Lobby::new(code, variant.clone(), conditions);
        // 2026-11-21 13:36:49 UTC.
        let setting = LobbyInfo { variant, conditions, code, opened: 1_795_268_209_000 };
        Self { setting, lobby, events: Vec::new(), told: Vec::new(), now: Moment::START }
    }

    /// A lobby from the first bytes; in some of them the games begin some moves after the start.
    pub(crate) fn begun(variants: &[&str], feed: &mut Feed<'_>) -> Self {
        let mut story = Self::of(feed.choice(variants), conditions(feed));
        if feed.one_in(4) {
            let (mut board, mut moves) = (story.setting.variant.start(), 0);
            for _ in 0..feed.byte() % 6 {
                let position = board.position();
                let mv = nth(position.move_count(), feed.byte()).and_then(|nth| position.moves().nth(nth));
                let next = mv.and_then(|mv| board.play(mv).ok());
                if let Some(next) = next.filter(|board| board.finish().is_none()) {
                    (board, moves) = (next, moves + 1);
                }
            }
            story.happen([Event::Placed { origin: Origin::of(Checksum(7), moves, &board) }]);
        }
        story
    }

    /// The whole story in these bytes.
    pub(crate) fn told(variants: &[&str], bytes: &[u8]) -> Self {
        let mut feed = Feed::of(bytes);
        let mut story = Self::begun(variants, &mut feed);
        while !feed.is_empty() {
            let step = story.next(&mut feed);
            // A refused request changes nothing.
            let _ = story.take(step);
        }
        story
    }

    pub(crate) fn take(&mut self, step: Step) -> Result<(), Refusal> {
        match step {
            Step::Ask(who, request, _) => return self.asks(who, request, self.now),
            Step::Pass(until) => self.passes(until),
            Step::Stall(until) => self.now = until,
            Step::Restart => self.happen(self.lobby.decide_restart()),
        }
        Ok(())
    }

    pub(crate) fn happen(&mut self, events: impl IntoIterator<Item = Event>) {
        self.happen_at(events, self.now);
    }

    fn happen_at(&mut self, events: impl IntoIterator<Item = Event>, at: Moment) {
        for event in events {
            assert_eq!(self.lobby.apply(&event, at), Ok(()), "a decided event is possible: {event:?}");
            self.told.push((at, event.clone().into()));
            self.events.push((at, event));
        }
    }

    pub(crate) fn asks(&mut self, who: Who, request: Request, at: Moment) -> Result<(), Refusal> {
        let Decision { events, notice } = self.lobby.decide(who, request, at)?;
        self.happen_at(events, at);
        if let Some(notice) = notice {
            assert_eq!(self.lobby.note(&notice, at), Ok(()), "a decided notice is possible: {notice:?}");
            self.told.push((at, notice.into()));
        }
        Ok(())
    }

    /// Time passes, and due events happen.
    pub(crate) fn passes(&mut self, until: Moment) {
        while let Some((at, _)) = self.lobby.due().filter(|&(at, _)| at <= until) {
            self.now = self.now.max(at);
            let events = self.lobby.decide_due(self.now);
            assert!(!events.is_empty(), "a due event happens");
            self.happen(events);
        }
        self.now = until;
    }

    /// The next step, mostly a sensible one.
    pub(crate) fn next(&self, feed: &mut Feed<'_>) -> Step {
        let feed = &mut Feed::of(feed.bytes(STEP));
        match feed.byte() {
            0..30 => Step::Pass(self.later(feed)),
            30..33 => Step::Stall(self.later(feed)),
            33..36 => Step::Restart,
            // A player's agreed absence runs.
            190.. if self.lobby.agreed_absence_deadline().is_some() => Step::Pass(self.later(feed)),
            byte => {
                let lag = if byte < 52 { u64::from(feed.u16()) % 400 } else { 0 };
                let (who, request) =
                    if byte < 72 { (self.anybody(feed), self.anything(feed)) } else { self.sense(feed) };
                Step::Ask(who, request, lag)
            }
        }
    }

    /// A later time: soon, or just before or after something falls due or can be claimed.
    fn later(&self, feed: &mut Feed<'_>) -> Moment {
        let (end, due) =
            (self.lobby.agreed_absence_deadline().map(|(at, ..)| at), self.lobby.due().map(|(at, _)| at));
        let (from, wait) = match feed.byte() {
            0..110 => (None, i64::from(feed.byte())),
            110..150 => (None, i64::from(feed.u16()) % 5_000),
            // A record cannot express times beyond eleven years.
            150..152 => (None, i64::from(feed.u32() / 4)),
            152..180 => (due, i64::from(feed.byte() % 5) - 2),
            180..190 => (due, i64::from(feed.u16() % 600) - 300),
            190..225 => (end.or(due), i64::from(feed.byte() % 3) - 1),
            _ => (end.or(due), i64::from(feed.byte() % 102) - 2),
        };
        Moment(from.unwrap_or(self.now).0.saturating_add_signed(wait)).max(self.now)
    }

    /// A request that makes sense in the lobby's state.
    fn sense(&self, feed: &mut Feed<'_>) -> (Who, Request) {
        let (lobby, side) = (&self.lobby, feed.choice(&Side::BOTH));
        let one = self.player(side);
        let waits = Side::BOTH.into_iter().find(|side| lobby.absence(*side).is_some());
        match (feed.byte(), lobby.phase(), lobby.offer(), waits) {
            (0..2, ..) => (one, Request::Ask(LobbyRequest::Leave)),
            (2..10, ..) => (Who::Newcomer, Request::Watch { name: Name::anyone() }),
            (10..16, ..) => (self.watcher(), Request::Unwatch { name: Name::anyone(), how: departure(feed) }),
            (16..30, ..) if lobby.watchers() > 0 => {
                let opener = if lobby.is_exhibition() { self.watcher() } else { Who::Player(PlayerId(1)) };
                (opener, kick(Name::anyone().as_str()))
            }
            (_, Phase::Waiting | Phase::Closed, ..) => (Who::Newcomer, self.to_sit(feed)),
            (16..230, Phase::Over { .. }, ..) => (one, Request::Ask(LobbyRequest::Again)),
            (16..40, ..) => {
                let ago = if feed.bool() { u64::from(feed.u16()) % 3_000 } else { 0 };
                let since = Moment(self.now.0.saturating_sub(ago));
                (
                    one,
                    Request::Disconnect {
                        loss: feed.choice(&[ConnectionLoss::Closed, ConnectionLoss::Silent]),
                        since,
                    },
                )
            }
            (40..43, ..) => (one, Request::Ask(LobbyRequest::Resign)),
            (43..60, ..) => (one, Request::Ask(LobbyRequest::Offer(feed.choice(&Offer::ALL)))),
            (60..130, ..) if lobby.is_paused() => (one, Request::Ask(LobbyRequest::Resume)),
            (60..150, _, Some(open), _) => {
                let (turn, accept) = (lobby.turn(), !feed.one_in(4));
                let answer = LobbyRequest::Answer { turn, offer: open.offer, accept };
                (self.player(!open.side), Request::Ask(answer))
            }
            (60..160, _, _, Some(away)) => {
                let wish = match feed.byte() % 16 {
                    0..4 => LobbyRequest::Wait,
                    4..6 => LobbyRequest::WaitNoMore,
                    6..14 => LobbyRequest::Claim,
                    _ => return (self.player(away), Request::Return),
                };
                (self.player(!away), Request::Ask(wish))
            }
            (160..200, _, _, Some(away)) if lobby.hand(away) == Hand::StandIn => {
                (self.player(away), Request::Return)
            }
            _ => self.to_move(feed),
        }
    }

    /// A legal move of the player to move or of the stand-in, mostly with the right turn.
    fn to_move(&self, feed: &mut Feed<'_>) -> (Who, Request) {
        let (lobby, position) = (&self.lobby, self.lobby.board().position());
        let side = lobby.board().turn();
        let mv = nth(position.move_count(), feed.byte()).and_then(|nth| position.moves().nth(nth));
        let turn = lobby.turn().saturating_sub(u32::from(feed.one_in(20)));
        let who = match self.player(side) {
            Who::Player(player) if lobby.hand(side) == Hand::StandIn => Who::StandIn(player),
            who => who,
        };
        (who, Request::Ask(LobbyRequest::Play { turn, mv: mv.unwrap_or_else(|| wild_move(feed)) }))
    }

    /// A request for a seat under a name that is free there: the server gives unique names.
    fn to_sit(&self, feed: &mut Feed<'_>) -> Request {
        let name = Name::clean(feed.choice(&NAMES)).expect("every name is valid");
        let is_taken =
            self.lobby.seats().iter().any(|(_, seat)| seat.as_ref().is_some_and(|it| it.name == name));
        let name = if is_taken { name.numbered(2) } else { name };
        Request::Sit { name, kind: feed.choice(&[Kind::Person, Kind::Program, Kind::Bot]) }
    }

    pub(crate) fn player(&self, side: Side) -> Who {
        self.lobby.seats()[side].as_ref().map_or(Who::Newcomer, |player| Who::Player(player.id))
    }

    /// A watcher's request; there is none while nobody watches.
    fn watcher(&self) -> Who {
        if self.lobby.watchers() > 0 { Who::Watcher } else { Who::Newcomer }
    }

    fn anybody(&self, feed: &mut Feed<'_>) -> Who {
        match feed.byte() % 6 {
            0 => Who::Newcomer,
            1 => self.watcher(),
            2 => Who::StandIn(PlayerId(u32::from(feed.byte()) % 6)),
            3 => Who::Player(PlayerId(u32::from(feed.byte()) % 6)),
            _ => self.player(feed.choice(&Side::BOTH)),
        }
    }

    /// Any request, sensible or not.
    fn anything(&self, feed: &mut Feed<'_>) -> Request {
        let turn = self.lobby.turn().saturating_sub(u32::from(feed.byte() % 3));
        Request::Ask(match feed.byte() % 20 {
            0 | 1 => return self.to_sit(feed),
            3 => {
                let since = Moment(self.now.0.saturating_sub(feed.u16().into()));
                return Request::Disconnect {
                    loss: feed.choice(&[ConnectionLoss::Closed, ConnectionLoss::Silent]),
                    since,
                };
            }
            4 => return Request::Return,
            5 => return Request::Watch { name: Name::anyone() },
            6 => return Request::Unwatch { name: Name::anyone(), how: departure(feed) },
            7 => LobbyRequest::Resign,
            8 => LobbyRequest::Again,
            9 => LobbyRequest::Wait,
            10 => LobbyRequest::WaitNoMore,
            11 => LobbyRequest::Claim,
            12 => LobbyRequest::Resume,
            2 | 13 => LobbyRequest::Leave,
            14 => LobbyRequest::Hint,
            15 => LobbyRequest::Offer(feed.choice(&Offer::ALL)),
            16 => LobbyRequest::Answer { turn, offer: feed.choice(&Offer::ALL), accept: feed.bool() },
            17 => return kick(feed.choice(&["player", "", "\u{1b}[2J"])),
            _ => LobbyRequest::Play { turn, mv: wild_move(feed) },
        })
    }
}

/// The index of one of this number of moves, of which there may be 10^18.
fn nth(count: u64, which: u8) -> Option<usize> {
    usize::try_from(u64::from(which).checked_rem(count)?).ok()
}

fn wild_move(feed: &mut Feed<'_>) -> Move {
    let (pile, count) = (feed.byte() % 4, feed.byte());
    let take = Move::Nim(Take { pile, count: if count == u8::MAX { u64::MAX } else { (count % 8).into() } });
    if feed.bool() { take } else { nim::wire::decode(feed.bytes(6)).unwrap_or(take) }
}

fn kick(name: &str) -> Request {
    Request::Ask(LobbyRequest::Kick { name: Text::cut(name) })
}

fn departure(feed: &mut Feed<'_>) -> Departure {
    feed.choice(&[Departure::Quit, Departure::Lost])
}

/// Conditions with short times, so that all deadlines are reached.
fn conditions(feed: &mut Feed<'_>) -> Conditions {
    let mut short = |most: u32| u32::from(feed.u16()) % most;
    let [closed_after, silent_after, kept_for, rests_for] = [1_500, 3_000, 6_000, 9_000].map(&mut short);
    let [time, more, bot_after] = [9_000, 800, 3_000].map(&mut short);
    let (opener, level) = (feed.choice(&Side::BOTH), feed.choice(&Level::ALL));
    Conditions {
        opener,
        level,
        away: AwayRule {
            then: feed.choice(&[WhenAway::Wait, WhenAway::StandIn, WhenAway::Forfeit]),
            // Another level than the bot's.
            level: if level == Level::WEAKEST { Level::Perfect } else { Level::WEAKEST },
            closed_after,
            silent_after,
            kept_for,
            rests_for,
        },
        clock: feed.choice(&[
            ClockRule::None,
            ClockRule::None,
            ClockRule::Move(time),
            ClockRule::Fischer { base: time, bonus: more },
            ClockRule::Delay { base: time, delay: more },
        ]),
        best_of: feed.byte() % 4,
        watchers: u16::from(feed.byte() % 3),
        bot: feed.choice(&[BotRule::PeopleOnly, BotRule::After(bot_after), BotRule::Both]),
        hints: feed.choice(&[Hints::Nobody, Hints::AgainstBots, Hints::All, Hints::Watchers]),
        listed: feed.bool(),
        locked: feed.bool(),
    }
}
