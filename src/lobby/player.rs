//! Players: the people and bots in a lobby's seats.

use serde::{Deserialize, Serialize};

use super::name::Name;

/// A player's number within one lobby: 1 for the first to sit down, and never reused there.
///
/// Players change sides between games; their number stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct PlayerId(pub u32);

impl PlayerId {
    pub(super) fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

/// Whether a player is a person. The rules do not depend on it.
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
}

/// A player of a past game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayedBy {
    /// The player's name.
    pub name: Name,
    /// Person or bot.
    pub kind: Kind,
}

impl From<&Player> for PlayedBy {
    /// In a past game a guest counts as a person.
    fn from(Player { name, kind, .. }: &Player) -> Self {
        let kind = if *kind == Kind::Bot { Kind::Bot } else { Kind::Person };
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
    /// Person or bot.
    pub kind: Kind,
}
