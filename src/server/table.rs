//! One lobby as the server holds it: the state machine behind a lock, and the ways in which sessions come to it.

use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;
use tracing::Span;

use super::clock::Clock;
use super::house::House;
use super::link::Link;
use super::names::NameClaim;
use super::storage::{LobbyId, Note, Opening, Trouble};
use crate::game::any::{Board, Move, Variant};
use crate::lobby::{
    Code, Conditions, Departure, Event, Events, Kind, Lobby, Loss, Moment, Name, Origin, Phase, PlayerId,
    Refusal, Request, Text, Who,
};
use crate::wire::limits::{MAX_CHAT, TICKET_PING};
use crate::wire::{self, Farewell, HallRefusal, Room, Secret, Ticket, ToClient, encode};

mod bolt;
mod chat;
mod draft;
mod duty;
mod hold;
mod inner;
mod members;
mod restoring;
mod told;

pub(super) use bolt::Bolt;
use draft::Draft;
use hold::Hold;
use inner::Inner;

/// A lobby behind a lock, with the links of everyone in it.
#[derive(Debug)]
pub(super) struct Table {
    code: Code,
    id: LobbyId,
    /// The address of whoever opened it, whose bots think by turns.
    opener: IpAddr,
    /// What whoever joins or watches has to open.
    bolt: Option<Box<Bolt>>,
    span: Span,
    /// What the server's clock shows at which moment of the lobby's time.
    clock: Arc<Clock>,
    since: (Duration, Moment),
    /// Held while one request is decided, applied and told: some microseconds, and never across a wait.
    inner: Mutex<Inner>,
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

impl Table {
    pub(super) fn new(
        house: &House,
        (code, id): (Code, LobbyId),
        Plan { variant, conditions, origin }: Plan,
        bolt: Option<Bolt>,
        opener: IpAddr,
    ) -> Self {
        let mut draft = Draft::default();
        if house.journal.records() {
            let (variant, lock) = (variant.text(), bolt.as_ref().map(Bolt::lock));
            draft.note(Note::Opened(Opening { code, variant, conditions, lock, opener }));
        }
        let records = house.journal.records();
        let mut inner = Inner::new(Lobby::new(code, variant, conditions), records, draft, &house.metrics);
        if let Some(origin) = origin {
            inner.happen(Event::Placed { origin }, Moment::START);
        }
        Self::of(&house.clock, (id, opener), bolt, inner)
    }

    fn of(clock: &Arc<Clock>, (id, opener): (LobbyId, IpAddr), bolt: Option<Bolt>, inner: Inner) -> Self {
        let code = inner.lobby.code();
        let span = tracing::info_span!(parent: None, "lobby", %code);
        let since = (clock.now(), inner.latest);
        let bolt = bolt.map(Box::new);
        Self { code, id, opener, bolt, span, clock: Arc::clone(clock), since, inner: Mutex::new(inner) }
    }

    /// The lobby's code.
    pub(super) fn code(&self) -> Code {
        self.code
    }

    /// The lobby's number.
    pub(super) fn id(&self) -> LobbyId {
        self.id
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The inner state, for whoever changes it or tells something: that goes out when they let go.
    fn hold<'a>(&'a self, house: &'a House) -> Hold<'a> {
        Hold::new(self.inner(), &house.journal, self.id)
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
        let open = self.bolt.as_ref().is_none_or(|bolt| bolt.opens(password));
        if open { Ok(()) } else { Err(HallRefusal::WrongPassword) }
    }

    /// Whether everybody is shown the way here, and let in.
    pub(super) fn is_open_to_all(&self) -> bool {
        self.bolt.is_none() && self.inner().lobby.conditions().listed
    }

    /// Seats a person who knows the password, tells them the lobby as it is, and everyone that they came.
    pub(super) fn sit(
        self: &Arc<Self>,
        house: &Arc<House>,
        name: &Arc<NameClaim>,
        password: Option<&Secret>,
        link: &Arc<Link>,
    ) -> Result<PlayerId, wire::Refusal> {
        self.check(password)?;
        let _span = self.span.enter();
        let (mut inner, now) = (self.hold(house), self.now());
        let request = Request::Sit { name: name.name().clone(), kind: Kind::Person };
        if inner.lobby.open_seat().is_none() && inner.lobby.has_people_here() {
            self.free_reserved(house, &mut inner, now);
        }
        let mut events = inner.lobby.decide(Who::Newcomer, request, now)?.into_iter();
        let Some(Event::Sat { side, player }) = events.next() else { return Err(Refusal::SeatTaken.into()) };
        let (id, ticket) = (player.id, House::ticket());
        inner.happen(Event::Sat { side, player }, now);
        inner.members.add(id, ticket, name, link);
        inner.note_owner(id);
        let lobby = inner.lobby.snapshot();
        inner.say(link, &ToClient::Entered { you: side, lobby, now, ticket });
        inner.say(link, &ToClient::Ping(TICKET_PING));
        inner.tell_chat(Room::Players, link);
        events.for_each(|event| inner.happen(event, now));
        self.settle(house, &mut inner, now, true);
        Ok(id)
    }

    /// Gives somebody who shows the newest ticket the seat back, and tells them what they missed behind event `seen`, or
    /// the lobby as it is. A wrong ticket changes nothing.
    pub(super) fn come_back(
        self: &Arc<Self>,
        house: &Arc<House>,
        shown: &Ticket,
        seen: u32,
        link: &Arc<Link>,
    ) -> Result<(PlayerId, Arc<NameClaim>), HallRefusal> {
        let _span = self.span.enter();
        let (mut inner, now) = (self.hold(house), self.now());
        let player = inner.members.owner_of(shown).ok_or_else(|| inner.members.fate(shown))?;
        let you = inner.lobby.side_of(player).ok_or(HallRefusal::BadTicket)?;
        let has_happened = seen <= inner.lobby.last_event();
        let events = inner
            .lobby
            .decide(Who::Player(player), Request::Return, now)
            .map_err(|_| HallRefusal::BadTicket)?;
        self.happen_all(house, &mut inner, now, events);
        let ticket = House::ticket();
        let name = inner.members.come_back(player, shown, ticket, link).ok_or(HallRefusal::BadTicket)?;
        inner.note_owner(player);
        let missed = inner.members.told_since(seen).filter(|_| has_happened);
        if let Some(missed) = missed {
            for frame in missed {
                inner.tell(link, frame);
            }
            inner.say(link, &ToClient::Returned { now, ticket });
        } else {
            let lobby = inner.lobby.snapshot();
            inner.say(link, &ToClient::Entered { you, lobby, now, ticket });
        }
        inner.say(link, &ToClient::Ping(TICKET_PING));
        inner.tell_chat(Room::Players, link);
        tracing::info!(name = %name.name(), ?you, "back");
        Ok((player, name))
    }

    /// The newest ticket has arrived.
    pub(super) fn confirm(&self, house: &House, player: PlayerId, link: &Arc<Link>) {
        let mut inner = self.hold(house);
        if inner.members.confirm(player, link) {
            inner.note_owner(player);
        }
    }

    /// Lets somebody who knows the password watch: tells them the lobby as it is, and everyone that they came.
    pub(super) fn watch(
        self: &Arc<Self>,
        house: &Arc<House>,
        name: &Name,
        password: Option<&Secret>,
        link: &Arc<Link>,
    ) -> Result<(), wire::Refusal> {
        self.check(password)?;
        let _span = self.span.enter();
        let (mut inner, now) = (self.hold(house), self.now());
        if inner.lobby.is_full_of_watchers() {
            self.free_gallery(house, &mut inner, link.address(), now);
        }
        let events = inner.lobby.decide(Who::Newcomer, Request::Watch { name: name.clone() }, now)?;
        events.into_iter().for_each(|event| inner.happen(event, now));
        inner.members.add_watcher(name, link);
        let lobby = inner.lobby.snapshot();
        inner.say(link, &ToClient::Watching { lobby, now });
        inner.tell_chat(Room::Watchers, link);
        self.settle(house, &mut inner, now, true);
        Ok(())
    }

    /// Has somebody go for one who comes from this address to watch, if those at another one take up most of the room.
    fn free_gallery(self: &Arc<Self>, house: &Arc<House>, inner: &mut Inner, address: IpAddr, now: Moment) {
        let Some(link) = inner.members.crowding(address) else { return };
        let Some(name) = inner.members.remove_watcher(&link) else { return };
        let left = Request::Unwatch { name, how: Departure::Lost };
        let events = inner.lobby.decide(Who::Watcher, left, now).unwrap_or_default();
        self.happen_all(house, inner, now, events);
        link.end(Farewell::NoRoom);
    }

    /// Somebody watches no more, on purpose, and is told last that they are outside; or since the connection is lost.
    pub(super) fn unwatch(self: &Arc<Self>, house: &Arc<House>, link: &Arc<Link>, how: Departure) {
        let _span = self.span.enter();
        let (mut inner, now) = (self.hold(house), self.now());
        if let Some(name) = inner.members.remove_watcher(link) {
            let left = Request::Unwatch { name, how };
            let events = inner.lobby.decide(Who::Watcher, left, now).unwrap_or_default();
            self.happen_all(house, &mut inner, now, events);
        }
        if how == Departure::Quit {
            inner.say(link, &ToClient::Outside);
        }
    }

    /// The connection of a player is lost, unless they are here over another one by now.
    pub(super) fn lose(self: &Arc<Self>, house: &Arc<House>, player: PlayerId, link: &Arc<Link>) {
        let _span = self.span.enter();
        let (mut inner, now) = (self.hold(house), self.now());
        if inner.members.lose(player, link) {
            let lost = Request::Lose { loss: Loss::Closed, since: now };
            let events = inner.lobby.decide(Who::Player(player), lost, now).unwrap_or_default();
            self.happen_all(house, &mut inner, now, events);
        }
    }

    /// Frees a seat whose owner may not know of it: somebody else would like to have it, or that very person, who did not
    /// hear that they have it already.
    fn free_reserved(self: &Arc<Self>, house: &Arc<House>, inner: &mut Inner, now: Moment) {
        let Some(player) = inner.members.reserved() else { return };
        inner.members.remove(player);
        let leaves = Request::Leave(Departure::Lost);
        let events = inner.lobby.decide(Who::Player(player), leaves, now).unwrap_or_default();
        self.happen_all(house, inner, now, events);
    }

    /// Has the lobby closed if whoever opened it has gone, and nobody has ever played in it: somebody else needs the room.
    /// `false` if it stays.
    pub(super) fn vacate(self: &Arc<Self>, house: &Arc<House>) -> bool {
        let (mut inner, now) = (self.hold(house), self.now());
        let Some(player) = inner.left_alone(now) else { return false };
        let _span = self.span.enter();
        let leaves = Request::Leave(Departure::Lost);
        let events = inner.lobby.decide(Who::Player(player), leaves, now).unwrap_or_default();
        self.happen_all(house, &mut inner, now, events);
        true
    }

    /// How much has happened here, if nobody has been here for a while, neither to play nor to watch two bots.
    pub(super) fn left_behind(&self) -> Option<u32> {
        let (inner, now) = (self.inner(), self.now());
        inner.is_left_behind(now).then(|| inner.lobby.last_event())
    }

    /// Gives up what is played here, before its time, unless somebody is back: somebody else needs the room. `false` if it stays.
    pub(super) fn give_up(self: &Arc<Self>, house: &Arc<House>) -> bool {
        let (mut inner, now) = (self.hold(house), self.now());
        let gives_up = inner.is_left_behind(now);
        if gives_up {
            let _span = self.span.enter();
            let events = inner.lobby.abandon();
            self.happen_all(house, &mut inner, now, events);
        }
        gives_up
    }

    /// Nothing has been heard from a player since `heard`, over the connection that is theirs; or something again.
    pub(super) fn note_silence(
        self: &Arc<Self>,
        house: &Arc<House>,
        player: PlayerId,
        link: &Arc<Link>,
        heard: Option<Instant>,
    ) {
        let _span = self.span.enter();
        let (mut inner, now) = (self.hold(house), self.now());
        if inner.members.is_here(player, link) {
            let request = match heard {
                Some(heard) => Request::Lose { loss: Loss::Silent, since: self.moment(heard) },
                None => Request::Return,
            };
            let events = inner.lobby.decide(Who::Player(player), request, now).unwrap_or_default();
            self.happen_all(house, &mut inner, now, events);
        }
    }

    /// Grants what a player asks by a frame that had arrived at this instant, or refuses it: all of it if they are here over
    /// another connection by now. What the server does with its time is not the player's.
    pub(super) fn ask(
        self: &Arc<Self>,
        house: &Arc<House>,
        (player, link): (PlayerId, &Arc<Link>),
        request: Request,
        arrived: Instant,
    ) -> Result<(), Refused> {
        let mut inner = self.hold(house);
        if !inner.members.is_here(player, link) {
            return Err((Refusal::NotSeated, inner.lobby.turn()));
        }
        inner.note_arrival(arrived);
        self.grant(house, inner, (Who::Player(player), request), arrived)
    }

    /// Grants what a bot or somebody who watches asks, or refuses it.
    pub(super) fn ask_as(
        self: &Arc<Self>,
        house: &Arc<House>,
        who: Who,
        request: Request,
    ) -> Result<(), Refused> {
        self.grant(house, self.hold(house), (who, request), Instant::now())
    }

    fn grant(
        self: &Arc<Self>,
        house: &Arc<House>,
        mut inner: Hold<'_>,
        (who, request): (Who, Request),
        arrived: Instant,
    ) -> Result<(), Refused> {
        let _span = self.span.enter();
        // A frame that arrived before the last event was told may be granted behind it.
        let (turn, now) = (inner.lobby.turn(), self.moment(arrived).max(inner.latest));
        let events = inner.lobby.decide(who, request, now).map_err(|refusal| (refusal, turn))?;
        self.happen_all(house, &mut inner, now, events);
        Ok(())
    }

    /// A player leaves on purpose, and is told last that they are outside.
    pub(super) fn leave(self: &Arc<Self>, house: &Arc<House>, player: PlayerId, link: &Arc<Link>) {
        let _span = self.span.enter();
        let mut inner = self.hold(house);
        // They are here over another connection by now, or have no seat any more, of which they have been told.
        if !inner.members.is_here(player, link) {
            return link.tell(&ToClient::Outside);
        }
        inner.members.remove(player);
        let (now, leaves) = (self.now().max(inner.latest), Request::Leave(Departure::Quit));
        // Whoever has a seat can leave it; there is nothing to do about a refusal.
        let events = inner.lobby.decide(Who::Player(player), leaves, now).unwrap_or_default();
        self.happen_all(house, &mut inner, now, events);
        inner.say(link, &ToClient::Outside);
    }

    /// Passes a line on to those in the same room.
    pub(super) fn say(&self, house: &House, room: Room, name: &Name, words: Text<MAX_CHAT>) {
        let (mut inner, now) = (self.hold(house), self.now());
        let said = inner.chat.say(room, name.clone(), now, words);
        inner.tell_room(room, &encode(&said));
    }

    /// The board for which somebody may be told the best move, and its turn.
    pub(super) fn board_for_hint(&self, who: Who) -> Result<(Board, u32), Refused> {
        let inner = self.inner();
        let turn = inner.lobby.turn();
        inner.lobby.may_hint(who).map_err(|refusal| (refusal, turn))?;
        Ok((inner.lobby.board().clone(), turn))
    }

    /// The move of this number, from 1, of the game that is over.
    pub(super) fn played(&self, number: u32) -> Result<(Played, u32), Refused> {
        let inner = self.inner();
        let turn = inner.lobby.turn();
        let count = u32::try_from(inner.lobby.past().len()).unwrap_or(u32::MAX);
        let played = inner.lobby.played(number).map(|(board, past)| Played { board, mv: past.mv, count });
        played.map(|played| (played, turn)).map_err(|refusal| (refusal, turn))
    }

    /// Whether the lobby is not closed.
    pub(super) fn is_open(&self) -> bool {
        self.inner().lobby.phase() != Phase::Closed
    }

    /// Whether there has been a game, or one is being played.
    pub(super) fn has_begun(&self) -> bool {
        let lobby = &self.inner().lobby;
        lobby.games() > 0 || lobby.phase() != Phase::Waiting
    }

    /// Whether this player sits here.
    pub(super) fn has_seat(&self, player: PlayerId) -> bool {
        self.inner().lobby.side_of(player).is_some()
    }

    /// How many events there have been.
    pub(super) fn happened(&self) -> u32 {
        self.inner().lobby.last_event()
    }

    /// The number of the next move.
    pub(super) fn turn(&self) -> u32 {
        self.inner().lobby.turn()
    }

    /// Nothing can be recorded any more, for this reason, or something can again: everybody is told, and what bots had in mind
    /// begins anew.
    pub(super) fn halt(self: &Arc<Self>, house: &Arc<House>, why: Option<&Trouble>) {
        let (mut inner, now) = (self.hold(house), self.now());
        let told = why.map(|trouble| house.told_of(trouble));
        inner.members.tell_at_once(&ToClient::Halted { why: told, now });
        if why.is_none() {
            inner.rest();
            self.settle(house, &mut inner, now, false);
        }
    }

    fn happen_all(self: &Arc<Self>, house: &Arc<House>, inner: &mut Inner, now: Moment, events: Events) {
        let listing_changes = events.iter().any(|event| !matches!(event, Event::Moved { .. }));
        events.into_iter().for_each(|event| inner.happen(event, now));
        self.settle(house, inner, now, listing_changes);
    }

    /// Sees to all that follows from what just happened: the list, the bot, what falls due, the end of the lobby.
    fn settle(
        self: &Arc<Self>,
        house: &Arc<House>,
        inner: &mut Inner,
        now: Moment,
        mut listing_changes: bool,
    ) {
        while let Some((who, request)) = inner.bot_wish(house, now) {
            // A bot's wish comes from the lobby's own state; were it refused, wishing on would never end.
            let Ok(events) = inner.lobby.decide(who, request, now) else { break };
            events.into_iter().for_each(|event| inner.happen(event, now));
            listing_changes = true;
        }
        self.renew_duty(house, inner);
        self.renew_weighing(house, inner);
        self.renew_alarm(house, inner);
        if listing_changes {
            house.directory.update(self.id, self.code, &inner.lobby.start(), inner.listing());
        }
        // Its code may be another lobby's soon: the hall is told once.
        if inner.lobby.phase() == Phase::Closed && !std::mem::replace(&mut inner.gone, true) {
            tracing::info!("closed");
            house.hall.close(self.code, inner.members.orphans());
        }
    }
}
