//! A lobby as sessions and timers come to it.

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
use super::plan::{LobbyPassword, Plan};
use super::tasks::{Actor, Tasks};
use crate::game::any::{Board, Move};
use crate::lobby::{
    Code, Departure, Event, Events, Kind, Lobby, LobbyRequest, Loss, Moment, Name, Phase, PlayerId, Refusal,
    Request, Text, Who,
};
use crate::number::saturating;
use crate::server::connection::Connection;
use crate::server::names::NameClaim;
use crate::server::services::Services;
use crate::server::storage::{LobbyId, Note, Opening, StorageError, StoredLobby};
use crate::wire::limits::MAX_CHAT;
use crate::wire::{self, Farewell, HallRefusal, Room, Secret, Ticket, ToClient, TokenHash, encode};

/// How long a lobby that everybody has left is kept at least where there are too many: a connection that
/// broke is made again sooner.
const MIN_LEFT: Duration = Duration::from_mins(1);

/// A lobby behind a lock, with the connections of everyone in it.
pub(in crate::server) struct LobbyHandle {
    code: Code,
    id: LobbyId,
    /// The address from which it was opened, for which its bots think.
    opener: IpAddr,
    password: Option<Box<LobbyPassword>>,
    span: Span,
    services: Arc<Services>,
    on_close: OnClose,
    /// What the server's clock shows at which moment of the lobby's time.
    since: (Duration, Moment),
    /// Held while one request is decided, applied and told: some microseconds, and never across a wait.
    live: Mutex<LiveLobby>,
}

/// Called once, when the lobby is closed, with the tickets' hashes of all its seats. The lobby is not locked
/// then.
pub(in crate::server) type OnClose = Box<dyn Fn(Code, Vec<TokenHash>) + Send + Sync>;

/// A refusal, with the number of the lobby's next move.
pub(in crate::server) type Refused = (Refusal, u32);

/// A move of the game that is over, and the board on which it was made.
#[derive(Debug, Clone)]
pub(in crate::server) struct Played {
    pub(in crate::server) board: Board,
    pub(in crate::server) mv: Move,
    /// How many moves the game has.
    pub(in crate::server) count: u32,
}

/// The lock on a lobby. What is to be recorded and told goes out when it is dropped.
struct LobbyGuard<'a> {
    live: MutexGuard<'a, LiveLobby>,
    handle: &'a LobbyHandle,
    _span: Entered<'a>,
}

impl LobbyHandle {
    pub(in crate::server) fn new(
        services: &Arc<Services>,
        on_close: OnClose,
        (code, id): (Code, LobbyId),
        Plan { variant, conditions, origin }: Plan,
        password: Option<LobbyPassword>,
        opener: IpAddr,
    ) -> Self {
        let (mut outgoing, records) = (OutgoingBatch::default(), services.journal.records());
        if records {
            let (variant, password) = (variant.text(), password.as_ref().map(LobbyPassword::hash));
            outgoing.note(Note::Opened(Opening { code, variant, conditions, password, opener }));
        }
        let lobby = Lobby::new(code, variant, conditions);
        let mut live = LiveLobby::new(lobby, records, outgoing, &services.metrics);
        if let Some(origin) = origin {
            live.happen(Event::Placed { origin }, Moment::START);
        }
        Self::of(services, on_close, (id, opener), password, live)
    }

    /// A lobby that was stored, of which this was made.
    pub(in crate::server) fn restored(
        services: &Arc<Services>,
        on_close: OnClose,
        stored: &StoredLobby,
        live: LiveLobby,
    ) -> Self {
        let password = stored.opening.password.map(LobbyPassword::stored);
        Self::of(services, on_close, (stored.lobby, stored.opening.opener), password, live)
    }

    fn of(
        services: &Arc<Services>,
        on_close: OnClose,
        (id, opener): (LobbyId, IpAddr),
        password: Option<LobbyPassword>,
        live: LiveLobby,
    ) -> Self {
        let code = live.lobby.code();
        Self {
            code,
            id,
            opener,
            password: password.map(Box::new),
            span: tracing::info_span!(parent: None, "lobby", %code),
            services: Arc::clone(services),
            on_close,
            since: (services.clock.now(), live.latest),
            live: Mutex::new(live),
        }
    }

    /// The lobby's code.
    pub(in crate::server) fn code(&self) -> Code {
        self.code
    }

    /// The address from which it was opened.
    pub(in crate::server) fn opener(&self) -> IpAddr {
        self.opener
    }

    /// Locks the state, to change it or to tell something.
    fn lock(&self) -> LobbyGuard<'_> {
        LobbyGuard { live: self.live.lock(), handle: self, _span: self.span.enter() }
    }

    /// The lobby's time at this instant.
    fn moment(&self, instant: Instant) -> Moment {
        let (shown, moment) = self.since;
        moment + self.services.clock.at(instant).saturating_sub(shown)
    }

    fn check(&self, password: Option<&Secret>) -> Result<(), HallRefusal> {
        let is_right = self.password.as_ref().is_none_or(|known| known.is(password));
        if is_right { Ok(()) } else { Err(HallRefusal::WrongPassword) }
    }

    /// Whether it is listed, and anybody may join.
    pub(in crate::server) fn is_open_to_all(&self) -> bool {
        self.password.is_none() && self.live.lock().lobby.conditions().listed
    }

    /// Seats a person who knows the password, by a ticket with this hash. They are told the lobby as it is,
    /// and everyone that they came.
    pub(in crate::server) fn sit(
        self: &Arc<Self>,
        name: &Arc<NameClaim>,
        password: Option<&Secret>,
        seat: TokenHash,
        connection: &Arc<Connection>,
    ) -> Result<PlayerId, wire::Refusal> {
        self.check(password)?;
        let (mut live, now) = (self.lock(), self.now());
        let request = Request::Sit { name: name.name().clone(), kind: Kind::Person };
        let mut events = live.lobby.decide(Who::Newcomer, request, now)?.into_iter();
        let Some(Event::Sat { side, player }) = events.next() else { return Err(Refusal::SeatTaken.into()) };
        let id = player.id;
        live.happen(Event::Sat { side, player }, now);
        live.members.add(id, seat, name, connection);
        live.note_owner(id);
        let lobby = live.lobby.snapshot();
        live.say(connection, &ToClient::Entered { you: side, lobby, now });
        live.tell_chat(Room::Players, connection);
        events.for_each(|event| live.happen(event, now));
        self.settle(&mut live, now, true);
        Ok(id)
    }

    /// Gives the seat back to a client that shows its ticket, and sends it what they missed after event
    /// `seen`, or the lobby as it is. A wrong ticket changes nothing.
    pub(in crate::server) fn come_back(
        self: &Arc<Self>,
        ticket: &Ticket,
        seen: u32,
        connection: &Arc<Connection>,
    ) -> Result<(PlayerId, Arc<NameClaim>), HallRefusal> {
        let (mut live, now) = (self.lock(), self.now());
        let seat = ticket.hash();
        let player = live.members.owner_of(seat).ok_or_else(|| live.members.why_not(seat))?;
        let you = live.lobby.side_of(player).ok_or(HallRefusal::BadTicket)?;
        let has_happened = seen <= live.lobby.last_event();
        let events = live
            .lobby
            .decide(Who::Player(player), Request::Return, now)
            .map_err(|_| HallRefusal::BadTicket)?;
        self.happen_all(&mut live, now, events);
        let name = live.members.come_back(player, connection).ok_or(HallRefusal::BadTicket)?;
        live.mark_playing();
        if let Some(missed) = live.members.missed_since(seen).filter(|_| has_happened) {
            for frame in missed {
                live.tell(connection, frame);
            }
            live.say(connection, &ToClient::Returned { now });
        } else {
            let lobby = live.lobby.snapshot();
            live.say(connection, &ToClient::Entered { you, lobby, now });
        }
        live.tell_chat(Room::Players, connection);
        tracing::info!(name = %name.name(), ?you, "back");
        Ok((player, name))
    }

    /// Lets a client that knows the password watch: sends it a snapshot, and tells everyone that they
    /// came.
    pub(in crate::server) fn watch(
        self: &Arc<Self>,
        name: &Name,
        password: Option<&Secret>,
        connection: &Arc<Connection>,
    ) -> Result<(), wire::Refusal> {
        self.check(password)?;
        let (mut live, now, each) = (self.lock(), self.now(), self.services.max_watchers_each);
        if live.members.watchers_of(connection.address()) >= usize::from(each) {
            return Err(Refusal::TooManyWatchers { most: each }.into());
        }
        if live.lobby.is_full_of_watchers()
            && let Some(evicted) = live.members.who_makes_room(connection.address())
        {
            self.stop_watching(&mut live, &evicted, Departure::Lost, now);
            evicted.end(Farewell::NoRoom);
        }
        let events = live.lobby.decide(Who::Newcomer, Request::Watch { name: name.clone() }, now)?;
        events.into_iter().for_each(|event| live.happen(event, now));
        live.members.add_watcher(name, connection);
        let lobby = live.lobby.snapshot();
        live.say(connection, &ToClient::Watching { lobby, now });
        live.tell_chat(Room::Watchers, connection);
        self.settle(&mut live, now, true);
        Ok(())
    }

    /// A watcher leaves, on purpose, and receives `Outside` as the last message; or because the
    /// connection is lost.
    pub(in crate::server) fn unwatch(self: &Arc<Self>, connection: &Arc<Connection>, how: Departure) {
        let (mut live, now) = (self.lock(), self.now());
        self.stop_watching(&mut live, connection, how, now);
        if how == Departure::Quit {
            live.say(connection, &ToClient::Outside);
        }
    }

    fn stop_watching(
        self: &Arc<Self>,
        live: &mut LiveLobby,
        connection: &Arc<Connection>,
        how: Departure,
        now: Moment,
    ) {
        if let Some(name) = live.members.remove_watcher(connection) {
            self.make_happen(live, now, Who::Watcher, Request::Unwatch { name, how });
        }
    }

    /// The connection of a player is lost, unless they are here over another one by now.
    pub(in crate::server) fn lose(self: &Arc<Self>, player: PlayerId, connection: &Arc<Connection>) {
        let (mut live, now) = (self.lock(), self.now());
        if live.members.lose(player, connection) {
            let lost = Request::Lose { loss: Loss::Closed, since: now };
            self.make_happen(&mut live, now, Who::Player(player), lost);
        }
    }

    /// Since when nobody has been here, by the server's clock, if that is long enough for the lobby to make
    /// room.
    pub(in crate::server) fn left_since(&self) -> Option<Duration> {
        let left = self.live.lock().lobby.left_since().filter(|left| *left + MIN_LEFT <= self.now())?;
        Some(self.shown_at(left))
    }

    /// Closes the lobby, unless somebody is back: another one needs the room.
    pub(in crate::server) fn give_up(self: &Arc<Self>) {
        let (mut live, now) = (self.lock(), self.now());
        if live.lobby.left_since().is_some() {
            let events = live.lobby.abandon();
            self.happen_all(&mut live, now, events);
        }
    }

    /// Nothing has been heard from a player since `heard`, over the connection that is theirs; or something
    /// again.
    pub(in crate::server) fn note_silence(
        self: &Arc<Self>,
        player: PlayerId,
        connection: &Arc<Connection>,
        heard: Option<Instant>,
    ) {
        let (mut live, now) = (self.lock(), self.now());
        if live.members.is_here(player, connection) {
            let request = match heard {
                Some(heard) => Request::Lose { loss: Loss::Silent, since: self.moment(heard) },
                None => Request::Return,
            };
            self.make_happen(&mut live, now, Who::Player(player), request);
        }
    }

    /// Grants what a player asks by a frame that had arrived at this instant, or refuses it. The player's
    /// clock does not pay for the server's time. All is refused if they are here over another connection by
    /// now.
    pub(in crate::server) fn ask(
        self: &Arc<Self>,
        (player, connection): (PlayerId, &Arc<Connection>),
        request: LobbyRequest,
        arrived: Instant,
    ) -> Result<(), Refused> {
        let mut live = self.lock();
        if !live.members.is_here(player, connection) {
            return Err((Refusal::NotSeated, live.lobby.turn()));
        }
        live.note_arrival(arrived);
        self.grant(live, (Who::Player(player), request), arrived)
    }

    /// Grants or refuses the request of a bot or a watcher.
    pub(in crate::server) fn ask_as(
        self: &Arc<Self>,
        who: Who,
        request: LobbyRequest,
    ) -> Result<(), Refused> {
        self.grant(self.lock(), (who, request), Instant::now())
    }

    fn grant(
        self: &Arc<Self>,
        mut live: LobbyGuard<'_>,
        (who, request): (Who, LobbyRequest),
        arrived: Instant,
    ) -> Result<(), Refused> {
        // A frame that arrived before the last event was told may be granted after it.
        let (turn, now) = (live.lobby.turn(), self.moment(arrived).max(live.latest));
        let events = live.lobby.decide(who, request, now).map_err(|refusal| (refusal, turn))?;
        self.happen_all(&mut live, now, events);
        Ok(())
    }

    /// A player leaves on purpose, and receives `Outside` as the last message.
    pub(in crate::server) fn leave(self: &Arc<Self>, player: PlayerId, connection: &Arc<Connection>) {
        let mut live = self.lock();
        // They are here over another connection by now, or have no seat any more, of which they have been
        // told.
        if !live.members.is_here(player, connection) {
            return connection.tell(&ToClient::Outside);
        }
        live.members.remove(player);
        let now = self.now().max(live.latest);
        self.make_happen(&mut live, now, Who::Player(player), Request::Leave(Departure::Quit));
        live.say(connection, &ToClient::Outside);
    }

    /// Passes a line on to those in the same room.
    pub(in crate::server) fn say(&self, room: Room, name: &Name, words: Text<MAX_CHAT>) {
        let (mut live, now) = (self.lock(), self.now());
        let said = live.chat.say(room, name.clone(), now, words);
        live.tell_room(room, &encode(&said));
    }

    /// The board for which somebody may be told the best move, and its turn.
    pub(in crate::server) fn board_for_hint(&self, who: Who) -> Result<(Board, u32), Refused> {
        let live = self.live.lock();
        let turn = live.lobby.turn();
        live.lobby.may_hint(who).map_err(|refusal| (refusal, turn))?;
        Ok((live.lobby.board().clone(), turn))
    }

    /// The move of this number, from 1, of the game that is over.
    pub(in crate::server) fn played(&self, number: u32) -> Result<Played, Refused> {
        let live = self.live.lock();
        let count = saturating(live.lobby.past().len());
        let played = live.lobby.played(number).map(|(board, past)| Played { board, mv: past.mv, count });
        played.map_err(|refusal| (refusal, live.lobby.turn()))
    }

    /// Whether the lobby is not closed.
    pub(in crate::server) fn is_open(&self) -> bool {
        self.live.lock().lobby.phase() != Phase::Closed
    }

    /// Whether somebody has a seat here by a ticket with this hash.
    pub(in crate::server) fn holds(&self, seat: TokenHash) -> bool {
        self.live.lock().members.owner_of(seat).is_some()
    }

    /// Whether this player sits here.
    pub(in crate::server) fn has_seat(&self, player: PlayerId) -> bool {
        self.live.lock().lobby.side_of(player).is_some()
    }

    /// The number of the next move.
    pub(in crate::server) fn turn(&self) -> u32 {
        self.live.lock().lobby.turn()
    }

    /// The server is back, and nobody else yet. A lobby that nobody has a seat in is over.
    pub(in crate::server) fn restart(self: &Arc<Self>) {
        let (mut live, now) = (self.lock(), self.now());
        let events = live.lobby.decide_restart();
        self.happen_all(&mut live, now, events);
    }

    /// Nothing can be recorded, for this reason, or something can again: everybody is told, and bots start to
    /// think again.
    pub(in crate::server) fn halt(self: &Arc<Self>, why: Option<&StorageError>) {
        let (mut live, now) = (self.lock(), self.now());
        let told = why.map(|error| self.services.told_of(error));
        live.members.tell_at_once(&ToClient::Halted { why: told, now });
        if why.is_none() {
            live.tasks = Tasks::default();
            self.settle(&mut live, now, false);
        }
    }

    /// Makes happen what follows from this request, if it is granted.
    fn make_happen(self: &Arc<Self>, live: &mut LiveLobby, now: Moment, who: Who, request: Request) {
        let events = live.lobby.decide(who, request, now).unwrap_or_default();
        self.happen_all(live, now, events);
    }

    fn happen_all(self: &Arc<Self>, live: &mut LiveLobby, now: Moment, events: Events) {
        let listing_changes = events.iter().any(|event| !matches!(event, Event::Moved { .. }));
        events.into_iter().for_each(|event| live.happen(event, now));
        self.settle(live, now, listing_changes);
    }

    /// Sees to all that follows from what just happened: the bots, what falls due, the list.
    fn settle(self: &Arc<Self>, live: &mut LiveLobby, now: Moment, mut listing_changes: bool) {
        while let Some((who, request)) = bots::wish(&self.services.bots, &live.lobby, now) {
            // A bot's wish comes from the lobby's own state; were it refused, wishing on would never end.
            let Ok(events) = live.lobby.decide(who, request, now) else { break };
            events.into_iter().for_each(|event| live.happen(event, now));
            listing_changes = true;
        }
        live.tasks.renew(self, &live.lobby);
        if listing_changes {
            live.mark_playing();
            self.services.lobby_list.update(self.id, self.code, &live.lobby.start(), live.listing());
        }
    }
}

impl Actor for LobbyHandle {
    fn services(&self) -> &Services {
        &self.services
    }

    fn owner(&self) -> (LobbyId, IpAddr) {
        (self.id, self.opener)
    }

    fn now(&self) -> Moment {
        self.moment(Instant::now())
    }

    fn shown_at(&self, at: Moment) -> Duration {
        let (shown, moment) = self.since;
        (shown + at.since(Moment::START)).saturating_sub(moment.since(Moment::START))
    }

    /// A refusal means that the game went on without the bot. While nothing can be recorded the request is
    /// dropped, and thought of again afterwards.
    fn ask_as_bot(self: &Arc<Self>, who: Who, request: LobbyRequest) {
        if self.services.journal.error().is_none() {
            let _ = self.ask_as(who, request);
        }
    }

    /// [`settle`](Self::settle) lets a bot sit down.
    fn time_passes(self: &Arc<Self>) {
        let (mut live, now) = (self.lock(), self.now());
        live.tasks.end_timer();
        let events = live.lobby.decide_due(now);
        self.happen_all(&mut live, now, events);
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
        let LobbyHandle { code, id, services, on_close, .. } = self.handle;
        if let Some(seats) = self.live.take_closed() {
            tracing::info!("closed");
            // Its code is free before anybody receives the news that it is closed.
            MutexGuard::unlocked(&mut self.live, || on_close(*code, seats));
        }
        // Still under the lock, so that all that happens in a lobby goes out in its order.
        self.live.go_out(&services.journal, *id);
    }
}
