//! What the player at a keyboard, or the script in their place, is asked for now. It knows no words and no screen.

use super::Model;
use crate::lobby::Phase;

/// Something that is for this client to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Question {
    /// In the hall: where to go.
    Hall,
    /// A move.
    Move,
    /// The game is over: whether to play another one.
    Again,
}

impl Question {
    /// The question that is open now; `None` while it is for others to act.
    ///
    /// `two` says that both players sit at this keyboard, so that every move is asked for here.
    pub fn of(model: &Model, two: bool) -> Option<Self> {
        let Some(mine) = model.lobby() else { return Some(Self::Hall) };
        match mine.lobby.phase() {
            // The last move has been told and the end not yet: nobody is to move any more.
            Phase::Playing if mine.lobby.board().finish().is_some() => None,
            Phase::Playing => (two || mine.is_to_move()).then_some(Self::Move),
            Phase::Over { again, .. } => {
                let asked = mine.lobby.side_of(mine.you).is_some_and(|side| again[side]);
                (!asked).then_some(Self::Again)
            }
            Phase::Waiting | Phase::Closed => None,
        }
    }
}
