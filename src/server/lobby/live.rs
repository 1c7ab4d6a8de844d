//! The state of a lobby inside its lock: the state machine, its members, and the running tasks. It
//! does not know the lock.

use std::sync::Arc;

use bytes::Bytes;
use tokio::time::Instant;

use super::chat::Chat;
use super::members::Members;
use super::outgoing::OutgoingBatch;
use super::tasks::Tasks;
use crate::game::{BySide, Side};
use crate::lobby::{Event, Kind, Lobby, Moment, Phase, PlayerId, Text};
use crate::server::connection::Connection;
use crate::server::journal::Journal;
use crate::server::metrics::Metrics;
use crate::server::names::Names;
use crate::server::storage::{Damage, LobbyId, Note, StoredLobby};
use crate::wire::{
    Listing, LobbyState, Presence, Room, Sitter, ToClient, TokenHash, body_of, decode, encode,
};

/// What is known of a lobby, and under way there.
#[derive(Debug)]
pub(in crate::server) struct LiveLobby {
    pub(super) lobby: Lobby,
    pub(super) members: Members,
    pub(super) chat: Chat,
    /// What is under way.
    pub(super) tasks: Tasks,
    /// When the last event happened.
    pub(super) latest: Moment,
    /// The lobby has been closed, and the server knows.
    is_closed: bool,
    /// What goes out next.
    outgoing: OutgoingBatch,
    /// Whether anything is recorded.
    records: bool,
    metrics: Arc<Metrics>,
}

fn log(event: &Event) {
    match event {
        Event::Sat { player, .. } => tracing::info!(player = %player.name, kind = ?player.kind, "sat down"),
        Event::Started { game, .. } => tracing::info!(game, "started"),
        Event::Ended { result } => tracing::info!(outcome = ?result.outcome, cause = ?result.cause, "ended"),
        event => tracing::debug!(?event, "happened"),
    }
}

impl LiveLobby {
    pub(super) fn new(lobby: Lobby, records: bool, outgoing: OutgoingBatch, metrics: &Arc<Metrics>) -> Self {
        Self {
            lobby,
            members: Members::default(),
            chat: Chat::default(),
            tasks: Tasks::default(),
            latest: Moment::START,
            is_closed: false,
            outgoing,
            records,
            metrics: Arc::clone(metrics),
        }
    }

    /// A lobby as it was stored, by the very same `apply` that made it what it was. Nobody is there yet.
    pub(in crate::server) fn restored(
        stored: &StoredLobby,
        names: &Names,
        metrics: &Arc<Metrics>,
    ) -> Result<Self, Damage> {
        let opening = &stored.opening;
        let damaged = |why: String| Damage { lobby: stored.lobby, code: Some(opening.code), why };
        let variant = opening.variant.parse();
        let variant = variant.map_err(|_| damaged(format!("{} is no game", opening.variant)))?;
        let lobby = Lobby::new(opening.code, variant, opening.conditions);
        let mut live = Self::new(lobby, true, OutgoingBatch::default(), metrics);
        // Together with a lobby it is recorded who sat down first.
        if stored.events.is_empty() {
            return Err(damaged("it is known how it was opened, and nothing of what happened".into()));
        }
        for (number, frame) in (1..).zip(&stored.events) {
            live.replay(frame).map_err(|why| damaged(format!("event {number} {why}")))?;
        }
        for owner in &stored.owners {
            live.members.restore(owner, Arc::new(names.claim(&owner.name)));
        }
        live.check_owners().map_err(damaged)?;
        Ok(live)
    }

    /// Makes an event true that has happened before.
    fn replay(&mut self, frame: &Bytes) -> Result<(), String> {
        let (number, at, event) = match decode(body_of(frame)) {
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

    /// Whether everybody who sits here can come back.
    fn check_owners(&self) -> Result<(), String> {
        for side in Side::BOTH {
            let Some(player) = self.lobby.seats()[side].as_ref() else { continue };
            let owner = self.members.owner(player.id);
            if player.kind == Kind::Person && owner.is_none_or(|owner| owner.name != player.name) {
                return Err(format!("nothing is kept by which {} could come back", player.name));
            }
        }
        Ok(())
    }

    /// Has recorded and told what was written down.
    pub(super) fn go_out(&mut self, journal: &Journal, lobby: LobbyId) {
        self.outgoing.go_out(journal, lobby);
    }

    /// The next messages answer a request that arrived at this instant.
    pub(super) fn note_arrival(&mut self, arrived: Instant) {
        self.outgoing.note_arrival(arrived);
    }

    /// Counts what has just happened.
    fn count(&self, event: &Event) {
        match event {
            Event::Moved { .. } => self.metrics.note_move(),
            Event::Ended { result } => self.metrics.note_game(self.lobby.variant(), *result),
            _ => {}
        }
    }

    /// Writes a frame to somebody.
    pub(super) fn tell(&mut self, connection: &Arc<Connection>, frame: Bytes) {
        self.outgoing.tell(connection, frame);
    }

    /// Writes a message to somebody.
    pub(super) fn say(&mut self, connection: &Arc<Connection>, message: &ToClient) {
        self.outgoing.say(connection, message);
    }

    /// Writes a frame to those in one room.
    pub(super) fn tell_room(&mut self, room: Room, frame: &Bytes) {
        self.members.tell_room(room, frame, &mut self.outgoing);
    }

    /// Notes whose the seat of this player is now.
    pub(super) fn note_owner(&mut self, player: PlayerId) {
        if let Some(owner) = self.members.owner(player).filter(|_| self.records) {
            self.outgoing.note(Note::Seated(owner));
        }
    }

    /// Notes on the players' connections whether they are in a game that is being played.
    pub(super) fn mark_playing(&self) {
        self.members.set_playing(self.lobby.phase() == Phase::Playing);
    }

    /// The tickets' hashes of all seats, once, when the lobby is closed.
    pub(super) fn take_closed(&mut self) -> Option<Vec<TokenHash>> {
        let is_news = self.lobby.phase() == Phase::Closed && !self.is_closed;
        is_news.then(|| {
            self.is_closed = true;
            self.members.seats().collect()
        })
    }

    /// Sends a new member the last lines of chat of their room.
    pub(super) fn tell_chat(&mut self, room: Room, connection: &Arc<Connection>) {
        if let Some(heard) = self.chat.heard(room) {
            self.say(connection, &heard);
        }
    }

    /// Makes an event true and tells it to everyone here.
    pub(super) fn happen(&mut self, event: Event, at: Moment) {
        let leaver = match event {
            Event::Left { side, .. } => self.lobby.seats()[side].as_ref().map(|player| player.id),
            _ => None,
        };
        let at = at.max(self.latest);
        self.latest = at;
        if self.lobby.apply(&event, at).is_err() {
            // `decide` proposes only what `apply` takes; the tests of the lobby hold them to it.
            tracing::error!(?event, "an event was decided that cannot happen");
            return;
        }
        log(&event);
        self.count(&event);
        let number = self.lobby.last_event();
        let told = ToClient::Lobby { number, at, event };
        let frame = encode(&told);
        self.members.tell(number, &frame, &mut self.outgoing);
        if self.records
            && let ToClient::Lobby { event, .. } = told
        {
            let game = if let Event::Started { game, .. } = event { Some(game) } else { None };
            self.outgoing.note(Note::Happened { number, at, event, frame });
            if let (Some(game), BySide { first: Some(first), second: Some(second) }) =
                (game, self.lobby.seats().clone())
            {
                self.outgoing.note(Note::GameStarted { game, players: BySide { first, second } });
            }
        }
        if let Some(leaver) = leaver {
            // What two players said to each other is not for the next one.
            self.chat.forget(Room::Players);
            // A player who left on purpose is no member any more.
            self.members.lapse(leaver);
            if self.records {
                self.outgoing.note(Note::Unseated(leaver));
            }
        }
    }

    /// The lobby as the list shows it; `None` if it is found by its code alone, or gone.
    pub(super) fn listing(&self) -> Option<Listing> {
        let conditions = self.lobby.conditions();
        let shown = conditions.listed && self.lobby.phase() != Phase::Closed;
        shown.then(|| Listing {
            code: self.lobby.code(),
            variant: Text::cut(&self.lobby.variant().text()),
            position: self.lobby.origin().map(|origin| origin.position.clone()),
            seats: BySide::from_fn(|side| self.sitter(side)),
            state: match self.lobby.phase() {
                Phase::Waiting if self.lobby.is_deserted() => LobbyState::Away,
                Phase::Waiting => LobbyState::Open,
                Phase::Playing => LobbyState::Playing,
                Phase::Over { .. } | Phase::Closed => LobbyState::Over,
            },
            level: conditions.level,
            clock: conditions.clock,
            best_of: conditions.best_of,
            watchers: self.lobby.watchers(),
            watched: conditions.watchers > 0,
            locked: conditions.locked,
        })
    }

    fn sitter(&self, side: Side) -> Option<Sitter> {
        let player = self.lobby.seats()[side].as_ref()?;
        let presence = Presence::of(&self.lobby, side);
        Some(Sitter { name: player.name.clone(), kind: player.kind, presence })
    }
}
