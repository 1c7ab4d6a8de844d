//! A connection's seat at a table. It is given up when this is dropped, however the connection ended.

use std::sync::Arc;

use super::house::House;
use super::table::{Refused, Table};
use crate::game::any::Board;
use crate::lobby::{Departure, PlayerId, Request};

/// The right to speak for one player of one lobby.
#[derive(Debug)]
pub(super) struct Seat {
    house: Arc<House>,
    table: Arc<Table>,
    player: PlayerId,
    left: bool,
}

impl Seat {
    pub(super) fn new(house: Arc<House>, table: Arc<Table>, player: PlayerId) -> Self {
        Self { house, table, player, left: false }
    }

    pub(super) fn ask(&self, request: Request) -> Result<(), Refused> {
        self.table.ask(&self.house, self.player, request)
    }

    pub(super) fn board_for_hint(&self) -> Result<(Board, u32), Refused> {
        self.table.board_for_hint(self.player)
    }

    pub(super) fn turn(&self) -> u32 {
        self.table.turn()
    }

    /// Leaves on purpose.
    pub(super) fn leave(mut self) {
        self.go(Departure::Quit);
    }

    /// Stays seated while the server stops: nobody is to be told that this player left.
    pub(super) fn stay(mut self) {
        self.left = true;
    }

    fn go(&mut self, how: Departure) {
        if !std::mem::replace(&mut self.left, true) {
            // Whoever has a seat can leave it; there is nothing to do about a refusal.
            let _ = self.ask(Request::Leave(how));
        }
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.go(Departure::Lost);
    }
}
