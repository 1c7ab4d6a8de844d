//! What has become of a seat to which there is no way back: the server, if it keeps records, says how the last game there ended,
//! also after it was started again. It knows no way back itself.

use super::{Awaited, Session, SessionEvent};
use crate::client::model::{MyLobby, Role};
use crate::client::records::Found;
use crate::client::words::records;
use crate::client::{Failure, records as reading};
use crate::lobby::{Code, Name, Text};
use crate::wire::{GamesWish, HallRefusal, HallRequest, PlayedGame, Refusal, Ticket};

/// A seat to which there is no way back.
#[derive(Debug)]
pub(super) struct LostSeat {
    code: Code,
    /// What its owner was called there.
    name: Name,
    ticket: Ticket,
    /// Why not.
    refusal: Refusal,
}

/// Whether the last game may be over, as far as this refusal says.
fn may_be_over(refusal: &Refusal) -> bool {
    matches!(refusal, Refusal::Hall(HallRefusal::NoSuchLobby | HallRefusal::BadTicket | HallRefusal::GivenUp))
}

impl LostSeat {
    fn of(mine: &MyLobby, refusal: Refusal) -> Option<Self> {
        let Role::Player { ticket, .. } = mine.role else { return None };
        let name = mine.lobby.seats()[mine.side()?].as_ref()?.name.clone();
        Some(Self { code: mine.lobby.code(), name, ticket, refusal })
    }

    /// What the server is asked for: the games of this seat alone.
    fn wish(&self) -> GamesWish {
        GamesWish {
            tickets: reading::shown(&[self.ticket]),
            mine: true,
            code: Some(Text::cut(&self.code.to_string())),
            ..GamesWish::default()
        }
    }

    /// How the last of these games ended, the newest of which stands first; `None` if none is known, or it goes on.
    fn ending(&self, games: &[PlayedGame]) -> Option<String> {
        let last = games.iter().find(|game| game.mine && game.code == self.code)?;
        last.result?;
        Some(records::ending_for(&Found::from(last.clone()), &self.name))
    }
}

impl Session {
    /// The seat of which nothing is left but its ticket.
    fn lost_seat(&self, refusal: &Refusal) -> Option<LostSeat> {
        if let Some(mine) = self.model.lobby() {
            return LostSeat::of(mine, refusal.clone());
        }
        let seat = self.claimed.as_ref()?;
        let (code, name, ticket) = (seat.code, seat.name.clone(), seat.ticket);
        Some(LostSeat { code, name, ticket, refusal: refusal.clone() })
    }

    /// Asks how the last game in a seat ended to which there is no way back, once in an absence. Returns whether it is asked.
    pub(super) async fn look_back(&mut self, refusal: &Refusal) -> Result<bool, Failure> {
        let is_asked = self
            .reconnecting
            .as_mut()
            .is_some_and(|reconnecting| std::mem::replace(&mut reconnecting.looked_back, true));
        let Some(lost) = self.lost_seat(refusal).filter(|_| may_be_over(refusal) && !is_asked) else {
            return Ok(false);
        };
        Box::pin(self.ask_hall(Awaited::Past, HallRequest::Games(lost.wish()))).await?;
        self.lost_seat = Some(Box::new(lost));
        Ok(true)
    }

    /// The server knows these games of that seat; none if it does not say.
    pub(super) fn look_at_past(&mut self, games: &[PlayedGame]) -> Result<SessionEvent, Failure> {
        self.pending = None;
        let Some(lost) = self.lost_seat.take() else { return Ok(SessionEvent::Nothing) };
        match lost.ending(games) {
            None => self.keep_out(lost.refusal),
            Some(ended) => {
                self.forget_seat();
                Err(Failure::SeatOver { code: lost.code, ended })
            }
        }
    }
}
