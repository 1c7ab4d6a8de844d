//! Collects everything that people in the simulation receive and request, and checks its consistency after
//! every event. It is independent of the network: people report to it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use nim::game::Side;
use nim::lobby::{Cause, Code, Departure, Event, GameResult, Hand, Lobby, Notice, PlayerId};
use nim::wire::{LobbyRequest, Ticket};
use parking_lot::Mutex;
use tokio::sync::Notify;

use super::requests::Requests;
use super::told::Happened;
use crate::fuzzed::bodies::lobby::game_of;

/// A value that the people of a simulation share.
pub(crate) type Shared<T> = Arc<Mutex<T>>;

pub(crate) fn shared<T>(value: T) -> Shared<T> {
    Arc::new(Mutex::new(value))
}

/// Longer than any absence: a seat that is kept for this time never expires.
pub(super) const LONG: Duration = Duration::from_mins(10);

/// The number of occurrences of each kind.
pub(crate) type Sightings = BTreeMap<&'static str, u32>;

/// The known facts about all lobbies, and where people meet.
#[derive(Debug, Default)]
pub(crate) struct Observer {
    logs: BTreeMap<Code, LobbyLog>,
    /// The lobby in which people meet: everybody knows its code.
    pub(crate) meeting: Option<Code>,
    /// For each person the lobby that they know they are in, and their player there.
    pub(crate) known: BTreeMap<&'static str, (Lobby, Option<PlayerId>)>,
    /// Everything works again, and people finish their games.
    pub(crate) is_calm: bool,
    /// What people have reported since a world last looked, if it does.
    pub(crate) reports: Option<Vec<Report>>,
    seen: Sightings,
    /// Notified after every report.
    news: Arc<Notify>,
}

/// What a person reports.
#[derive(Debug)]
#[cfg_attr(
    not(feature = "cluster"),
    expect(dead_code, reason = "only a simulation of several nodes reads it")
)]
pub(crate) enum Report {
    /// They were told of this event of a lobby, which has this number.
    Told(Code, u32, Event),
    /// They could not go on, and why.
    Stopped(String),
}

/// The known facts about one lobby.
#[derive(Debug, Default)]
pub(crate) struct LobbyLog {
    /// All received events, by number.
    events: BTreeMap<u32, Event>,
    /// The lobby after each event, according to the receivers.
    states: BTreeMap<u32, Lobby>,
    owners: BTreeMap<PlayerId, String>,
    requests: Requests,
    /// The ticket of each player.
    tickets: BTreeMap<PlayerId, Ticket>,
}

impl Observer {
    /// A new observer that notifies `news` of every report.
    pub(crate) fn telling(news: Arc<Notify>) -> Self {
        Self { news, ..Self::default() }
    }

    /// Notifies of a report.
    pub(crate) fn tell_news(&self) {
        self.news.notify_one();
    }

    /// The number of different received events.
    pub(crate) fn count(&self) -> usize {
        self.logs.values().map(|log| log.events.len()).sum()
    }

    pub(crate) fn log(&mut self, code: Code) -> &mut LobbyLog {
        self.logs.entry(code).or_default()
    }

    /// The meeting lobby after its last event or snapshot.
    pub(crate) fn latest(&self) -> Option<&Lobby> {
        self.logs.get(&self.meeting?)?.states.last_key_value().map(|(_, lobby)| lobby)
    }

    /// The number of the last event of this lobby that anybody was told of.
    pub(crate) fn last_told(&self, code: Code) -> u32 {
        self.logs.get(&code).and_then(|log| log.states.keys().next_back().copied()).unwrap_or_default()
    }

    /// The seat that this person knows of.
    pub(crate) fn seat_of(&self, name: &str) -> Option<(Code, PlayerId)> {
        let (lobby, you) = self.known.get(name)?;
        you.map(|you| (lobby.code(), you))
    }

    /// This lobby had no free seat. If nobody knows of one there either, people meet in another lobby.
    pub(crate) fn is_no_use(&mut self, code: Code) {
        let has_owner = self.known.keys().any(|name| self.seat_of(name).is_some_and(|seat| seat.0 == code));
        self.meeting.take_if(|meeting| *meeting == code && !has_owner);
    }

    /// Reports that to a world that looks.
    pub(crate) fn report(&mut self, report: impl FnOnce() -> Report) {
        if let Some(reports) = &mut self.reports {
            reports.push(report());
        }
    }

    /// Counts an occurrence of this kind.
    pub(crate) fn see(&mut self, kind: &'static str) {
        *self.seen.entry(kind).or_default() += 1;
    }

    pub(crate) fn seen(&self) -> &Sightings {
        &self.seen
    }

    /// Handles a received event: checks and records it. A receiver that catches up after a return does not know yet who is
    /// present. Counts the event if a person is shown it.
    pub(super) fn happened(&mut self, happened: &Happened, catches_up: bool, is_shown: bool) {
        let Happened { event, after, .. } = happened;
        self.report(|| Report::Told(after.code(), after.last_event(), event.clone()));
        if self.log(after.code()).is_told(happened, catches_up) && is_shown {
            self.see(kind(event));
        }
    }

    /// Handles a received notice, with the receiver's lobby after it.
    pub(crate) fn noticed(&mut self, notice: &Notice, lobby: &Lobby) {
        self.log(lobby.code()).requests.check_notice(notice, lobby);
        self.see(notice.into());
    }

    /// Somebody has opened a lobby. Forgets an earlier one with its code.
    pub(crate) fn opened(&mut self, lobby: &Lobby) {
        if is_young(lobby) && self.logs.get(&lobby.code()).is_some_and(|log| log.is_older_than(lobby)) {
            self.logs.remove(&lobby.code());
        }
    }

    /// Handles a received snapshot of a lobby.
    pub(crate) fn shown(&mut self, lobby: &Lobby) {
        self.log(lobby.code()).remember(lobby);
        // The lobby existed before anybody received its events.
        if lobby.origin().is_some() {
            self.see("placed");
        }
        assert_eq!(*lobby.base(), lobby.start(), "a snapshot has every move of the game");
    }
}

impl LobbyLog {
    /// Whether this is the log of an earlier lobby with the same code.
    fn is_older_than(&self, lobby: &Lobby) -> bool {
        let last = self.states.last_key_value();
        last.is_some_and(|(number, known)| *number > lobby.last_event() || game_of(known) != game_of(lobby))
    }

    /// Handles a request that a person is about to send.
    pub(crate) fn ask(&mut self, player: PlayerId, request: LobbyRequest) {
        self.requests.ask(player, request);
    }

    /// Whether this player may have lost the seat: by an own request, or because seats expire soon here.
    pub(crate) fn may_have_lost(&self, player: PlayerId) -> bool {
        let is_short = |lobby: &Lobby| u128::from(lobby.conditions().away.kept_for) < LONG.as_millis();
        self.requests.may_have_lost(player) || self.states.values().next_back().is_some_and(is_short)
    }

    /// Whether this copy of the lobby has the player of that number who is known here: it may be of an earlier lobby with the
    /// same code.
    pub(crate) fn knows(&self, lobby: &Lobby, player: PlayerId) -> bool {
        let name =
            lobby.side_of(player).and_then(|side| lobby.seats()[side].as_ref()).map(|player| &player.name);
        name.is_some_and(|name| self.owners.get(&player).is_some_and(|owner| owner == name.as_str()))
    }

    /// Records a player's ticket.
    pub(crate) fn note_ticket(&mut self, player: PlayerId, ticket: Ticket) {
        let known = *self.tickets.entry(player).or_insert(ticket);
        assert_eq!(known, ticket, "a seat has one ticket");
    }

    /// A ticket similar to a valid one for this lobby; `None` if none is known.
    pub(crate) fn wrong_ticket(&self, chance: &mut fastrand::Rng) -> Option<Ticket> {
        let (mut bits, place) = (chance.choice(self.tickets.values())?.bits(), chance.usize(..128));
        bits[place / 8] ^= 1 << (place % 8);
        Some(Ticket::of(bits))
    }

    /// Records an event; `true` if nobody had received it before.
    fn is_told(&mut self, Happened { event, before, after }: &Happened, catches_up: bool) -> bool {
        let number = after.last_event();
        self.remember(after);
        if let Some(known) = self.events.insert(number, event.clone()) {
            assert_eq!(known, *event, "event {number} has two versions");
            return false;
        }
        self.requests.check(event, before, catches_up);
        if let Event::Ended { result: GameResult { cause: Cause::Time, .. } } = event {
            assert_eq!(after.clocks().left[before.board().turn()], 0, "a flag falls before its time");
        }
        true
    }

    /// After an event all copies of the game are equal, and turns never go back.
    fn remember(&mut self, lobby: &Lobby) {
        let number = lobby.last_event();
        for side in Side::BOTH {
            self.note_owner(lobby, side);
        }
        let earlier = self.states.range(..number).next_back();
        let later = self.states.range(number + 1..).next();
        let course = |lobby: &Lobby| (lobby.turn(), lobby.games());
        assert!(earlier.is_none_or(|(_, earlier)| course(earlier) <= course(lobby)), "turns go back");
        assert!(later.is_none_or(|(_, later)| course(lobby) <= course(later)), "turns go back");
        let known = self.states.entry(number).or_insert_with(|| lobby.clone());
        assert_eq!(game_of(known), game_of(lobby), "two copies of the game differ after event {number}");
    }

    /// A player's number belongs to one person forever.
    fn note_owner(&mut self, lobby: &Lobby, side: Side) {
        let Some(player) = &lobby.seats()[side] else { return };
        let owner = self.owners.entry(player.id).or_insert_with(|| player.name.to_string());
        assert_eq!(owner, player.name.as_str(), "{:?} is somebody else", player.id);
    }
}

/// Whether this lobby may be a new one with the code of an earlier one: codes of closed lobbies are reused. Of a new lobby
/// only the first event is known.
pub(super) fn is_young(lobby: &Lobby) -> bool {
    lobby.last_event() == 1 + u32::from(lobby.origin().is_some())
}

/// Maps similar kinds to one name for counting.
fn kind(event: &Event) -> &'static str {
    match event {
        Event::Moved { hand: Hand::StandIn, .. } => "moved by a stand-in",
        Event::Left { how: Departure::Lost, .. } => "freed",
        Event::Ended { result: GameResult { cause: Cause::Left, .. } } => "ended by leaving",
        Event::Ended { result } => result.cause.into(),
        event => event.into(),
    }
}
