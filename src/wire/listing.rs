//! The list of lobbies.

use serde::{Deserialize, Serialize};

use super::limits::MAX_LISTED;
use crate::game::any::MAX_VARIANT_TEXT;
use crate::game::{BySide, Side};
use crate::lobby::{ClockRule, Code, Hand, Kind, Level, List, Lobby, MAX_POSITION_TEXT, Name, Text};

/// What happens in the hall.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum HallEvent {
    /// These lobbies are new or have changed, and those are gone.
    Lobbies {
        /// New or changed.
        listed: List<Listing, MAX_LISTED>,
        /// Gone.
        gone: List<Code, MAX_LISTED>,
        /// Whether this completes the picture: `false` while more messages of the same moment follow.
        complete: bool,
    },
}

/// One lobby as it is shown in the hall.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listing {
    /// Its code.
    pub code: Code,
    /// What is played, as text.
    pub variant: Text<MAX_VARIANT_TEXT>,
    /// In which position games begin, as text, if not in the variant's first one.
    pub position: Option<Text<MAX_POSITION_TEXT>>,
    /// Who sits where.
    pub seats: BySide<Option<Sitter>>,
    /// What it is doing.
    pub state: LobbyState,
    /// How strong a bot plays there, if one comes.
    pub level: Level,
    /// How much time players have.
    pub clock: ClockRule,
    /// The number of games of a match; 0 for no match.
    pub best_of: u8,
    /// How many watch.
    pub watchers: u32,
    /// Whether others may watch.
    pub watched: bool,
    /// Whether a password is needed to join or watch.
    pub locked: bool,
}

/// Who sits in a listed lobby.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sitter {
    /// What they are called.
    pub name: Name,
    /// Person or bot.
    pub kind: Kind,
    /// Whether they are there.
    pub presence: Presence,
}

impl Sitter {
    /// Who sits on this side.
    pub fn of(lobby: &Lobby, side: Side) -> Option<Self> {
        let player = lobby.seats()[side].as_ref()?;
        Some(Self { name: player.name.clone(), kind: player.kind, presence: Presence::of(lobby, side) })
    }
}

/// Whether somebody is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Presence {
    /// They are.
    Here,
    /// They are away, and the seat is theirs.
    Away,
    /// They are away, and the server's bot plays for them.
    StandIn,
}

impl Presence {
    /// That of the player on this side, who has a seat there.
    pub fn of(lobby: &Lobby, side: Side) -> Self {
        match (lobby.absence(side), lobby.hand(side)) {
            (None, _) => Self::Here,
            (Some(_), Hand::Own) => Self::Away,
            (Some(_), Hand::StandIn) => Self::StandIn,
        }
    }
}

/// What a listed lobby is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LobbyState {
    /// A seat is open, and somebody is there who waits.
    Open,
    /// A game is going on.
    Playing,
    /// The game is over.
    Over,
    /// A seat is free, and nobody can sit down: the owner of the other one is away.
    Away,
}
