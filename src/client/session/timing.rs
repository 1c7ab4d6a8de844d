//! When a line of a script is carried out: at once, or after the next answer or event.

use super::offline::Reconnecting;
use super::state::Session;
use crate::client::Question;
use crate::client::model::MyLobby;
use crate::game::Side;
use crate::lobby::{Cause, Kind, Lobby, Phase, Player};

/// When a request of a script can be carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Timing {
    /// At any time: it sends nothing and changes nothing.
    Always,
    /// While connected: it reaches others, and does not change the game.
    Reached,
    /// At any point of a game, but after the pending move of a bot.
    AnyTurn,
    /// Like [`Self::AnyTurn`] between two games, else at a prompt.
    Afterwards,
    /// At a prompt, or queued while the connection is lost.
    Move,
    /// Like [`Self::AnyTurn`], or queued while the connection is lost.
    Departure,
    /// At a prompt, which it answers.
    Answer,
    /// The end of input: at a prompt, or while the lobby waits for somebody to sit down.
    End,
}

impl Session {
    /// Whether a line may be read ahead: no answer is pending, and nothing is queued.
    pub fn reads_ahead(&self) -> bool {
        !self.waits() && !self.reconnecting.as_deref().is_some_and(Reconnecting::has_queued)
    }

    /// Whether a line of this kind can be carried out now.
    pub fn is_time_for(&self, timing: Timing) -> bool {
        let question = self.question();
        // An absence needs no answer, and an answer to a prompt is meant for the next turn.
        let is_asked = question.is_some_and(|question| question != Question::Absence);
        if self.waits() || is_asked {
            return is_asked;
        }
        // The server refuses any request now; a line that waited would be carried out later instead.
        if self.is_halted() {
            return timing != Timing::End;
        }
        // A script may send all its lines at once: each applies after all that the server does by itself.
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

    /// Whether an answer is pending. While the server cannot record, it refuses further requests at once.
    fn waits(&self) -> bool {
        self.is_pending() && !self.is_halted()
    }
}

/// Whether another event is sure to follow at once.
fn is_happening(lobby: &Lobby) -> bool {
    let is_full = lobby.seats().iter().all(|(_, seat)| seat.is_some());
    match lobby.phase() {
        Phase::Waiting => is_full || lobby.bot_joins_at().is_some_and(|at| at <= lobby.began()),
        // The last move is followed by the end, and the end by leaving is followed by the departure.
        Phase::Playing => lobby.to_move().is_none(),
        Phase::Over { result, .. } => (result.cause == Cause::Left && is_full) || bot_is_asked(lobby),
        Phase::Closed => false,
    }
}

/// Whether it is the turn of a bot or a stand-in.
fn is_bots_turn(lobby: &Lobby) -> bool {
    let bots = |player: &Player| player.kind == Kind::Bot || lobby.stood_in_for() == Some(player.id);
    lobby.to_move().is_some_and(bots)
}

/// Whether a person has asked a bot for another game, which it never declines.
fn bot_is_asked(lobby: &Lobby) -> bool {
    let Phase::Over { again, .. } = lobby.phase() else { return false };
    Side::BOTH.into_iter().any(|side| again[side] && lobby.is_bot(!side))
}
