//! The list of lobbies, as the hall shows it.

use serde::{Deserialize, Serialize};

use super::limits::MAX_LISTED;
use crate::game::any::MAX_VARIANT_TEXT;
use crate::game::{BySide, Side};
use crate::lobby::{ClockRule, Code, Hand, Kind, Level, List, Lobby, MAX_POSITION_TEXT, Name, Text};

/// An event in the hall.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum HallEvent {
    /// These lobbies are new or have changed, and those are gone.
    Lobbies {
        /// New or changed.
        listed: List<Listing, MAX_LISTED>,
        /// Gone.
        gone: List<Code, MAX_LISTED>,
        /// Whether the list is complete now: `false` while more messages of the same moment follow.
        complete: bool,
    },
}

/// One lobby as it is shown in the hall.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Listing {
    /// Its code.
    pub code: Code,
    /// The variant, as text.
    pub variant: Text<MAX_VARIANT_TEXT>,
    /// The position in which games begin, as text, if it is not the variant's start.
    pub position: Option<Text<MAX_POSITION_TEXT>>,
    /// The player on each side.
    pub seats: BySide<Option<Sitter>>,
    /// The state of the lobby.
    pub state: LobbyState,
    /// The level of its bot, if one joins.
    pub level: Level,
    /// How much time players have.
    pub clock: ClockRule,
    /// The number of games of a match; 0 for no match.
    pub best_of: u8,
    /// The number of watchers.
    pub watchers: u32,
    /// Whether others may watch.
    pub watched: bool,
    /// Whether a password is needed to join or watch.
    pub locked: bool,
}

/// Whether one can sit down or watch in a lobby.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    /// The state of the lobby; `None` if nothing is said of it.
    pub state: Option<LobbyState>,
    /// Whether others may watch.
    pub watched: bool,
    /// Whether a password is needed to join or watch.
    pub locked: bool,
}

impl Access {
    /// Nothing is known: a person who tries it is told.
    pub const UNKNOWN: Self = Self { state: None, watched: true, locked: false };

    /// Whether somebody may be able to sit down.
    pub fn has_seat(&self) -> bool {
        matches!(self.state, None | Some(LobbyState::Open))
    }
}

impl Listing {
    /// Whether one can sit down or watch.
    pub fn access(&self) -> Access {
        Access { state: Some(self.state), watched: self.watched, locked: self.locked }
    }
}

/// A player of a listed lobby.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sitter {
    /// The player's name.
    pub name: Name,
    /// Person or bot.
    pub kind: Kind,
    /// Whether the player is present.
    pub presence: Presence,
}

impl Sitter {
    /// The player on this side, if there is one.
    pub fn of(lobby: &Lobby, side: Side) -> Option<Self> {
        let player = lobby.seats()[side].as_ref()?;
        Some(Self { name: player.name.clone(), kind: player.kind, presence: Presence::of(lobby, side) })
    }
}

/// Whether a player is present.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Presence {
    /// The player is present.
    Here,
    /// The player is away and keeps the seat.
    Away,
    /// The player is away, and the server's bot plays instead.
    StandIn,
}

impl Presence {
    /// Presence of the player on this side.
    pub fn of(lobby: &Lobby, side: Side) -> Self {
        match (lobby.absence(side), lobby.hand(side)) {
            (None, _) => Self::Here,
            (Some(_), Hand::Own) => Self::Away,
            (Some(_), Hand::StandIn) => Self::StandIn,
        }
    }
}

/// The state of a listed lobby.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LobbyState {
    /// A seat is open, and somebody present waits for a player.
    Open,
    /// A game is going on.
    Playing,
    /// The game is over.
    Over,
    /// A seat is free, and nobody can sit down: the owner of the other one is away.
    Away,
}
