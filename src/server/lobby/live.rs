//! The state of a lobby behind its lock: the lobby, who is told of it, and what its bots want.

use std::sync::Arc;

use bytes::Bytes;
use tokio::time::Instant;

use super::chat::Chat;
use super::members::Members;
use super::outgoing::OutgoingBatch;
use super::tasks::{BotTask, DrawTask, Timer};
use crate::game::{BySide, Side};
use crate::lobby::{Event, Kind, Lobby, Moment, Name, Offer, Phase, PlayerId, Request, Text, Who};
use crate::server::app::App;
use crate::server::connection::Connection;
use crate::server::journal::Journal;
use crate::server::metrics::Metrics;
use crate::server::storage::{LobbyId, Note};
use crate::wire::{Listing, LobbyState, Presence, Room, Sitter, ToClient, encode};

/// What is known of a lobby, and under way there.
#[derive(Debug)]
pub(super) struct LiveLobby {
    pub(super) lobby: Lobby,
    pub(super) members: Members,
    pub(super) chat: Chat,
    /// What is under way for a bot. It ends when this is replaced.
    pub(super) bot_task: BotTask,
    /// A bot's thoughts about a draw. They end when this is replaced.
    pub(super) draw_task: Option<DrawTask>,
    /// What happens next by itself. It does not when this is replaced.
    pub(super) timer: Option<Timer>,
    /// When the last event happened.
    pub(super) latest: Moment,
    /// The lobby has been closed, and the hall has been told.
    pub(super) gone: bool,
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
            bot_task: BotTask::None,
            draw_task: None,
            timer: None,
            latest: Moment::START,
            gone: false,
            outgoing,
            records,
            metrics: Arc::clone(metrics),
        }
    }

    /// Has recorded and told what was written down.
    pub(super) fn go_out(&mut self, journal: &Journal, lobby: LobbyId) {
        self.outgoing.go_out(journal, lobby);
    }

    /// What is told next comes of a request that arrived at this instant.
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

    /// Nothing is under way any more.
    pub(super) fn rest(&mut self) {
        (self.bot_task, self.draw_task, self.timer) = (BotTask::None, None, None);
    }

    /// Tells somebody who comes what was said last in their room.
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
            // What two said to each other is not for whoever comes next.
            self.chat.forget(Room::Players);
            // Whoever has left on purpose is no member any more.
            self.members.lapse(leaver);
            if self.records {
                self.outgoing.note(Note::Unseated(leaver));
            }
        }
    }

    /// Who moves now and is a bot: one in its own seat, or one that stands in.
    pub(super) fn thinker(&self) -> Option<Who> {
        let rests = self.lobby.is_paused() || self.lobby.is_unwatched();
        let player = self.lobby.to_move().filter(|_| !rests)?;
        match player.kind {
            Kind::Bot => Some(Who::Player(player.id)),
            Kind::Person => self.lobby.stood_in_for().map(Who::StandIn),
        }
    }

    /// What a bot wants to do on the spot, if anything: sit down at once, play again when asked, let a person have a move
    /// back or a rest.
    pub(super) fn bot_wish(&self, app: &App, now: Moment) -> Option<(Who, Request)> {
        if self.bot_comes(app).is_some_and(|at| at <= now) {
            return Some((Who::Newcomer, self.bot_sits()));
        }
        let bot = |side: Side| self.lobby.seats()[side].as_ref().filter(|player| player.kind == Kind::Bot);
        if let Some(open) = self.lobby.offer().filter(|open| open.offer != Offer::Draw) {
            let (turn, offer) = (self.lobby.turn(), open.offer);
            return Some((Who::Player(bot(!open.side)?.id), Request::Answer { turn, offer, accept: true }));
        }
        let Phase::Over { again, .. } = self.lobby.phase() else { return None };
        let side = Side::BOTH.into_iter().find(|&side| again[!side] && !again[side])?;
        Some((Who::Player(bot(side)?.id), Request::Again))
    }

    /// The bot to which a draw is offered, if one is.
    pub(super) fn bot_asked_for_a_draw(&self) -> Option<PlayerId> {
        let open = self.lobby.offer().filter(|open| open.offer == Offer::Draw)?;
        let asked = self.lobby.seats()[!open.side].as_ref()?;
        (asked.kind == Kind::Bot).then_some(asked.id)
    }

    /// To sit down as a bot, under a name that no other bot here has.
    fn bot_sits(&self) -> Request {
        let first = Name::bot();
        let taken = self.lobby.seats().iter().any(|(_, seat)| seat.as_ref().is_some_and(|p| p.name == first));
        Request::Sit { name: if taken { Name::other_bot() } else { first }, kind: Kind::Bot }
    }

    /// When the bot takes an open seat; `None` if it does not come.
    fn bot_comes(&self, app: &App) -> Option<Moment> {
        self.lobby.bot_comes().filter(|_| app.config.bots)
    }

    /// When something happens next by itself: what falls due in the lobby, or the coming of the bot.
    pub(super) fn next_moment(&self, app: &App) -> Option<Moment> {
        let due = self.lobby.due().map(|(at, _)| at);
        [due, self.bot_comes(app)].into_iter().flatten().min()
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
