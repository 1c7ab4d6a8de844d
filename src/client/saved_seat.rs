//! A seat in a lobby to which a person can return, also with another run of the program.

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
    /// The last game was over when the seat was saved, and no other one is to come.
    pub over: bool,
}

/// A saved seat, and how it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeatStatus {
    /// Which.
    pub seat: SavedSeat,
    /// Whether it is one at this keyboard, and on no server.
    pub is_here: bool,
    /// Whether a living window of this machine has it.
    pub is_held: bool,
    /// For how long nothing has been heard of it.
    pub unheard: Duration,
}

impl SavedSeat {
    /// The seat of this player in a lobby of that server; `None` if it was given up.
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

/// Whether nothing waits in a lobby for the player of this side.
fn is_over(lobby: &Lobby, side: Side) -> bool {
    let Phase::Over { again, .. } = lobby.phase() else { return false };
    let is_last = lobby.conditions().best_of == 0 || lobby.decision().is_some();
    is_last && !again[!side]
}
