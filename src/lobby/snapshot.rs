//! A lobby's present state as a value that can travel, for whoever was not there from the start.

use serde::{Deserialize, Serialize};

use super::history::History;
use super::{Code, Conditions, Lobby, Phase, Player, PlayerId, Text};
use crate::game::BySide;
use crate::game::any::{MAX_VARIANT_TEXT, Variant};

/// The most bytes of a position's text: sixteen piles of 10^18 and whose turn it is.
pub const MAX_POSITION_TEXT: usize = 400;

/// Everything about a lobby at the moment of its event number `events`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The lobby's code.
    pub code: Code,
    /// What is played, as text.
    pub variant: Text<MAX_VARIANT_TEXT>,
    /// What was agreed.
    pub conditions: Conditions,
    /// Who sits where.
    pub seats: BySide<Option<Player>>,
    /// What the lobby is doing.
    pub phase: Phase,
    /// The board of the present or the last game, as text.
    pub position: Text<MAX_POSITION_TEXT>,
    /// Games started so far.
    pub games: u32,
    /// The number of the next move.
    pub turn: u32,
    /// The number that the next player to sit down gets.
    pub next_player: PlayerId,
    /// The number of the last event.
    pub events: u32,
}

/// A snapshot that describes no possible lobby.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the server described a lobby that cannot be")]
pub struct BadSnapshot;

impl Lobby {
    /// The lobby as it is now.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            code: self.code,
            variant: Text::cut(&self.variant.text()),
            conditions: self.conditions,
            seats: self.seats.clone(),
            phase: self.phase,
            position: Text::cut(&self.board.write_position()),
            games: self.games,
            turn: self.turn,
            next_player: self.next_player,
            events: self.events,
        }
    }
}

impl TryFrom<Snapshot> for Lobby {
    type Error = BadSnapshot;

    /// The lobby as it was, but for the history of a game that can repeat: that is known from the snapshot's position
    /// on. A client's copy needs no more, since the server tells it when a game has ended by repetition.
    fn try_from(snapshot: Snapshot) -> Result<Self, BadSnapshot> {
        let variant: Variant = snapshot.variant.as_str().parse().map_err(|_| BadSnapshot)?;
        let board = variant.read_position(snapshot.position.as_str()).map_err(|_| BadSnapshot)?;
        Ok(Self {
            code: snapshot.code,
            variant,
            conditions: snapshot.conditions,
            seats: snapshot.seats,
            phase: snapshot.phase,
            history: History::of(&board),
            board,
            games: snapshot.games,
            turn: snapshot.turn,
            next_player: snapshot.next_player,
            events: snapshot.events,
        })
    }
}
