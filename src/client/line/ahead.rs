//! The line that is read ahead from a pipe, and when it is obeyed; and what becomes of whoever has no more to say.

use super::command::{GameCommand, HallCommand};
use super::{Line, Typing};
use crate::client::Failure;
use crate::client::session::{Flow, Timing};
use crate::lobby::{Lobby, Phase};

/// What was read from a pipe.
#[derive(Debug)]
pub(super) enum Ahead {
    /// A line.
    Line(String),
    /// There are no more.
    End,
}

impl Ahead {
    /// What was read, `None` for the end.
    pub(super) fn of(line: Option<String>) -> Self {
        line.map_or(Self::End, Self::Line)
    }

    /// The line, `None` for the end.
    pub(super) fn into_line(self) -> Option<String> {
        match self {
            Self::Line(line) => Some(line),
            Self::End => None,
        }
    }
}

impl<W> Line<W> {
    /// Whether a line is read now: a person's at any time, and one from a pipe if the one before it is done.
    pub(super) fn reads(&self) -> bool {
        let is_free = self.typing == Typing::AtTerminal
            || (self.ahead.is_none() && (self.session.reads_ahead() || self.session.may_think_again()));
        is_free && (self.asking || !self.deaf)
    }

    /// Whether the time has come for what was read ahead.
    pub(super) fn obeys(&self) -> bool {
        self.ahead.as_ref().is_some_and(|ahead| self.session.is_time_for(self.timing(ahead)))
    }

    /// There is no more input. Whoever watches without a keyboard does so to the end.
    pub(super) fn hear_no_more(&mut self) -> Result<Flow, Failure> {
        self.deaf = self.typing == Typing::FromPipe && self.session.is_watching() && !self.asking;
        if self.deaf { Ok(Flow::Continue(())) } else { self.session.end_of_input() }
    }

    /// Whether the game of two bots is over that is watched without a keyboard, and nobody else is there who could have them play
    /// again.
    pub(super) fn has_seen_all(&self) -> bool {
        let is_over = |lobby: &Lobby| matches!(lobby.phase(), Phase::Over { .. });
        let is_alone = |lobby: &&Lobby| lobby.is_exhibition() && lobby.watchers() <= 1;
        let is_bound = self.session.is_lost() || self.session.is_quitting();
        self.deaf && !is_bound && self.session.lobby().filter(is_alone).is_some_and(is_over)
    }

    fn timing(&self, ahead: &Ahead) -> Timing {
        match (ahead, self.session.lobby()) {
            (Ahead::End, _) => Timing::End,
            (Ahead::Line(line), Some(_)) => GameCommand::from(line.as_str()).timing(),
            // Whatever is said at a door is a password.
            (Ahead::Line(_), None) if self.door.is_some() => Timing::Answer,
            // It is for when the seat is taken up again.
            (Ahead::Line(line), None) if self.session.is_lost() => GameCommand::from(line.as_str()).timing(),
            (Ahead::Line(line), None) => HallCommand::timing(line),
        }
    }
}
