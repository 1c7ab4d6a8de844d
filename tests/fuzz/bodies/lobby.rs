use std::time::Duration;

use nim::game::any::Variant;
use nim::game::{Game, Side};
use nim::lobby::{
    AwayRule, Cause, ClockRule, Code, Conditions, Departure, Event, Hand, Kind, Level, Lobby, LobbyRequest,
    Loss, Moment, Name, Offer, Origin, Phase, PlayerId, Request, WhenAway, Who,
};
use nim::record::{Record, Setting};

use super::feed::Feed;

const VARIANTS: [&str; 12] = [
    "take:5:2",
    "nim:1-2:misere",
    "java-tech:9",
    "one-two-ten",
    "zero-sum:5",
    "nim:1000000000000000000-7-1000000000000000000:misere",
    "even-or-odd:7",
    "tic-tac-toe",
    "connect-four",
    "pong-hau-ki",
    "mu-torere",
    "nim:2-2:max=1",
];

/// Names that look like something else in a record.
const NAMES: [&str; 6] =
    ["anna", "5. First: take 3 0:00.01", "Checksum: 00000000", "\\", "李 Zoë", "bot, fair"];

/// Somebody asks a lobby for whatever the bytes say, and time passes. After every step it is whole; in the
/// end it can be made again from what happened, and so can the records of its games.
pub fn body(data: &[u8]) {
    let mut feed = Feed::of(data);
    let mut story = Story::begun(&mut feed);
    while !feed.is_empty() {
        story.goes_on(&mut feed);
        check(&story.lobby);
    }
    story.is_told_again();
}

/// A lobby, and everything that happened in it.
struct Story {
    setting: Setting,
    lobby: Lobby,
    events: Vec<(Moment, Event)>,
    now: Moment,
}

impl Story {
    fn begun(feed: &mut Feed<'_>) -> Self {
        let variant: Variant = feed.choice(&VARIANTS).parse().expect("each of them is a variant");
        let (conditions, code) = (conditions(feed), Code::from_bits(feed.u16(), 0));
        let lobby = Lobby::new(code, variant.clone(), conditions);
        let setting = Setting { variant, conditions, code, opened: 1_795_268_209_000 };
        let mut story = Self { setting, lobby, events: Vec::new(), now: Moment::START };
        if feed.one_in(4) {
            story.is_placed(feed);
        }
        story
    }

    /// Its games begin some moves after the start.
    fn is_placed(&mut self, feed: &mut Feed<'_>) {
        let mut board = self.setting.variant.start();
        let moves = feed.byte() % 6;
        for _ in 0..moves {
            let nth = usize::from(feed.byte());
            let next = board.position().moves().nth(nth).and_then(|mv| board.play(mv).ok());
            board = next.filter(|board| board.finish().is_none()).unwrap_or(board);
        }
        let origin = Origin::of(nim::lobby::Checksum(7), moves.into(), &board);
        self.happen([Event::Placed { origin }]);
    }

    fn happen(&mut self, events: impl IntoIterator<Item = Event>) {
        for event in events {
            assert_eq!(self.lobby.apply(&event, self.now), Ok(()), "what is decided can happen: {event:?}");
            self.events.push((self.now, event));
        }
    }

    fn goes_on(&mut self, feed: &mut Feed<'_>) {
        match feed.byte() {
            0..40 => self.passes(feed.byte().into()),
            40..60 => self.passes(feed.u16().into()),
            // A record knows of no time that is longer than eleven years.
            60..64 => self.passes(u64::from(feed.u32() / 4)),
            64..68 => self.happen(self.lobby.decide_restart()),
            68..150 => self.moves(usize::from(feed.byte())),
            _ => self.somebody_asks(feed),
        }
    }

    /// Time passes, and what falls due happens.
    fn passes(&mut self, millis: u64) {
        let until = self.now + Duration::from_millis(millis);
        while let Some((at, _)) = self.lobby.due().filter(|&(at, _)| at <= until) {
            self.now = self.now.max(at);
            let events = self.lobby.decide_due(self.now);
            assert!(!events.is_empty(), "what is due happens");
            self.happen(events);
        }
        self.now = until;
    }

    /// The side to move makes the legal move of this number.
    fn moves(&mut self, nth: usize) {
        let Some(player) = self.lobby.to_move().map(|player| player.id) else { return };
        let position = self.lobby.board().position();
        let count = usize::try_from(position.move_count()).unwrap_or(usize::MAX);
        let mv = position.moves().nth(nth % count).expect("there are so many moves");
        let stood_in = self.lobby.hand(self.lobby.board().turn()) == Hand::StandIn;
        let who = if stood_in { Who::StandIn(player) } else { Who::Player(player) };
        self.asks(who, Request::Ask(LobbyRequest::Play { turn: self.lobby.turn(), mv }));
    }

    fn somebody_asks(&mut self, feed: &mut Feed<'_>) {
        let who = match feed.byte() {
            0..20 => Who::Newcomer,
            // Nobody speaks for those who watch while nobody does.
            20..40 if self.lobby.watchers() > 0 => Who::Watcher,
            40..50 => Who::StandIn(PlayerId(feed.byte().into())),
            50..60 => Who::Player(PlayerId(feed.byte().into())),
            byte => {
                let side = if byte % 2 == 0 { Side::First } else { Side::Second };
                self.lobby.seats()[side].as_ref().map_or(Who::Newcomer, |player| Who::Player(player.id))
            }
        };
        let request = self.request(feed);
        // As on a server, a bot comes only to people.
        let bot_comes = matches!(request, Request::Sit { kind: Kind::Bot, .. });
        if self.lobby.has_people_here() || !bot_comes {
            self.asks(who, request);
        }
    }

    fn request(&self, feed: &mut Feed<'_>) -> Request {
        match feed.byte() % 20 {
            0..3 => {
                Request::Sit { name: self.free_name(feed), kind: feed.choice(&[Kind::Person, Kind::Bot]) }
            }
            3 => Request::Ask(LobbyRequest::Resign),
            4..6 => Request::Ask(LobbyRequest::Again),
            6 => Request::Leave(departure(feed)),
            7 => {
                let since = Moment(self.now.0.saturating_sub(feed.u16().into()));
                Request::Lose { loss: feed.choice(&[Loss::Closed, Loss::Silent]), since }
            }
            8 => Request::Return,
            9 => Request::Ask(LobbyRequest::Wait),
            10 => Request::Ask(LobbyRequest::WaitNoMore),
            11 => Request::Ask(LobbyRequest::Claim),
            12 => Request::Ask(LobbyRequest::Offer(feed.choice(&Offer::ALL))),
            13 => Request::Ask(LobbyRequest::Answer {
                turn: self.lobby.turn(),
                offer: feed.choice(&Offer::ALL),
                accept: feed.bool(),
            }),
            14 => self.lobby.offer().map_or(Request::Ask(LobbyRequest::Resume), |open| {
                Request::Ask(LobbyRequest::Answer {
                    turn: self.lobby.turn(),
                    offer: open.offer,
                    accept: feed.bool(),
                })
            }),
            15 => Request::Ask(LobbyRequest::Resume),
            16 => Request::Watch { name: Name::anyone() },
            17 => Request::Unwatch { name: Name::anyone(), how: departure(feed) },
            _ => match nim::wire::decode(feed.bytes(16)) {
                Ok(nim::wire::LobbyRequest::Play { turn, mv }) => {
                    Request::Ask(LobbyRequest::Play { turn, mv })
                }
                _ => Request::Return,
            },
        }
    }

    /// Nobody in a lobby has another one's name: the server gives them.
    fn free_name(&self, feed: &mut Feed<'_>) -> Name {
        let name = Name::clean(feed.choice(&NAMES)).expect("each of them is a name");
        let is_taken = |name: &Name| {
            self.lobby
                .seats()
                .iter()
                .any(|(_, seat)| seat.as_ref().is_some_and(|player| player.name == *name))
        };
        if is_taken(&name) { name.numbered(2) } else { name }
    }

    fn asks(&mut self, who: Who, request: Request) {
        let may_be_so = matches!(request, Request::Return | Request::Lose { .. });
        let before = self.lobby.clone();
        match self.lobby.decide(who, request, self.now) {
            Ok(events) => {
                assert!(may_be_so || !events.is_empty(), "every request is answered");
                self.happen(events);
            }
            Err(refusal) => assert!(!refusal.to_string().is_empty()),
        }
        assert!(self.lobby.last_event() >= before.last_event());
    }

    /// Applying the events gives the same lobby, and reading the records the same games.
    fn is_told_again(&self) {
        let mut again = Lobby::new(self.setting.code, self.setting.variant.clone(), self.setting.conditions);
        for (at, event) in &self.events {
            assert_eq!(again.apply(event, *at), Ok(()));
        }
        assert_eq!(again, self.lobby);
        let events = self.events.iter().map(|(at, event)| (*at, event));
        let records = Record::games(&self.setting, events).expect("what happened can have happened");
        assert_eq!(records.len(), self.lobby.games() as usize);
        for record in records {
            let text = record.to_string();
            assert_eq!(Record::read(text.as_bytes()).as_ref(), Ok(&record), "{text}");
        }
    }
}

fn departure(feed: &mut Feed<'_>) -> Departure {
    feed.choice(&[Departure::Quit, Departure::Lost])
}

fn conditions(feed: &mut Feed<'_>) -> Conditions {
    let mut short = || u32::from(feed.u16());
    let times = [short(), short(), short(), short()];
    let clock = match feed.byte() % 4 {
        0 => ClockRule::Move(feed.u16().into()),
        1 => ClockRule::Fischer { base: feed.u16().into(), bonus: feed.byte().into() },
        2 => ClockRule::Delay { base: feed.u16().into(), delay: feed.byte().into() },
        _ => ClockRule::None,
    };
    Conditions {
        opener: feed.choice(&Side::BOTH),
        level: feed.choice(&Level::ALL),
        away: AwayRule {
            then: feed.choice(&[WhenAway::Wait, WhenAway::StandIn, WhenAway::Forfeit]),
            closed_after: times[0],
            silent_after: times[1],
            kept_for: times[2],
            rests_for: times[3],
        },
        clock,
        best_of: feed.byte() % 4,
        watchers: 2,
        ..Conditions::default()
    }
}

/// What is true of every lobby between two requests.
fn check(lobby: &Lobby) {
    let both = lobby.seats().iter().all(|(_, seat)| seat.is_some());
    match lobby.phase() {
        Phase::Waiting => assert!(!both),
        Phase::Playing => assert!(both && lobby.board().finish().is_none() && lobby.to_move().is_some()),
        Phase::Over { result, again } => {
            assert!(!(again.first && again.second));
            if result.cause == Cause::Rules {
                assert_eq!(lobby.board().finish().map(|finish| finish.outcome), Some(result.outcome));
            }
        }
        Phase::Closed => assert!(!lobby.has_people_here() && lobby.open_seat().is_none()),
    }
    for side in Side::BOTH {
        let person = lobby.seats()[side].as_ref().is_some_and(|player| player.kind == Kind::Person);
        assert!(lobby.absence(side).is_none() || person, "only people can be away");
    }
    if let Some((_, side, _)) = lobby.runs_out() {
        assert!(lobby.absence(side).is_some() && lobby.is_here(!side), "time runs only where somebody waits");
        assert_eq!(lobby.board().turn(), side, "an absent player's time runs on their own turn");
    }
    let kept = Side::BOTH.into_iter().any(|side| lobby.absence(side).is_some());
    let stands_still = kept && !lobby.has_people_here() && lobby.phase() != Phase::Closed;
    assert!(!stands_still || lobby.due().is_some(), "a lobby that nobody comes back to is freed");
    let again = Lobby::try_from(lobby.snapshot()).expect("it comes back from its snapshot");
    assert_eq!(again.snapshot(), lobby.snapshot());
}
