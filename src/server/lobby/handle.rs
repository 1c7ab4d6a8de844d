//! The handle by which sessions and timers reach a lobby. Under its lock one request at a time is decided,
//! applied and broadcast.

use std::fmt;
use std::net::IpAddr;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use tokio::time::Instant;
use tracing::Span;
use tracing::span::Entered;

use super::bots;
use super::live::LiveLobby;
use super::outgoing::OutgoingBatch;
use crate::game::any::{Board, Move};
use crate::lobby::{
    Code, Decision, Departure, Event, Events, Hints, LobbyRequest, Moment, Name, Phase, PlayerId, Refusal,
    Request, Text, Who,
};
use crate::number::saturating;
use crate::server::connection::Connection;
use crate::server::limits::AddressLimits;
use crate::server::services::Services;
use crate::server::storage::{LobbyId, LobbyMeta, PasswordHash};
use crate::wire::limits::MAX_CHAT;
use crate::wire::{Access, ChatRoom, Farewell, HallRefusal, Secret, TokenHash, encode};

/// A lobby behind a lock, with the connections of everyone in it.
pub(in crate::server) struct LobbyHandle {
    pub(in crate::server) code: Code,
    pub(super) id: LobbyId,
    /// The address from which it was opened, for which its bots think.
    pub(in crate::server) opener: IpAddr,
    /// The rate limits of that address.
    pub(super) opener_limits: Arc<AddressLimits>,
    password: Option<PasswordHash>,
    span: Span,
    pub(super) services: Arc<Services>,
    on_close: OnClose,
    /// A reading of the server's clock, and the moment of the lobby's time that it corresponds to.
    since: (Duration, Moment),
    /// Held while one request is decided, applied and broadcast: some microseconds, and never across a wait.
    pub(super) live: Mutex<LiveLobby>,
}

/// Called once, when the lobby is closed, with the tickets' hashes of all its seats, and what their owners are
/// told if they return. The lobby is not locked then.
pub(in crate::server) type OnClose = Box<dyn Fn(Code, Vec<TokenHash>, HallRefusal) + Send + Sync>;

/// A move of the game that is over, and the board on which it was made.
#[derive(Debug, Clone)]
pub(in crate::server) struct PlayedMove {
    pub(in crate::server) board: Board,
    pub(in crate::server) mv: Move,
    /// How many moves the game has.
    pub(in crate::server) count: u32,
}

/// The lock on a lobby, at one moment of the lobby's time. On drop: lets bots act, restarts timers, posts to
/// the journal and sends the frames.
pub(super) struct LobbyGuard<'a> {
    live: MutexGuard<'a, LiveLobby>,
    handle: &'a Arc<LobbyHandle>,
    /// The address that is charged for what is recorded, and when it was locked.
    payer: (&'a AddressLimits, Instant),
    pub(super) now: Moment,
    /// An event happened that may change the lobby's entry in the list.
    listing_changes: bool,
    _span: Entered<'a>,
}

impl LobbyHandle {
    /// A handle on a lobby that was opened with this metadata and is in this state.
    pub(in crate::server) fn new(
        services: &Arc<Services>,
        on_close: OnClose,
        id: LobbyId,
        &LobbyMeta { code, password, opener, .. }: &LobbyMeta,
        live: LiveLobby,
    ) -> Self {
        Self {
            code,
            id,
            opener,
            opener_limits: services.limits.of(opener),
            password,
            span: tracing::info_span!(parent: None, "lobby", code = %code.redacted(), %opener),
            services: Arc::clone(services),
            on_close,
            since: (services.clock.now(), live.latest),
            live: Mutex::new(live),
        }
    }

    /// Locks the state, to change it or to send something. What is recorded then is charged to the address
    /// that opened the lobby.
    pub(super) fn lock(self: &Arc<Self>) -> LobbyGuard<'_> {
        self.lock_and_charge(&self.opener_limits)
    }

    /// Locks the state for a request over this connection, to whose address is charged what is recorded. Where
    /// another server goes on with the lobby, the client is to come back instead of getting an answer.
    pub(super) fn lock_for<'a>(self: &'a Arc<Self>, connection: &'a Connection) -> LobbyGuard<'a> {
        let live = self.lock_and_charge(connection.limits());
        live.send_away_if_given_away(connection);
        live
    }

    fn lock_and_charge<'a>(self: &'a Arc<Self>, payer: &'a AddressLimits) -> LobbyGuard<'a> {
        let (live, locked) = (self.live.lock(), Instant::now());
        // Time never goes back, not even if the clock was set back in between.
        let now = self.moment(locked).max(live.latest);
        let payer = (payer, locked);
        LobbyGuard { live, handle: self, payer, now, listing_changes: false, _span: self.span.enter() }
    }

    /// The lobby's time.
    pub(super) fn now(&self) -> Moment {
        self.moment(Instant::now())
    }

    /// The lobby's time at this instant.
    pub(super) fn moment(&self, instant: Instant) -> Moment {
        let (shown, moment) = self.since;
        moment + self.services.clock.at(instant).saturating_sub(shown)
    }

    /// The reading of the server's clock at this moment of the lobby's time.
    pub(super) fn shown_at(&self, at: Moment) -> Duration {
        let (shown, moment) = self.since;
        (shown + at.since(Moment::START)).saturating_sub(moment.since(Moment::START))
    }

    /// How many watch.
    pub(in crate::server) fn watchers(&self) -> usize {
        self.live.lock().members.count_watchers()
    }

    /// Checks the password, if the lobby has one.
    pub(super) fn check(&self, password: Option<&Secret>) -> Result<(), HallRefusal> {
        match (self.password, password) {
            (None, _) => Ok(()),
            (Some(hash), Some(password)) if hash.fits(password) => Ok(()),
            (Some(_), _) => Err(HallRefusal::WrongPassword),
        }
    }

    /// Grants or refuses a request of a player or a watcher that arrived at this instant; the server's own
    /// delay is not charged to the player's clock. Refuses everything to a player who is connected over
    /// another connection by now.
    pub(in crate::server) fn ask(
        self: &Arc<Self>,
        (who, connection): (Who, &Arc<Connection>),
        request: LobbyRequest,
        arrived: Instant,
    ) -> Result<(), Refusal> {
        let mut live = self.lock_for(connection);
        if let Who::Player(player) = who
            && !live.members.is_connected(player, connection)
        {
            return Err(Refusal::NotSeated);
        }
        live.outgoing.note_arrival(arrived);
        // A request may have arrived before the last event and be granted after it.
        live.now = self.moment(arrived).max(live.latest);
        live.grant(who, request)
    }

    /// Grants a bot's request. A refusal means that the game went on without the bot. While nothing can be
    /// recorded the request is dropped, and its job is started again afterwards.
    pub(super) fn ask_as_bot(self: &Arc<Self>, who: Who, request: LobbyRequest) {
        if self.services.journal.error().is_none() {
            let _ = self.lock().grant(who, request);
        }
    }

    /// Applies the events that are due. A bot whose time has come sits down when the lock is dropped.
    pub(super) fn on_timer(self: &Arc<Self>) {
        let mut live = self.lock();
        live.tasks.timer = None;
        let events = live.lobby.decide_due(live.now);
        live.apply_all(events);
    }

    /// Broadcasts a line of chat to one room.
    pub(in crate::server) fn say(self: &Arc<Self>, room: ChatRoom, name: &Name, words: Text<MAX_CHAT>) {
        let mut live = self.lock();
        let now = live.now;
        let said = live.chat.add(room, name.clone(), now, words);
        live.send_to_room(room, &encode(&said));
    }

    /// The board for a hint, and its turn; or why this member gets no hint.
    ///
    /// Hints for watchers only are not sent to an address at which a player sits: the watcher may be the player
    /// on a second connection.
    pub(in crate::server) fn board_for_hint(
        &self,
        (who, connection): (Who, &Arc<Connection>),
    ) -> Result<(Board, u32), Refusal> {
        let live = self.live.lock();
        live.lobby.may_hint(who)?;
        if live.lobby.conditions().hints == Hints::Watchers
            && live.members.has_player_at(connection.address())
        {
            return Err(Refusal::PlayerAtAddress);
        }
        Ok((live.lobby.board().clone(), live.lobby.turn()))
    }

    /// The move of this number, from 1, of the game that is over.
    pub(in crate::server) fn played(&self, number: u32) -> Result<PlayedMove, Refusal> {
        let live = self.live.lock();
        let count = saturating(live.lobby.past().len());
        live.lobby.played(number).map(|(board, past)| PlayedMove { board, mv: past.mv, count })
    }

    /// Whether leaving causes an event: the lobby is not closed, and a player still has the seat.
    pub(in crate::server) fn leaving_has_effect(&self, who: Who) -> bool {
        let lobby = &self.live.lock().lobby;
        let has_place = |player: PlayerId| lobby.side_of(player).is_some();
        lobby.phase() != Phase::Closed && !matches!(who, Who::Player(player) if !has_place(player))
    }

    /// Whether it is listed, and anybody may join.
    pub(in crate::server) fn is_open_to_all(&self) -> bool {
        self.password.is_none() && self.live.lock().lobby.conditions().listed
    }

    /// Whether one can sit down or watch, as far as somebody who knows the code may know.
    pub(in crate::server) fn access(&self) -> Access {
        self.live.lock().access()
    }

    /// Whether the ticket with this hash holds a seat here.
    pub(in crate::server) fn has_seat(&self, seat: TokenHash) -> bool {
        self.live.lock().members.player_for_ticket(seat).is_some()
    }

    /// Whether there is a watcher on this connection.
    pub(in crate::server) fn is_watching(&self, connection: &Arc<Connection>) -> bool {
        self.live.lock().members.is_watching(connection)
    }

    /// The number of the next move.
    pub(in crate::server) fn turn(&self) -> u32 {
        self.live.lock().lobby.turn()
    }
}

impl LobbyGuard<'_> {
    /// Grants a request or refuses it.
    pub(super) fn grant(&mut self, who: Who, request: impl Into<Request>) -> Result<(), Refusal> {
        let Decision { events, notice } = self.lobby.decide(who, request, self.now)?;
        self.apply_all(events);
        if let Some(notice) = notice.filter(|_| !self.is_given_away) {
            self.listing_changes = true;
            let now = self.now;
            self.live.note_and_broadcast(notice, now);
        }
        Ok(())
    }

    /// Has a client come back if another server goes on with the lobby. It gets no other answer.
    pub(super) fn send_away_if_given_away(&self, connection: &Connection) {
        if self.is_given_away {
            connection.end(Farewell::Moved);
        }
    }

    /// Grants a request, and ignores a refusal.
    pub(super) fn request_if_possible(&mut self, who: Who, request: impl Into<Request>) {
        let _ = self.grant(who, request);
    }

    /// Removes a watcher, if there is one on this connection.
    pub(super) fn stop_watching(&mut self, connection: &Arc<Connection>, how: Departure) {
        if let Some(name) = self.members.remove_watcher(connection) {
            self.request_if_possible(Who::Watcher, Request::Unwatch { name, how });
        }
    }

    /// Applies these events and broadcasts them, unless another server goes on with the lobby.
    pub(super) fn apply_all(&mut self, events: Events) {
        if self.is_given_away {
            return;
        }
        for event in events {
            self.listing_changes |= !matches!(event, Event::Moved { .. });
            let now = self.now;
            self.live.apply_and_broadcast(event, now);
        }
    }

    /// Follows up on what happened: the bots act, tasks and timer are renewed, the list is updated.
    fn after_change(&mut self) {
        let services = &self.handle.services;
        // A bot's action follows from the lobby's state: after a refusal the loop would never end.
        while let Some((who, request)) = bots::immediate_action(services, &self.lobby, self.now)
            && self.grant(who, request).is_ok()
        {}
        self.handle.renew_tasks(&mut self.live);
        if self.listing_changes {
            self.mark_playing();
            let LobbyHandle { id, code, opener, .. } = **self.handle;
            services.lobby_list.update((id, code, opener), &self.lobby.start(), self.listing());
        }
    }
}

impl fmt::Debug for LobbyHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LobbyHandle").field("code", &self.code).field("id", &self.id).finish_non_exhaustive()
    }
}

impl Deref for LobbyGuard<'_> {
    type Target = LiveLobby;

    fn deref(&self) -> &LiveLobby {
        &self.live
    }
}

impl DerefMut for LobbyGuard<'_> {
    fn deref_mut(&mut self) -> &mut LiveLobby {
        &mut self.live
    }
}

impl Drop for LobbyGuard<'_> {
    fn drop(&mut self) {
        if self.live.is_given_away {
            // Whatever was decided in ignorance of it is neither recorded nor told.
            self.live.outgoing = OutgoingBatch::default();
            return;
        }
        self.after_change();
        let LobbyHandle { code, id, services, on_close, .. } = &**self.handle;
        if let Some((seats, why)) = self.live.take_closed() {
            tracing::info!("closed");
            // Its code is free before anybody receives the news that it is closed.
            MutexGuard::unlocked(&mut self.live, || on_close(*code, seats, why));
        }
        let (payer, locked) = self.payer;
        self.live.outgoing.charge(payer, locked);
        // Still under the lock, so that all that happens in a lobby goes out in its order.
        self.live.outgoing.go_out(&services.journal, *id);
    }
}
