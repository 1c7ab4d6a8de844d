//! What another run of the program can go on with. It knows no words.

use super::seat_keeper::SeatWarning;
use super::state::{Flow, Session};
use crate::client::failure::Resumable;
use crate::client::record_source::There;
use crate::client::{Failure, SavedSeat};
use crate::lobby::{Lobby, Phase};

impl Session {
    /// What is wrong with how the client's seat is kept for another run of the program; told once.
    pub fn seat_warning(&mut self) -> Option<SeatWarning> {
        self.keeper.as_mut()?.warning()
    }

    /// The records of the server, where it is one that is reached by a network.
    pub fn library(&self) -> Option<There> {
        let seats = self.keeper.as_ref().map(|keeper| keeper.seats().clone());
        self.endpoint.as_ref().map(|endpoint| There::behind(endpoint, seats))
    }

    /// Whether the client's game is on this machine alone, and kept there.
    pub(super) fn is_kept_here(&self) -> bool {
        self.keeping_on() == Resumable::Game
    }

    /// The client comes for this seat, which an earlier run of the program kept.
    pub(super) fn claim(&mut self, seat: &SavedSeat) {
        self.claimed = Some(seat.clone());
        if let Some(keeper) = &mut self.keeper {
            keeper.claim(seat);
        }
    }

    /// Keeps the client's seat as it is.
    pub(super) fn note_seat(&mut self) {
        if let Some(keeper) = &mut self.keeper {
            keeper.note(self.model.lobby());
        }
    }

    /// What another run of the program can resume, if there is a seat.
    pub fn kept_for_me(&self) -> Resumable {
        if self.is_watching() { Resumable::Nothing } else { self.keeping_on() }
    }

    /// What another run of the program can go on with.
    pub(super) fn keeping_on(&self) -> Resumable {
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
