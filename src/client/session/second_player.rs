//! The second player at this keyboard, as far as another run of the program has to know of them.

use super::seat_keeper::{SeatKeeper, SeatWarning};
use crate::client::SavedSeat;
use crate::client::model::{MyLobby, Role};
use crate::wire::Ticket;

/// The second player's seat, and how it is kept.
#[derive(Debug)]
pub(super) struct Second {
    keeper: SeatKeeper,
    /// The ticket for it.
    ticket: Ticket,
}

impl Second {
    /// A player with a seat by this ticket, or one about to join. A seat with `back` was saved by an earlier
    /// run.
    pub(super) fn new(mut keeper: SeatKeeper, ticket: Ticket, back: Option<&SavedSeat>) -> Self {
        if let Some(back) = back {
            keeper.claim(back);
        }
        Self { keeper, ticket }
    }

    /// Keeps what there is to know of their seat, opposite the first player; forgets it where they have none
    /// any more.
    pub(super) fn note(&mut self, mine: Option<&MyLobby>) {
        let theirs = mine.and_then(|mine| self.opposite(mine));
        self.keeper.note(theirs.as_ref());
    }

    /// What is wrong with how the seat is kept; told once.
    pub(super) fn complaint(&mut self) -> Option<SeatWarning> {
        self.keeper.complaint()
    }

    fn opposite(&self, mine: &MyLobby) -> Option<MyLobby> {
        let id = mine.lobby.seats()[!mine.side()?].as_ref()?.id;
        Some(MyLobby { role: Role::Player { id, ticket: self.ticket }, ..mine.clone() })
    }
}
