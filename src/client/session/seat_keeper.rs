//! Saves the seat of the client, so that another run of the program can return to it.

use std::io;
use std::path::PathBuf;

use tokio::time::Instant;

use crate::client::model::{MyLobby, Role};
use crate::client::seats::{Hold, SEEN_EVERY};
use crate::client::{Address, SavedSeat, SeatStore};

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
    /// The seat as it is kept.
    kept: Option<SavedSeat>,
    /// This window wrote it down.
    is_written: bool,
    /// The seat as an earlier run of the program kept it, for which this one came.
    claimed: Option<SavedSeat>,
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
            is_written: false,
            claimed: None,
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

    /// Keeps what there is to know of the client's seat; where it has none any more, only what opens the
    /// records. What cannot be written down is tried again whenever something is heard.
    pub(super) fn note(&mut self, mine: Option<&MyLobby>) {
        let seat = mine.and_then(|mine| match mine.role {
            Role::Player { id, ticket } => SavedSeat::of(&mine.lobby, (id, ticket), &self.server),
            Role::Watcher => None,
        });
        self.hold_on(seat.as_ref());
        let is_known = seat.is_none() || self.noted.elapsed() < SEEN_EVERY;
        if seat == self.kept && is_known {
            return;
        }
        match (seat, self.kept.take()) {
            (Some(seat), before) => self.keep(seat, before),
            // If this fails, the next return finds that the seat was given up.
            (None, Some(gone)) => drop(self.seats.give_up(&gone)),
            (None, None) => {}
        }
        self.hold_on(self.kept.clone().as_ref());
    }

    /// Keeps this seat, in place of what was known of it before.
    fn keep(&mut self, seat: SavedSeat, before: Option<SavedSeat>) {
        let is_same = |old: &SavedSeat| (old.code, old.player) == (seat.code, seat.player);
        let before = before.or(self.claimed.take()).filter(is_same);
        let kept = self.seats.keep(&seat);
        if kept.is_ok() {
            (self.kept, self.is_written, self.noted) = (Some(seat), true, Instant::now());
        } else {
            self.kept = before;
        }
        // What was kept of the seat before has the same ticket.
        self.complain(kept.err().filter(|_| self.kept.is_none()));
    }

    /// Whether another run of the program can come back to the seat, as far as it was kept at all.
    pub(super) fn can_come_back(&self) -> bool {
        self.kept.is_some()
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

    /// The seat is not kept, for this reason, or it is. Each is reported once.
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

    /// Whether another window has come back to the client's own seat since.
    pub(super) fn is_superseded(&self) -> bool {
        self.is_written && self.kept.as_ref().is_some_and(|seat| self.seats.is_superseded(seat))
    }

    /// The client's own seat, or this one, is given up.
    pub(super) fn forget(&mut self, seat: Option<&SavedSeat>) {
        let Some(gone) = self.kept.take().or_else(|| seat.cloned()) else { return };
        self.hold = None;
        // If this fails, the next return finds that the seat was given up.
        let _ = self.seats.give_up(&gone);
    }

    /// What is wrong with how the seat is kept; told once.
    pub(super) fn complaint(&mut self) -> Option<SeatWarning> {
        self.complaint.take()
    }
}
