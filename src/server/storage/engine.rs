//! What the server asks of a storage engine.

use std::fmt;
use std::time::Duration;

use super::archive::Archive;
use super::entry::{Bounds, Damage, Entry, LobbyId, StorageError, StoredLobby};

/// Where a server keeps what must not be lost. One thread uses it at a time, and never one that moves frames.
pub trait Storage: fmt::Debug + Send {
    /// Records all of these entries in this order, or none. They are durable when it returns. After an
    /// error the same entries are to be tried again, with others after them.
    fn record(&mut self, entries: &[Entry]) -> Result<(), StorageError>;

    /// How long to wait after an error until the same entries are tried again.
    fn retry_after(&self) -> Duration {
        Duration::from_secs(1)
    }

    /// How long the last commit took, including the sync where the host asked for one; zero where there is
    /// no disk.
    fn synced_in(&self) -> Duration {
        Duration::ZERO
    }

    /// Passes on all open lobbies in the order of their numbers; of a damaged one, what is wrong with it.
    /// Returns the number for the next lobby, which is higher than any that was ever used.
    fn load(&mut self, each: &mut dyn FnMut(Result<StoredLobby, Damage>)) -> Result<LobbyId, StorageError>;

    /// Removes closed lobbies that are out of bounds, the oldest first. One call does a bounded amount of
    /// work: call it again until it returns 0. A lobby that is too large for one call counts in each.
    fn prune(&mut self, bounds: &Bounds) -> Result<u64, StorageError>;

    /// Tests whether anything can be recorded now. Records nothing.
    fn try_out(&mut self) -> Result<(), StorageError>;

    /// A reader of what was recorded, for another thread. It also sees what is recorded later.
    fn archive(&self) -> Result<Box<dyn Archive>, StorageError>;
}
