//! Random play in many lobbies, with a seed: everything that a server would record of it.

use std::collections::BTreeMap;

use fastrand::Rng;
use nim::game::any::Variant;
use nim::game::{BySide, Side};
use nim::lobby::{Code, Conditions, Event, Lobby, LobbyRequest, Moment, Phase, Player, Request};
use nim::server::storage::{Entry, LobbyId, LobbyMeta, Note, Owner, PasswordHash, WallTime};
use nim::wire::{self, Secret, Ticket, ToClient};

use crate::bodies::feed::Feed;
use crate::bodies::story::{STEP, Step, Story};

const VARIANTS: [&str; 4] = ["take:7:3", "nim:1-2-3", "tic-tac-toe", "java-tech:21"];

/// The player in a seat.
type Seats = BySide<Option<Player>>;

/// The start time: 2026-11-21 13:36:49 UTC.
pub(crate) const START: u64 = 1_795_268_209_000;

/// Lobbies with people and bots in them.
pub(crate) struct RandomPlay {
    chance: Rng,
    /// When there are checkpoints.
    checkpoints: Rng,
    open: BTreeMap<LobbyId, Story>,
    /// The open lobbies by their events as they are recorded.
    recorded: BTreeMap<LobbyId, Lobby>,
    opened: u64,
    /// Milliseconds since [`START`].
    time: u64,
    /// The most lobbies at the same time.
    most: usize,
}

impl RandomPlay {
    pub(crate) fn by(seed: u64, most: usize) -> Self {
        let (chance, checkpoints) = (Rng::with_seed(seed), Rng::with_seed(!seed));
        let (open, recorded) = (BTreeMap::new(), BTreeMap::new());
        Self { chance, checkpoints, open, recorded, opened: 0, time: 0, most }
    }

    /// The same, with lobby numbers above this one.
    pub(crate) fn by_from(seed: u64, most: usize, opened: u64) -> Self {
        Self { opened, ..Self::by(seed, most) }
    }

    /// The entries of this number of steps.
    pub(crate) fn batch(&mut self, steps: usize) -> Vec<Entry> {
        (0..steps).flat_map(|_| self.step()).collect()
    }

    /// Adds a random step.
    pub(crate) fn step(&mut self) -> Vec<Entry> {
        self.time += self.chance.u64(1..2_000);
        let nobody_waits = self.open.values().all(|story| story.lobby.open_seat().is_none());
        if self.open.is_empty() || (nobody_waits && self.open.len() < self.most && self.chance.u8(..4) == 0) {
            return vec![self.open_lobby()];
        }
        let place = self.chance.usize(..self.open.len());
        let Some(id) = self.open.keys().nth(place).copied() else { return Vec::new() };
        let before = self.open[&id].lobby.seats().clone();
        let happened = self.happen(id);
        let entries =
            happened.into_iter().flat_map(|(number, event)| self.recorded(id, number, &event, &before));
        let mut entries: Vec<Entry> = entries.collect();
        if !entries.is_empty() {
            entries.extend(self.checkpoint(id));
        }
        self.open.retain(|_, story| story.lobby.phase() != Phase::Closed);
        self.recorded.retain(|_, lobby| lobby.phase() != Phase::Closed);
        entries
    }

    /// Now and then a checkpoint of this lobby, if it is open.
    fn checkpoint(&mut self, id: LobbyId) -> Option<Entry> {
        let lobby = &self.recorded[&id];
        let is_due =
            self.checkpoints.u8(..8) == 0 && lobby.last_event() > 0 && lobby.phase() != Phase::Closed;
        // All events are recorded with the time of their step.
        let checkpoint = is_due.then(|| Box::new(lobby.checkpoint(Moment(self.time))))?;
        Some(self.entry(id, Note::Checkpoint(checkpoint)))
    }

    /// The next events in this lobby, with their numbers.
    fn happen(&mut self, id: LobbyId) -> Vec<(u32, Event)> {
        let (leaves, bytes) =
            (self.chance.u8(..20) == 0, std::array::from_fn::<_, STEP, _>(|_| self.chance.u8(..)));
        let Some(story) = self.open.get_mut(&id) else { return Vec::new() };
        story.now = Moment(self.time);
        let step = match story.next(&mut Feed::of(&bytes)) {
            _ if leaves => Step::Ask(story.player(Side::First), Request::Ask(LobbyRequest::Leave), 0),
            // Time passes equally in all lobbies.
            Step::Pass(_) | Step::Stall(_) => Step::Pass(story.now),
            step => step,
        };
        let before = story.lobby.last_event();
        // A refused request is not recorded.
        let _ = story.take(step);
        (before + 1..).zip(story.events.drain(..).map(|(_, event)| event)).collect()
    }

    fn open_lobby(&mut self) -> Entry {
        self.opened += 1;
        let id = LobbyId(self.opened);
        let code = Code::from_bits(self.chance.u16(..), 0);
        let variant: Variant = VARIANTS[self.chance.usize(..VARIANTS.len())].parse().unwrap();
        let variant = variant.to_string();
        let locked = self.chance.bool();
        let conditions = Conditions { best_of: 3, watchers: 5, locked, ..Conditions::default() };
        let password = locked.then(|| PasswordHash::from_bytes(&std::array::from_fn(|_| self.chance.u8(..))));
        let story = Story::of(&variant, conditions);
        self.recorded.insert(id, Lobby::new(code, story.setting.variant.clone(), conditions));
        self.open.insert(id, story);
        let opener = if self.chance.bool() { [192, 168, 0, 7].into() } else { "fe80::1".parse().unwrap() };
        self.entry(id, Note::Opened(LobbyMeta { code, variant, conditions, password, opener }))
    }

    fn entry(&self, lobby: LobbyId, note: Note) -> Entry {
        Entry { lobby, wall: WallTime(START + self.time), note }
    }

    /// The entries of an event; these players sat there before its step.
    fn recorded(&mut self, id: LobbyId, number: u32, event: &Event, before: &Seats) -> Vec<Entry> {
        let at = Moment(self.time);
        self.recorded.get_mut(&id).unwrap().apply(event, at).unwrap();
        let frame = wire::encode(&ToClient::Lobby { number, at, event: event.clone() });
        let starts = matches!(event, Event::Started { .. });
        let players =
            starts.then(|| Box::new(self.open[&id].lobby.seats().map(|seat| seat.clone().unwrap())));
        let note = Note::Happened { number, at, event: event.clone(), frame, players };
        [self.entry(id, note)].into_iter().chain(self.seat(id, event, before)).collect()
    }

    /// The entries about the seats themselves.
    fn seat(&mut self, id: LobbyId, event: &Event, before: &Seats) -> Option<Entry> {
        let seat = Ticket::of(std::array::from_fn(|_| self.chance.u8(..))).hash();
        let players = self.open[&id].lobby.seats().iter().filter_map(|(_, seat)| seat.clone());
        let players: Vec<_> = players.filter(|player| player.kind.is_client()).collect();
        let player = match event {
            Event::Sat { player, .. } if player.kind.is_client() => player.clone(),
            // A seat is recorded anew now and then.
            Event::Offered { .. } => players.first()?.clone(),
            Event::Left { side, .. } => {
                return Some(self.entry(id, Note::Unseated(before[*side].as_ref()?.id)));
            }
            _ => return None,
        };
        let owner = Owner { player: player.id, name: player.name, seat };
        Some(self.entry(id, Note::Seated(owner)))
    }
}

/// The hash of a password.
pub(crate) fn password() -> PasswordHash {
    PasswordHash::of(&Secret::of("open sesame").unwrap(), [7; 16])
}
