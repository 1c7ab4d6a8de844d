//! All lobbies of a server, found by their codes.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::storage::{Damage, LobbyId, Seal};
use super::table::Table;
use crate::lobby::Code;
use crate::wire::{HallRefusal, Ticket};

/// The tables by code, and the chance that names them.
#[derive(Debug)]
pub(super) struct Hall(Mutex<Tables>);

#[derive(Debug)]
struct Tables {
    by_code: HashMap<Code, Place>,
    /// How many of them were opened from each address.
    from: HashMap<IpAddr, usize>,
    /// The lobbies that were closed last, so that whoever comes back to one learns what became of it.
    closed: VecDeque<(Code, Orphans)>,
    /// The lobbies that cannot go on since what was recorded of them is damaged, as far as their codes can be read. No other
    /// lobby gets the code of one of them, so that whoever comes back to it learns what became of it.
    aside: HashMap<Code, LobbyId>,
    chance: fastrand::Rng,
    opened: u64,
}

/// A table, and the address from which it was opened.
#[derive(Debug)]
struct Place {
    table: Arc<Table>,
    opener: IpAddr,
}

/// How many tables there may be.
#[derive(Debug, Clone, Copy)]
pub(super) struct Room {
    /// In all.
    pub(super) most: usize,
    /// From each address.
    pub(super) each: usize,
}

/// The seals of tickets for seats of a lobby that is closed, to which nobody has come back.
#[derive(Debug, Default)]
pub(super) struct Orphans {
    /// Their game was given up.
    pub(super) given_up: Vec<Seal>,
    /// Their seats were given up, and no game went on.
    pub(super) lapsed: Vec<Seal>,
}

/// How many lobbies are remembered that were closed while somebody might still have come back: some days of a busy host.
const MAX_CLOSED: usize = 1_000;

/// How often a code of two words is tried before a number is put behind it.
const SHORT_TRIES: u32 = 16;

impl Hall {
    pub(super) fn new(seed: u64) -> Self {
        Self(Mutex::new(Tables {
            by_code: HashMap::new(),
            from: HashMap::new(),
            closed: VecDeque::new(),
            aside: HashMap::new(),
            chance: fastrand::Rng::with_seed(seed),
            opened: 0,
        }))
    }

    fn tables(&self) -> MutexGuard<'_, Tables> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens the table that `make` makes of a free code and a number that grows with every table, if there is room for
    /// it.
    pub(super) fn open(
        &self,
        opener: IpAddr,
        room: Room,
        make: impl FnOnce((Code, LobbyId)) -> Table,
    ) -> Result<Arc<Table>, HallRefusal> {
        let mut tables = self.tables();
        tables.check(opener, room)?;
        let code = tables.free_code();
        tables.opened += 1;
        let table = Arc::new(make((code, LobbyId(tables.opened))));
        tables.by_code.insert(code, Place { table: Arc::clone(&table), opener });
        *tables.from.entry(opener).or_default() += 1;
        Ok(table)
    }

    /// Those that would have to make room for one more from this address, the oldest first; none if there is room. Where all
    /// of them are too many, it is those of the address from which most were opened.
    pub(super) fn in_the_way(&self, opener: IpAddr, room: Room) -> Vec<Arc<Table>> {
        let tables = self.tables();
        let Some(whose) = tables.too_many(opener, room) else { return Vec::new() };
        let places = tables.by_code.values().filter(|place| place.opener == whose);
        let mut found: Vec<_> = places.map(|place| Arc::clone(&place.table)).collect();
        found.sort_by_key(|table| table.id());
        found
    }

    /// Whether there are as many as there may be in all.
    pub(super) fn is_full(&self, room: Room) -> bool {
        self.tables().by_code.len() >= room.most
    }

    /// What has become of the seat of whoever has this ticket, if its lobby was closed not long ago.
    pub(super) fn fate(&self, code: &str, ticket: &Ticket) -> Option<HallRefusal> {
        let (code, seal) = (code.parse::<Code>().ok()?, Seal::of(ticket));
        let tables = self.tables();
        let mut closed = tables.closed.iter().filter(|(of, _)| *of == code);
        closed.find_map(|(_, orphans)| orphans.fate(seal))
    }

    pub(super) fn find(&self, code: Code) -> Option<Arc<Table>> {
        self.tables().by_code.get(&code).map(|place| Arc::clone(&place.table))
    }

    /// Why there is no table of this code.
    pub(super) fn why_none(&self, code: Code) -> HallRefusal {
        let aside = self.tables().aside.get(&code).map(|lobby| HallRefusal::SetAside { lobby: lobby.0 });
        aside.unwrap_or(HallRefusal::NoSuchLobby)
    }

    /// Whether this lobby cannot be trusted.
    pub(super) fn is_aside(&self, lobby: LobbyId) -> bool {
        self.tables().aside.values().any(|aside| *aside == lobby)
    }

    /// A lobby cannot go on, and is set aside.
    pub(super) fn note_aside(&self, damage: &Damage) {
        if let Some(code) = damage.code {
            self.tables().aside.insert(code, damage.lobby);
        }
    }

    /// Takes a table back in that was kept. `false` if its code is another one's.
    pub(super) fn restore(&self, opener: IpAddr, table: Arc<Table>) -> bool {
        let mut tables = self.tables();
        let Entry::Vacant(place) = tables.by_code.entry(table.code()) else { return false };
        place.insert(Place { table, opener });
        *tables.from.entry(opener).or_default() += 1;
        true
    }

    /// This is the number for the next table.
    pub(super) fn go_on_from(&self, next: LobbyId) {
        let mut tables = self.tables();
        tables.opened = tables.opened.max(next.0.saturating_sub(1));
    }

    /// How many tables there are.
    pub(super) fn count(&self) -> usize {
        self.tables().by_code.len()
    }

    /// All tables there are.
    pub(super) fn all(&self) -> Vec<Arc<Table>> {
        self.tables().by_code.values().map(|place| Arc::clone(&place.table)).collect()
    }

    /// A lobby is closed, and these might have come back to it.
    pub(super) fn close(&self, code: Code, orphans: Orphans) {
        let mut tables = self.tables();
        tables.note_closed(code, orphans);
        let Some(Place { opener, .. }) = tables.by_code.remove(&code) else { return };
        if let Entry::Occupied(mut count) = tables.from.entry(opener) {
            *count.get_mut() -= 1;
            if *count.get() == 0 {
                count.remove();
            }
        }
    }
}

impl Orphans {
    /// What has become of the seat of this ticket.
    fn fate(&self, seal: Seal) -> Option<HallRefusal> {
        if self.given_up.contains(&seal) {
            return Some(HallRefusal::GivenUp);
        }
        self.lapsed.contains(&seal).then_some(HallRefusal::Lapsed)
    }
}

impl Tables {
    fn note_closed(&mut self, code: Code, orphans: Orphans) {
        if orphans.given_up.is_empty() && orphans.lapsed.is_empty() {
            return;
        }
        if self.closed.len() == MAX_CLOSED {
            self.closed.pop_front();
        }
        self.closed.push_back((code, orphans));
    }

    /// Whose tables are too many for one more from this address.
    fn too_many(&self, opener: IpAddr, room: Room) -> Option<IpAddr> {
        if self.from.get(&opener).is_some_and(|&count| count >= room.each) {
            return Some(opener);
        }
        let most = || self.from.iter().max_by_key(|(_, count)| **count).map(|(address, _)| *address);
        (self.by_code.len() >= room.most).then(most).flatten()
    }

    /// Whether one more may be opened from this address.
    fn check(&self, opener: IpAddr, room: Room) -> Result<(), HallRefusal> {
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        if self.by_code.len() >= room.most {
            return Err(HallRefusal::LobbiesFull { most: number(room.most) });
        }
        if self.from.get(&opener).is_some_and(|&count| count >= room.each) {
            return Err(HallRefusal::TooManyLobbies { most: number(room.each) });
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
