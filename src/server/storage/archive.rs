//! Reading the past while the server records: the games that were played, and all events of one lobby.
//!
//! Who may see what is for the record service to decide. The work of each call is bounded.

use std::collections::BTreeSet;
use std::fmt;

use bytes::Bytes;

use super::entry::{LobbyId, Opening, StorageError, WallTime};
use crate::game::BySide;
use crate::lobby::{Code, Conditions, GameResult, Player, PlayerId};
use crate::wire::TokenHash;

/// The most events of a lobby that are read: about 20 MB, and many times those of a long evening.
pub const MAX_READ: usize = 200_000;

/// Reads what was recorded. One thread uses it at a time, and the thread that records never waits for it.
///
/// Lobbies that are set aside are left out.
pub trait Archive: fmt::Debug + Send {
    /// The seats that are or were held with one of these tickets.
    fn seats_of(&mut self, hashes: &[TokenHash]) -> Result<OwnSeats, StorageError>;

    /// The games that began before `before`, the newest first; with `own`, only those that were played from
    /// one of these seats. Looks at `most` games, at least 1.
    fn games(
        &mut self,
        before: GameCursor,
        own: Option<&OwnSeats>,
        most: usize,
    ) -> Result<GamePage, StorageError>;

    /// Who played a game, by the lobby's number and the game's number there; `None` if that is unknown.
    fn players(&mut self, lobby: LobbyId, game: u32) -> Result<Option<BySide<PlayerId>>, StorageError>;

    /// When and how a lobby was opened; `None` if it is unknown or cannot be trusted.
    fn opening(&mut self, lobby: LobbyId) -> Result<Option<(WallTime, Opening)>, StorageError>;

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

/// The numbers of the players that somebody is or was, by lobby.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OwnSeats(BTreeSet<(LobbyId, PlayerId)>);

impl OwnSeats {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Each of them, by lobby and then by player.
    pub fn iter(&self) -> impl Iterator<Item = (LobbyId, PlayerId)> {
        self.0.iter().copied()
    }

    /// Whether a game of these players was played from one of the seats.
    pub fn played(&self, lobby: LobbyId, players: BySide<PlayerId>) -> bool {
        players.iter().any(|(_, player)| self.0.contains(&(lobby, *player)))
    }
}

impl FromIterator<(LobbyId, PlayerId)> for OwnSeats {
    fn from_iter<I: IntoIterator<Item = (LobbyId, PlayerId)>>(seats: I) -> Self {
        Self(seats.into_iter().collect())
    }
}

/// Some of the games, and where to go on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GamePage {
    /// The games, the newest first.
    pub games: Vec<PastGame>,
    /// The `before` of the next page; `None` if this is the last one.
    pub rest: Option<GameCursor>,
}

/// A game that is over or goes on.
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
    /// How it ended; `None` if it goes on.
    pub result: Option<GameResult>,
}

impl PastGame {
    /// The numbers of its players.
    pub fn numbers(&self) -> BySide<PlayerId> {
        BySide { first: self.players.first.id, second: self.players.second.id }
    }
}
