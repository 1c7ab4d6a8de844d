//! All lobbies of a server, found by their codes and by the tickets for their seats.

#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use tokio::sync::OwnedSemaphorePermit;

use super::config::Config;
use super::limits::choose_evicted;
use super::lobby::{LiveLobby, LobbyHandle, OnClose, Plan};
use super::peers::Place;
use super::services::Services;
use super::storage::{Damage, LobbyId, LobbyMeta, PasswordHash, StoredLobby};
use crate::lobby::{Code, Text};
use crate::number::saturating;
use crate::wire::{Farewell, HallRefusal, Refusal, TokenHash, random_bytes};

/// How many hashes of given-up seats are kept: some days of a busy host.
const MAX_GIVEN_UP: usize = 2_000;

/// How many tickets of a lobby are remembered: of the two seats that are taken, and of some that were left.
const MAX_SEATS: usize = 8;

/// How many locks the tickets share. Hashing a password takes a millisecond, and delays few others.
const SEATING: usize = 16;

/// How many events are given up at once to make room on the disk: about as much as the journal's reserve takes.
const ROOM: u32 = 200_000;

/// How many codes of two words are tried before a number is added.
const SHORT_TRIES: u32 = 16;

/// How many codes are tried in all. Half of them are free at least, and one of several servers has at least one in
/// 256 of them unless it has just come.
const CODE_TRIES: u32 = 4_096;

/// Why no lobby can be opened in one of several servers for the moment, as the end of a sentence.
const NOT_YET: &str = "the servers here are dividing the lobbies among themselves; try again in a moment";

/// All lobbies.
#[derive(Debug)]
pub(super) struct LobbyRegistry {
    services: Arc<Services>,
    /// Held for a look-up, and never while a lobby is locked.
    lobbies: Mutex<Lobbies>,
    /// Held from the check that a ticket has no seat until it has one. A ticket's hash chooses the lock.
    seating: [Mutex<()>; SEATING],
}

#[derive(Debug)]
struct Lobbies {
    by_code: HashMap<Code, Registered>,
    /// The lobby in which each seat was taken, by the bytes of the ticket's hash. The seat may have been
    /// given up since.
    by_seat: HashMap<[u8; 32], Code>,
    /// The hashes of tickets for seats that were given up when their lobby was closed, the newest last, and what
    /// their owners are told.
    given_up: VecDeque<(TokenHash, HallRefusal)>,
    /// The lobbies that were not restored because their records are damaged, as far as their codes can be
    /// read. Their codes are not reused, so that a returning player learns the reason.
    aside: HashMap<Code, LobbyId>,
    rng: fastrand::Rng,
    opened: u64,
}

#[derive(Debug)]
struct Registered {
    lobby: Arc<LobbyHandle>,
    /// Of its opener's address. There is none if the server was restarted with a lower limit.
    _permit: Option<OwnedSemaphorePermit>,
    /// The tickets' hashes of its seats, the newest last: [`MAX_SEATS`] at most.
    seats: Vec<[u8; 32]>,
}

impl LobbyRegistry {
    pub(super) fn new(config: &Config, services: &Arc<Services>) -> Self {
        Self {
            services: Arc::clone(services),
            lobbies: Mutex::new(Lobbies {
                by_code: HashMap::new(),
                by_seat: HashMap::new(),
                given_up: VecDeque::new(),
                aside: HashMap::new(),
                rng: fastrand::Rng::with_seed(config.seed),
                opened: 0,
            }),
            seating: Default::default(),
        }
    }

    /// Opens a lobby for a client at this address. If there are too many in all, a deserted one is evicted. One of
    /// several servers opens only lobbies whose codes are its own.
    pub(super) fn open(
        self: &Arc<Self>,
        opener: IpAddr,
        plan: Plan,
        password: Option<PasswordHash>,
    ) -> Result<Arc<LobbyHandle>, Refusal> {
        let Config { max_lobbies: most, max_lobbies_each: each, .. } = *self.services.config;
        let too_many = HallRefusal::TooManyLobbies { most: saturating(each) };
        let permit = self.services.limits.of(opener).open_lobby().ok_or(too_many)?;
        let not_yet = || Refusal::Halted { why: Text::cut(NOT_YET) };
        let peers = self.services.peers.as_ref();
        let shared_id = peers.map(|peers| peers.next_lobby().ok_or_else(not_yet)).transpose()?;
        if self.count() >= most {
            let holders = self.all().into_iter().map(|lobby| (lobby.opener, lobby.left_since(), lobby));
            if let Some(lobby) = choose_evicted(opener, holders) {
                lobby.evict();
            }
        }
        let mut lobbies = self.lobbies.lock();
        if lobbies.by_code.len() >= most {
            return Err(HallRefusal::LobbiesFull { most: saturating(most) }.into());
        }
        let is_here = |code| peers.is_none_or(|peers| peers.place_of(code) == Place::Here);
        let is_secret = !plan.conditions.listed && password.is_none();
        // The task that gives lobbies away looks for them under the same lock, after their place has changed.
        let code = lobbies.free_code(is_secret, is_here).ok_or_else(not_yet)?;
        let id = shared_id.unwrap_or_else(|| lobbies.next_lobby());
        let (variant, conditions) = (plan.variant.text(), plan.conditions);
        let meta = LobbyMeta { code, variant, conditions, password, opener };
        let live = LiveLobby::opened(&self.services, &meta, plan);
        let lobby = Arc::new(LobbyHandle::new(&self.services, self.on_close(), id, &meta, live));
        lobbies.add(Arc::clone(&lobby), Some(permit));
        Ok(lobby)
    }

    /// Closes lobbies, so that they can be pruned, until they have [`ROOM`] events or all of them are closed: those
    /// of this address, and of the addresses whose open lobbies have at least half as many events. First go those
    /// to which nobody is connected, the longest first.
    pub(super) fn make_room(&self, opener: IpAddr) {
        let all: Vec<_> = self.all().into_iter().map(|lobby| (lobby.events(), lobby)).collect();
        let mut shares: HashMap<IpAddr, u64> = HashMap::new();
        for ((_, events), lobby) in &all {
            *shares.entry(lobby.opener).or_default() += u64::from(*events);
        }
        let least = shares.get(&opener).map_or(u64::MAX, |share| share.div_ceil(2));
        let is_large = |lobby: &LobbyHandle| lobby.opener == opener || shares[&lobby.opener] >= least;
        let mut lobbies: Vec<_> = all.into_iter().filter(|(_, lobby)| is_large(lobby)).collect();
        lobbies.sort_by_key(|((is_left, events), _)| (!is_left, Reverse(*events)));
        let mut closed = 0_u32;
        for ((_, events), lobby) in lobbies {
            if closed < ROOM {
                tracing::warn!(code = %lobby.code.redacted(), events, "closed to make room for other games");
                lobby.close(&Farewell::NoDiskSpace);
                closed = closed.saturating_add(events);
            }
        }
    }

    /// Adds a stored lobby. Returns `false` if its code is taken.
    pub(super) fn restore(self: &Arc<Self>, stored: &StoredLobby, live: LiveLobby) -> bool {
        let code = stored.meta.code;
        let is_free = !self.lobbies.lock().by_code.contains_key(&code);
        if is_free {
            let StoredLobby { lobby: id, meta, .. } = stored;
            let lobby = LobbyHandle::new(&self.services, self.on_close(), *id, meta, live);
            let lobby = Arc::new(lobby);
            let permit = self.services.limits.of(lobby.opener).open_lobby();
            self.lobbies.lock().add(Arc::clone(&lobby), permit);
            stored.owners.iter().for_each(|owner| self.note_seat(&lobby, owner.seat));
        }
        is_free
    }

    fn on_close(self: &Arc<Self>) -> OnClose {
        let registry: Weak<Self> = Arc::downgrade(self);
        Box::new(move |code, seats, why| {
            if let Some(registry) = registry.upgrade() {
                registry.lobbies.lock().close(code, seats, &why);
            }
        })
    }

    /// Handles a request for a seat with the ticket of this hash; no other request with it is handled
    /// meanwhile. Refuses it if the ticket holds a seat already: the answer to an earlier request was lost.
    /// The refusal names the lobby, to which the client returns with its ticket. The hash is not enough, so
    /// that a copy of the journal opens no seat.
    pub(super) fn take_seat(
        &self,
        seat: TokenHash,
        take: impl FnOnce() -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        let _turn = self.seating[usize::from(seat.bytes()[0]) % SEATING].lock();
        match self.lobby_of_seat(seat) {
            Some(lobby) => Err(HallRefusal::SeatHeld { code: lobby.code }.into()),
            None => take(),
        }
    }

    /// Notes that a seat was taken in this lobby. Of too many the oldest that was left is forgotten.
    pub(super) fn note_seat(&self, lobby: &LobbyHandle, seat: TokenHash) {
        let known = self.lobbies.lock().note_seat(lobby.code, seat.bytes());
        if known.len() > MAX_SEATS
            && let Some(left) = known.into_iter().find(|seat| !lobby.has_seat(TokenHash::of(*seat)))
        {
            self.lobbies.lock().forget_seat(lobby.code, left);
        }
    }

    /// The lobby in which the ticket with this hash holds a seat.
    pub(super) fn lobby_of_seat(&self, seat: TokenHash) -> Option<Arc<LobbyHandle>> {
        let code = self.lobbies.lock().by_seat.get(&seat.bytes()).copied()?;
        self.find(code).filter(|lobby| lobby.has_seat(seat))
    }

    /// Why the seat of the ticket with this hash was given up, if its lobby was closed not long ago.
    pub(super) fn why_given_up(&self, seat: TokenHash) -> Option<HallRefusal> {
        let lobbies = self.lobbies.lock();
        lobbies.given_up.iter().find(|(given_up, _)| *given_up == seat).map(|(_, why)| why.clone())
    }

    pub(super) fn find(&self, code: Code) -> Option<Arc<LobbyHandle>> {
        self.lobbies.lock().by_code.get(&code).map(|registered| Arc::clone(&registered.lobby))
    }

    /// The refusal for a code without a lobby.
    pub(super) fn why_none(&self, code: Code) -> HallRefusal {
        let aside =
            self.lobbies.lock().aside.get(&code).map(|lobby| HallRefusal::SetAside { lobby: lobby.0 });
        aside.unwrap_or(HallRefusal::NoSuchLobby)
    }

    /// Notes a damaged lobby, which is set aside.
    pub(super) fn note_damaged(&self, damage: &Damage) {
        if let Some(code) = damage.code {
            self.lobbies.lock().aside.insert(code, damage.lobby);
        }
    }

    /// Sets the number of the next lobby.
    pub(super) fn go_on_from(&self, next: LobbyId) {
        let mut lobbies = self.lobbies.lock();
        lobbies.opened = lobbies.opened.max(next.0.saturating_sub(1));
    }

    /// Removes a lobby with which another server goes on: nobody's seat is given up.
    pub(super) fn remove(&self, lobby: &LobbyHandle) {
        self.lobbies.lock().remove(lobby.code);
    }

    /// Forgets the damaged lobbies with these codes: another server tells why they are not there.
    pub(super) fn forget_damaged(&self, codes: impl Fn(Code) -> bool) {
        self.lobbies.lock().aside.retain(|code, _| !codes(*code));
    }

    /// How many lobbies there are.
    pub(super) fn count(&self) -> usize {
        self.lobbies.lock().by_code.len()
    }

    /// In how many of them a game is [being played](LobbyHandle::is_playing).
    pub(super) fn games(&self) -> usize {
        self.all().iter().filter(|lobby| lobby.is_playing()).count()
    }

    /// Returns all lobbies.
    pub(super) fn all(&self) -> Vec<Arc<LobbyHandle>> {
        self.lobbies.lock().by_code.values().map(|registered| Arc::clone(&registered.lobby)).collect()
    }
}

impl Lobbies {
    fn add(&mut self, lobby: Arc<LobbyHandle>, permit: Option<OwnedSemaphorePermit>) {
        self.by_code.insert(lobby.code, Registered { lobby, _permit: permit, seats: Vec::new() });
    }

    /// Returns all tickets of this lobby that are remembered, the newest last.
    fn note_seat(&mut self, code: Code, seat: [u8; 32]) -> Vec<[u8; 32]> {
        let Some(Registered { seats, .. }) = self.by_code.get_mut(&code) else { return Vec::new() };
        seats.retain(|known| *known != seat);
        seats.push(seat);
        self.by_seat.insert(seat, code);
        seats.clone()
    }

    /// Forgets a ticket of this lobby. It may hold a seat of another lobby by now.
    fn forget_seat(&mut self, code: Code, seat: [u8; 32]) {
        if let Some(Registered { seats, .. }) = self.by_code.get_mut(&code) {
            seats.retain(|known| *known != seat);
        }
        if self.by_seat.get(&seat) == Some(&code) {
            self.by_seat.remove(&seat);
        }
    }

    /// Removes a closed lobby; the seats of these tickets are given up.
    fn close(&mut self, code: Code, given_up: Vec<TokenHash>, why: &HallRefusal) {
        self.given_up.extend(given_up.into_iter().map(|seat| (seat, why.clone())));
        let superfluous = self.given_up.len().saturating_sub(MAX_GIVEN_UP);
        self.given_up.drain(..superfluous);
        self.remove(code);
    }

    fn remove(&mut self, code: Code) {
        let Some(Registered { seats, .. }) = self.by_code.remove(&code) else { return };
        for seat in seats {
            self.forget_seat(code, seat);
        }
    }

    /// The number of the next lobby of a server that is alone.
    fn next_lobby(&mut self) -> LobbyId {
        self.opened += 1;
        LobbyId(self.opened)
    }

    /// A free code among those that are meant, which only chance finds if it is secret; `None` if none was found.
    /// There are more than a million others, and half as many lobbies at most.
    fn free_code(&mut self, is_secret: bool, is_meant: impl Fn(Code) -> bool) -> Option<Code> {
        let mut taken = 0;
        for _ in 0..CODE_TRIES {
            let number = if taken < SHORT_TRIES { 1 } else { self.rng.u8(2..) };
            let code = if is_secret {
                // Not of the generator, whose later numbers could be computed from the codes of listed
                // lobbies.
                Code::private(random_bytes())
            } else {
                Code::from_bits(self.rng.u16(..), number)
            };
            if is_meant(code) {
                if !self.by_code.contains_key(&code) && !self.aside.contains_key(&code) {
                    return Some(code);
                }
                taken += 1;
            }
        }
        None
    }
}
