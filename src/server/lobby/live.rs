//! The state of a lobby inside its lock: the state machine, its members, and the running tasks. It
//! does not know the lock.

use std::sync::Arc;

use bytes::Bytes;
use tokio_util::task::AbortOnDropHandle;

use super::backlog::Backlog;
use super::chat::Chat;
use super::members::Members;
use super::outgoing::OutgoingBatch;
use crate::game::BySide;
use crate::game::any::Variant;
use crate::lobby::{Conditions, Event, Lobby, Moment, Notice, Origin, Phase, Player, PlayerId, Text, Who};
use crate::server::connection::Connection;
use crate::server::metrics::Metrics;
use crate::server::names::Names;
use crate::server::services::Services;
use crate::server::storage::{Damage, LobbyMeta, Note, StoredLobby, check_seats, replay};
use crate::wire::{
    Access, ChatRoom, HallRefusal, Listing, LobbyState, Sitter, ToClient, TokenHash, body_of, encode,
};

/// The state of a lobby.
#[derive(Debug)]
pub(in crate::server) struct LiveLobby {
    pub(super) lobby: Lobby,
    pub(super) members: Members,
    /// The events that a returning player may have missed.
    pub(super) backlog: Backlog,
    pub(super) chat: Chat,
    /// The running tasks.
    pub(super) tasks: Tasks,
    /// When the last event happened.
    pub(super) latest: Moment,
    /// Whether the registry knows that the lobby is closed.
    is_closed: bool,
    /// Whether another server goes on with the lobby: here nothing happens any more.
    pub(super) is_given_away: bool,
    /// What owners of seats are told who return after the lobby was closed.
    pub(super) why_closed: HallRefusal,
    /// What goes out next.
    pub(super) outgoing: OutgoingBatch,
    /// Whether anything is recorded.
    records: bool,
    metrics: Arc<Metrics>,
}

/// The tasks of a lobby. Each is cancelled when dropped.
#[derive(Debug, Default)]
pub(super) struct Tasks {
    /// A bot's move, for itself or for an absent player: who moves, and in which turn.
    pub(super) bot_move: Option<((Who, u32), AbortOnDropHandle<()>)>,
    /// A bot's answer to an offered draw.
    pub(super) draw: Option<AbortOnDropHandle<()>>,
    /// The timer for the next event that is due, or for a bot that sits down.
    pub(super) timer: Option<(Moment, AbortOnDropHandle<()>)>,
}

fn log(event: &Event) {
    match event {
        Event::Sat { player, .. } => tracing::info!(player = %player.name, kind = ?player.kind, "sat down"),
        Event::Started { game, .. } => tracing::info!(game, "started"),
        Event::Ended { result } => tracing::info!(outcome = ?result.outcome, cause = ?result.cause, "ended"),
        event => tracing::debug!(?event, "happened"),
    }
}

/// The settings of a new lobby.
#[derive(Debug)]
pub(in crate::server) struct Plan {
    pub(in crate::server) variant: Variant,
    pub(in crate::server) conditions: Conditions,
    /// Where games begin, if not at the variant's start.
    pub(in crate::server) origin: Option<Origin>,
}

impl LiveLobby {
    fn new(lobby: Lobby, records: bool, metrics: &Arc<Metrics>) -> Self {
        Self {
            lobby,
            members: Members::default(),
            backlog: Backlog::default(),
            chat: Chat::default(),
            tasks: Tasks::default(),
            latest: Moment::START,
            is_closed: false,
            is_given_away: false,
            why_closed: HallRefusal::GivenUp,
            outgoing: OutgoingBatch::default(),
            records,
            metrics: Arc::clone(metrics),
        }
    }

    /// A new lobby, still empty.
    pub(in crate::server) fn opened(services: &Services, meta: &LobbyMeta, plan: Plan) -> Self {
        let lobby = Lobby::new(meta.code, plan.variant, plan.conditions);
        let mut live = Self::new(lobby, services.journal.records(), &services.metrics);
        live.note(|| Note::Opened(meta.clone()));
        if let Some(origin) = plan.origin {
            live.apply_and_broadcast(Event::Placed { origin }, Moment::START);
        }
        live
    }

    /// Restores a stored lobby by the very same `apply` as in play. Nobody is connected yet.
    pub(in crate::server) fn restored(
        stored: &StoredLobby,
        names: &Names,
        metrics: &Arc<Metrics>,
    ) -> Result<Self, Damage> {
        let meta = &stored.meta;
        let damaged = |why: String| Damage { lobby: stored.lobby, code: Some(meta.code), why };
        let variant = meta.variant.parse();
        let variant = variant.map_err(|_| damaged(format!("{} is no game", meta.variant)))?;
        let lobby = match stored.checkpoint.clone() {
            Some(checkpoint) => Lobby::try_from(checkpoint).map_err(|bad| damaged(bad.to_string()))?,
            None => Lobby::new(meta.code, variant, meta.conditions),
        };
        let mut live = Self::new(lobby, true, metrics);
        live.latest = stored.checkpoint.as_ref().map_or(Moment::START, |checkpoint| checkpoint.at);
        // A lobby is recorded together with its first player.
        if stored.checkpoint.is_none() && stored.events.is_empty() {
            return Err(damaged("it was opened, but all its events are missing".into()));
        }
        for (number, frame) in (live.lobby.last_event() + 1..).zip(&stored.events) {
            let at = replay(&mut live.lobby, body_of(frame)).map_err(damaged)?;
            live.latest = live.latest.max(at);
            live.backlog.note(number, frame);
        }
        for owner in &stored.owners {
            live.members.add(owner.player, owner.seat, Arc::new(names.take(&owner.name)), None);
        }
        let owns =
            |player: &Player| live.members.seat_record(player.id).is_some_and(|own| own.name == player.name);
        check_seats(&live.lobby, owns).map_err(damaged)?;
        Ok(live)
    }

    /// Records the lobby as it is now, so that a start need not read its events.
    pub(super) fn note_checkpoint(&mut self) {
        if self.lobby.phase() != Phase::Closed {
            let checkpoint = Box::new(self.lobby.checkpoint(self.latest));
            self.note(|| Note::Checkpoint(checkpoint));
        }
    }

    /// Queues a note for the journal, if anything is recorded.
    pub(super) fn note(&mut self, note: impl FnOnce() -> Note) {
        if self.records {
            self.outgoing.note(note());
        }
    }

    /// Counts an event in the metrics.
    fn count(&self, event: &Event) {
        match event {
            Event::Moved { .. } => self.metrics.note_move(),
            Event::Ended { result } => self.metrics.note_game(self.lobby.variant(), *result),
            _ => {}
        }
    }

    /// Sends a frame to everyone in one room.
    pub(super) fn send_to_room(&mut self, room: ChatRoom, frame: &Bytes) {
        self.members.send_to_room(room, frame, &mut self.outgoing);
    }

    /// Records who holds this player's seat.
    pub(super) fn note_owner(&mut self, player: PlayerId) {
        if let Some(owner) = self.members.seat_record(player) {
            self.note(|| Note::Seated(owner));
        }
    }

    /// Notes on the players' connections whether they are in a game that is being played.
    pub(super) fn mark_playing(&self) {
        self.members.set_playing(self.lobby.phase() == Phase::Playing);
    }

    /// Returns the ticket hashes of all seats, and what their owners are told, once, when the lobby is closed.
    pub(super) fn take_closed(&mut self) -> Option<(Vec<TokenHash>, HallRefusal)> {
        let is_news = self.lobby.phase() == Phase::Closed && !self.is_closed;
        is_news.then(|| {
            self.is_closed = true;
            (self.members.seats().collect(), self.why_closed.clone())
        })
    }

    /// Sends a new member the last lines of chat of their room.
    pub(super) fn send_chat(&mut self, room: ChatRoom, connection: &Arc<Connection>) {
        if let Some(heard) = self.chat.recent(room) {
            self.outgoing.push(connection, &heard);
        }
    }

    /// Applies an event and broadcasts it to everyone here.
    pub(super) fn apply_and_broadcast(&mut self, event: Event, at: Moment) {
        let leaver = match event {
            Event::Left { side, .. } => self.lobby.seats()[side].as_ref().map(|player| player.id),
            _ => None,
        };
        let at = at.max(self.latest);
        self.latest = at;
        if self.lobby.apply(&event, at).is_err() {
            // `decide` returns only events that `apply` accepts; the lobby's tests check that.
            tracing::error!(?event, "an event was decided that cannot happen");
            return;
        }
        log(&event);
        self.count(&event);
        let number = self.lobby.last_event();
        let told = ToClient::Lobby { number, at, event };
        let frame = encode(&told);
        self.backlog.note(number, &frame);
        self.send_to_room(ChatRoom::Players, &frame);
        self.send_to_room(ChatRoom::Watchers, &frame);
        if let ToClient::Lobby { event, .. } = told {
            let players = self.starting_players(&event);
            self.note(|| Note::Happened { number, at, event, frame, players });
        }
        if let Some(leaver) = leaver {
            // The next player does not see the chat of those before.
            self.chat.forget(ChatRoom::Players);
            // A player who left on purpose is no member any more.
            self.members.revoke_absent(leaver);
            self.note(|| Note::Unseated(leaver));
        }
    }

    /// Applies a notice and broadcasts it to everyone here. It is not recorded.
    pub(super) fn note_and_broadcast(&mut self, notice: Notice, at: Moment) {
        if self.lobby.note(&notice, at).is_err() {
            // `decide` returns only notices that `note` accepts; the lobby's tests check that.
            tracing::error!(?notice, "a notice was decided that cannot be");
            return;
        }
        tracing::debug!(?notice, "noted");
        let frame = encode(&ToClient::Notice { at, notice });
        self.send_to_room(ChatRoom::Players, &frame);
        self.send_to_room(ChatRoom::Watchers, &frame);
    }

    /// The players of the game that starts with this event, if one does.
    fn starting_players(&self, event: &Event) -> Option<Box<BySide<Player>>> {
        let Event::Started { .. } = event else { return None };
        let BySide { first, second } = self.lobby.seats().clone();
        Some(Box::new(BySide { first: first?, second: second? }))
    }

    /// The lobby's entry in the list; `None` if it is unlisted or closed.
    pub(super) fn listing(&self) -> Option<Listing> {
        let conditions = self.lobby.conditions();
        let shown = conditions.listed && self.lobby.phase() != Phase::Closed;
        shown.then(|| Listing {
            code: self.lobby.code(),
            variant: Text::cut(&self.lobby.variant().text()),
            position: self.lobby.origin().map(|origin| origin.position.clone()),
            seats: BySide::from_fn(|side| Sitter::of(&self.lobby, side)),
            state: self.state(),
            level: conditions.level,
            clock: conditions.clock,
            best_of: conditions.best_of,
            watchers: self.lobby.watchers(),
            watched: conditions.watchers > 0,
            locked: conditions.locked,
        })
    }

    /// What somebody who knows the code may know before joining. A lobby that is not listed tells no more than its
    /// password is right or wrong.
    pub(super) fn access(&self) -> Access {
        let conditions = self.lobby.conditions();
        let is_told = conditions.listed || !conditions.locked;
        Access {
            state: is_told.then(|| self.state()),
            watched: !is_told || conditions.watchers > 0,
            locked: conditions.locked,
        }
    }

    fn state(&self) -> LobbyState {
        match self.lobby.phase() {
            Phase::Waiting if self.lobby.is_deserted() => LobbyState::Away,
            Phase::Waiting => LobbyState::Open,
            Phase::Playing => LobbyState::Playing,
            Phase::Over { .. } | Phase::Closed => LobbyState::Over,
        }
    }
}
