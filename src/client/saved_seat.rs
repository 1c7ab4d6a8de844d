//! A saved seat: what a later run of the program needs to return to it.

use std::time::Duration;

use super::Address;
use crate::game::Side;
use crate::lobby::{Code, Kind, Lobby, Name, Phase, PlayerId};
use crate::wire::Ticket;

/// A seat to which a person can return.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedSeat {
    /// The server's address.
    pub server: Address,
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
}

impl SavedSeat {
    /// The seat of this player in this lobby; `None` if it was given up.
    pub fn of(lobby: &Lobby, (player, ticket): (PlayerId, Ticket), server: &Address) -> Option<Self> {
        let side = lobby.side_of(player)?;
        let opponent = lobby.seats()[!side].as_ref().map(|player| match player.kind {
            Kind::Person | Kind::Guest => player.name.to_string(),
            Kind::Bot => format!("{} [bot]", player.name),
        });
        Some(Self {
            server: server.clone(),
            name: lobby.seats()[side].as_ref()?.name.clone(),
            code: lobby.code(),
            player,
            variant: lobby.variant().text(),
            opponent,
            ticket,
            over: is_over(lobby, side),
        })
    }
}

/// Whether the last game is over and nobody waits for another one.
fn is_over(lobby: &Lobby, side: Side) -> bool {
    let Phase::Over { again, .. } = lobby.phase() else { return false };
    let is_last = lobby.conditions().best_of == 0 || lobby.decision().is_some();
    is_last && !again[!side]
}
