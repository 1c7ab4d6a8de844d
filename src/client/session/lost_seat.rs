//! A seat to which the client cannot return. A server with records still says how its last game ended.

use crate::client::model::{MyLobby, Role};
use crate::client::records as reading;
use crate::client::records::Found;
use crate::lobby::{Code, Name, Text};
use crate::wire::{GamesWish, HallRefusal, PlayedGame, Refusal, Ticket};

/// A seat to which there is no way back.
#[derive(Debug)]
pub(super) struct LostSeat {
    pub(super) code: Code,
    /// What its owner was called there.
    pub(super) name: Name,
    pub(super) ticket: Ticket,
    /// Why not.
    pub(super) refusal: Refusal,
}

/// Whether the last game may be over, as far as this refusal says.
pub(super) fn may_be_over(refusal: &Refusal) -> bool {
    matches!(refusal, Refusal::Hall(HallRefusal::NoSuchLobby | HallRefusal::BadTicket | HallRefusal::GivenUp))
}

impl LostSeat {
    pub(super) fn of(mine: &MyLobby, refusal: Refusal) -> Option<Self> {
        let Role::Player { ticket, .. } = mine.role else { return None };
        let name = mine.lobby.seats()[mine.side()?].as_ref()?.name.clone();
        Some(Self { code: mine.lobby.code(), name, ticket, refusal })
    }

    /// What the server is asked for: the games of this seat alone.
    pub(super) fn wish(&self) -> GamesWish {
        GamesWish {
            tickets: reading::shown(&[self.ticket]),
            mine: true,
            code: Some(Text::cut(&self.code.to_string())),
            ..GamesWish::default()
        }
    }

    /// How the last of these games ended, the newest of which stands first; `None` if none is known, or it
    /// goes on.
    pub(super) fn ending(&self, games: &[PlayedGame]) -> Option<String> {
        let last = games.iter().find(|game| game.mine && game.code == self.code)?;
        last.result?;
        Some(Found::from(last.clone()).ending(Some(&self.name)))
    }
}
