//! Keeps the seat that the client has, so that another run of the program can come back to it.

use std::io;

use tokio::time::Instant;

use crate::client::model::MyLobby;
use crate::client::seats::{Left, SEEN_EVERY};
use crate::client::{Address, KeptSeat, Seats};

/// The seats of this person, and the one in which the client sits.
#[derive(Debug)]
pub(super) struct Keeper {
    seats: Seats,
    server: Address,
    kept: Option<KeptSeat>,
    /// When it was written down last.
    noted: Instant,
    /// Why the seat is not kept, until somebody has been told.
    complaint: Option<io::Error>,
}

impl Keeper {
    /// A keeper for seats on this server.
    pub(super) fn new(seats: Seats, server: Address) -> Self {
        Self { seats, server, kept: None, noted: Instant::now(), complaint: None }
    }

    /// Keeps what there is to know of the client's seat; where it has none any more, only what opens the records.
    pub(super) fn note(&mut self, mine: Option<&MyLobby>) {
        let seat = mine.and_then(|mine| KeptSeat::of(mine, &self.server));
        let is_known = seat.is_none() || self.noted.elapsed() < SEEN_EVERY;
        if seat == self.kept && is_known {
            return;
        }
        let noted = match (&seat, &self.kept) {
            (Some(seat), _) => self.seats.keep(seat),
            (None, Some(gone)) => self.seats.give_up(gone).map(|_| ()),
            (None, None) => Ok(()),
        };
        self.complaint = noted.err();
        (self.kept, self.noted) = (seat, Instant::now());
    }

    /// A ticket is of no use any more: that of this seat, or that of the client's own. Returns whether another window has kept
    /// a newer one.
    pub(super) fn forget(&mut self, seat: Option<&KeptSeat>) -> bool {
        let Some(gone) = self.kept.take().or_else(|| seat.cloned()) else { return false };
        match self.seats.give_up(&gone) {
            Ok(left) => left == Left::AnotherTicket,
            Err(error) => {
                self.complaint = Some(error);
                false
            }
        }
    }

    /// Why the seat is not kept; told once.
    pub(super) fn complaint(&mut self) -> Option<io::Error> {
        self.complaint.take()
    }
}
