//! The second player at this keyboard, as far as another run of the program has to know of them.

use super::seat_keeper::{SeatKeeper, SeatWarning};
use crate::client::local_players::Back;
use crate::client::model::{MyLobby, Role};
use crate::wire::Ticket;

/// The second player's seat, and how it is kept.
#[derive(Debug)]
pub(super) struct Second {
    keeper: SeatKeeper,
    /// What brings them back to it.
    ticket: Option<Ticket>,
}

impl Second {
    /// Somebody who has come back by this ticket, or has no seat yet.
    pub(super) fn new(mut keeper: SeatKeeper, back: Option<&Back>) -> Self {
        if let Some(back) = back {
            keeper.claim(&back.seat);
        }
        Self { keeper, ticket: back.map(|back| back.ticket) }
    }

    /// They have a new ticket for their seat in the first player's lobby.
    pub(super) fn comes_back_by(&mut self, ticket: Ticket, mine: Option<&MyLobby>) {
        self.ticket = Some(ticket);
        self.note(mine);
    }

    /// Keeps what there is to know of their seat, opposite the first player; forgets it where they have none any more.
    pub(super) fn note(&mut self, mine: Option<&MyLobby>) {
        let theirs = mine.and_then(|mine| self.opposite(mine));
        self.keeper.note(theirs.as_ref());
    }

    /// Whether another run of the program can come back by the newest ticket of their seat.
    pub(super) fn is_kept(&self) -> bool {
        self.ticket.is_some_and(|ticket| self.keeper.has_kept(ticket))
    }

    /// What is wrong with how the seat is kept; told once.
    pub(super) fn complaint(&mut self) -> Option<SeatWarning> {
        self.keeper.complaint()
    }

    fn opposite(&self, mine: &MyLobby) -> Option<MyLobby> {
        let id = mine.lobby.seats()[!mine.side()?].as_ref()?.id;
        Some(MyLobby { role: Role::Player { id, ticket: self.ticket? }, ..mine.clone() })
    }
}
