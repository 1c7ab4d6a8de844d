//! The interface of a storage engine: recording events, and meanwhile reading past games and all events of
//! one lobby.
//!
//! The record service decides who may see what. The work of each call is bounded.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::ControlFlow;
use std::pin::Pin;
use std::time::Duration;

use bytes::Bytes;

use super::entry::{
    Bounds, Damage, Entry, Loaded, LobbyId, LobbyMeta, Pruned, StorageError, StoredLobby, WallTime,
};
use crate::game::BySide;
use crate::lobby::{Code, Conditions, GameResult, Player, PlayerId};
use crate::wire::TokenHash;

/// A batch begins at the earliest this long after the last one began: each costs as much as some moves, and
/// nobody notices so short a wait.
const GATHER: Duration = Duration::from_micros(300);

/// Persistent storage for writing. One thread uses it at a time, and never one that moves frames.
pub trait Storage: fmt::Debug + Send {
    /// Records all of these entries in this order, or none. They are durable when it returns. After an
    /// error the same entries are to be tried again, with others after them.
    fn record(&mut self, entries: &[Entry]) -> Result<(), StorageError>;

    /// Makes sure that nobody else has recorded anything since the last call, so that what this server knows may be
    /// told. Only servers that share their lobbies ask for it.
    ///
    /// # Errors
    ///
    /// As for [`record`](Self::record).
    fn confirm(&mut self) -> Result<(), StorageError> {
        Ok(())
    }

    /// The same storage for a task, where recording waits for other machines: in a simulation all machines have one
    /// thread. `None` where it waits for none.
    fn as_remote(&mut self) -> Option<&mut dyn RemoteStorage> {
        None
    }

    /// How long to wait after an error until the same entries are tried again.
    fn retry_after(&self) -> Duration {
        Duration::from_secs(1)
    }

    /// How long to rest after recording this many entries, which took this long, so that more entries share the next
    /// batch.
    fn rest_after(&self, _entries: usize, took: Duration) -> Duration {
        GATHER.saturating_sub(took)
    }

    /// How long the last commit took, including the sync where the host asked for one; zero where there is
    /// no disk.
    fn synced_in(&self) -> Duration {
        Duration::ZERO
    }

    /// Calls `each` with all open lobbies in the order of their numbers, and with the damage of those that
    /// cannot be trusted.
    fn load(&mut self, each: &mut dyn FnMut(Result<StoredLobby, Damage>)) -> Result<Loaded, StorageError>;

    /// Removes closed lobbies that are out of bounds. One call does a bounded amount of work: call it again
    /// until it is done.
    fn prune(&mut self, bounds: &Bounds) -> Result<Pruned, StorageError>;

    /// Why requests are to be refused although everything was recorded, if so: the disk is full, and there is
    /// room only for what waits and for pruning.
    fn shortage(&mut self) -> Option<StorageError> {
        None
    }

    /// Tests whether anything can be recorded now. Records nothing.
    fn check_writable(&mut self) -> Result<(), StorageError>;

    /// A reader of what was recorded, for another thread. It also sees what is recorded later.
    fn archive(&self) -> Result<Box<dyn Archive>, StorageError>;
}

/// An answer of other machines.
pub type Answer<'a> = Pin<Box<dyn Future<Output = Result<(), StorageError>> + Send + 'a>>;

/// Storage on other machines, for a task that waits for them.
pub trait RemoteStorage: Send {
    /// As [`Storage::record`].
    fn record<'a>(&'a mut self, entries: &'a [Entry]) -> Answer<'a>;

    /// As [`Storage::confirm`].
    fn confirm(&mut self) -> Answer<'_>;
}

/// The most events of a lobby that are read: about 20 MB, many times as much as a long evening of play.
pub const MAX_READ: usize = 200_000;

/// Reads what was recorded. One thread uses it at a time, and the thread that records never waits for it.
pub trait Archive: fmt::Debug + Send {
    /// The seats that are or were held with one of these tickets.
    fn seats_of(&mut self, hashes: &[TokenHash]) -> Result<OwnSeats, StorageError>;

    /// Calls `take` with the games that began before `before`, the newest first, until it breaks; with `own`,
    /// only with games that were played from one of these seats. Examines at most `most` games, at least 1.
    /// Returns the `before` of the next call: the value with which `take` broke, or the position after `most`
    /// games; `None` after the last game.
    fn games(
        &mut self,
        before: GameCursor,
        own: Option<&OwnSeats>,
        most: usize,
        take: &mut dyn FnMut(PastGame) -> ControlFlow<Option<GameCursor>>,
    ) -> Result<Option<GameCursor>, StorageError>;

    /// When and how a lobby was opened; `None` if it is unknown or cannot be trusted.
    fn lobby_meta(&mut self, lobby: LobbyId) -> Result<Option<(WallTime, LobbyMeta)>, StorageError>;

    /// The frames of all events of a lobby, the first event first. `None` if these are too many to read at
    /// once.
    fn events(&mut self, lobby: LobbyId) -> Result<Option<Vec<Bytes>>, StorageError>;
}

/// A game's place in the order in which games began. Later games have higher cursors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GameCursor(pub u64);

impl GameCursor {
    /// After all games.
    pub const END: Self = Self(u64::MAX);
}

/// The players that the owner of some tickets is or was, by lobby.
pub type OwnSeats = BTreeSet<(LobbyId, PlayerId)>;

/// A recorded game, finished or still running.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastGame {
    /// The lobby in which it is played.
    pub lobby: LobbyId,
    /// Its number there, from 1.
    pub game: u32,
    /// Its place among all games.
    pub place: GameCursor,
    /// The lobby's code, which another lobby may have by now.
    pub code: Code,
    /// What is played, as text.
    pub variant: String,
    /// What was agreed.
    pub conditions: Conditions,
    /// Who plays.
    pub players: BySide<Player>,
    /// When it began.
    pub started: WallTime,
    /// How it ended; `None` while it runs.
    pub result: Option<GameResult>,
}

impl PastGame {
    /// Whether it was played from one of these seats.
    pub fn is_from(&self, seats: &OwnSeats) -> bool {
        self.players.iter().any(|(_, player)| seats.contains(&(self.lobby, player.id)))
    }
}
