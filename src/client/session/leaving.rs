//! Leaving a lobby, and what another run of the program can go on with. While the host cannot record, a
//! request to leave is refused; quitting then keeps the seat.

use super::event::SendStatus;
use super::seat_keeper::SeatWarning;
use super::state::{Flow, Session};
use crate::client::failure::Resumable;
use crate::client::record_source::RemoteRecords;
use crate::client::{Action, Endpoint, Failure, SavedSeat};
use crate::lobby::{Lobby, Phase};

impl Session {
    /// Leaves on purpose, so that the other one knows it at once, and for good; without a connection as soon
    /// as it is back. While nothing can be recorded, and a second time while the connection is lost, there is
    /// nothing to wait for, and the client [goes without having left](Self::end_without_leaving).
    pub(super) async fn quit(&mut self) -> Result<SendStatus, Failure> {
        if self.model.lobby().is_none() {
            return Ok(SendStatus::Done);
        }
        self.quitting = true;
        if self.cannot_leave_now() {
            return Ok(SendStatus::Done);
        }
        self.ask_lobby(Action::Quit).await
    }

    /// Whether the client knows that it cannot leave now, so that quitting gives nothing up.
    pub fn cannot_leave_now(&self) -> bool {
        self.leaves_later() || self.is_halted()
    }

    /// Ends the session without leaving. While the connection is lost, the failure says what another run can
    /// resume.
    pub fn end_without_leaving(&self) -> Result<Flow, Failure> {
        let has_seat = self.model.lobby().is_some_and(|mine| mine.side().is_some());
        match self.keeping_on() {
            kept @ Resumable::Seat if has_seat && self.is_lost() => Err(Failure::Departed { kept }),
            _ => Ok(Flow::Break(())),
        }
    }

    /// Whether a request to leave ends the session where it cannot be recorded: it was to quit, or the game is
    /// on this machine.
    pub(super) fn leaves_unrecorded(&self, asked: Option<&Action>) -> bool {
        let is_kept_here = self.keeping_on() == Resumable::Game;
        asked.is_some_and(|action| *action == Action::Quit || (action.is_leave() && is_kept_here))
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

    /// What is wrong with how the client's seat is kept for another run of the program; told once.
    pub fn seat_warning(&mut self) -> Option<SeatWarning> {
        self.keeper.as_mut()?.warning()
    }

    /// The records of the server, where it is one that is reached by a network.
    pub fn record_source(&self) -> Option<RemoteRecords> {
        let seats = self.keeper.as_ref().map(|keeper| keeper.seats().clone());
        let Endpoint { address, default_port, network, .. } = self.endpoint.as_ref()?;
        Some(RemoteRecords::at(address, *default_port, network.clone(), seats))
    }

    /// The client comes for this seat, which an earlier run of the program kept.
    pub(super) fn claim(&mut self, seat: &SavedSeat) {
        self.claimed = Some(seat.clone());
        if let Some(keeper) = &mut self.keeper {
            keeper.claim(seat);
        }
    }

    /// Keeps the client's seat as it is. The one that it came for stays kept until it is there.
    pub(super) fn note_seat(&mut self) {
        let mine = self.model.lobby();
        if let Some(keeper) = self.keeper.as_mut().filter(|_| mine.is_some() || self.claimed.is_none()) {
            keeper.note(mine);
        }
    }

    /// What another run of the program can resume, if there is a seat.
    pub fn kept_for_me(&self) -> Resumable {
        if self.is_watching() { Resumable::Nothing } else { self.keeping_on() }
    }

    /// What another run of the program can go on with.
    fn keeping_on(&self) -> Resumable {
        match (&self.keeper, &self.endpoint) {
            (Some(keeper), Some(_)) if keeper.can_come_back() => Resumable::Seat,
            (Some(keeper), None) if keeper.can_come_back() => Resumable::Game,
            _ => Resumable::Nothing,
        }
    }

    /// A connection is lost to which the client does not try to come back: what is kept for another run is
    /// said.
    pub(super) fn dropped(&mut self, failure: Failure) -> Failure {
        if failure.is_of_connection() {
            self.keep_once_more();
        }
        let has_seat = self.model.lobby().is_some_and(|mine| mine.side().is_some());
        let kept = self.keeping_on();
        if !has_seat || self.quitting || kept == Resumable::Nothing || !failure.is_of_connection() {
            return failure;
        }
        Failure::Dropped { failure: Box::new(failure), kept }
    }

    /// There is no more input. That is no way to leave: the seat is kept. In the middle of a game it is a
    /// failure besides, unless others play it.
    pub fn end_of_input(&mut self) -> Result<Flow, Failure> {
        self.keep_once_more();
        match self.lobby().map(Lobby::phase) {
            Some(Phase::Playing) if !self.is_watching() => {
                Err(Failure::EndOfInput { kept: self.keeping_on() })
            }
            _ => Ok(Flow::Break(())),
        }
    }

    /// What could not be kept before is tried for the last time.
    fn keep_once_more(&mut self) {
        if self.reconnecting.is_none() {
            self.note_seat();
        }
    }
}
