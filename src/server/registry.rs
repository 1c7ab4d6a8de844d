//! All lobbies of a server, found by their codes.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};

use super::lobby::LobbyHandle;
use super::storage::{Damage, LobbyId};
use crate::lobby::Code;
use crate::number::saturating;
use crate::wire::{HallRefusal, Ticket};

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
        self.0.lock()
    }

    /// Opens the lobby that `make` makes of a free code and a number that grows with every lobby, if there is room for
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

    /// What has become of the seat of whoever has this ticket, if its lobby was closed not long ago.
    pub(super) fn fate(&self, code: &str, ticket: &Ticket) -> Option<HallRefusal> {
        let (code, seal) = (code.parse::<Code>().ok()?, Seal::of(ticket));
        let lobbies = self.lobbies();
        let mut closed = lobbies.closed.iter().filter(|(of, _)| *of == code);
        closed.find_map(|(_, closed_seats)| closed_seats.fate(seal))
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
    fn note_closed(&mut self, code: Code, closed_seats: ClosedSeats) {
        if closed_seats.given_up.is_empty() && closed_seats.lapsed.is_empty() {
            return;
        }
        if self.closed.len() == MAX_CLOSED {
            self.closed.pop_front();
        }
        self.closed.push_back((code, closed_seats));
    }

    /// Whether one more may be opened from this address.
    fn check(&self, opener: IpAddr, limits: LobbyLimits) -> Result<(), HallRefusal> {
        if self.by_code.len() >= limits.most {
            return Err(HallRefusal::LobbiesFull { most: saturating(limits.most) });
        }
        if self.from.get(&opener).is_some_and(|&count| count >= limits.each) {
            return Err(HallRefusal::TooManyLobbies { most: saturating(limits.each) });
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
