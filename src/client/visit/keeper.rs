//! Keeps the seat that the client has, so that another run of the program can come back to it.

use std::io;
use std::path::PathBuf;

use tokio::time::Instant;

use super::Visit;
use crate::client::library::There;
use crate::client::model::MyLobby;
use crate::client::seats::{Hold, Left, SEEN_EVERY};
use crate::client::{Address, KeptSeat, Seats};
use crate::wire::Ticket;

/// What is wrong with how a seat is kept for another run of the program.
#[derive(Debug)]
pub enum Complaint {
    /// It is not kept.
    NotKept(io::Error),
    /// It is kept, in this folder, in which nobody can be alone for a moment.
    Unlocked(PathBuf),
}

/// The seats of this person, and the one in which the client sits.
#[derive(Debug)]
pub(super) struct Keeper {
    seats: Seats,
    server: Address,
    kept: Option<KeptSeat>,
    /// The tickets of before that were not shown yet, the newest last, to a server that does not know the present one.
    unshown: Option<Vec<Ticket>>,
    /// When it was written down last.
    noted: Instant,
    /// That other runs of the program see that this window has the seat.
    hold: Option<Hold>,
    /// What is wrong, until somebody has been told.
    complaint: Option<Complaint>,
    /// That nobody can be alone in the folder has been told.
    warned: bool,
}

impl Visit {
    /// The records of the server, where it is one that is reached by a network.
    pub fn library(&self) -> Option<There> {
        let seats = self.keeper.as_ref().map(|keeper| keeper.seats.clone());
        self.way.as_ref().map(|way| There::behind(way, seats))
    }
}

impl Keeper {
    /// A keeper for seats on this server.
    pub(super) fn new(seats: Seats, server: Address) -> Self {
        Self {
            seats,
            server,
            kept: None,
            unshown: None,
            noted: Instant::now(),
            hold: None,
            complaint: None,
            warned: false,
        }
    }

    /// Keeps what there is to know of the client's seat; where it has none any more, only what opens the records.
    pub(super) fn note(&mut self, mine: Option<&MyLobby>) {
        let seat = mine.and_then(|mine| KeptSeat::of(mine, &self.server));
        self.hold_on(seat.as_ref());
        let is_known = seat.is_none() || self.noted.elapsed() < SEEN_EVERY;
        if seat == self.kept && is_known {
            return;
        }
        let noted = match (&seat, &self.kept) {
            (Some(seat), _) => self.seats.keep(seat),
            (None, Some(gone)) => self.seats.give_up(gone).map(|_| ()),
            (None, None) => Ok(()),
        };
        (self.kept, self.noted, self.unshown) = (seat, Instant::now(), None);
        self.hold_on(self.kept.clone().as_ref());
        self.complain(noted.err());
    }

    /// Has this seat held, as soon as no other window has it.
    fn hold_on(&mut self, seat: Option<&KeptSeat>) {
        let Some(seat) = seat else {
            self.hold = None;
            return;
        };
        // Where it is not kept there is nothing to be held.
        let is_held = self.hold.as_ref().is_some_and(|hold| hold.is_of(&self.seats, seat));
        if !is_held && self.kept.as_ref() == Some(seat) {
            self.hold = self.seats.hold(seat);
        }
    }

    fn complain(&mut self, error: Option<io::Error>) {
        let warns = error.is_none() && !self.warned && self.seats.is_unlocked();
        self.warned |= warns;
        let warning = warns.then(|| Complaint::Unlocked(self.seats.folder().to_owned()));
        self.complaint = error.map(Complaint::NotKept).or(warning);
    }

    /// The client's own seat, or this one, with the next of the tickets that it had before; `None` once all were shown.
    pub(super) fn with_former_ticket(&mut self, seat: Option<&KeptSeat>) -> Option<KeptSeat> {
        let seat = self.kept.as_ref().or(seat)?;
        let unshown = self.unshown.get_or_insert_with(|| {
            let mut former = self.seats.former(seat);
            former.reverse();
            former
        });
        Some(KeptSeat { ticket: unshown.pop()?, ..seat.clone() })
    }

    /// The present ticket is shown once more.
    pub(super) fn begin_again(&mut self) {
        self.unshown = None;
    }

    /// Whether another window has kept another ticket of the client's own seat, or of this one.
    pub(super) fn is_superseded(&self, seat: Option<&KeptSeat>) -> bool {
        let seat = self.kept.as_ref().or(seat);
        seat.is_some_and(|seat| self.seats.is_superseded(seat))
    }

    /// A ticket is of no use any more: that of this seat, or that of the client's own. Returns whether another window has kept
    /// a newer one.
    pub(super) fn forget(&mut self, seat: Option<&KeptSeat>) -> bool {
        let Some(gone) = self.kept.take().or_else(|| seat.cloned()) else { return false };
        self.hold = None;
        match self.seats.give_up(&gone) {
            Ok(left) => left == Left::AnotherTicket,
            Err(error) => {
                self.complain(Some(error));
                false
            }
        }
    }

    /// What is wrong with how the seat is kept; told once.
    pub(super) fn complaint(&mut self) -> Option<Complaint> {
        self.complaint.take()
    }
}
