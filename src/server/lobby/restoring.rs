//! A lobby as it was before the server stopped: the lobby by its events, and nobody at it yet.

use std::sync::Arc;

use super::{LiveLobby, LobbyHandle, LobbyPassword, OutgoingBatch};
use crate::game::Side;
use crate::game::any::Variant;
use crate::lobby::{Kind, Lobby};
use crate::server::app::{App, Services};
use crate::server::storage::{Damage, StoredLobby};
use crate::wire::{ToClient, decode};

/// The bytes in front of a frame's body.
const HEADER: usize = 4;

impl LobbyHandle {
    /// The lobby of a lobby that was kept, by the very same `apply` that made it what it was.
    pub(in crate::server) fn kept(services: &Services, kept: &StoredLobby) -> Result<Self, Damage> {
        let damaged = |why: String| Damage { lobby: kept.lobby, code: Some(kept.opening.code), why };
        let opening = &kept.opening;
        let variant: Variant =
            opening.variant.parse().map_err(|_| damaged(format!("{} is no game", opening.variant)))?;
        let lobby = Lobby::new(opening.code, variant, opening.conditions);
        let mut live = LiveLobby::new(lobby, true, OutgoingBatch::default(), &services.metrics);
        // Together with a lobby it is recorded who sat down first.
        if kept.events.is_empty() {
            return Err(damaged("it is known how it was opened, and nothing of what happened".into()));
        }
        for (number, frame) in (1..).zip(&kept.events) {
            live.relive(frame).map_err(|why| damaged(format!("event {number} {why}")))?;
        }
        for owner in &kept.owners {
            live.members.restore(owner, Arc::new(services.names.claim(&owner.name)));
        }
        live.has_owners().map_err(damaged)?;
        Ok(Self::of(
            &services.clock,
            (kept.lobby, opening.opener),
            opening.password.map(LobbyPassword::kept),
            live,
        ))
    }

    /// The server is back, and nobody else yet. A lobby that nobody has a seat in is over.
    pub(in crate::server) fn restart(self: &Arc<Self>, app: &Arc<App>) {
        let _span = self.span.enter();
        let (mut live, now) = (self.lock(app), self.now());
        let events = live.lobby.decide_restart();
        self.happen_all(app, &mut live, now, events);
    }
}

impl LiveLobby {
    /// Makes an event true that has happened before.
    fn relive(&mut self, frame: &bytes::Bytes) -> Result<(), String> {
        let body = frame.get(HEADER..).unwrap_or_default();
        let (number, at, event) = match decode(body) {
            Ok(ToClient::Lobby { number, at, event }) => (number, at, event),
            Ok(_) => return Err("is none".into()),
            Err(error) => return Err(format!("cannot be read: {error}")),
        };
        let next = self.lobby.last_event() + 1;
        if number != next || at < self.latest {
            return Err(format!("is told as number {number}, and number {next} was to be next"));
        }
        self.lobby.apply(&event, at).map_err(|_| "cannot have happened then".to_owned())?;
        self.latest = at;
        self.members.note(number, frame);
        Ok(())
    }

    /// Whether everybody who sits here has something to come back with, and nobody else.
    fn has_owners(&self) -> Result<(), String> {
        for side in Side::BOTH {
            let Some(player) = self.lobby.seats()[side].as_ref() else { continue };
            let owner = self.members.owner(player.id);
            if player.kind == Kind::Person && owner.is_none_or(|owner| owner.name != player.name) {
                return Err(format!("nothing is kept by which {} could come back", player.name));
            }
        }
        Ok(())
    }
}
