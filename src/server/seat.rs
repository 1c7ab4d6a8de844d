//! A connection's seat at a table. When this is dropped the connection is lost, and the seat is not: it is kept for
//! whoever comes back with the ticket.

use std::sync::Arc;

use tokio::time::Instant;

use super::house::House;
use super::link::Link;
use super::table::{Refused, Table};
use crate::game::any::Board;
use crate::lobby::{PlayerId, Request};

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

    pub(super) fn ask(&self, request: Request) -> Result<(), Refused> {
        self.table.ask(&self.house, (self.player, &self.link), request)
    }

    pub(super) fn board_for_hint(&self) -> Result<(Board, u32), Refused> {
        self.table.board_for_hint(self.player)
    }

    pub(super) fn turn(&self) -> u32 {
        self.table.turn()
    }

    /// Nothing has been heard over the connection since then; or something again.
    pub(super) fn note_silence(&self, heard: Option<Instant>) {
        self.table.note_silence(&self.house, self.player, &self.link, heard);
    }

    /// The ticket that was told last has arrived.
    pub(super) fn confirm(&self) {
        self.table.confirm(self.player, &self.link);
    }

    /// Leaves on purpose.
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
