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
use crate::lobby::{Conditions, Event, Lobby, Moment, Origin, Phase, Player, PlayerId, Text, Who};
use crate::server::connection::Connection;
use crate::server::metrics::Metrics;
use crate::server::names::Names;
use crate::server::services::Services;
use crate::server::storage::{Damage, LobbyMeta, Note, StoredLobby, check_seats, replay};
use crate::wire::{ChatRoom, Listing, LobbyState, Sitter, ToClient, TokenHash, body_of, encode};

/// What is known of a lobby, and under way there.
#[derive(Debug)]
pub(in crate::server) struct LiveLobby {
    pub(super) lobby: Lobby,
    pub(super) members: Members,
    /// What those missed who come back.
    pub(super) backlog: Backlog,
    pub(super) chat: Chat,
    /// What is under way.
    pub(super) tasks: Tasks,
    /// When the last event happened.
    pub(super) latest: Moment,
    /// The lobby has been closed, and the server knows.
    is_closed: bool,
    /// What goes out next.
    pub(super) outgoing: OutgoingBatch,
    /// Whether anything is recorded.
    records: bool,
    metrics: Arc<Metrics>,
}

/// The tasks of a lobby. Each is cancelled when dropped.
#[derive(Debug, Default)]
pub(super) struct Tasks {
    /// The move that a bot thinks about, for itself or for an absent player: whose, and of which turn.
    pub(super) bot_move: Option<((Who, u32), AbortOnDropHandle<()>)>,
    /// A bot's thinking about a draw.
    pub(super) draw: Option<AbortOnDropHandle<()>>,
    /// What waits for the next moment at which something happens by itself.
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

/// What a new lobby is to be.
#[derive(Debug)]
pub(in crate::server) struct Plan {
    pub(in crate::server) variant: Variant,
    pub(in crate::server) conditions: Conditions,
    /// Where games come from that do not begin as the variant does.
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
            outgoing: OutgoingBatch::default(),
            records,
            metrics: Arc::clone(metrics),
        }
    }

    /// A new lobby, in which nobody is yet.
    pub(in crate::server) fn opened(services: &Services, meta: &LobbyMeta, plan: Plan) -> Self {
        let lobby = Lobby::new(meta.code, plan.variant, plan.conditions);
        let mut live = Self::new(lobby, services.journal.records(), &services.metrics);
        live.note(|| Note::Opened(meta.clone()));
        if let Some(origin) = plan.origin {
            live.apply_and_broadcast(Event::Placed { origin }, Moment::START);
        }
        live
    }

    /// A lobby as it was stored, by the very same `apply` that made it what it was. Nobody is there yet.
    pub(in crate::server) fn restored(
        stored: &StoredLobby,
        names: &Names,
        metrics: &Arc<Metrics>,
    ) -> Result<Self, Damage> {
        let meta = &stored.meta;
        let damaged = |why: String| Damage { lobby: stored.lobby, code: Some(meta.code), why };
        let variant = meta.variant.parse();
        let variant = variant.map_err(|_| damaged(format!("{} is no game", meta.variant)))?;
        let lobby = Lobby::new(meta.code, variant, meta.conditions);
        let mut live = Self::new(lobby, true, metrics);
        // Together with a lobby it is recorded who sat down first.
        if stored.events.is_empty() {
            return Err(damaged("it is known how it was opened, and nothing of what happened".into()));
        }
        for (number, frame) in (1..).zip(&stored.events) {
            let at = replay(&mut live.lobby, body_of(frame)).map_err(damaged)?;
            live.latest = live.latest.max(at);
            live.backlog.note(number, frame);
        }
        for owner in &stored.owners {
            live.members.add(owner.player, owner.seat, Arc::new(names.claim(&owner.name)), None);
        }
        let owns =
            |player: &Player| live.members.seat_record(player.id).is_some_and(|own| own.name == player.name);
        check_seats(&live.lobby, owns).map_err(damaged)?;
        Ok(live)
    }

    /// Has something recorded, if anything is.
    pub(super) fn note(&mut self, note: impl FnOnce() -> Note) {
        if self.records {
            self.outgoing.note(note());
        }
    }

    /// Counts what has just happened.
    fn count(&self, event: &Event) {
        match event {
            Event::Moved { .. } => self.metrics.note_move(),
            Event::Ended { result } => self.metrics.note_game(self.lobby.variant(), *result),
            _ => {}
        }
    }

    /// Writes a frame to those in one room.
    pub(super) fn send_to_room(&mut self, room: ChatRoom, frame: &Bytes) {
        self.members.send_to_room(room, frame, &mut self.outgoing);
    }

    /// Notes whose the seat of this player is now.
    pub(super) fn note_owner(&mut self, player: PlayerId) {
        if let Some(owner) = self.members.seat_record(player) {
            self.note(|| Note::Seated(owner));
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
    pub(super) fn send_chat(&mut self, room: ChatRoom, connection: &Arc<Connection>) {
        if let Some(heard) = self.chat.recent(room) {
            self.outgoing.push(connection, &heard);
        }
    }

    /// Makes an event true and tells it to everyone here.
    pub(super) fn apply_and_broadcast(&mut self, event: Event, at: Moment) {
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
        self.backlog.note(number, &frame);
        self.send_to_room(ChatRoom::Players, &frame);
        self.send_to_room(ChatRoom::Watchers, &frame);
        if let ToClient::Lobby { event, .. } = told {
            let players = self.starting_players(&event);
            self.note(|| Note::Happened { number, at, event, frame, players });
        }
        if let Some(leaver) = leaver {
            // What two players said to each other is not for the next one.
            self.chat.forget(ChatRoom::Players);
            // A player who left on purpose is no member any more.
            self.members.revoke_absent(leaver);
            self.note(|| Note::Unseated(leaver));
        }
    }

    /// Who plays the game that starts with this event, if one does.
    fn starting_players(&self, event: &Event) -> Option<Box<BySide<Player>>> {
        let Event::Started { .. } = event else { return None };
        let BySide { first, second } = self.lobby.seats().clone();
        Some(Box::new(BySide { first: first?, second: second? }))
    }

    /// The lobby as the list shows it; `None` if it is found by its code alone, or gone.
    pub(super) fn listing(&self) -> Option<Listing> {
        let conditions = self.lobby.conditions();
        let shown = conditions.listed && self.lobby.phase() != Phase::Closed;
        shown.then(|| Listing {
            code: self.lobby.code(),
            variant: Text::cut(&self.lobby.variant().text()),
            position: self.lobby.origin().map(|origin| origin.position.clone()),
            seats: BySide::from_fn(|side| Sitter::of(&self.lobby, side)),
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
}
