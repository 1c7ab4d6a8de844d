//! Saves the seat of the client, so that another run of the program can return to it.

use std::io;

use tokio::time::Instant;

use crate::client::model::{MyLobby, Role};
use crate::client::seats::pending_ticket::PendingTicket;
use crate::client::seats::{SEEN_EVERY, SeatLock};
use crate::client::{Address, SavedSeat, SeatStore};
use crate::lobby::Name;
use crate::wire::Ticket;

/// What is wrong with how a seat is kept for another run of the program, or is so no more.
#[derive(Debug)]
pub enum SeatWarning {
    /// It is not kept.
    NotKept(io::Error),
    /// It was not, and is now.
    KeptNow,
}

/// The seats of this person, and the one in which the client sits.
#[derive(Debug)]
pub(super) struct SeatKeeper {
    seats: SeatStore,
    server: Address,
    name: Name,
    /// The request for a seat that has not led to a seat that is kept.
    asked: Option<PendingTicket>,
    /// The seat as it is kept.
    kept: Option<SavedSeat>,
    /// When this window wrote it; `None` if an earlier run of the program did.
    written: Option<Instant>,
    /// Shows other windows that this one has the seat.
    hold: Option<SeatLock>,
    /// Whether the seat could not be kept.
    failed: bool,
    /// What is wrong, until somebody has been told.
    warning: Option<SeatWarning>,
}

impl SeatKeeper {
    /// A keeper for seats on this server of somebody who asks for this name.
    pub(super) fn new(seats: SeatStore, server: Address, name: Name) -> Self {
        let (failed, warning) = (false, None);
        Self { seats, server, name, asked: None, kept: None, written: None, hold: None, failed, warning }
    }

    /// The ticket for a request for a new seat. It is kept until there is a seat, if that is possible.
    pub(super) fn new_ticket(&mut self) -> Ticket {
        if self.asked.is_none() {
            self.asked = self.seats.ask(&self.server, &self.name).ok();
        }
        self.asked.as_ref().map_or_else(Ticket::random, |asked| asked.ticket)
    }

    /// The seat that the last request got is not wanted any more: the next request has another ticket.
    pub(super) fn forget_ticket(&mut self) {
        self.asked.take().map(PendingTicket::forget);
    }

    /// Where the seats of this person are kept.
    pub(super) fn seats(&self) -> &SeatStore {
        &self.seats
    }

    /// The client comes for this seat, which an earlier run of the program kept.
    pub(super) fn claim(&mut self, seat: &SavedSeat) {
        (self.kept, self.written) = (Some(seat.clone()), None);
    }

    /// Keeps the client's seat; if it has none any more, only the ticket, which opens the records. What
    /// cannot be written is tried again with the next message.
    pub(super) fn note(&mut self, mine: Option<&MyLobby>) {
        let seat = mine.and_then(|mine| match mine.role {
            Role::Player { id, ticket } => SavedSeat::of(&mine.lobby, (id, ticket), &self.server),
            Role::Watcher => None,
        });
        let is_fresh = self.written.is_some_and(|written| written.elapsed() < SEEN_EVERY);
        match seat {
            None => self.forget(),
            Some(seat) if is_fresh && self.kept.as_ref() == Some(&seat) => self.hold_on(),
            Some(seat) => {
                self.keep(seat);
                self.hold_on();
            }
        }
    }

    /// Keeps this seat, in place of what was known of it before.
    fn keep(&mut self, seat: SavedSeat) {
        let error = self.seats.keep(&seat).err();
        if error.is_none() {
            if let Some(asked) = self.asked.take_if(|asked| asked.ticket == seat.ticket) {
                asked.forget();
            }
            (self.kept, self.written) = (Some(seat), Some(Instant::now()));
        } else {
            // What was kept of the same seat before has the same ticket.
            self.kept.take_if(|old| (old.code, old.player) != (seat.code, seat.player));
        }
        self.warn(error.filter(|_| self.kept.is_none()));
    }

    /// Holds the seat that is kept, as soon as no other window has it.
    fn hold_on(&mut self) {
        let is_held = |hold: &SeatLock| self.kept.as_ref().is_some_and(|seat| hold.is_of(&self.seats, seat));
        if !self.hold.as_ref().is_some_and(is_held) {
            self.hold = self.kept.as_ref().and_then(|seat| self.seats.hold(seat));
        }
    }

    /// The seat is not kept, for this reason, or it is. Each is reported once.
    fn warn(&mut self, error: Option<io::Error>) {
        let had_failed = std::mem::replace(&mut self.failed, error.is_some());
        match error {
            Some(error) if !had_failed => self.warning = Some(SeatWarning::NotKept(error)),
            None if had_failed => self.warning = Some(SeatWarning::KeptNow),
            _ => {}
        }
    }

    /// Whether another run of the program can come back to the seat.
    pub(super) fn can_come_back(&self) -> bool {
        self.kept.is_some()
    }

    /// Whether another window has come back to the client's own seat since.
    pub(super) fn is_superseded(&self) -> bool {
        self.written.is_some() && self.kept.as_ref().is_some_and(|seat| self.seats.is_superseded(seat))
    }

    /// The client's seat is given up.
    pub(super) fn forget(&mut self) {
        self.hold = None;
        if let Some(gone) = self.kept.take() {
            // If this fails, the next return finds that the seat was given up.
            let _ = self.seats.give_up(&gone);
        }
    }

    /// What is wrong with how the seat is kept; told once.
    pub(super) fn warning(&mut self) -> Option<SeatWarning> {
        self.warning.take()
    }
}
