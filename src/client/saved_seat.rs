//! A saved seat: what a later run of the program needs to return to it.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::Address;
use crate::game::Side;
use crate::lobby::{Code, Kind, Lobby, Name, Phase, PlayerId};
use crate::wire::Ticket;

/// A seat to which a person can return.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedSeat {
    /// The server's address.
    pub server: Address,
    /// The addresses of the other servers of its cluster.
    pub others: Vec<Address>,
    /// The person's name there.
    pub name: Name,
    /// The lobby's code.
    pub code: Code,
    /// The person's number there.
    pub player: PlayerId,
    /// The variant, as text.
    pub variant: String,
    /// The opponent, if there is one.
    pub opponent: Option<String>,
    /// The secret that proves the seat.
    pub ticket: Ticket,
    /// Whether the last game was over when the seat was saved, and no other is expected.
    pub over: bool,
    /// The turn of the game when the seat was saved.
    pub turn: u32,
    /// When the client saw that something had happened in the game; `None` if it is not known.
    pub happened: Option<SystemTime>,
}

/// A saved seat and its current state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeatStatus {
    /// The seat.
    pub seat: SavedSeat,
    /// Whether it is at this keyboard, on no other server.
    pub is_here: bool,
    /// Whether a running window of this machine holds it.
    pub is_held: bool,
    /// The time since it was last used.
    pub unheard: Duration,
    /// The time since something last happened in its game.
    pub quiet: Duration,
}

impl SavedSeat {
    /// The seat of this player in this lobby; `None` if it was given up.
    pub fn of(lobby: &Lobby, (player, ticket): (PlayerId, Ticket), server: &Address) -> Option<Self> {
        let side = lobby.side_of(player)?;
        let opponent = lobby.seats()[!side].as_ref().map(|player| match player.kind {
            Kind::Person | Kind::Guest => player.name.to_string(),
            Kind::Bot => format!("{} [bot]", player.name),
            Kind::Program => format!("{} [program]", player.name),
        });
        Some(Self {
            server: server.clone(),
            others: Vec::new(),
            name: lobby.seats()[side].as_ref()?.name.clone(),
            code: lobby.code(),
            player,
            variant: lobby.variant().text(),
            opponent,
            ticket,
            over: is_over(lobby, side),
            turn: lobby.turn(),
            happened: None,
        })
    }

    /// The same seat with the time of what last happened: that of this earlier state if the turn is the same
    /// as then, and else now.
    #[must_use]
    pub fn since(self, earlier: Option<&Self>) -> Self {
        let known = earlier.filter(|known| known.turn == self.turn).and_then(|known| known.happened);
        let now = || UNIX_EPOCH + Duration::from_secs(seconds(SystemTime::now()));
        Self { happened: Some(known.unwrap_or_else(now)), ..self }
    }

    /// Whether this differs in no more than the turn and its time, which are not saved with every move.
    pub fn is_like(&self, other: &Self) -> bool {
        *self == Self { turn: self.turn, happened: self.happened, ..other.clone() }
    }
}

/// The whole seconds of this time since 1970; 0 before.
pub(super) fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// Whether the last game is over and nobody waits for another one.
fn is_over(lobby: &Lobby, side: Side) -> bool {
    let Phase::Over { again, .. } = lobby.phase() else { return false };
    let is_last = lobby.conditions().best_of == 0 || lobby.decision().is_some();
    is_last && !again[!side]
}
