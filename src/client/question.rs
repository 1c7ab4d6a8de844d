//! What the player at a keyboard, or the script in their place, is asked for now. It knows no words and no
//! screen.

use super::Model;
use super::model::MyLobby;
use crate::lobby::{Cause, Lobby, Offer, Phase};

/// Something that is for this client to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Question {
    /// In the hall: where to go.
    Hall,
    /// A move.
    Move,
    /// The game is over: whether to play another one.
    Again,
    /// The other player is away on their turn: whether to have what was agreed, or to wait.
    Absence,
    /// The other player offers something: whether to accept it.
    Offer(Offer),
    /// The game rests: whether to go on.
    Rest,
    /// Others play: there is nothing to say, but something may be said.
    Watch,
}

impl Question {
    /// The question that is open now; `None` while it is for others to act.
    pub fn of(model: &Model) -> Option<Self> {
        let Some(mine) = model.lobby() else { return Some(Self::Hall) };
        if mine.you().is_none() {
            return Some(Self::Watch).filter(|_| mine.lobby.phase() != Phase::Closed);
        }
        match mine.lobby.phase() {
            Phase::Playing if mine.lobby.is_paused() => Some(Self::Rest),
            Phase::Playing if mine.offer().is_some() => mine.offer().map(Self::Offer),
            // Once the last move has been told, nobody is to move, even if the end has not been told yet.
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

    /// What is open besides this one in the same lobby: somebody may be away on their turn who has offered
    /// something.
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
