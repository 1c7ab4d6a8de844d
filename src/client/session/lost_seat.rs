//! A seat that the server refuses to return: asks its records how the last game there ended.

use super::event::SessionEvent;
use super::state::{LostSeat, PendingKind, Session};
use crate::client::Failure;
use crate::client::records::GameSummary;
use crate::lobby::{List, Text};
use crate::wire::{GamesWish, HallRefusal, HallRequest, PlayedGame, Refusal};

/// Whether this refusal leaves it open that the last game is over.
fn may_be_over(refusal: &Refusal) -> bool {
    matches!(refusal, Refusal::Hall(HallRefusal::NoSuchLobby | HallRefusal::BadTicket | HallRefusal::GivenUp))
}

impl Session {
    /// The seat that this refusal is about.
    fn lost_seat(&self, refusal: &Refusal) -> Option<LostSeat> {
        let refusal = refusal.clone();
        if let Some(mine) = self.model.lobby() {
            let name = mine.lobby.seats()[mine.side()?].as_ref()?.name.clone();
            return Some(LostSeat { code: mine.lobby.code(), name, ticket: mine.ticket()?, refusal });
        }
        let seat = self.claimed.as_ref()?;
        Some(LostSeat { code: seat.code, name: seat.name.clone(), ticket: seat.ticket, refusal })
    }

    /// Asks how the last game in a lost seat ended, once. Returns whether it did.
    pub(super) fn ask_last_game(&mut self, refusal: &Refusal) -> bool {
        let is_asked = self
            .reconnecting
            .as_mut()
            .is_some_and(|reconnecting| std::mem::replace(&mut reconnecting.asked_last_game, true));
        let Some(lost) = self.lost_seat(refusal).filter(|_| may_be_over(refusal) && !is_asked) else {
            return false;
        };
        let wish = GamesWish {
            tickets: List::first_of([lost.ticket]),
            mine: true,
            code: Some(Text::cut(&lost.code.to_string())),
            ..GamesWish::default()
        };
        self.ask_hall(PendingKind::LastGame(Box::new(lost)), HallRequest::Games(wish));
        true
    }

    /// Handles the answer: the games of that seat that the server lists, the newest first.
    pub(super) fn on_last_game(
        &mut self,
        lost: LostSeat,
        games: &[PlayedGame],
    ) -> Result<SessionEvent, Failure> {
        let newest = games.iter().find(|game| game.mine && game.code == lost.code);
        let Some(over) = newest.filter(|game| game.result.is_some()) else {
            return self.end_or_retry(lost.refusal);
        };
        self.forget_seat();
        let ended = GameSummary::from(over.clone()).ending(Some(&lost.name));
        Err(Failure::SeatOver { code: lost.code, ended })
    }
}
