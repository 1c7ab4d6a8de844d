//! What a player was told, and when.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use nim::client::session::SessionInput;
use nim::lobby::Code;
use nim::wire::ToClient;
use parking_lot::Mutex;
use tokio::time::Instant;

/// How much of what becomes of a connection is kept.
const DIARY: usize = 30;

/// What a player was told, by the event's number: its bytes, and when it arrived.
#[derive(Default)]
pub(crate) struct Told {
    pub(crate) name: String,
    pub(crate) code: Option<Code>,
    pub(crate) events: BTreeMap<u32, (Bytes, Instant)>,
    /// The number of the last event that the player has seen, and what was wrong if anything was.
    pub(crate) seen: u32,
    /// Whether the player was told that nothing can be recorded.
    pub(crate) is_halted: bool,
    pub(crate) wrong: Vec<String>,
    /// The lines about a lost connection that a person would have read.
    pub(crate) lost: usize,
    /// The games that ended since somebody's time ran out.
    pub(crate) out_of_time: usize,
    /// How long the player waited for each move, and to be back in the game, from when somebody was ready to move; and when
    /// that ended.
    waits: Vec<(Instant, Duration)>,
    /// The number of the event with which the present turn began, as the player knows it.
    turn_since: u32,
    /// When the players of this game were ready to move, by the number of the event that came next then.
    ready: Arc<Mutex<BTreeMap<u32, Instant>>>,
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
    /// Nothing yet. `ready` is the same for both players of a game.
    pub(crate) fn new(name: String, ready: Arc<Mutex<BTreeMap<u32, Instant>>>) -> Self {
        Self { name, ready, ..Self::default() }
    }

    /// Notes that a turn began with the event of this number, and how long the player has waited for that if it is a move, or
    /// the player was away.
    pub(crate) fn note_turn(&mut self, number: u32, has_waited: bool) {
        let (now, first) = (Instant::now(), self.turn_since + 1);
        let ready = self.ready.lock().range(first..=number.max(first)).next().map(|(_, at)| *at);
        if let Some(ready) = ready.filter(|_| has_waited) {
            self.waits.push((now, now.saturating_duration_since(ready)));
        }
        self.turn_since = number;
    }

    /// Whether somebody has been ready for the move that comes next.
    pub(crate) fn was_ready(&self) -> bool {
        self.ready.lock().contains_key(&(self.seen + 1))
    }

    /// Notes that the player is ready to move.
    pub(crate) fn note_ready(&self) {
        self.ready.lock().entry(self.seen + 1).or_insert_with(Instant::now);
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
        let Self { name, code, seen, wrong, lost, diary, .. } = self;
        let diary = diary.iter().rev().take(8).map(|(at, line)| format!("{:.2?} ago: {line}", at.elapsed()));
        let diary: Vec<_> = diary.collect();
        write!(f, "{name} in {code:?}: event {seen}, {lost} losses, {wrong:?}, {diary:?}")
    }
}
