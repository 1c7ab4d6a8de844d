//! The line that is read ahead from a pipe, and when it is obeyed.

use super::command::{GameCommand, HallCommand};
use super::{Line, Typing};
use crate::client::visit::Timing;

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
            || (self.ahead.is_none() && (self.visit.reads_ahead() || self.visit.may_think_again()));
        is_free && (self.asking || !self.deaf)
    }

    /// Whether the time has come for what was read ahead.
    pub(super) fn obeys(&self) -> bool {
        self.ahead.as_ref().is_some_and(|ahead| self.visit.is_time_for(self.timing(ahead)))
    }

    fn timing(&self, ahead: &Ahead) -> Timing {
        match (ahead, self.visit.lobby()) {
            (Ahead::End, _) => Timing::End,
            (Ahead::Line(line), Some(_)) => GameCommand::from(line.as_str()).timing(),
            // Whatever is said at a door is a password.
            (Ahead::Line(_), None) if self.door.is_some() => Timing::Answer,
            // It is for when the seat is taken up again.
            (Ahead::Line(line), None) if self.visit.is_lost() => GameCommand::from(line.as_str()).timing(),
            (Ahead::Line(line), None) => HallCommand::timing(line),
        }
    }
}
