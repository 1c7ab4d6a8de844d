//! A storage in memory that fails: by a seed, as disks do now and then, or when a test says so.

use std::sync::Arc;
use std::time::Duration;

use fastrand::Rng;
use nim::server::storage::{
    Archive, Bounds, Damage, Entry, LobbyId, Note, Storage, StorageError, StoredLobby,
};
use parking_lot::{Condvar, Mutex};

use super::memory::Memory;

/// Memory on a disk that fails. All clones are on the same disk.
#[derive(Debug, Clone, Default)]
pub(crate) struct Faulty {
    memory: Memory,
    disk: Disk,
    /// By chance, one of this number of calls fails.
    one_in: Option<(Rng, u32)>,
}

/// What is wrong with a disk. All clones are the same disk.
#[derive(Debug, Clone, Default)]
pub(crate) struct Disk(Arc<(Mutex<State>, Condvar)>);

#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each fault is switched on and off by itself")]
struct State {
    full: bool,
    /// Nothing is recorded, and the caller waits.
    stuck: bool,
    /// How many callers wait.
    waiting: usize,
    panics: bool,
    /// No lobby can be trusted.
    damaged: bool,
    aside: Vec<Damage>,
    recorded: Vec<(LobbyId, u32)>,
}

impl Disk {
    /// From now on nothing can be recorded, or everything again.
    pub(crate) fn is_full(&self, full: bool) {
        self.0.0.lock().full = full;
    }
}

impl Faulty {
    /// On this disk, and with one of `one_in` calls failing by the seed.
    pub(crate) fn on(disk: Disk, memory: Memory, seed: u64, one_in: u32) -> Self {
        Self { memory, disk, one_in: Some((Rng::with_seed(seed), one_in)) }
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.disk.0.0.lock());
        self.disk.0.1.notify_all();
    }

    /// Nothing is recorded until [`go_on`](Self::go_on), and the caller waits.
    pub(crate) fn stop(&self) {
        self.change(|state| state.stuck = true);
    }

    pub(crate) fn go_on(&self) {
        self.change(|state| state.stuck = false);
    }

    /// Whether the journal waits for the disk.
    pub(crate) fn is_waited_for(&self) -> bool {
        self.disk.0.0.lock().waiting > 0
    }

    /// From now on nothing can be recorded, or everything again.
    pub(crate) fn is_full(&self, full: bool) {
        self.disk.is_full(full);
    }

    /// Recording panics.
    pub(crate) fn panics(&self) {
        self.change(|state| state.panics = true);
    }

    /// No lobby can be trusted any more.
    pub(crate) fn is_damaged(&self) {
        self.change(|state| state.damaged = true);
    }

    /// A backup from before is in its place.
    pub(crate) fn is_replaced_by_a_backup(&self) {
        self.change(|state| (state.damaged, state.aside) = (false, Vec::new()));
    }

    /// Whether the event of this number of any lobby is recorded.
    pub(crate) fn has(&self, number: u32) -> bool {
        self.disk.0.0.lock().recorded.iter().any(|(_, known)| *known == number)
    }

    /// Fails if the disk is full, or by chance.
    fn fault(&mut self) -> Result<(), StorageError> {
        if self.disk.0.0.lock().full {
            return Err(StorageError::new("the disk is full", "make room on the disk"));
        }
        let Some((chance, one_in)) = &mut self.one_in else { return Ok(()) };
        match chance.u32(..*one_in) {
            0 => Err(StorageError::of_host(
                ["a write fell short", "a write failed", "a sync failed"][chance.usize(..3)],
            )),
            _ => Ok(()),
        }
    }
}

impl Storage for Faulty {
    fn record(&mut self, entries: &[Entry]) -> Result<(), StorageError> {
        let disk = self.disk.clone();
        let mut state = disk.0.0.lock();
        state.waiting += 1;
        disk.0.1.wait_while(&mut state, |state| state.stuck);
        state.waiting -= 1;
        assert!(!state.panics, "the storage panics");
        drop(state);
        self.fault()?;
        for Entry { lobby, note, .. } in entries {
            if let Note::Happened { number, .. } = note {
                disk.0.0.lock().recorded.push((*lobby, *number));
            }
        }
        self.memory.record(entries)
    }

    fn load(&mut self, each: &mut dyn FnMut(Result<StoredLobby, Damage>)) -> Result<LobbyId, StorageError> {
        let (damaged, aside) = {
            let state = self.disk.0.0.lock();
            (state.damaged, state.aside.clone())
        };
        self.memory.load(&mut |stored| match stored {
            Ok(lobby) if damaged => {
                let (lobby, code) = (lobby.lobby, Some(lobby.opening.code));
                if aside.iter().all(|known| known.lobby != lobby) {
                    each(Err(Damage { lobby, code, why: "a test has damaged it".into() }));
                }
            }
            stored => each(stored),
        })
    }

    fn set_aside(&mut self, damage: &Damage) -> Result<(), StorageError> {
        self.fault()?;
        self.change(|state| state.aside.push(damage.clone()));
        Ok(())
    }

    fn aside(&mut self) -> Result<Vec<Damage>, StorageError> {
        Ok(self.disk.0.0.lock().aside.clone())
    }

    fn prune(&mut self, bounds: &Bounds) -> Result<u64, StorageError> {
        self.fault()?;
        self.memory.prune(bounds)
    }

    fn retry_after(&self) -> Duration {
        Duration::from_millis(10)
    }

    fn try_out(&mut self) -> Result<(), StorageError> {
        self.fault()
    }

    fn archive(&self) -> Result<Box<dyn Archive>, StorageError> {
        self.memory.archive()
    }
}
