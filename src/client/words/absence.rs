//! What is said of players who are away.

use super::names::{called, says};
use crate::client::model::Viewpoint;
use crate::game::Side;
use crate::lobby::{Lobby, Loss};
use crate::wire::Presence;

/// The host's program was restarted.
pub const RESTARTED: &str = "The host was away, and is back; no time has passed for the game meanwhile.";

/// Your seat was given up although your connection is open.
pub(super) const GIVEN_UP: &str = "Your seat is given up: nothing was heard from you for too long.";

/// The mark after the name of a player who is away.
pub(super) fn mark(presence: Presence) -> &'static str {
    match presence {
        Presence::Here => "",
        Presence::Away => " [away]",
        Presence::StandIn => " [away, a bot stands in]",
    }
}

/// A player's connection is lost.
pub(super) fn away(lobby: &Lobby, side: Side, loss: Loss, eyes: Viewpoint) -> String {
    let (are, name) = (says(lobby, side, eyes, "are", "is"), called(lobby, side, eyes));
    match loss {
        Loss::Closed => format!("{are} away: the connection has closed."),
        Loss::Silent => format!("{are} away, it seems: nothing is heard from {name}."),
    }
}

/// A stand-in plays for a player.
pub(super) fn stood_in(lobby: &Lobby, side: Side, eyes: Viewpoint) -> String {
    let (level, name) = (lobby.conditions().level, called(lobby, side, eyes));
    format!("A stand-in [bot, {level}] plays for {name} from now on.")
}

/// A player waits for the other one, or with ` no more` lets the agreed rule apply again.
pub(super) fn waits(lobby: &Lobby, side: Side, more: &str, eyes: Viewpoint) -> String {
    format!("{}{more} for {}.", says(lobby, !side, eyes, "wait", "waits"), called(lobby, side, eyes))
}
