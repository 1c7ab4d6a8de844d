//! What a player was told, when, and what is wrong with that.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use nim::client::session::{SessionEvent, SessionInput};
use nim::lobby::{Cause, Code, Event, GameResult, Notice};
use nim::wire::{ToClient, encode};
use parking_lot::Mutex;
use tokio::time::Instant;

use crate::views::Views;

/// How much of what becomes of a connection is kept.
const DIARY: usize = 30;

/// What both players of a game share.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shared {
    /// When they were ready to move, by the number of the event that came next then.
    ready: Arc<Mutex<BTreeMap<u32, Instant>>>,
    /// When they were told of what.
    views: Arc<Mutex<Views>>,
}

/// What a player was told.
#[derive(Default)]
pub(crate) struct Told {
    pub(crate) name: String,
    pub(crate) code: Option<Code>,
    /// The bytes of each event, by its number.
    pub(crate) events: BTreeMap<u32, Bytes>,
    /// The number of the last event that the player has seen, and what was wrong if anything was.
    pub(crate) seen: u32,
    /// Whether the player was told that nothing can be recorded.
    pub(crate) is_halted: bool,
    pub(crate) wrong: Vec<String>,
    /// What a person would have read of connections: of their own, of who is away or back, or of the server.
    pub(crate) read: Vec<String>,
    /// How often the lobby moved while a tunnel led to it.
    pub(crate) moved: usize,
    /// The games that ended since somebody's time ran out.
    pub(crate) out_of_time: usize,
    /// How long the player waited for each move, and to be back in the game, from when somebody was ready to move; and when
    /// that ended.
    waits: Vec<(Instant, Duration)>,
    /// The number of the event with which the present turn began, as the player knows it.
    turn_since: u32,
    shared: Shared,
    /// A time before the player has asked for the lobby for the last time.
    asked: Option<Instant>,
    /// Since when the player is out of the game: without a connection, or told that nothing can happen or that the lobby
    /// moves.
    out_since: Option<Instant>,
    /// From when until when the player was out of the game.
    outages: Vec<(Instant, Instant)>,
    /// Whether the player's lobby is at another node than the player, who is to go there.
    pub(crate) is_far: bool,
    /// Since when the player goes there.
    goes_since: Option<Instant>,
    /// How long the player was out of the game each time that it went to another node while nothing failed.
    pub(crate) goings: Vec<Duration>,
    /// What else has become of the connection, and when: the last of it.
    pub(crate) diary: VecDeque<(Instant, String)>,
}

impl Told {
    /// Nothing yet.
    pub(crate) fn new(name: String, shared: Shared) -> Self {
        Self { name, shared, ..Self::default() }
    }

    /// Nothing yet, for somebody who watches the game of this player; and the game's code.
    pub(crate) fn of_watcher(player: &Self) -> (Self, Code) {
        let code = player.code.expect("the game is played");
        let watcher = Self::new(format!("w-{}", player.name), player.shared.clone());
        (Self { code: Some(code), ..watcher }, code)
    }

    /// Notes that the player asks for the lobby after that time.
    pub(crate) fn note_asks(&mut self, after: Option<Instant>) {
        self.asked = after;
    }

    /// Notes what a message says of the game.
    pub(crate) fn hear(&mut self, message: &ToClient) {
        match message {
            ToClient::Lobby { number, event, .. } => {
                self.hear_event(*number, encode(message));
                self.note_event(*number, event);
            }
            ToClient::Halted { why, .. } => self.is_halted = why.is_some(),
            ToClient::LobbyMoved => self.moved += 1,
            ToClient::Entered { lobby, .. } => {
                self.hear_all(lobby.events);
                self.note_turn(lobby.events, true);
            }
            ToClient::Watching { lobby, .. } => self.hear_all(lobby.events),
            // The events were sent before.
            ToClient::Returned { .. } => self.hear_all(self.seen),
            _ => {}
        }
    }

    /// Notes what a person reads of an event of the session.
    pub(crate) fn reads(&mut self, event: &SessionEvent) {
        let is_of_connection = match event {
            SessionEvent::Noticed(notice) => matches!(notice, Notice::Away { .. } | Notice::Back { .. }),
            SessionEvent::Happened { event, .. } => *event == Event::Restarted,
            SessionEvent::Returned { anew, noticed, quiet, .. } => *anew || !noticed.is_empty() || !quiet,
            SessionEvent::Lost { .. } => true,
            _ => false,
        };
        self.read.extend(is_of_connection.then(|| format!("{}: {event:?}", self.name)));
    }

    /// Notes an event and its bytes.
    fn hear_event(&mut self, number: u32, bytes: Bytes) {
        if number != self.seen + 1 {
            self.wrong.push(format!("{} was told of event {number} after {}", self.name, self.seen));
        }
        self.seen = number;
        self.events.insert(number, bytes);
        self.note_view();
    }

    /// Notes that the player is in the lobby, and that its last event has this number.
    fn hear_all(&mut self, last: u32) {
        if last < self.seen {
            self.wrong.push(format!("{} came back to event {last} after {}", self.name, self.seen));
        }
        let before = self.asked.map_or(0, |asked| self.shared.views.lock().last_before(asked));
        if last < before {
            let words = format!("{} came to event {last} when somebody had been told of {before}", self.name);
            self.wrong.push(words);
        }
        self.seen = last;
        self.note_view();
    }

    /// Notes that somebody knows of the event that the player has seen last.
    fn note_view(&self) {
        let mut views = self.shared.views.lock();
        views.note(Instant::now(), self.seen);
    }

    /// Notes what an event means for who is to move.
    fn note_event(&mut self, number: u32, event: &Event) {
        let is_out_of_time = matches!(event, Event::Ended { result: GameResult { cause: Cause::Time, .. } });
        self.out_of_time += usize::from(is_out_of_time);
        match event {
            Event::Moved { .. } => self.note_turn(number, true),
            // Both have to be ready for the next game.
            Event::Started { .. } => self.note_turn(number, false),
            _ => {}
        }
    }

    /// Notes that a turn began with the event of this number, and how long the player has waited for that if it is a move, or
    /// the player was away.
    fn note_turn(&mut self, number: u32, has_waited: bool) {
        let (now, first) = (Instant::now(), self.turn_since + 1);
        let ready = self.shared.ready.lock().range(first..=number.max(first)).next().map(|(_, at)| *at);
        if let Some(ready) = ready.filter(|_| has_waited) {
            self.waits.push((now, now.saturating_duration_since(ready)));
        }
        self.turn_since = number;
    }

    /// Whether somebody has been ready for the move that comes next.
    pub(crate) fn was_ready(&self) -> bool {
        self.shared.ready.lock().contains_key(&(self.seen + 1))
    }

    /// Notes that the player is ready to move.
    pub(crate) fn note_ready(&self) {
        self.shared.ready.lock().entry(self.seen + 1).or_insert_with(Instant::now);
    }

    /// How long the player waited at most since then.
    pub(crate) fn longest_wait(&self, since: Instant) -> Duration {
        let late = self.waits.iter().rev().take_while(|(at, _)| *at > since);
        late.map(|(_, wait)| *wait).max().unwrap_or_default()
    }

    /// How long after that the player was back in the game; `None` for one who was not out of it since.
    pub(crate) fn back_after(&self, since: Instant) -> Option<Duration> {
        self.outages_since(since).map(|(_, ended)| *ended - since).max()
    }

    /// When the player was back who was out of the game at that time.
    pub(crate) fn back_from(&self, at: Instant) -> Option<Instant> {
        let outage = self.outages.iter().find(|(began, ended)| *began < at && at < *ended)?;
        Some(outage.1)
    }

    /// How long the player was out of the game at most, each time since then.
    pub(crate) fn longest_outage(&self, since: Instant) -> Option<Duration> {
        self.outages_since(since).map(|(began, ended)| *ended - *began).max()
    }

    /// The times that began since then, the last one first.
    fn outages_since(&self, since: Instant) -> impl Iterator<Item = &(Instant, Instant)> {
        self.outages.iter().rev().take_while(move |(began, _)| *began > since)
    }

    /// Notes whether the player is out of the game by what a session has received.
    pub(crate) fn note_outage(&mut self, heard: &SessionInput) {
        let is_out = match heard {
            SessionInput::Lost(_) => true,
            SessionInput::Nearer(_) => {
                self.goes_since = Some(Instant::now());
                return;
            }
            SessionInput::Said(message) => match &**message {
                ToClient::LobbyAt { .. } => {
                    self.is_far = true;
                    return;
                }
                ToClient::Halted { why, .. } => why.is_some(),
                ToClient::LobbyMoved => true,
                ToClient::Entered { .. } | ToClient::Returned { .. } => false,
                _ => return,
            },
            _ => return,
        };
        self.is_far &=
            matches!(heard, SessionInput::Said(message) if matches!(**message, ToClient::Halted { .. }));
        let going = self.goes_since.take();
        if is_out {
            self.out_since.get_or_insert(going.unwrap_or_else(Instant::now));
            return;
        }
        self.goings.extend(going.map(|since| since.elapsed()));
        if let Some(began) = self.out_since.take() {
            self.outages.push((began, Instant::now()));
        }
    }

    /// Notes that the player plays on where it was.
    pub(crate) fn note_stays(&mut self) {
        self.goes_since = None;
    }

    /// Notes what a session has received, if it is not of the game.
    pub(crate) fn note_in_diary(&mut self, heard: &SessionInput) {
        let line = match heard {
            SessionInput::Said(message) => match &**message {
                ToClient::Refused { refusal, .. } => format!("refused: {refusal}"),
                ToClient::Goodbye(word) => format!("goodbye: {word}"),
                ToClient::LobbyMoved => "the lobby has moved".into(),
                ToClient::Returned { .. } => "returned".into(),
                ToClient::Halted { why, .. } => format!("halted: {why:?}"),
                _ => return,
            },
            SessionInput::Lost(failure) => format!("lost: {failure}"),
            SessionInput::Reached(reached) => format!("reached {}", reached.address),
            SessionInput::Nearer(reached) => format!("goes to {}", reached.address),
            SessionInput::StillLost => "still lost".into(),
            SessionInput::StillAway(side) => format!("{side:?} is still away"),
            SessionInput::SteppedOut => "stepped out".into(),
        };
        self.diary.push_back((Instant::now(), line));
        if self.diary.len() > DIARY {
            self.diary.pop_front();
        }
    }
}

impl std::fmt::Debug for Told {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { name, code, seen, wrong, read, diary, .. } = self;
        let diary = diary.iter().rev().take(8).map(|(at, line)| format!("{:.2?} ago: {line}", at.elapsed()));
        let diary: Vec<_> = diary.collect();
        write!(f, "{name} in {code:?}: event {seen}, {read:?}, {wrong:?}, {diary:?}")
    }
}

#[test]
fn who_is_told_less_than_anybody_was_told_of_before_is_found() {
    let shared = Shared::default();
    let [mut one, mut other] = ["one", "other"].map(|name| Told::new(name.into(), shared.clone()));
    let before = Some(Instant::now());
    (1..=3).for_each(|number| one.hear_event(number, Bytes::new()));
    let after = Some(Instant::now() + Duration::from_nanos(1));
    let mut found = |asked, last| {
        other.note_asks(asked);
        other.seen = 0;
        other.hear_all(last);
        std::mem::take(&mut other.wrong).len()
    };
    assert_eq!([found(before, 2), found(after, 3), found(after, 4)], [0, 0, 0]);
    assert_eq!(found(after, 2), 1, "one had been told of event 3");
    one.hear_all(2);
    assert_eq!(one.wrong.len(), 1, "it had seen event 3 itself");
    one.hear_event(4, Bytes::new());
    assert_eq!(one.wrong.len(), 2, "it was not told of event 3");
}
