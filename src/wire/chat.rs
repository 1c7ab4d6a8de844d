//! What people say to each other.

use serde::{Deserialize, Serialize};

use super::limits::MAX_CHAT;
use crate::lobby::{Moment, Name, Text};

/// Who hears a line of chat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Room {
    /// The players.
    Players,
    /// Those who watch.
    Watchers,
}

/// A line of chat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChatLine {
    /// Its number in this lobby and room, from 1: one more than the last.
    pub number: u32,
    /// Who hears it.
    pub room: Room,
    /// Who said it.
    pub name: Name,
    /// When.
    pub at: Moment,
    /// The line.
    pub words: Text<MAX_CHAT>,
}
