//! A seat that the server refuses to return: asks its records how the last game there ended.

use super::event::SessionEvent;
use super::state::{LostSeat, OwnSeat, PendingKind, Session};
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
            let seat = OwnSeat { code: mine.lobby.code(), name, ticket: mine.ticket()? };
            return Some(LostSeat { seat, refusal });
        }
        Some(LostSeat { seat: self.claimed.as_ref()?.seat.clone(), refusal })
    }

    /// Asks how the last game in a lost seat ended, once. Returns whether it did.
    pub(super) async fn ask_last_game(&mut self, refusal: &Refusal) -> Result<bool, Failure> {
        let is_asked = self
            .reconnecting
            .as_mut()
            .is_some_and(|reconnecting| std::mem::replace(&mut reconnecting.asked_last_game, true));
        let Some(lost) = self.lost_seat(refusal).filter(|_| may_be_over(refusal) && !is_asked) else {
            return Ok(false);
        };
        let wish = GamesWish {
            tickets: List::first_of([lost.seat.ticket]),
            mine: true,
            code: Some(Text::cut(&lost.seat.code.to_string())),
            ..GamesWish::default()
        };
        Box::pin(self.ask_hall(PendingKind::LastGame(Box::new(lost)), HallRequest::Games(wish))).await?;
        Ok(true)
    }

    /// Handles the answer: the games of that seat that the server lists, the newest first.
    pub(super) fn on_last_game(
        &mut self,
        lost: LostSeat,
        games: &[PlayedGame],
    ) -> Result<SessionEvent, Failure> {
        let newest = games.iter().find(|game| game.mine && game.code == lost.seat.code);
        let Some(over) = newest.filter(|game| game.result.is_some()) else {
            return self.end_or_retry(lost.refusal);
        };
        self.forget_seat();
        let ended = GameSummary::from(over.clone()).ending(Some(&lost.seat.name));
        Err(Failure::SeatOver { code: lost.seat.code, ended })
    }
}
