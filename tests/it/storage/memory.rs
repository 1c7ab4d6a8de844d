//! Storage in memory, for servers that restart without files: the [model](super::model) as an engine. It can
//! fail, randomly by a seed or on demand.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use fastrand::Rng;
use nim::lobby::PlayerId;
use nim::server::storage::{
    Archive, Bounds, Damage, Entry, GameCursor, Loaded, LobbyId, LobbyMeta, Note, OwnSeats, PastGame, Pruned,
    Storage, StorageError, StoredLobby, WallTime,
};
use nim::wire::TokenHash;
use parking_lot::{Condvar, MappedMutexGuard, Mutex, MutexGuard};

use super::model::Model;

/// The recorded entries. All clones share them, so that a test can pass them from one server to the next.
#[derive(Debug, Clone, Default)]
pub(crate) struct Memory(Arc<(Mutex<State>, Condvar)>);

#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each fault is switched on and off by itself")]
struct State {
    model: Model,
    full: bool,
    /// There is room only for what waits.
    short: bool,
    /// The address whose open lobbies are in the way of pruning.
    blocked_by: Option<IpAddr>,
    /// Writes block.
    stuck: bool,
    /// The number of blocked callers.
    waiting: usize,
    panics: bool,
    /// Every lobby is damaged.
    damaged: bool,
    /// One of this number of calls fails at random.
    one_in: Option<(Rng, u32)>,
}

impl Memory {
    fn model(&self) -> MappedMutexGuard<'_, Model> {
        MutexGuard::map(self.0.0.lock(), |state| &mut state.model)
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.0.0.lock());
        self.0.1.notify_all();
    }

    /// Makes one of `one_in` calls fail from now on, with this seed.
    pub(crate) fn fails(&self, seed: u64, one_in: u32) {
        self.change(|state| state.one_in = Some((Rng::with_seed(seed), one_in)));
    }

    /// Makes writes block until [`go_on`](Self::go_on).
    pub(crate) fn stop(&self) {
        self.change(|state| state.stuck = true);
    }

    pub(crate) fn go_on(&self) {
        self.change(|state| state.stuck = false);
    }

    /// Whether a write is blocked.
    pub(crate) fn is_waited_for(&self) -> bool {
        self.0.0.lock().waiting > 0
    }

    /// Makes writes fail from now on, or succeed again.
    pub(crate) fn is_full(&self, full: bool) {
        self.change(|state| state.full = full);
    }

    /// Leaves room only for what waits from now on, or for everything again.
    pub(crate) fn is_short(&self, short: bool) {
        self.change(|state| state.short = short);
    }

    /// Open lobbies of this address are in the way of pruning.
    pub(crate) fn is_blocked_by(&self, address: IpAddr) {
        self.change(|state| state.blocked_by = Some(address));
    }

    /// Makes writes panic.
    pub(crate) fn panics(&self) {
        self.change(|state| state.panics = true);
    }

    /// Damages all lobbies.
    pub(crate) fn is_damaged(&self) {
        self.change(|state| state.damaged = true);
    }

    /// Replaces the content by an older backup.
    pub(crate) fn is_replaced_by_a_backup(&self) {
        self.change(|state| state.damaged = false);
    }

    /// Everything that is recorded.
    pub(crate) fn entries(&self) -> Vec<Entry> {
        self.model().entries.clone()
    }

    /// Whether the event with this number of any lobby is recorded.
    pub(crate) fn has(&self, number: u32) -> bool {
        let is_it = |entry: &Entry| matches!(entry.note, Note::Happened { number: it, .. } if it == number);
        self.model().entries.iter().any(is_it)
    }

    /// Fails if the disk is full, or at random.
    fn fault(&self) -> Result<(), StorageError> {
        let mut state = self.0.0.lock();
        if state.full {
            return Err(StorageError::new("the disk is full", "make room on the disk"));
        }
        let Some((chance, one_in)) = &mut state.one_in else { return Ok(()) };
        match chance.u32(..*one_in) {
            0 => Err(StorageError::of_host(
                ["a write fell short", "a write failed", "a sync failed"][chance.usize(..3)],
            )),
            _ => Ok(()),
        }
    }
}

impl Storage for Memory {
    fn record(&mut self, entries: &[Entry]) -> Result<(), StorageError> {
        let mut state = self.0.0.lock();
        state.waiting += 1;
        self.0.1.wait_while(&mut state, |state| state.stuck);
        state.waiting -= 1;
        assert!(!state.panics, "the storage panics on demand");
        drop(state);
        self.fault()?;
        self.model().record(entries);
        Ok(())
    }

    fn load(&mut self, each: &mut dyn FnMut(Result<StoredLobby, Damage>)) -> Result<Loaded, StorageError> {
        let state = self.0.0.lock();
        let damage = |stored: StoredLobby| {
            let (lobby, code) = (stored.lobby, Some(stored.meta.code));
            Damage { lobby, code, why: "a test has damaged it".into() }
        };
        let lobbies = state.model.to_load();
        let events = lobbies.iter().map(|stored| stored.events.len() as u64).sum();
        for stored in lobbies {
            each(if state.damaged { Err(damage(stored)) } else { Ok(stored) });
        }
        Ok(Loaded { next: state.model.next(), events })
    }

    /// Memory has no limit of history.
    fn prune(&mut self, _: &Bounds) -> Result<Pruned, StorageError> {
        let blocked_by = self.0.0.lock().blocked_by;
        self.fault().map(|()| Pruned { is_done: true, blocked_by, ..Pruned::default() })
    }

    fn shortage(&mut self) -> Option<StorageError> {
        self.0.0.lock().short.then(|| StorageError::new("the disk is full", "make room on the disk"))
    }

    fn retry_after(&self) -> Duration {
        Duration::from_millis(10)
    }

    fn check_writable(&mut self) -> Result<(), StorageError> {
        self.fault()
    }

    fn archive(&self) -> Result<Box<dyn Archive>, StorageError> {
        Ok(Box::new(self.clone()))
    }
}

impl Archive for Memory {
    fn seats_of(&mut self, hashes: &[TokenHash]) -> Result<OwnSeats, StorageError> {
        let model = self.model();
        let seats = model.entries.iter().filter_map(|entry| match &entry.note {
            Note::Seated(owner) => Some(((entry.lobby, owner.player), owner.seat)),
            _ => None,
        });
        // The last ticket of each player.
        let seats: BTreeMap<(LobbyId, PlayerId), TokenHash> = seats.collect();
        Ok(seats.into_iter().filter(|(_, seat)| hashes.contains(seat)).map(|(player, _)| player).collect())
    }

    fn games(
        &mut self,
        before: GameCursor,
        own: Option<&OwnSeats>,
        most: usize,
        take: &mut dyn FnMut(PastGame) -> ControlFlow<Option<GameCursor>>,
    ) -> Result<Option<GameCursor>, StorageError> {
        let mut games = self.model().games();
        games.retain(|game| game.place < before && own.is_none_or(|own| game.is_from(own)));
        let rest = (games.len() > most).then(|| games[most - 1].place);
        Ok(match games.into_iter().take(most).try_for_each(take) {
            ControlFlow::Break(rest) => rest,
            ControlFlow::Continue(()) => rest,
        })
    }

    fn lobby_meta(&mut self, lobby: LobbyId) -> Result<Option<(WallTime, LobbyMeta)>, StorageError> {
        Ok(self.model().kept(lobby).map(|kept| (kept.opened, kept.meta)))
    }

    fn events(&mut self, lobby: LobbyId) -> Result<Option<Vec<Bytes>>, StorageError> {
        Ok(Some(self.model().kept(lobby).map(|kept| kept.events).unwrap_or_default()))
    }
}
