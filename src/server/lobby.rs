//! One lobby as the server holds it: the state machine behind a lock, and the ways in which sessions come to it.

use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;
use tracing::Span;

use super::app::App;
use super::clock::Clock;
use super::connection::Connection;
use super::names::NameClaim;
use super::storage::{LobbyId, Note, Opening, StorageError};
use crate::game::any::{Board, Move, Variant};
use crate::lobby::{
    Code, Conditions, Departure, Event, Events, Kind, Lobby, Loss, Moment, Name, Origin, Phase, PlayerId,
    Refusal, Request, Text, Who,
};
use crate::wire::limits::MAX_CHAT;
use crate::wire::{self, Farewell, HallRefusal, Room, Secret, Ticket, ToClient, TokenHash, encode};

mod backlog;
mod chat;
mod guard;
mod live;
mod members;
mod outgoing;
mod password;
mod restoring;
mod tasks;

use guard::LobbyGuard;
use live::LiveLobby;
use outgoing::OutgoingBatch;
pub(super) use password::LobbyPassword;

/// How long a lobby is kept that everybody has left, where there are too many: a connection that broke is made again
/// sooner.
const MIN_LEFT: Duration = Duration::from_mins(1);

/// A lobby behind a lock, with the connections of everyone in it.
#[derive(Debug)]
pub(super) struct LobbyHandle {
    code: Code,
    id: LobbyId,
    /// The address of whoever opened it, whose bots think by turns.
    opener: IpAddr,
    /// What whoever joins or watches has to open.
    password: Option<Box<LobbyPassword>>,
    span: Span,
    /// What the server's clock shows at which moment of the lobby's time.
    clock: Arc<Clock>,
    since: (Duration, Moment),
    /// Held while one request is decided, applied and told: some microseconds, and never across a wait.
    live: Mutex<LiveLobby>,
}

/// What a new lobby is to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) variant: Variant,
    pub(super) conditions: Conditions,
    /// Where games come from that do not begin as the variant does; a position of it, as it is written.
    pub(super) origin: Option<Origin>,
}

impl Plan {
    /// The board on which games begin.
    pub(super) fn start(&self) -> Board {
        let placed = self.origin.as_ref().and_then(|origin| origin.start(&self.variant).ok());
        placed.unwrap_or_else(|| self.variant.start())
    }
}

/// A refusal, with the number of the lobby's next move.
pub(super) type Refused = (Refusal, u32);

/// A move of the game that is over, and the board on which it was made.
#[derive(Debug, Clone)]
pub(super) struct Played {
    pub(super) board: Board,
    pub(super) mv: Move,
    /// How many moves the game has.
    pub(super) count: u32,
}

impl LobbyHandle {
    pub(super) fn new(
        app: &App,
        (code, id): (Code, LobbyId),
        Plan { variant, conditions, origin }: Plan,
        password: Option<LobbyPassword>,
        opener: IpAddr,
    ) -> Self {
        let mut outgoing = OutgoingBatch::default();
        if app.journal.records() {
            let (variant, password) = (variant.text(), password.as_ref().map(LobbyPassword::hash));
            outgoing.note(Note::Opened(Opening { code, variant, conditions, password, opener }));
        }
        let records = app.journal.records();
        let mut live = LiveLobby::new(Lobby::new(code, variant, conditions), records, outgoing, &app.metrics);
        if let Some(origin) = origin {
            live.happen(Event::Placed { origin }, Moment::START);
        }
        Self::of(&app.clock, (id, opener), password, live)
    }

    fn of(
        clock: &Arc<Clock>,
        (id, opener): (LobbyId, IpAddr),
        password: Option<LobbyPassword>,
        live: LiveLobby,
    ) -> Self {
        let code = live.lobby.code();
        let span = tracing::info_span!(parent: None, "lobby", %code);
        let since = (clock.now(), live.latest);
        let password = password.map(Box::new);
        Self { code, id, opener, password, span, clock: Arc::clone(clock), since, live: Mutex::new(live) }
    }

    /// The lobby's code.
    pub(super) fn code(&self) -> Code {
        self.code
    }

    /// The address from which it was opened.
    pub(super) fn opener(&self) -> IpAddr {
        self.opener
    }

    fn live(&self) -> MutexGuard<'_, LiveLobby> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The live state, for whoever changes it or tells something: that goes out when they let go.
    fn lock<'a>(&'a self, app: &'a App) -> LobbyGuard<'a> {
        LobbyGuard::new(self.live(), &app.journal, self.id)
    }

    /// The lobby's time at this instant.
    fn moment(&self, instant: Instant) -> Moment {
        let (shown, moment) = self.since;
        moment + self.clock.at(instant).saturating_sub(shown)
    }

    fn now(&self) -> Moment {
        self.moment(Instant::now())
    }

    fn check(&self, password: Option<&Secret>) -> Result<(), HallRefusal> {
        let open = self.password.as_ref().is_none_or(|known| known.opens(password));
        if open { Ok(()) } else { Err(HallRefusal::WrongPassword) }
    }

    /// Whether everybody is shown the way here, and let in.
    pub(super) fn is_open_to_all(&self) -> bool {
        self.password.is_none() && self.live().lobby.conditions().listed
    }

    /// Seats a person who knows the password, tells them the lobby as it is, and everyone that they came.
    pub(super) fn sit(
        self: &Arc<Self>,
        app: &Arc<App>,
        name: &Arc<NameClaim>,
        password: Option<&Secret>,
        seat: TokenHash,
        connection: &Arc<Connection>,
    ) -> Result<PlayerId, wire::Refusal> {
        self.check(password)?;
        let _span = self.span.enter();
        let (mut live, now) = (self.lock(app), self.now());
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
        self.settle(app, &mut live, now, true);
        Ok(id)
    }

    /// Gives somebody who shows its ticket the seat back, and tells them what they missed after event `seen`, or the lobby as
    /// it is. A wrong ticket changes nothing.
    pub(super) fn come_back(
        self: &Arc<Self>,
        app: &Arc<App>,
        ticket: &Ticket,
        seen: u32,
        connection: &Arc<Connection>,
    ) -> Result<(PlayerId, Arc<NameClaim>), HallRefusal> {
        let _span = self.span.enter();
        let (mut live, now) = (self.lock(app), self.now());
        let seat = ticket.hash();
        let player = live.members.owner_of(seat).ok_or_else(|| live.members.why_not(seat))?;
        let you = live.lobby.side_of(player).ok_or(HallRefusal::BadTicket)?;
        let has_happened = seen <= live.lobby.last_event();
        let events = live
            .lobby
            .decide(Who::Player(player), Request::Return, now)
            .map_err(|_| HallRefusal::BadTicket)?;
        self.happen_all(app, &mut live, now, events);
        let name = live.members.come_back(player, connection).ok_or(HallRefusal::BadTicket)?;
        let missed = live.members.missed_since(seen).filter(|_| has_happened);
        if let Some(missed) = missed {
            for frame in missed {
                live.tell(connection, frame);
            }
            live.say(connection, &ToClient::Returned { now });
        } else {
            let lobby = live.lobby.snapshot();
            live.say(connection, &ToClient::Entered { you, lobby, now });
        }
        live.tell_chat(Room::Players, connection);
        live.members.set_playing(live.lobby.phase() == Phase::Playing);
        tracing::info!(name = %name.name(), ?you, "back");
        Ok((player, name))
    }

    /// Lets somebody who knows the password watch: tells them the lobby as it is, and everyone that they came.
    pub(super) fn watch(
        self: &Arc<Self>,
        app: &Arc<App>,
        name: &Name,
        password: Option<&Secret>,
        connection: &Arc<Connection>,
    ) -> Result<(), wire::Refusal> {
        self.check(password)?;
        let _span = self.span.enter();
        let (mut live, now) = (self.lock(app), self.now());
        let each = app.config.max_watchers_each;
        if live.members.watchers_of(connection.address()) >= usize::from(each) {
            return Err(Refusal::TooManyWatchers { most: each }.into());
        }
        if live.lobby.is_full_of_watchers() {
            self.free_gallery(app, &mut live, connection.address(), now);
        }
        let events = live.lobby.decide(Who::Newcomer, Request::Watch { name: name.clone() }, now)?;
        events.into_iter().for_each(|event| live.happen(event, now));
        live.members.add_watcher(name, connection);
        let lobby = live.lobby.snapshot();
        live.say(connection, &ToClient::Watching { lobby, now });
        live.tell_chat(Room::Watchers, connection);
        self.settle(app, &mut live, now, true);
        Ok(())
    }

    /// Has somebody who watches make room for one who comes from this address.
    fn free_gallery(self: &Arc<Self>, app: &Arc<App>, live: &mut LiveLobby, address: IpAddr, now: Moment) {
        let Some(connection) = live.members.who_makes_room(address) else { return };
        let Some(name) = live.members.remove_watcher(&connection) else { return };
        let left = Request::Unwatch { name, how: Departure::Lost };
        let events = live.lobby.decide(Who::Watcher, left, now).unwrap_or_default();
        self.happen_all(app, live, now, events);
        connection.end(Farewell::NoRoom);
    }

    /// Somebody watches no more, on purpose, and is told last that they are outside; or since the connection is lost.
    pub(super) fn unwatch(self: &Arc<Self>, app: &Arc<App>, connection: &Arc<Connection>, how: Departure) {
        let _span = self.span.enter();
        let (mut live, now) = (self.lock(app), self.now());
        if let Some(name) = live.members.remove_watcher(connection) {
            let left = Request::Unwatch { name, how };
            let events = live.lobby.decide(Who::Watcher, left, now).unwrap_or_default();
            self.happen_all(app, &mut live, now, events);
        }
        if how == Departure::Quit {
            live.say(connection, &ToClient::Outside);
        }
    }

    /// The connection of a player is lost, unless they are here over another one by now.
    pub(super) fn lose(self: &Arc<Self>, app: &Arc<App>, player: PlayerId, connection: &Arc<Connection>) {
        let _span = self.span.enter();
        let (mut live, now) = (self.lock(app), self.now());
        if live.members.lose(player, connection) {
            let lost = Request::Lose { loss: Loss::Closed, since: now };
            let events = live.lobby.decide(Who::Player(player), lost, now).unwrap_or_default();
            self.happen_all(app, &mut live, now, events);
        }
    }

    /// Frees a seat whose owner may not know of it: somebody else would like to have it, or that very person, who did not
    /// hear that they have it already.
    fn free_reserved(self: &Arc<Self>, app: &Arc<App>, live: &mut LiveLobby, now: Moment) {
        let Some(player) = live.members.reserved() else { return };
        live.members.remove(player);
        let leaves = Request::Leave(Departure::Lost);
        let events = live.lobby.decide(Who::Player(player), leaves, now).unwrap_or_default();
        self.happen_all(app, live, now, events);
    }

    /// Since when nobody has been here, by the server's clock, if that is long enough for the lobby to make room.
    pub(super) fn left_since(&self) -> Option<Duration> {
        let left = self.live().lobby.left_since().filter(|left| *left + MIN_LEFT <= self.now())?;
        let (shown, moment) = self.since;
        Some((shown + left.since(Moment::START)).saturating_sub(moment.since(Moment::START)))
    }

    /// Closes the lobby, unless somebody is back: another one needs the room.
    pub(super) fn give_up(self: &Arc<Self>, app: &Arc<App>) {
        let (mut live, now) = (self.lock(app), self.now());
        if live.lobby.left_since().is_some() {
            let _span = self.span.enter();
            let events = live.lobby.abandon();
            self.happen_all(app, &mut live, now, events);
        }
    }

    /// Nothing has been heard from a player since `heard`, over the connection that is theirs; or something again.
    pub(super) fn note_silence(
        self: &Arc<Self>,
        app: &Arc<App>,
        player: PlayerId,
        connection: &Arc<Connection>,
        heard: Option<Instant>,
    ) {
        let _span = self.span.enter();
        let (mut live, now) = (self.lock(app), self.now());
        if live.members.is_here(player, connection) {
            let request = match heard {
                Some(heard) => Request::Lose { loss: Loss::Silent, since: self.moment(heard) },
                None => Request::Return,
            };
            let events = live.lobby.decide(Who::Player(player), request, now).unwrap_or_default();
            self.happen_all(app, &mut live, now, events);
        }
    }

    /// Grants what a player asks by a frame that had arrived at this instant, or refuses it: all of it if they are here over
    /// another connection by now. What the server does with its time is not the player's.
    pub(super) fn ask(
        self: &Arc<Self>,
        app: &Arc<App>,
        (player, connection): (PlayerId, &Arc<Connection>),
        request: Request,
        arrived: Instant,
    ) -> Result<(), Refused> {
        let mut live = self.lock(app);
        if !live.members.is_here(player, connection) {
            return Err((Refusal::NotSeated, live.lobby.turn()));
        }
        live.note_arrival(arrived);
        self.grant(app, live, (Who::Player(player), request), arrived)
    }

    /// Grants what a bot or somebody who watches asks, or refuses it.
    pub(super) fn ask_as(
        self: &Arc<Self>,
        app: &Arc<App>,
        who: Who,
        request: Request,
    ) -> Result<(), Refused> {
        self.grant(app, self.lock(app), (who, request), Instant::now())
    }

    fn grant(
        self: &Arc<Self>,
        app: &Arc<App>,
        mut live: LobbyGuard<'_>,
        (who, request): (Who, Request),
        arrived: Instant,
    ) -> Result<(), Refused> {
        let _span = self.span.enter();
        // A frame that arrived before the last event was told may be granted behind it.
        let (turn, now) = (live.lobby.turn(), self.moment(arrived).max(live.latest));
        let events = live.lobby.decide(who, request, now).map_err(|refusal| (refusal, turn))?;
        self.happen_all(app, &mut live, now, events);
        Ok(())
    }

    /// A player leaves on purpose, and is told last that they are outside.
    pub(super) fn leave(self: &Arc<Self>, app: &Arc<App>, player: PlayerId, connection: &Arc<Connection>) {
        let _span = self.span.enter();
        let mut live = self.lock(app);
        // They are here over another connection by now, or have no seat any more, of which they have been told.
        if !live.members.is_here(player, connection) {
            return connection.tell(&ToClient::Outside);
        }
        live.members.remove(player);
        let (now, leaves) = (self.now().max(live.latest), Request::Leave(Departure::Quit));
        // Whoever has a seat can leave it; there is nothing to do about a refusal.
        let events = live.lobby.decide(Who::Player(player), leaves, now).unwrap_or_default();
        self.happen_all(app, &mut live, now, events);
        live.say(connection, &ToClient::Outside);
    }

    /// Passes a line on to those in the same room.
    pub(super) fn say(&self, app: &App, room: Room, name: &Name, words: Text<MAX_CHAT>) {
        let (mut live, now) = (self.lock(app), self.now());
        let said = live.chat.say(room, name.clone(), now, words);
        live.tell_room(room, &encode(&said));
    }

    /// The board for which somebody may be told the best move, and its turn.
    pub(super) fn board_for_hint(&self, who: Who) -> Result<(Board, u32), Refused> {
        let live = self.live();
        let turn = live.lobby.turn();
        live.lobby.may_hint(who).map_err(|refusal| (refusal, turn))?;
        Ok((live.lobby.board().clone(), turn))
    }

    /// The move of this number, from 1, of the game that is over.
    pub(super) fn played(&self, number: u32) -> Result<(Played, u32), Refused> {
        let live = self.live();
        let turn = live.lobby.turn();
        let count = u32::try_from(live.lobby.past().len()).unwrap_or(u32::MAX);
        let played = live.lobby.played(number).map(|(board, past)| Played { board, mv: past.mv, count });
        played.map(|played| (played, turn)).map_err(|refusal| (refusal, turn))
    }

    /// Whether the lobby is not closed.
    pub(super) fn is_open(&self) -> bool {
        self.live().lobby.phase() != Phase::Closed
    }

    /// Whether this player sits here.
    pub(super) fn has_seat(&self, player: PlayerId) -> bool {
        self.live().lobby.side_of(player).is_some()
    }

    /// The number of the next move.
    pub(super) fn turn(&self) -> u32 {
        self.live().lobby.turn()
    }

    /// Nothing can be recorded any more, for this reason, or something can again: everybody is told, and what bots had in mind
    /// begins anew.
    pub(super) fn halt(self: &Arc<Self>, app: &Arc<App>, why: Option<&StorageError>) {
        let (mut live, now) = (self.lock(app), self.now());
        let told = why.map(|trouble| app.told_of(trouble));
        live.members.tell_at_once(&ToClient::Halted { why: told, now });
        if why.is_none() {
            live.rest();
            self.settle(app, &mut live, now, false);
        }
    }

    fn happen_all(self: &Arc<Self>, app: &Arc<App>, live: &mut LiveLobby, now: Moment, events: Events) {
        let listing_changes = events.iter().any(|event| !matches!(event, Event::Moved { .. }));
        events.into_iter().for_each(|event| live.happen(event, now));
        self.settle(app, live, now, listing_changes);
    }

    /// Sees to all that follows from what just happened: the list, the bot, what falls due, the end of the lobby.
    fn settle(
        self: &Arc<Self>,
        app: &Arc<App>,
        live: &mut LiveLobby,
        now: Moment,
        mut listing_changes: bool,
    ) {
        while let Some((who, request)) = live.bot_wish(app, now) {
            // A bot's wish comes from the lobby's own state; were it refused, wishing on would never end.
            let Ok(events) = live.lobby.decide(who, request, now) else { break };
            events.into_iter().for_each(|event| live.happen(event, now));
            listing_changes = true;
        }
        self.renew_bot_task(app, live);
        self.renew_draw_task(app, live);
        self.renew_timer(app, live);
        if listing_changes {
            live.members.set_playing(live.lobby.phase() == Phase::Playing);
            app.lobby_list.update(self.id, self.code, &live.lobby.start(), live.listing());
        }
        // Its code may be another lobby's soon: the hall is told once.
        if live.lobby.phase() == Phase::Closed && !std::mem::replace(&mut live.gone, true) {
            tracing::info!("closed");
            app.registry.close(self.code, live.members.seats());
        }
    }
}
