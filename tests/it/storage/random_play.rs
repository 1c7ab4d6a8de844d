//! Random play in many lobbies, by a seed: everything that a server would record of it.

use std::collections::BTreeMap;

use fastrand::Rng;
use nim::game::Game;
use nim::game::any::Variant;
use nim::lobby::{
    Code, Conditions, Departure, Event, Kind, Lobby, LobbyRequest, Loss, Moment, Name, Offer, Phase,
    PlayerId, Request, Who,
};
use nim::server::storage::{Entry, LobbyId, Note, Opening, Owner, PasswordHash, WallTime};
use nim::wire::{self, Secret, Ticket, ToClient};

const VARIANTS: [&str; 4] = ["take:7:3", "nim:1-2-3", "tic-tac-toe", "java-tech:21"];

/// When it begins: 2026-11-21 13:36:49 UTC.
pub(crate) const START: u64 = 1_795_268_209_000;

/// Lobbies with people and bots in them.
#[derive(Debug)]
pub(crate) struct RandomPlay {
    chance: Rng,
    open: BTreeMap<LobbyId, Lobby>,
    opened: u64,
    /// Milliseconds since [`START`].
    time: u64,
    /// No more lobbies than this at a time.
    most: usize,
}

impl RandomPlay {
    pub(crate) fn by(seed: u64, most: usize) -> Self {
        Self { chance: Rng::with_seed(seed), open: BTreeMap::new(), opened: 0, time: 0, most }
    }

    /// The same with lobbies whose numbers are above this one.
    pub(crate) fn by_from(seed: u64, most: usize, opened: u64) -> Self {
        Self { opened, ..Self::by(seed, most) }
    }

    /// What is recorded of this number of steps.
    pub(crate) fn batch(&mut self, steps: usize) -> Vec<Entry> {
        (0..steps).flat_map(|_| self.step()).collect()
    }

    /// Something happens somewhere.
    pub(crate) fn step(&mut self) -> Vec<Entry> {
        self.time += self.chance.u64(1..2_000);
        let nobody_waits = self.open.values().all(|lobby| lobby.open_seat().is_none());
        if self.open.is_empty() || (nobody_waits && self.open.len() < self.most && self.chance.u8(..4) == 0) {
            return vec![self.open_lobby()];
        }
        let place = self.chance.usize(..self.open.len());
        let Some(id) = self.open.keys().nth(place).copied() else { return Vec::new() };
        let (who, request) = self.wish(id);
        self.grant(id, who, request)
    }

    fn open_lobby(&mut self) -> Entry {
        self.opened += 1;
        let id = LobbyId(self.opened);
        let code = Code::from_bits(self.chance.u16(..), 0);
        let variant: Variant = VARIANTS[self.chance.usize(..VARIANTS.len())].parse().unwrap();
        let locked = self.chance.bool();
        let conditions = Conditions { best_of: 3, watchers: 5, locked, ..Conditions::default() };
        let password = locked.then(|| PasswordHash::from_bytes(&std::array::from_fn(|_| self.chance.u8(..))));
        self.open.insert(id, Lobby::new(code, variant.clone(), conditions));
        let opener = if self.chance.bool() { [192, 168, 0, 7].into() } else { "fe80::1".parse().unwrap() };
        let variant = variant.to_string();
        self.entry(id, Note::Opened(Opening { code, variant, conditions, password, opener }))
    }

    fn entry(&self, lobby: LobbyId, note: Note) -> Entry {
        Entry { lobby, wall: WallTime(START + self.time), note }
    }

    /// A request in this lobby.
    fn wish(&mut self, id: LobbyId) -> (Who, Request) {
        let lobby = &self.open[&id];
        let side = if self.chance.bool() { nim::game::Side::First } else { nim::game::Side::Second };
        let player = lobby.seats()[side].as_ref().map_or(PlayerId(1), |player| player.id);
        let who = Who::Player(player);
        match (lobby.phase(), self.chance.u8(..20)) {
            (Phase::Playing, 0) => (who, Request::Ask(LobbyRequest::Resign)),
            (Phase::Playing, 1) | (Phase::Over { .. }, 6..9) | (Phase::Waiting, 6) => {
                (who, Request::Leave(Departure::Quit))
            }
            (Phase::Playing, 2) => (who, Request::Ask(LobbyRequest::Offer(Offer::Takeback))),
            (_, 3) => (who, Request::Lose { loss: Loss::Closed, since: Moment(self.time) }),
            (_, 4) => (who, Request::Return),
            (_, 5) => (Who::Newcomer, Request::Watch { name: name("watcher") }),
            (Phase::Playing, _) => self.answer_or_move(id, who),
            (Phase::Over { .. }, _) => (who, Request::Ask(LobbyRequest::Again)),
            (Phase::Waiting | Phase::Closed, _) => {
                let kind = if self.chance.u8(..4) == 0 { Kind::Bot } else { Kind::Person };
                let name = ["anna", "Zoë 李", "o'neil", "\"; DROP TABLE"][self.chance.usize(..4)];
                (Who::Newcomer, Request::Sit { name: self::name(name), kind })
            }
        }
    }

    fn answer_or_move(&mut self, id: LobbyId, who: Who) -> (Who, Request) {
        let lobby = &self.open[&id];
        if let Some(open) = lobby.offer() {
            let accept = self.chance.bool();
            return (
                who,
                Request::Ask(LobbyRequest::Answer { turn: lobby.turn(), offer: open.offer, accept }),
            );
        }
        let moves: Vec<_> = lobby.board().position().moves().collect();
        let mv = moves[self.chance.usize(..moves.len())];
        let whose = lobby.to_move().map_or(PlayerId(1), |player| player.id);
        (Who::Player(whose), Request::Ask(LobbyRequest::Play { turn: lobby.turn(), mv }))
    }

    /// The entries that a request causes; none if it is refused.
    fn grant(&mut self, id: LobbyId, who: Who, request: Request) -> Vec<Entry> {
        let (now, mut entries) = (Moment(self.time), Vec::new());
        let Some(lobby) = self.open.get_mut(&id) else { return entries };
        let Ok(events) = lobby.decide(who, request, now) else { return entries };
        for event in events {
            let lobby = self.open.get_mut(&id).unwrap();
            lobby.apply(&event, now).unwrap();
            let number = lobby.last_event();
            let frame = wire::encode(&ToClient::Lobby { number, at: now, event: event.clone() });
            entries.push(self.entry(id, Note::Happened { number, at: now, event: event.clone(), frame }));
            if let Event::Started { game, .. } = event {
                let players = self.open[&id].seats().map(|seat| seat.clone().unwrap());
                entries.push(self.entry(id, Note::GameStarted { game, players }));
            }
            entries.extend(self.seat(id, &event));
        }
        if self.open[&id].phase() == Phase::Closed {
            self.open.remove(&id);
        }
        entries
    }

    /// What is recorded of the seats themselves.
    fn seat(&mut self, id: LobbyId, event: &Event) -> Option<Entry> {
        let seat = Ticket::of(std::array::from_fn(|_| self.chance.u8(..))).hash();
        let players = self.open[&id].seats().iter().filter_map(|(_, seat)| seat.clone());
        let players: Vec<_> = players.filter(|player| player.kind == Kind::Person).collect();
        let player = match event {
            Event::Sat { player, .. } if player.kind == Kind::Person => player.clone(),
            Event::Back { .. } => players.first()?.clone(),
            // Nobody needs to be told here that this player is gone: ids grow.
            Event::Left { .. } => return Some(self.entry(id, Note::Unseated(PlayerId(1)))),
            _ => return None,
        };
        let owner = Owner { player: player.id, name: player.name, seat };
        Some(self.entry(id, Note::Seated(owner)))
    }
}

fn name(text: &str) -> Name {
    Name::clean(text).unwrap()
}

/// The hash of a password.
pub(crate) fn password() -> PasswordHash {
    PasswordHash::of(&Secret::of("open sesame").unwrap(), [7; 16])
}
