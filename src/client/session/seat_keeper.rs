//! Saves the client's seat, so that a later run of the program can return to it.

use std::io;

use tokio::time::Instant;

use crate::client::model::{MyLobby, Role};
use crate::client::seats::pending_ticket::PendingTicket;
use crate::client::seats::{SEEN_EVERY, SeatLock};
use crate::client::{Address, Endpoint, SavedSeat, SeatStore};
use crate::lobby::Name;
use crate::wire::Ticket;

/// Saving the seat failed, or works again.
#[derive(Debug)]
pub enum SeatWarning {
    /// It is not saved.
    NotKept(io::Error),
    /// It was not saved, and is now.
    KeptNow,
}

/// The saved seats of this person, and the client's current one.
#[derive(Debug)]
pub(super) struct SeatKeeper {
    seats: SeatStore,
    server: Address,
    /// The addresses of the other servers of its cluster.
    others: Vec<Address>,
    name: Name,
    /// The ticket of a request for a new seat, until that seat is saved.
    pending_ticket: Option<PendingTicket>,
    /// The saved seat. Its turn and the time of that may be newer than in its file.
    kept: Option<SavedSeat>,
    /// When this window saved it; `None` if an earlier run of the program did.
    written: Option<Instant>,
    /// The lock that shows other windows that this one has the seat.
    lock: Option<SeatLock>,
    /// Whether the last attempt to save failed.
    failed: bool,
    /// A warning that was not shown yet.
    warning: Option<SeatWarning>,
}

impl SeatKeeper {
    /// A keeper for seats on this server.
    pub(super) fn new(seats: SeatStore, endpoint: &Endpoint) -> Self {
        let Endpoint { address, others, name, .. } = endpoint;
        Self { server: address.clone(), others: others.clone(), ..Self::at_home(seats, name.clone()) }
    }

    /// A keeper for seats on the server inside this program, under this name.
    pub(super) fn at_home(seats: SeatStore, name: Name) -> Self {
        let (pending_ticket, kept, written, lock) = (None, None, None, None);
        let (server, others, failed, warning) = (Address::here(), Vec::new(), false, None);
        Self { seats, server, others, name, pending_ticket, kept, written, lock, failed, warning }
    }

    /// The server has these other addresses now, which are saved with the seat.
    pub(super) fn set_others(&mut self, others: &[Address]) {
        self.others = others.to_vec();
    }

    /// The ticket for a request for a new seat. It is saved, if possible, until there is a seat.
    pub(super) fn new_ticket(&mut self) -> Ticket {
        if self.pending_ticket.is_none() {
            self.pending_ticket = self.seats.pending_ticket(&self.server, &self.name).ok();
        }
        self.pending_ticket.as_ref().map_or_else(Ticket::random, |pending| pending.ticket)
    }

    /// Whether the pending ticket is that of an earlier request, so that its seat may be another one.
    pub(super) fn has_earlier_ticket(&self) -> bool {
        self.pending_ticket.as_ref().is_some_and(|pending| pending.is_earlier)
    }

    /// The request with the pending ticket was refused. The ticket is of no use any more, unless the same
    /// request was sent before and its answer was lost.
    pub(super) fn on_refused(&mut self, is_repeated: bool) {
        match &mut self.pending_ticket {
            Some(pending) if is_repeated => pending.is_earlier = true,
            Some(pending) if pending.is_earlier => {}
            _ => self.forget_ticket(),
        }
    }

    /// Removes the pending ticket, so that the next request has another one.
    pub(super) fn forget_ticket(&mut self) {
        if let Some(unused) = self.pending_ticket.take() {
            unused.remove();
        }
    }

    /// The store with the seats of this person.
    pub(super) fn seats(&self) -> &SeatStore {
        &self.seats
    }

    /// The client is about to ask for this seat, which an earlier run of the program saved.
    pub(super) fn claim(&mut self, seat: &SavedSeat) {
        (self.kept, self.written) = (Some(seat.clone()), None);
    }

    /// Saves the client's seat; if it has none any more, only the ticket, which opens the records. A failed
    /// attempt is repeated with the next message.
    pub(super) fn update(&mut self, mine: Option<&MyLobby>) {
        let seat = mine.and_then(|mine| match mine.role {
            Role::Player { id, ticket } => SavedSeat::of(&mine.lobby, (id, ticket), &self.server),
            Role::Watcher => None,
        });
        let seat = seat.map(|seat| SavedSeat { others: self.others.clone(), ..seat });
        let is_fresh = self.written.is_some_and(|written| written.elapsed() < SEEN_EVERY);
        match seat.map(|seat| seat.since(self.kept.as_ref())) {
            None => self.forget(),
            Some(seat) if is_fresh && self.kept.as_ref().is_some_and(|known| known.is_like(&seat)) => {
                self.kept = Some(seat);
                self.lock_seat();
            }
            Some(seat) => {
                self.save(seat);
                self.lock_seat();
            }
        }
    }

    /// Saves the client's seat with the last turn, unless another window has it.
    pub(super) fn save_now(&mut self) {
        if let Some(seat) = self.kept.clone().filter(|_| self.written.is_some() && !self.is_superseded()) {
            self.save(seat);
        }
    }

    /// Saves this seat, in place of its older file.
    fn save(&mut self, seat: SavedSeat) {
        let error = self.seats.keep(&seat).err();
        if error.is_none() {
            if let Some(used) = self.pending_ticket.take_if(|pending| pending.ticket == seat.ticket) {
                used.remove();
            }
            (self.kept, self.written) = (Some(seat), Some(Instant::now()));
        } else {
            // An older file of the same seat has the same ticket.
            self.kept.take_if(|old| (old.code, old.player) != (seat.code, seat.player));
        }
        self.warn(error.filter(|_| self.kept.is_none()));
    }

    /// Locks the saved seat, unless another window has it.
    fn lock_seat(&mut self) {
        let is_ours = |lock: &SeatLock| self.kept.as_ref().is_some_and(|seat| lock.is_of(&self.seats, seat));
        if !self.lock.as_ref().is_some_and(is_ours) {
            self.lock = self.kept.as_ref().and_then(|seat| self.seats.lock(seat));
        }
    }

    /// Notes whether saving failed. Each change leads to one warning.
    fn warn(&mut self, error: Option<io::Error>) {
        let had_failed = std::mem::replace(&mut self.failed, error.is_some());
        match error {
            Some(error) if !had_failed => self.warning = Some(SeatWarning::NotKept(error)),
            None if had_failed => self.warning = Some(SeatWarning::KeptNow),
            _ => {}
        }
    }

    /// Whether a later run of the program can return to the seat.
    pub(super) fn has_saved(&self) -> bool {
        self.kept.is_some()
    }

    /// Whether another window has returned to the client's seat since.
    pub(super) fn is_superseded(&self) -> bool {
        self.written.is_some() && self.kept.as_ref().is_some_and(|seat| self.seats.is_superseded(seat))
    }

    /// Lets go of the client's seat, which stays saved: any window can return to it.
    pub(super) fn release(&mut self) {
        (self.kept, self.written, self.lock) = (None, None, None);
    }

    /// Marks the client's seat as given up.
    pub(super) fn forget(&mut self) {
        self.lock = None;
        if let Some(gone) = self.kept.take() {
            // If this fails, the next return finds that the seat was given up.
            let _ = self.seats.give_up(&gone);
        }
    }

    /// Takes the warning, if there is a new one.
    pub(super) fn warning(&mut self) -> Option<SeatWarning> {
        self.warning.take()
    }
}
