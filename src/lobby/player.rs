//! Players: the people and bots in a lobby's seats.

use serde::{Deserialize, Serialize};

use super::name::Name;

/// A player's number within one lobby: 1 for the first to sit down, and never reused there.
///
/// Players change sides between games; their number stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct PlayerId(pub u32);

/// The number of the person or program that opened a lobby: nobody sits down earlier, unless it is for two bots.
pub(super) const OPENER: PlayerId = PlayerId(1);

impl PlayerId {
    pub(super) fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

/// Who plays in a seat. The rules do not depend on it. The order is the protocol's and the journal's.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, strum::IntoStaticStr, strum::EnumString,
)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A person at the other end of a connection.
    Person,
    /// The server's bot.
    Bot,
    /// A second person at the keyboard of the other player, whose client sends the requests of both. A guest
    /// comes and goes with that player.
    Guest,
    /// A program at the other end of a connection: somebody's own bot. It says so in its hello.
    Program,
}

impl Kind {
    /// Whether the player is at the other end of a connection: a person or a program. Only they have a ticket,
    /// and can be away.
    pub fn is_client(self) -> bool {
        matches!(self, Self::Person | Self::Program)
    }
}

/// A player of a past game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayedBy {
    /// The player's name.
    pub name: Name,
    /// Person, bot or program.
    pub kind: Kind,
}

impl From<&Player> for PlayedBy {
    /// In a past game a guest counts as a person.
    fn from(Player { name, kind, .. }: &Player) -> Self {
        let kind = if *kind == Kind::Guest { Kind::Person } else { *kind };
        Self { name: name.clone(), kind }
    }
}

/// A player in a seat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Player {
    /// The player's number in the lobby.
    pub id: PlayerId,
    /// The player's name.
    pub name: Name,
    /// Person, bot or program.
    pub kind: Kind,
}
