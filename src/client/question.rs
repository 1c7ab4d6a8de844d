//! The open question to a player or script: what the client can answer or decide now. It has no text.

use super::Model;
use super::model::MyLobby;
use crate::lobby::{Cause, Lobby, Offer, Phase};

/// A question to this client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Question {
    /// In the hall: where to go.
    Hall,
    /// A move.
    Move,
    /// The game is over: whether to play another one.
    Again,
    /// The other player is away on their turn: whether to wait, or to apply the agreed rule.
    Absence,
    /// The other player offers something: whether to accept it.
    Offer(Offer),
    /// The game is paused: whether to resume it.
    Rest,
    /// The client watches: nothing needs an answer.
    Watch,
}

impl Question {
    /// The open question; `None` while others have to act.
    pub fn of(model: &Model) -> Option<Self> {
        let Some(mine) = model.lobby() else { return Some(Self::Hall) };
        if mine.you().is_none() {
            return Some(Self::Watch).filter(|_| mine.lobby.phase() != Phase::Closed);
        }
        match mine.lobby.phase() {
            Phase::Playing if mine.lobby.is_paused() => Some(Self::Rest),
            Phase::Playing if mine.offer().is_some() => mine.offer().map(Self::Offer),
            // After the last move nobody is to move, even before the end of the game arrives.
            Phase::Playing if mine.is_to_move() => Some(Self::Move),
            Phase::Playing => Self::absence(&mine.lobby),
            // A player who ended the game by leaving still has the seat: their departure is the next event.
            Phase::Over { result, .. } if result.cause == Cause::Left && is_full(&mine.lobby) => None,
            Phase::Over { again, .. } => {
                let asked = mine.side().is_some_and(|side| again[side]);
                (!asked).then_some(Self::Again)
            }
            Phase::Waiting | Phase::Closed => None,
        }
    }

    /// A second open question in the same lobby: the player who offered something may be away on their turn.
    pub fn beside(self, mine: &MyLobby) -> Option<Self> {
        let others_turn = matches!(self, Self::Offer(_)) && !mine.is_to_move();
        if others_turn { Self::absence(&mine.lobby) } else { None }
    }

    fn absence(lobby: &Lobby) -> Option<Self> {
        lobby.absence_deadline().map(|_| Self::Absence)
    }
}

fn is_full(lobby: &Lobby) -> bool {
    lobby.seats().iter().all(|(_, seat)| seat.is_some())
}
