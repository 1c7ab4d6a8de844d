//! What can be read of the past while somebody else writes: the games that were played, and all that happened in one lobby.
//!
//! It says nothing of who may see what, and makes no record of what it finds: that is for the record service. Whatever is
//! asked, the work is bounded.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use bytes::Bytes;

use super::{LobbyId, Opening, Seal, StorageError, WallTime};
use crate::game::BySide;
use crate::lobby::{Code, Conditions, GameResult, Player, PlayerId};

/// The most events of a lobby that are read: some 20 MB of them, and many times those of a long evening.
pub const MAX_READ: usize = 200_000;

/// Reads what was recorded. One thread has it at a time, and whoever records never waits for it.
///
/// Lobbies that are set aside are not there.
pub trait Archive: fmt::Debug + Send {
    /// The seats that are or were somebody's by a ticket with one of these seals: by the newest one that they had, or by the
    /// one for which that was given, as long as it is not known to have arrived.
    fn seats_of(&mut self, seals: &[Seal]) -> Result<OwnSeats, StorageError>;

    /// The games that began before `before`, the newest first; only those that were played from one of these seats if there are
    /// any named. So many are looked at, one at least.
    fn games(
        &mut self,
        before: GameCursor,
        own: Option<&OwnSeats>,
        most: usize,
    ) -> Result<GamePage, StorageError>;

    /// Who played a game, by the lobby's number and the game's there; `None` if that is not known.
    fn players(&mut self, lobby: LobbyId, game: u32) -> Result<Option<BySide<PlayerId>>, StorageError>;

    /// When and how a lobby was opened; `None` if there is none of this number, or none that can be trusted.
    fn opening(&mut self, lobby: LobbyId) -> Result<Option<(WallTime, Opening)>, StorageError>;

    /// All that happened in a lobby, the first event first: whole frames, as they were told. `None` if it is more than is
    /// looked through at once.
    fn events(&mut self, lobby: LobbyId) -> Result<Option<Vec<Bytes>>, StorageError>;
}

/// Where the beginning of a game stands among all that ever happened: what was later stands higher.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GameCursor(pub u64);

impl GameCursor {
    /// Behind everything.
    pub const END: Self = Self(u64::MAX);
}

/// Seats that are or were somebody's: the numbers of the players that they were, by lobby.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OwnSeats(BTreeMap<LobbyId, BTreeSet<PlayerId>>);

impl OwnSeats {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Each of them, by lobby and then by player.
    pub fn iter(&self) -> impl Iterator<Item = (LobbyId, PlayerId)> {
        self.0.iter().flat_map(|(lobby, players)| players.iter().map(|player| (*lobby, *player)))
    }

    /// Whether a game of these players was played from one of the seats.
    pub fn played(&self, lobby: LobbyId, players: BySide<PlayerId>) -> bool {
        let own = self.0.get(&lobby);
        own.is_some_and(|own| players.iter().any(|(_, player)| own.contains(player)))
    }
}

impl FromIterator<(LobbyId, PlayerId)> for OwnSeats {
    fn from_iter<I: IntoIterator<Item = (LobbyId, PlayerId)>>(seats: I) -> Self {
        let mut own = Self::default();
        own.extend(seats);
        own
    }
}

impl Extend<(LobbyId, PlayerId)> for OwnSeats {
    fn extend<I: IntoIterator<Item = (LobbyId, PlayerId)>>(&mut self, seats: I) {
        for (lobby, player) in seats {
            self.0.entry(lobby).or_default().insert(player);
        }
    }
}

/// Some games in a row.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GamePage {
    /// The games, the newest first.
    pub games: Vec<PastGame>,
    /// Before which one to go on; `None` if there are no others.
    pub rest: Option<GameCursor>,
}

/// A game that was played, or goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastGame {
    /// The lobby in which it was played.
    pub lobby: LobbyId,
    /// Its number there, from 1.
    pub game: u32,
    /// Where it stands among all games.
    pub place: GameCursor,
    /// The lobby's code, which another one may have by now.
    pub code: Code,
    /// What was played, as text.
    pub variant: String,
    /// What was agreed.
    pub conditions: Conditions,
    /// Who sat where.
    pub players: BySide<Player>,
    /// When it began.
    pub started: WallTime,
    /// How it ended; `None` if it goes on.
    pub result: Option<GameResult>,
}

impl PastGame {
    /// The numbers of those who played it.
    pub fn numbers(&self) -> BySide<PlayerId> {
        BySide { first: self.players.first.id, second: self.players.second.id }
    }
}
