//! How somebody leaves, and what becomes of that while nothing can be recorded: then nobody leaves later by what they asked
//! now, and whoever will not wait goes without having left. It knows no words.

use std::ops::ControlFlow;

use super::event::SendStatus;
use super::state::{Awaited, Flow, Pending, Session};
use crate::client::failure::Resumable;
use crate::client::{Action, Failure};

impl Session {
    /// Leaves on purpose, so that the other one knows it at once, and for good; without a connection as soon as it is back.
    /// A second time while nothing can be recorded, or while the connection is lost, there is nothing more to wait for, and the
    /// client [goes without having left](Self::go).
    pub(super) async fn quit(&mut self) -> Result<SendStatus, Failure> {
        if self.model.lobby().is_none() || self.goes_as_it_is() {
            return Ok(SendStatus::Done);
        }
        self.quitting = true;
        self.ask_lobby(Action::Quit).await
    }

    /// Whether the client has heard that it does not leave now, since nothing can be recorded or the server is lost: quitting
    /// gives nothing up then.
    pub fn goes_as_it_is(&self) -> bool {
        self.leaves_later() || (self.is_halted() && (self.is_kept_in || self.is_leaving()))
    }

    /// Goes without having left. Whoever does so while the connection is lost is told what is kept for another run.
    pub fn go(&self) -> Result<Flow, Failure> {
        let has_seat = self.model.lobby().is_some_and(|mine| mine.side().is_some());
        match self.keeping_on() {
            kept @ Resumable::Seat if has_seat && self.is_lost() => Err(Failure::Departed { kept }),
            _ => Ok(ControlFlow::Break(())),
        }
    }

    /// What was asked is refused, since nothing can be recorded. A move that was made before is not answered yet all the
    /// same.
    pub(super) fn note_unrecorded(&mut self, refused: Option<Pending>) {
        let Some(refused) = refused else { return };
        if matches!(&refused.awaited, Awaited::Action(action) if action.is_leave()) {
            (self.quitting, self.is_kept_in) = (false, true);
        }
        self.pending = refused.before.map(|before| *before);
    }

    /// Whether the client has asked to leave a game on this machine, and nothing can be recorded, so that it is not answered.
    pub fn leaves_unrecorded(&self) -> bool {
        self.leaves_once_recorded() && self.is_kept_here()
    }

    /// Whether the client has asked to leave, and was not refused, though that cannot be recorded yet.
    pub fn leaves_once_recorded(&self) -> bool {
        self.is_halted() && self.is_leaving()
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
