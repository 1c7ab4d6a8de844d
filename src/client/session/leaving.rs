//! Leaving a lobby. While the host cannot record, a request to leave is refused; quitting then keeps the
//! seat.

use std::ops::ControlFlow;

use super::event::SendStatus;
use super::state::{Flow, Session};
use crate::client::failure::Resumable;
use crate::client::{Action, Failure};

impl Session {
    /// Leaves on purpose, so that the other one knows it at once, and for good; without a connection as soon
    /// as it is back. While nothing can be recorded, and a second time while the connection is lost, there is
    /// nothing to wait for, and the client [goes without having left](Self::go).
    pub(super) async fn quit(&mut self) -> Result<SendStatus, Failure> {
        if self.model.lobby().is_none() {
            return Ok(SendStatus::Done);
        }
        self.quitting = true;
        if self.goes_as_it_is() {
            return Ok(SendStatus::Done);
        }
        self.ask_lobby(Action::Quit).await
    }

    /// Whether the client knows that it cannot leave now, so that quitting gives nothing up.
    pub fn goes_as_it_is(&self) -> bool {
        self.leaves_later() || self.is_halted()
    }

    /// Ends the session without leaving. While the connection is lost, the failure says what another run can
    /// resume.
    pub fn go(&self) -> Result<Flow, Failure> {
        let has_seat = self.model.lobby().is_some_and(|mine| mine.side().is_some());
        match self.keeping_on() {
            kept @ Resumable::Seat if has_seat && self.is_lost() => Err(Failure::Departed { kept }),
            _ => Ok(ControlFlow::Break(())),
        }
    }

    /// Whether a request to leave ends the session where it cannot be recorded: it was to quit, or the game is
    /// on this machine.
    pub(super) fn leaves_unrecorded(&self, asked: Option<&Action>) -> bool {
        asked.is_some_and(|action| *action == Action::Quit || (action.is_leave() && self.is_kept_here()))
    }

    /// Whether nothing can be recorded of what happens in the client's lobby, or that it is let in.
    pub fn is_halted(&self) -> bool {
        self.model.halted().is_some() && !self.is_lost()
    }

    pub(super) fn is_leaving(&self) -> bool {
        self.asked().is_some_and(Action::is_leave)
    }

    /// Whether the client leaves as soon as the connection is back.
    pub fn leaves_later(&self) -> bool {
        self.reconnecting.as_ref().is_some_and(|reconnecting| reconnecting.leaves.is_some())
    }
}
