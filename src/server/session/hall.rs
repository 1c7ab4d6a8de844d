//! Requests in the hall: to look, to open a lobby, to sit down, to return, to watch, to read records.

use std::sync::Arc;

use super::conditions;
use super::destination::Destination;
use super::location::Location;
use super::state::{Reading, ServerSession};
use super::welcome::welcome;
use crate::lobby::{BotRule, Code, Name, Origin, Text, Who};
use crate::number::saturating;
use crate::server::lobby::LobbyHandle;
use crate::server::peers::Place;
use crate::server::record_service::{Answer, ArchiveQuery};
use crate::server::storage::PasswordHash;
use crate::wire::{
    BotWish, HallRefusal, HallRequest, Misplaced, NewLobby, Refusal, Secret, Ticket, TokenHash,
};

/// The cost of listing lobbies or opening one, in moves, that of hashing a password, a millisecond, and that of
/// watching: the whole game is sent, and everybody in the lobby is told.
const EXPENSIVE: u32 = 50;

/// What watching costs besides for everybody who watches there: they are told.
const PER_WATCHER: u32 = 8;

/// The cost of opening a lobby with a password, which is hashed.
const CREATE_WITH_PASSWORD: u32 = 200;

/// The price of a request, in moves.
fn price_of(request: &HallRequest) -> u32 {
    match request {
        HallRequest::Create(lobby) | HallRequest::Quick(lobby) | HallRequest::CreateForTwo { lobby, .. }
            if lobby.password.is_some() =>
        {
            CREATE_WITH_PASSWORD
        }
        HallRequest::Look
        | HallRequest::Create(_)
        | HallRequest::CreateForTwo { .. }
        | HallRequest::Quick(_)
        | HallRequest::Join { password: Some(_), .. }
        | HallRequest::Watch { .. } => EXPENSIVE,
        _ => 1,
    }
}

/// Whether a game may begin by this request, at once or later.
fn begins_game(request: &HallRequest) -> bool {
    matches!(
        request,
        HallRequest::Create(_)
            | HallRequest::CreateForTwo { .. }
            | HallRequest::Quick(_)
            | HallRequest::Join { .. }
    )
}

/// Whether a request was refused for a wrong code, password, ticket or name.
fn is_wrong_guess(refusal: &HallRefusal) -> bool {
    matches!(
        refusal,
        HallRefusal::NoSuchLobby
            | HallRefusal::WrongPassword
            | HallRefusal::BadTicket
            | HallRefusal::NoSuchRecord
    )
}

impl ServerSession {
    /// Grants or refuses a request in the hall, and charges a wrong guess.
    pub(super) fn answer_in_hall(&mut self, id: u32, request: HallRequest) -> Result<(), Refusal> {
        self.charge(price_of(&request))?;
        self.leave_if_kicked();
        // A client that was carried here and has left its lobby is in the hall of the server that it is connected to, which
        // answers this request then.
        let is_answered_there = self.receiver.is_carried() && std::mem::replace(&mut self.has_asked, true);
        if self.location.is_some() || is_answered_there {
            return Err(Misplaced::InLobby.into());
        }
        self.connection().note_request();
        match self.leads_elsewhere(&request) {
            Some((destination, place)) => {
                // A lobby on its way is waited for also while nothing can be recorded.
                if place != Place::Moving {
                    self.check_state(&request)?;
                }
                self.set_out(id, request, destination)
            }
            None => self.answer_here(id, request),
        }
    }

    /// Refuses what cannot happen at the moment. Records are readable while nothing can be recorded.
    fn check_state(&self, request: &HallRequest) -> Result<(), Refusal> {
        if !matches!(request, HallRequest::Games(_) | HallRequest::Record { .. }) {
            self.check_journal()?;
        }
        if begins_game(request) { self.check_drain() } else { Ok(()) }
    }

    /// Grants or refuses a request that does not lead to another server.
    pub(super) fn answer_here(&mut self, id: u32, request: HallRequest) -> Result<(), Refusal> {
        self.check_state(&request)?;
        if self.is_guess(&request) {
            self.check_guesses()?;
        }
        let granted = self.grant(id, request);
        if let Err(Refusal::Hall(refusal)) = &granted
            && is_wrong_guess(refusal)
        {
            self.charge_wrong_guess()?;
        }
        granted
    }

    /// Whether a client could find out a code, a password or the name of a game by such requests. A ticket is
    /// too long for that: a valid one opens its seat and its records, however often others at the same address
    /// have guessed.
    fn is_guess(&self, request: &HallRequest) -> bool {
        match request {
            HallRequest::Join { code, .. } | HallRequest::Watch { code, .. } => {
                !self.find(code).is_ok_and(|lobby| lobby.is_open_to_all())
            }
            HallRequest::Record { tickets, .. } => tickets.is_empty(),
            _ => false,
        }
    }

    /// Charges a wrong guess, or refuses it so that nothing is learnt from it.
    fn charge_wrong_guess(&self) -> Result<(), HallRefusal> {
        self.check_guesses()?;
        self.limits().charge_wrong_guess();
        Ok(())
    }

    /// Refuses a guess if the address has made too many.
    fn check_guesses(&self) -> Result<(), HallRefusal> {
        let most = self.app().config.max_guesses;
        if self.limits().may_guess() { Ok(()) } else { Err(HallRefusal::TooManyGuesses { most }) }
    }

    fn grant(&mut self, id: u32, request: HallRequest) -> Result<(), Refusal> {
        let registry = Arc::clone(&self.app().registry);
        match request {
            HallRequest::Look => {
                let services = &self.app().services;
                services.lobby_list.watch(&services.journal, self.connection());
                Ok(())
            }
            HallRequest::Create(wish) => registry.take_seat(wish.seat, || self.open(&wish, None)),
            HallRequest::CreateForTwo { lobby, guest } => {
                let wish = NewLobby { bot: BotWish::PeopleOnly, ..lobby };
                registry.take_seat(wish.seat, || self.open(&wish, Some(self.guest(guest.as_str())?)))
            }
            HallRequest::Join { code, password, seat } => {
                registry.take_seat(seat, || self.sit(self.find(&code)?, password.as_ref(), seat, None))
            }
            HallRequest::Watch { code, password } => self.watch(self.find(&code)?, password.as_ref(), false),
            HallRequest::Return { code, ticket, seen } => {
                let lobby = self.find_for(&code, &ticket)?;
                let (player, name) = lobby.come_back(&ticket, seen, self.connection())?;
                self.connection().set_name(&name);
                if self.receiver.is_carried() && name.name() != self.name.name() {
                    // For the server that the client is connected to, which does not pass it on.
                    self.send_despite_halt(&welcome(self.app(), name.name()));
                }
                self.name = name;
                self.enter(lobby, Who::Player(player));
                Ok(())
            }
            HallRequest::Quick(wish) => registry.take_seat(wish.seat, || self.match_quickly(id, &wish)),
            HallRequest::Games(wish) => Ok(self.read(id, ArchiveQuery::Games(wish))?),
            HallRequest::Record { name, tickets, part } => {
                Ok(self.read(id, ArchiveQuery::Record { name, tickets, part })?)
            }
        }
    }

    fn read(&mut self, id: u32, question: ArchiveQuery) -> Result<(), HallRefusal> {
        if self.reading.is_some() {
            return Err(HallRefusal::RecordsBusy);
        }
        let answer = self.app().records.ask(self.connection().address(), question)?;
        self.reading = Some(Box::new(Reading { id, answer }));
        Ok(())
    }

    /// Sends the answer of the record service, and charges a wrong guess.
    pub(super) fn send_answer(&mut self, answer: Option<Answer>) {
        let (Some(reading), Some(Answer { reply, is_guess })) = (self.reading.take(), answer) else {
            // Without an answer the record service is gone, and the server with it.
            return;
        };
        let is_wrong = is_guess || reply.as_ref().is_err_and(is_wrong_guess);
        let charged = if is_wrong { self.charge_wrong_guess() } else { Ok(()) };
        match charged.and(reply) {
            Ok(message) => self.send_despite_halt(&message),
            Err(refusal) => self.refuse(reading.id, refusal),
        }
    }

    fn find(&self, code: &Text<{ Code::MAX_TEXT }>) -> Result<Arc<LobbyHandle>, HallRefusal> {
        let code: Code = code.as_str().parse().map_err(|_| HallRefusal::NoSuchLobby)?;
        self.app().registry.find(code).ok_or_else(|| self.app().registry.why_none(code))
    }

    /// The lobby to which the owner of this ticket returns; the error says what became of the seat.
    fn find_for(
        &self,
        code: &Text<{ Code::MAX_TEXT }>,
        ticket: &Ticket,
    ) -> Result<Arc<LobbyHandle>, HallRefusal> {
        self.find(code).map_err(|none| match none {
            HallRefusal::NoSuchLobby => self.app().registry.why_given_up(ticket.hash()).unwrap_or(none),
            none => none,
        })
    }

    fn match_quickly(&mut self, id: u32, wish: &NewLobby) -> Result<(), Refusal> {
        let app = Arc::clone(self.app());
        let plan = conditions::agree(wish, &app.config)?;
        let start = Origin::start_of(&plan.variant, plan.origin.as_ref());
        if wish.bot == BotWish::Both {
            return self.open(wish, None);
        }
        let _turn = app.matching.lock();
        let open = app.services.lobby_list.open_lobbies(&start, wish.bot == BotWish::PeopleOnly);
        let mut lobbies = open.into_iter().filter_map(|code| app.registry.find(code));
        // A lobby may have been filled since it was looked up; then the next one is tried.
        if lobbies.any(|lobby| self.sit(lobby, None, wish.seat, None).is_ok()) {
            return Ok(());
        }
        // Others who find no open lobby meet there.
        let meeting = Destination::Match(plan.variant.text());
        if self.is_elsewhere(&meeting) {
            return self.send_on(id, HallRequest::Quick(wish.clone()), meeting);
        }
        self.open(wish, None)
    }

    fn open(&mut self, wish: &NewLobby, guest: Option<Name>) -> Result<(), Refusal> {
        let plan = conditions::agree(wish, &self.app().config)?;
        let are_both_bots = plan.conditions.bot == BotRule::Both;
        let password = wish.password.as_ref();
        let hash = password.map(PasswordHash::new);
        let lobby = self.app().registry.open(self.connection().address(), plan, hash)?;
        if are_both_bots {
            self.watch(lobby, password, true)
        } else {
            self.sit(lobby, password, wish.seat, guest)
        }
    }

    /// The name of the second person at a keyboard.
    fn guest(&self, guest: &str) -> Result<Name, HallRefusal> {
        let refused = |why: &str| HallRefusal::Conditions(Text::cut(why));
        if !self.app().config.plays_at_home {
            return Err(refused("two people at one keyboard play on their own machine"));
        }
        let guest = Name::clean(guest).map_err(|fault| refused(&fault.to_string()))?;
        Ok(self.app().services.names.claim(&guest).name().clone())
    }

    fn sit(
        &mut self,
        lobby: Arc<LobbyHandle>,
        password: Option<&Secret>,
        seat: TokenHash,
        guest: Option<Name>,
    ) -> Result<(), Refusal> {
        let player = lobby.sit((&self.name, self.kind, guest), password, seat, self.connection())?;
        self.app().registry.note_seat(&lobby, seat);
        self.enter(lobby, Who::Player(player));
        Ok(())
    }

    fn watch(
        &mut self,
        lobby: Arc<LobbyHandle>,
        password: Option<&Secret>,
        is_opener: bool,
    ) -> Result<(), Refusal> {
        self.charge(PER_WATCHER.saturating_mul(saturating(lobby.watchers())))?;
        lobby.watch(&self.name, password, self.connection(), is_opener)?;
        self.enter(lobby, Who::Watcher);
        Ok(())
    }

    fn enter(&mut self, lobby: Arc<LobbyHandle>, who: Who) {
        self.app().services.lobby_list.unwatch(self.connection());
        self.location = Some(Location::new(lobby, who, self.connection()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lobby::{ClockRule, Hints, Level, WhenAway};
    use crate::wire::{AwayWish, Starts};

    #[test]
    fn requests_to_list_open_or_watch_lobbies_or_hash_passwords_cost_more_than_a_move() {
        let prices = |password: Option<Secret>| {
            let (code, seat) = (Text::cut("brave-otter"), Ticket::random().hash());
            let lobby = NewLobby {
                variant: Text::cut("take:3:1"),
                starts: Starts::Variant,
                bot: BotWish::PeopleOnly,
                hints: Hints::Nobody,
                level: Level::default(),
                away: AwayWish { then: WhenAway::Wait, level: None, after: 0 },
                clock: ClockRule::None,
                best_of: 0,
                watched: true,
                listed: true,
                password: password.clone(),
                origin: None,
                seat,
            };
            let requests = [
                HallRequest::Look,
                HallRequest::Create(lobby.clone()),
                HallRequest::CreateForTwo { lobby: lobby.clone(), guest: Text::cut("ben") },
                HallRequest::Quick(lobby),
                HallRequest::Join { code: code.clone(), password: password.clone(), seat },
                HallRequest::Watch { code, password },
            ];
            requests.map(|request| price_of(&request))
        };
        assert_eq!(prices(None), [50, 50, 50, 50, 1, 50]);
        assert_eq!(prices(Secret::of("open sesame")), [50, 200, 200, 200, 50, 50]);
    }
}
