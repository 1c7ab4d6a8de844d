//! Keeps the seat that the client has, so that another run of the program can come back to it.

use std::io;
use std::path::PathBuf;

use tokio::time::Instant;

use crate::client::model::MyLobby;
use crate::client::seats::{Hold, Left, SEEN_EVERY};
use crate::client::{Address, SavedSeat, SeatStore};
use crate::lobby::Code;
use crate::wire::Ticket;

/// What is wrong with how a seat is kept for another run of the program, or is so no more.
#[derive(Debug)]
pub enum SeatWarning {
    /// It is not kept.
    NotKept(io::Error),
    /// It was not, and is now.
    KeptNow,
    /// It is kept, in this folder, in which nobody can be alone for a moment.
    Unlocked(PathBuf),
}

/// The seats of this person, and the one in which the client sits.
#[derive(Debug)]
pub(super) struct SeatKeeper {
    seats: SeatStore,
    server: Address,
    /// The seat as it is kept: with an older ticket, as long as the newest one cannot be written down.
    kept: Option<SavedSeat>,
    /// The seat as an earlier run of the program kept it, for which this one came.
    claimed: Option<SavedSeat>,
    /// The tickets of before that were not shown yet, the newest last, to a server that does not know the present one.
    unshown: Option<Vec<Ticket>>,
    /// The one of them that was shown last, until it is known to be of no use.
    showing: Option<Ticket>,
    /// When it was written down last.
    noted: Instant,
    /// That other runs of the program see that this window has the seat.
    hold: Option<Hold>,
    /// What is wrong, until somebody has been told.
    complaint: Option<SeatWarning>,
    /// That the seat is not kept has been told.
    grieved: bool,
    /// That nobody can be alone in the folder has been told.
    warned: bool,
}

impl SeatKeeper {
    /// A keeper for seats on this server.
    pub(super) fn new(seats: SeatStore, server: Address) -> Self {
        Self {
            seats,
            server,
            kept: None,
            claimed: None,
            unshown: None,
            showing: None,
            noted: Instant::now(),
            hold: None,
            complaint: None,
            grieved: false,
            warned: false,
        }
    }

    /// Where the seats of this person are kept.
    pub(super) fn seats(&self) -> &SeatStore {
        &self.seats
    }

    /// The client comes for this seat, which an earlier run of the program kept.
    pub(super) fn claim(&mut self, seat: &SavedSeat) {
        self.claimed = Some(seat.clone());
    }

    /// Keeps what there is to know of the client's seat; where it has none any more, only what opens the records. What cannot be
    /// written down is tried again whenever something is heard.
    pub(super) fn note(&mut self, mine: Option<&MyLobby>) {
        let seat = mine.and_then(|mine| SavedSeat::of(mine, &self.server));
        self.hold_on(seat.as_ref());
        let is_known = seat.is_none() || self.noted.elapsed() < SEEN_EVERY;
        if seat == self.kept && is_known {
            return;
        }
        (self.unshown, self.showing) = (None, None);
        match (seat, self.kept.take()) {
            (Some(seat), before) => self.keep(seat, before),
            // What cannot be removed is found to be given up by whoever comes back to it.
            (None, Some(gone)) => drop(self.seats.give_up(&gone)),
            (None, None) => {}
        }
        self.hold_on(self.kept.clone().as_ref());
    }

    /// Keeps this seat, in place of what was known of it before.
    fn keep(&mut self, seat: SavedSeat, before: Option<SavedSeat>) {
        let is_same = |old: &SavedSeat| (old.code, old.player) == (seat.code, seat.player);
        let before = before.or(self.claimed.take()).filter(is_same);
        let kept = self.seats.keep_instead(&seat, before.as_ref().map(|before| before.ticket));
        if matches!(kept, Ok(Left::Nothing)) {
            (self.kept, self.noted) = (Some(seat), Instant::now());
        } else {
            self.kept = before;
        }
        // By an older ticket, or that of another window, the seat is reached all the same.
        self.complain(kept.err().filter(|_| self.kept.is_none()));
    }

    /// Whether another run of the program can come back to the seat, as far as it was kept at all.
    pub(super) fn can_come_back(&self) -> bool {
        self.kept.is_some()
    }

    /// Whether another run of the program can come back by this very ticket.
    pub(super) fn has_kept(&self, ticket: Ticket) -> bool {
        self.kept.as_ref().is_some_and(|kept| kept.ticket == ticket)
    }

    /// By which ticket to come back to this seat, the newest of which is this one: where that is not kept, by the one that is, which
    /// stays good only if it is this that is shown.
    pub(super) fn ticket(&self, code: Code, newest: Ticket) -> Ticket {
        self.kept.as_ref().filter(|kept| kept.code == code).map_or(newest, |kept| kept.ticket)
    }

    /// Has this seat held, as soon as no other window has it.
    fn hold_on(&mut self, seat: Option<&SavedSeat>) {
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

    /// The seat is not kept, for this reason, or it is. Each is told once.
    fn complain(&mut self, error: Option<io::Error>) {
        let was_grieved = std::mem::replace(&mut self.grieved, error.is_some());
        let warns = error.is_none() && !self.warned && self.seats.is_unlocked();
        self.warned |= warns;
        let news = match error {
            Some(error) => (!was_grieved).then_some(SeatWarning::NotKept(error)),
            None if warns => Some(SeatWarning::Unlocked(self.seats.folder().to_owned())),
            None => was_grieved.then_some(SeatWarning::KeptNow),
        };
        self.complaint = news.or(self.complaint.take());
    }

    /// The client's own seat, or this one, with the next of the tickets that it had before; `None` once all were shown.
    pub(super) fn with_former_ticket(&mut self, seat: Option<&SavedSeat>) -> Option<SavedSeat> {
        let seat = self.kept.as_ref().or(seat)?;
        let unshown = self.unshown.get_or_insert_with(|| {
            let mut former = self.seats.former(seat);
            former.reverse();
            former
        });
        self.showing = unshown.pop();
        Some(SavedSeat { ticket: self.showing?, ..seat.clone() })
    }

    /// The former ticket at which showing them was broken off by something that says nothing of it, to be shown first. Behind all
    /// others comes the newest once more: the host may have gone back to the right record meanwhile.
    pub(super) fn broken_off(&mut self) -> Option<Ticket> {
        let (showing, newest) = (self.showing?, self.kept.as_ref().or(self.claimed.as_ref())?.ticket);
        let unshown = self.unshown.get_or_insert_default();
        if !unshown.contains(&newest) && showing != newest {
            unshown.insert(0, newest);
        }
        Some(showing)
    }

    /// The present ticket is shown once more, and then all others.
    pub(super) fn begin_again(&mut self) {
        (self.unshown, self.showing) = (None, None);
    }

    /// Whether another window has kept another ticket of the client's own seat, or of this one.
    pub(super) fn is_superseded(&self, seat: Option<&SavedSeat>) -> bool {
        let seat = self.kept.as_ref().or(seat);
        seat.is_some_and(|seat| self.seats.is_superseded(seat))
    }

    /// A ticket is of no use any more: that of this seat, or that of the client's own. Returns whether another window has kept
    /// a newer one.
    pub(super) fn forget(&mut self, seat: Option<&SavedSeat>) -> bool {
        let Some(gone) = self.kept.take().or_else(|| seat.cloned()) else { return false };
        self.hold = None;
        // What cannot be removed is found to be of no use by whoever comes back to it.
        self.seats.give_up(&gone).is_ok_and(|left| left == Left::AnotherTicket)
    }

    /// What is wrong with how the seat is kept; told once.
    pub(super) fn complaint(&mut self) -> Option<SeatWarning> {
        self.complaint.take()
    }
}
