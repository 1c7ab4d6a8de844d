//! A connection's seat at a table. When this is dropped the connection is lost, and the seat is not: it is kept for
//! whoever comes back with the ticket.

use std::sync::Arc;

use tokio::time::Instant;

use super::house::House;
use super::link::Link;
use super::table::{Refused, Table};
use crate::game::any::Board;
use crate::lobby::{Departure, PlayerId, Request, Who};

/// The right to speak for one player of one lobby.
#[derive(Debug)]
pub(super) struct Seat {
    house: Arc<House>,
    table: Arc<Table>,
    player: PlayerId,
    link: Arc<Link>,
    /// Nothing is to be told when this is dropped.
    done: bool,
}

impl Seat {
    pub(super) fn new(house: Arc<House>, table: Arc<Table>, player: PlayerId, link: Arc<Link>) -> Self {
        Self { house, table, player, link, done: false }
    }

    /// Asks for something by a frame that had arrived at this instant.
    pub(super) fn ask(&self, request: Request, arrived: Instant) -> Result<(), Refused> {
        self.table.ask(&self.house, (self.player, &self.link), request, arrived)
    }

    pub(super) fn board_for_hint(&self) -> Result<(Board, u32), Refused> {
        self.table.board_for_hint(Who::Player(self.player))
    }

    pub(super) fn table(&self) -> &Arc<Table> {
        &self.table
    }

    /// Whether it is still this player's, in a lobby that is not closed.
    pub(super) fn is_held(&self) -> bool {
        self.table.is_open() && self.table.has_seat(self.player)
    }

    /// Nothing has been heard over the connection since then; or something again.
    pub(super) fn note_silence(&self, heard: Option<Instant>) {
        self.table.note_silence(&self.house, self.player, &self.link, heard);
    }

    /// The ticket that was told last has arrived.
    pub(super) fn confirm(&self) {
        self.table.confirm(&self.house, self.player, &self.link);
    }

    /// Leaves on purpose, and is outside as soon as that is recorded.
    pub(super) fn leave(mut self) {
        self.done = true;
        self.table.leave(&self.house, self.player, &self.link);
    }

    /// Stays seated while the server stops: nobody is to be told that this player went.
    pub(super) fn stay(mut self) {
        self.done = true;
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        if !self.done {
            self.table.lose(&self.house, self.player, &self.link);
        }
    }
}

/// A connection's place among those who watch a table. When this is dropped the connection is lost.
#[derive(Debug)]
pub(super) struct Gallery {
    house: Arc<House>,
    table: Arc<Table>,
    link: Arc<Link>,
}

impl Gallery {
    pub(super) fn new(house: Arc<House>, table: Arc<Table>, link: Arc<Link>) -> Self {
        Self { house, table, link }
    }

    pub(super) fn ask(&self, request: Request) -> Result<(), Refused> {
        self.table.ask_as(&self.house, Who::Watcher, request)
    }

    /// Leaves on purpose, and is outside as soon as that is recorded.
    pub(super) fn leave(self) {
        self.table.unwatch(&self.house, &self.link, Departure::Quit);
    }

    pub(super) fn board_for_hint(&self) -> Result<(Board, u32), Refused> {
        self.table.board_for_hint(Who::Watcher)
    }

    pub(super) fn table(&self) -> &Arc<Table> {
        &self.table
    }
}

impl Drop for Gallery {
    /// Nothing happens if they have left already.
    fn drop(&mut self) {
        self.table.unwatch(&self.house, &self.link, Departure::Lost);
    }
}
