//! When a script's line is carried out that was read before the session needed it.

use super::offline::Reconnecting;
use super::state::Session;
use crate::client::Question;
use crate::client::model::MyLobby;
use crate::game::Side;
use crate::lobby::{Cause, Kind, Lobby, Phase, Player};

/// When something can be done that a script asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Timing {
    /// At any time: it asks nobody and changes nothing.
    Always,
    /// Whenever others can be reached: they are to hear it, and the game goes on as it did.
    Reached,
    /// At any point of the game, but after the move that the server's bot thinks about.
    AnyTurn,
    /// The same once a game is over and before the next one, else at a prompt.
    Afterwards,
    /// At a prompt; or while the connection is lost, to be made after the return.
    Move,
    /// Like [`Self::AnyTurn`]; or while the connection is lost, to be done after the return.
    Departure,
    /// At a prompt, which it answers.
    Answer,
    /// The end of the input: at a prompt, or while the lobby waits for somebody to sit down.
    End,
}

impl Session {
    /// Whether one more line may be read ahead: there is no answer to wait for.
    pub fn reads_ahead(&self) -> bool {
        !self.waits() && !self.reconnecting.as_ref().is_some_and(Reconnecting::owes)
    }

    /// Whether now is the time for a line of this kind.
    pub fn is_time_for(&self, timing: Timing) -> bool {
        let question = self.question();
        // An absent player may be waited for, and an answer to a prompt is meant for the next turn.
        let is_asked = question.is_some_and(|question| question != Question::Absence);
        if self.waits() || is_asked {
            return is_asked;
        }
        // Any request is refused at once now and not done later: a line that waited would be done later.
        if self.is_halted() {
            return timing != Timing::End;
        }
        // A script may send all its lines at once: each is meant for the time after all that the server does by
        // itself.
        let told = !self.lobby().is_some_and(is_happening);
        let (lost, calm) = (self.is_lost(), told && !self.lobby().is_some_and(is_bots_turn));
        let phase = self.lobby().map(Lobby::phase);
        match timing {
            Timing::Always => lost || told,
            Timing::Reached => !lost && told,
            Timing::AnyTurn => !lost && calm,
            Timing::Afterwards => !lost && calm && self.lobby().is_some_and(Lobby::has_last_game),
            Timing::Move => lost && self.model.lobby().is_some_and(MyLobby::is_to_move),
            Timing::Departure => calm,
            Timing::Answer => false,
            Timing::End => question.is_some() || (calm && phase == Some(Phase::Waiting)),
        }
    }

    /// Whether an answer is on its way. While nothing can be recorded it is long in coming, and what else is
    /// asked is refused at once.
    fn waits(&self) -> bool {
        self.is_pending() && !self.is_halted()
    }
}

/// Whether more of what has just happened is about to be told.
fn is_happening(lobby: &Lobby) -> bool {
    let is_full = lobby.seats().iter().all(|(_, seat)| seat.is_some());
    match lobby.phase() {
        Phase::Waiting => is_full || lobby.bot_comes().is_some_and(|at| at <= lobby.began()),
        // The last move is followed by the end, and the end by leaving is followed by the departure.
        Phase::Playing => lobby.to_move().is_none(),
        Phase::Over { result, .. } => (result.cause == Cause::Left && is_full) || bot_is_asked(lobby),
        Phase::Closed => false,
    }
}

/// Whether the server's bot thinks about its move.
fn is_bots_turn(lobby: &Lobby) -> bool {
    let bots = |player: &Player| player.kind == Kind::Bot || lobby.stood_in_for() == Some(player.id);
    lobby.to_move().is_some_and(bots)
}

/// Whether a bot is asked for another game, which it never declines.
fn bot_is_asked(lobby: &Lobby) -> bool {
    let Phase::Over { again, .. } = lobby.phase() else { return false };
    Side::BOTH.into_iter().any(|side| again[side] && lobby.is_bot(!side))
}
