//! A lobby as the list shows it: who sits where, and whether they are there.

use super::Inner;
use crate::game::{BySide, Side};
use crate::lobby::{Hand, Phase, Text};
use crate::wire::{Listing, LobbyState, Presence, Sitter};

impl Inner {
    /// What is told of it.
    pub(super) fn listing(&self) -> Listing {
        Listing {
            code: self.lobby.code(),
            variant: Text::cut(&self.lobby.variant().text()),
            seats: BySide::from_fn(|side| self.sitter(side)),
            state: match self.lobby.phase() {
                Phase::Waiting => LobbyState::Open,
                Phase::Playing => LobbyState::Playing,
                Phase::Over { .. } | Phase::Closed => LobbyState::Over,
            },
            level: self.lobby.conditions().level,
        }
    }

    fn sitter(&self, side: Side) -> Option<Sitter> {
        let player = self.lobby.seats()[side].as_ref()?;
        let presence = match (self.lobby.absence(side), self.lobby.hand(side)) {
            (None, _) => Presence::Here,
            (Some(_), Hand::Own) => Presence::Away,
            (Some(_), Hand::StandIn) => Presence::StandIn,
        };
        Some(Sitter { name: player.name.clone(), kind: player.kind, presence })
    }
}
