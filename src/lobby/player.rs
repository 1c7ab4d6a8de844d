//! Who sits in a seat.

use serde::{Deserialize, Serialize};

use super::name::Name;

/// A player's number within one lobby: 1 for the first to sit down, and never given twice there.
///
/// Players change sides between games; their number stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct PlayerId(pub u32);

impl PlayerId {
    pub(super) fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

/// Whether a player is a person. The rules do not care; people do.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, strum::IntoStaticStr, strum::EnumString,
)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Somebody at the other end of a connection.
    Person,
    /// The server's bot.
    Bot,
    /// A second person at the keyboard of the other player, who asks for both of them. A guest comes and goes
    /// with that player.
    Guest,
}

/// Someone who had a seat in a game that is looked back on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayedBy {
    /// What they were called.
    pub name: Name,
    /// Person or bot.
    pub kind: Kind,
}

impl From<&Player> for PlayedBy {
    /// It does not matter any more who sat at whose keyboard.
    fn from(Player { name, kind, .. }: &Player) -> Self {
        let kind = if *kind == Kind::Bot { Kind::Bot } else { Kind::Person };
        Self { name: name.clone(), kind }
    }
}

/// Someone in a seat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Player {
    /// The number by which the lobby knows them.
    pub id: PlayerId,
    /// What they are called.
    pub name: Name,
    /// Person or bot.
    pub kind: Kind,
}
