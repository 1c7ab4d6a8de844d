//! All lobbies of a server, found by their codes.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::lobby::LobbyHandle;
use super::storage::{Damage, LobbyId};
use crate::lobby::Code;
use crate::wire::{HallRefusal, TokenHash};

/// The lobbies by code, and the chance that names them.
#[derive(Debug)]
pub(super) struct LobbyRegistry(Mutex<Lobbies>);

#[derive(Debug)]
struct Lobbies {
    by_code: HashMap<Code, Registered>,
    /// How many of them were opened from each address.
    from: HashMap<IpAddr, usize>,
    /// The lobby in which each seat was taken, by the bytes of the ticket's hash. The seat may be given up since.
    by_seat: HashMap<[u8; 32], Code>,
    /// The hashes of tickets for seats that were given up when their lobby was closed, the newest last.
    given_up: VecDeque<TokenHash>,
    /// The lobbies that cannot go on since what was recorded of them is damaged, as far as their codes can be read. No other
    /// lobby gets the code of one of them, so that whoever comes back to it learns what became of it.
    aside: HashMap<Code, LobbyId>,
    chance: fastrand::Rng,
    opened: u64,
}

/// A lobby, and the address from which it was opened.
#[derive(Debug)]
struct Registered {
    lobby: Arc<LobbyHandle>,
    opener: IpAddr,
    /// The keys in `by_seat` of those who sat down here, the newest last; [`MAX_SEATS`] at most.
    seats: VecDeque<[u8; 32]>,
}

impl Registered {
    fn new(lobby: Arc<LobbyHandle>, opener: IpAddr) -> Self {
        Self { lobby, opener, seats: VecDeque::new() }
    }
}

/// How many lobbies there may be.
#[derive(Debug, Clone, Copy)]
pub(super) struct LobbyLimits {
    /// In all.
    pub(super) most: usize,
    /// From each address.
    pub(super) each: usize,
}

/// How many hashes of seats are kept that were given up: some days of a busy host.
const MAX_GIVEN_UP: usize = 2_000;

/// How many seats of a lobby are found by their hashes: the two that are taken, and some that others took and left since.
const MAX_SEATS: usize = 8;

/// How often a code of two words is tried before a number is put behind it.
const SHORT_TRIES: u32 = 16;

impl LobbyRegistry {
    pub(super) fn new(seed: u64) -> Self {
        Self(Mutex::new(Lobbies {
            by_code: HashMap::new(),
            from: HashMap::new(),
            by_seat: HashMap::new(),
            given_up: VecDeque::new(),
            aside: HashMap::new(),
            chance: fastrand::Rng::with_seed(seed),
            opened: 0,
        }))
    }

    fn lobbies(&self) -> MutexGuard<'_, Lobbies> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens the lobby that `make` makes of a free code and a number that grows with every lobby, if there is limits for
    /// it.
    pub(super) fn open(
        &self,
        opener: IpAddr,
        limits: LobbyLimits,
        make: impl FnOnce((Code, LobbyId)) -> LobbyHandle,
    ) -> Result<Arc<LobbyHandle>, HallRefusal> {
        let mut lobbies = self.lobbies();
        lobbies.check(opener, limits)?;
        let code = lobbies.free_code();
        lobbies.opened += 1;
        let lobby = Arc::new(make((code, LobbyId(lobbies.opened))));
        lobbies.by_code.insert(code, Registered::new(Arc::clone(&lobby), opener));
        *lobbies.from.entry(opener).or_default() += 1;
        Ok(lobby)
    }

    /// Those that would have to make limits for one more from this address, the oldest first; none if there is limits. Where all
    /// of them are too many, it is those of the address from which most were opened.
    pub(super) fn in_the_way(&self, opener: IpAddr, limits: LobbyLimits) -> Vec<Arc<LobbyHandle>> {
        let lobbies = self.lobbies();
        let Some(whose) = lobbies.too_many(opener, limits) else { return Vec::new() };
        let places = lobbies.by_code.values().filter(|place| place.opener == whose);
        let mut found: Vec<_> = places.map(|place| Arc::clone(&place.lobby)).collect();
        found.sort_by_key(|lobby| lobby.id());
        found
    }

    /// Whether there are as many as there may be in all.
    pub(super) fn is_full(&self, limits: LobbyLimits) -> bool {
        self.lobbies().by_code.len() >= limits.most
    }

    /// Somebody has taken a seat in this lobby.
    pub(super) fn note_seat(&self, code: Code, seat: TokenHash) {
        let mut lobbies = self.lobbies();
        let Some(registered) = lobbies.by_code.get_mut(&code) else { return };
        registered.seats.push_back(seat.bytes());
        let oldest = if registered.seats.len() > MAX_SEATS { registered.seats.pop_front() } else { None };
        if let Some(oldest) = oldest {
            lobbies.by_seat.remove(&oldest);
        }
        lobbies.by_seat.insert(seat.bytes(), code);
    }

    /// The lobby in which somebody has a seat by a ticket with this hash.
    pub(super) fn holding(&self, seat: TokenHash) -> Option<Arc<LobbyHandle>> {
        let code = self.lobbies().by_seat.get(&seat.bytes()).copied()?;
        self.find(code).filter(|lobby| lobby.holds(seat))
    }

    /// Whether the seat by a ticket with this hash was given up when its lobby was closed, not long ago.
    pub(super) fn is_given_up(&self, seat: TokenHash) -> bool {
        self.lobbies().given_up.contains(&seat)
    }

    pub(super) fn find(&self, code: Code) -> Option<Arc<LobbyHandle>> {
        self.lobbies().by_code.get(&code).map(|place| Arc::clone(&place.lobby))
    }

    /// Why there is no lobby of this code.
    pub(super) fn why_none(&self, code: Code) -> HallRefusal {
        let aside = self.lobbies().aside.get(&code).map(|lobby| HallRefusal::SetAside { lobby: lobby.0 });
        aside.unwrap_or(HallRefusal::NoSuchLobby)
    }

    /// Whether this lobby cannot be trusted.
    pub(super) fn is_aside(&self, lobby: LobbyId) -> bool {
        self.lobbies().aside.values().any(|aside| *aside == lobby)
    }

    /// A lobby cannot go on, and is set aside.
    pub(super) fn note_aside(&self, damage: &Damage) {
        if let Some(code) = damage.code {
            self.lobbies().aside.insert(code, damage.lobby);
        }
    }

    /// Takes a lobby back in that was kept. `false` if its code is another one's.
    pub(super) fn restore(&self, opener: IpAddr, lobby: Arc<LobbyHandle>) -> bool {
        let mut lobbies = self.lobbies();
        let Entry::Vacant(place) = lobbies.by_code.entry(lobby.code()) else { return false };
        place.insert(Registered::new(lobby, opener));
        *lobbies.from.entry(opener).or_default() += 1;
        true
    }

    /// This is the number for the next lobby.
    pub(super) fn go_on_from(&self, next: LobbyId) {
        let mut lobbies = self.lobbies();
        lobbies.opened = lobbies.opened.max(next.0.saturating_sub(1));
    }

    /// How many lobbies there are.
    pub(super) fn count(&self) -> usize {
        self.lobbies().by_code.len()
    }

    /// All lobbies there are.
    pub(super) fn all(&self) -> Vec<Arc<LobbyHandle>> {
        self.lobbies().by_code.values().map(|place| Arc::clone(&place.lobby)).collect()
    }

    /// A lobby is closed, and the seats of these tickets are given up.
    pub(super) fn close(&self, code: Code, given_up: impl Iterator<Item = TokenHash>) {
        let mut lobbies = self.lobbies();
        lobbies.given_up.extend(given_up);
        let superfluous = lobbies.given_up.len().saturating_sub(MAX_GIVEN_UP);
        lobbies.given_up.drain(..superfluous);
        let Some(Registered { opener, seats, .. }) = lobbies.by_code.remove(&code) else { return };
        for seat in seats {
            lobbies.by_seat.remove(&seat);
        }
        if let Entry::Occupied(mut count) = lobbies.from.entry(opener) {
            *count.get_mut() -= 1;
            if *count.get() == 0 {
                count.remove();
            }
        }
    }
}

impl Lobbies {
    /// Whose lobbies are too many for one more from this address.
    fn too_many(&self, opener: IpAddr, limits: LobbyLimits) -> Option<IpAddr> {
        if self.from.get(&opener).is_some_and(|&count| count >= limits.each) {
            return Some(opener);
        }
        let most = || self.from.iter().max_by_key(|(_, count)| **count).map(|(address, _)| *address);
        (self.by_code.len() >= limits.most).then(most).flatten()
    }

    /// Whether one more may be opened from this address.
    fn check(&self, opener: IpAddr, limits: LobbyLimits) -> Result<(), HallRefusal> {
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        if self.by_code.len() >= limits.most {
            return Err(HallRefusal::LobbiesFull { most: number(limits.most) });
        }
        if self.from.get(&opener).is_some_and(|&count| count >= limits.each) {
            return Err(HallRefusal::TooManyLobbies { most: number(limits.each) });
        }
        Ok(())
    }

    /// There are more than a million codes, and half as many lobbies at most.
    fn free_code(&mut self) -> Code {
        for tries in 0u32.. {
            let number = if tries < SHORT_TRIES { 1 } else { self.chance.u8(2..) };
            let code = Code::from_bits(self.chance.u16(..), number);
            if !self.by_code.contains_key(&code) && !self.aside.contains_key(&code) {
                return code;
            }
        }
        Code::from_bits(0, 1)
    }
}
