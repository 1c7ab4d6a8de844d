//! Leaving a lobby. While the host cannot record, a request to leave is refused; the client can quit without
//! having left.

use std::ops::ControlFlow;

use super::event::SendStatus;
use super::state::{Awaited, Flow, Pending, Session};
use crate::client::failure::Resumable;
use crate::client::{Action, Failure};

impl Session {
    /// Leaves on purpose, so that the other one knows it at once, and for good; without a connection as soon
    /// as it is back. A second time while nothing can be recorded, or while the connection is lost, there is
    /// nothing more to wait for, and the client [goes without having left](Self::go).
    pub(super) async fn quit(&mut self) -> Result<SendStatus, Failure> {
        if self.model.lobby().is_none() || self.goes_as_it_is() {
            return Ok(SendStatus::Done);
        }
        self.quitting = true;
        self.ask_lobby(Action::Quit).await
    }

    /// Whether the client knows that it cannot leave now, so that quitting gives nothing up.
    pub fn goes_as_it_is(&self) -> bool {
        self.leaves_later() || (self.is_halted() && (self.is_kept_in || self.is_leaving()))
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

    /// What was asked is refused, since nothing can be recorded. A move that was made before is not answered
    /// yet all the same.
    pub(super) fn note_unrecorded(&mut self, refused: Option<Pending>) {
        let Some(refused) = refused else { return };
        if matches!(&refused.awaited, Awaited::Action(action) if action.is_leave()) {
            (self.quitting, self.is_kept_in) = (false, true);
        }
        self.pending = refused.before.map(|before| *before);
    }

    /// Whether the client has asked to leave a game at this keyboard, and gets no answer, since nothing can
    /// be recorded.
    pub fn leaves_unrecorded(&self) -> bool {
        self.is_halted() && self.is_leaving() && self.is_kept_here()
    }

    /// Whether nothing can be recorded of what happens in the client's lobby, or that it is let in.
    pub fn is_halted(&self) -> bool {
        self.model.halted().is_some()
    }

    pub(super) fn is_leaving(&self) -> bool {
        self.asked().is_some_and(Action::is_leave)
    }

    /// Whether the client leaves as soon as the connection is back.
    pub fn leaves_later(&self) -> bool {
        self.reconnecting.as_ref().is_some_and(|reconnecting| reconnecting.leaves.is_some())
    }
}
