//! A storage that fails by a seed, as disks do: it records nothing and says so, now and then or until it is given room again.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use fastrand::Rng;
use nim::server::storage::{Archive, Bounds, Damage, Entry, LobbyId, Storage, StorageError, StoredLobby};

/// Another storage, and what goes wrong with it.
#[derive(Debug)]
pub(crate) struct Faulty<S> {
    inner: S,
    chance: Rng,
    /// Of so many calls one fails.
    one_in: u32,
    /// As long as this is so, nothing can be written.
    full: Arc<AtomicBool>,
}

impl<S: Storage> Faulty<S> {
    pub(crate) fn new(inner: S, seed: u64, one_in: u32) -> Self {
        Self::on(Disk::default(), inner, seed, one_in)
    }

    /// The same on a disk that outlives it.
    pub(crate) fn on(disk: Disk, inner: S, seed: u64, one_in: u32) -> Self {
        Self { inner, chance: Rng::with_seed(seed), one_in, full: disk.0 }
    }

    /// What fills the disk, and makes room on it again.
    pub(crate) fn disk(&self) -> Disk {
        Disk(Arc::clone(&self.full))
    }

    /// Whether this call is to fail, and how.
    fn fault(&mut self) -> Result<(), StorageError> {
        let full = self.full.load(Ordering::Relaxed);
        let fault = match self.chance.u32(..self.one_in) {
            _ if full => "the disk is full",
            0 => ["a write fell short", "a write failed", "a sync failed"][self.chance.usize(..3)],
            _ => return Ok(()),
        };
        Err(StorageError::of_host(fault))
    }
}

/// A disk that can be full.
#[derive(Debug, Clone, Default)]
pub(crate) struct Disk(Arc<AtomicBool>);

impl Disk {
    pub(crate) fn fill(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub(crate) fn make_room(&self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

impl<S: Storage> Storage for Faulty<S> {
    fn record(&mut self, entries: &[Entry]) -> Result<(), StorageError> {
        self.fault()?;
        self.inner.record(entries)
    }

    fn load(&mut self, each: &mut dyn FnMut(Result<StoredLobby, Damage>)) -> Result<LobbyId, StorageError> {
        self.inner.load(each)
    }

    fn set_aside(&mut self, damage: &Damage) -> Result<(), StorageError> {
        self.fault()?;
        self.inner.set_aside(damage)
    }

    fn aside(&mut self) -> Result<Vec<Damage>, StorageError> {
        self.inner.aside()
    }

    fn prune(&mut self, bounds: &Bounds) -> Result<u64, StorageError> {
        self.fault()?;
        self.inner.prune(bounds)
    }

    fn try_out(&mut self) -> Result<(), StorageError> {
        self.fault()?;
        self.inner.try_out()
    }

    fn prove(&mut self) -> Result<(), StorageError> {
        self.inner.prove()
    }

    fn archive(&self) -> Result<Box<dyn Archive>, StorageError> {
        self.inner.archive()
    }
}
