//! What a connection asks of the hall: to look, to open a lobby, to sit down, to come back, to watch.

use std::sync::Arc;

use super::reading::Reading;
use super::{Location, Session, conditions};
use crate::lobby::{BotRule, Code, PlayerId, Text};
use crate::server::lobby::{LobbyHandle, LobbyPassword};
use crate::server::record_service::{Answer, Question};
use crate::server::seat::{Gallery, Seat};
use crate::server::storage::LobbyId;
use crate::wire::{
    BotWish, GamesWish, HallRefusal, HallRequest, Misplaced, NewLobby, Refusal, Secret, Ticket, TokenHash,
};

/// What it costs to make a list of lobbies, or to open one: as much as so many moves.
const DEAR: u32 = 50;

/// What it costs to open a lobby with a password, which is hashed: a millisecond.
const DEAREST: u32 = 200;

/// What could be found out by asking again and again.
#[derive(PartialEq, Eq)]
enum Try {
    /// Nothing that is not open to everybody.
    Nothing,
    /// A code, a password, or the name of a game.
    Guess,
    /// A ticket. Nobody finds one by trying.
    Ticket,
}

/// How many moves cost the server as much as this request.
fn price_of(request: &HallRequest) -> u32 {
    match request {
        HallRequest::Create(wish) | HallRequest::Quick(wish) if wish.password.is_some() => DEAREST,
        HallRequest::Look | HallRequest::Create(_) | HallRequest::Quick(_) => DEAR,
        _ => 1,
    }
}

/// Whether this is refused because what was said is wrong.
fn is_wrong_guess(refusal: &HallRefusal) -> bool {
    matches!(
        refusal,
        HallRefusal::NoSuchLobby
            | HallRefusal::WrongPassword
            | HallRefusal::BadTicket
            | HallRefusal::NoSuchRecord
    )
}

impl Session {
    pub(super) fn answer_in_hall(&mut self, id: u32, request: HallRequest) -> Result<(), Refusal> {
        self.may_ask(price_of(&request))?;
        if !matches!(self.location, Location::Hall) {
            return Err(Misplaced::InLobby.into());
        }
        self.connection().note_request();
        // What is read has been recorded.
        if !matches!(request, HallRequest::Games(_) | HallRequest::Record { .. }) {
            self.may_happen()?;
        }
        let guessed = self.try_of(&request);
        if guessed == Try::Guess {
            self.may_guess()?;
        }
        let granted = self.grant_in_hall(id, request);
        if let Err(Refusal::Hall(refusal)) = &granted
            && is_wrong_guess(refusal)
        {
            // Somebody who has a ticket gets the seat, however often others at the same address have guessed.
            if guessed == Try::Ticket {
                self.may_guess()?;
            }
            self.limits.guess();
        }
        granted
    }

    /// Whether what could be found out by trying is looked at now.
    fn may_guess(&self) -> Result<(), HallRefusal> {
        let most = self.app().config.max_guesses;
        if self.limits.may_guess() { Ok(()) } else { Err(HallRefusal::TooManyGuesses { most }) }
    }

    fn try_of(&self, request: &HallRequest) -> Try {
        match request {
            HallRequest::Look | HallRequest::Create(_) | HallRequest::Quick(_) => Try::Nothing,
            HallRequest::Join { code, .. } | HallRequest::Watch { code, .. } => match self.find(code) {
                Ok(lobby) if lobby.is_open_to_all() => Try::Nothing,
                _ => Try::Guess,
            },
            HallRequest::Games(wish) if wish.tickets.is_empty() => Try::Nothing,
            HallRequest::Games(_) | HallRequest::Record { .. } => Try::Guess,
            HallRequest::Return { .. } => Try::Ticket,
        }
    }

    fn grant_in_hall(&mut self, id: u32, request: HallRequest) -> Result<(), Refusal> {
        match request {
            HallRequest::Look => self.app().lobby_list.watch(&self.app().journal, self.connection()),
            HallRequest::Create(wish) => {
                self.check_new(wish.seat)?;
                self.open(&wish)?;
            }
            HallRequest::Join { code, password, seat } => {
                self.check_new(seat)?;
                self.sit(&self.find(&code)?, password.as_ref(), seat)?;
            }
            HallRequest::Watch { code, password } => self.watch(self.find(&code)?, password.as_ref())?,
            HallRequest::Return { code, ticket, seen } => {
                let lobby = self.find_kept(&code, &ticket)?;
                let (player, name) = lobby.come_back(self.app(), &ticket, seen, self.connection())?;
                self.name = name;
                self.enter(Location::Lobby(self.seat(lobby, player)));
            }
            HallRequest::Quick(wish) => {
                self.check_new(wish.seat)?;
                self.match_quickly(&wish)?;
            }
            HallRequest::Games(wish) => self.read(id, Question::Games(wish))?,
            HallRequest::Record { name, tickets, part } => {
                self.read(id, Question::Record { name, tickets, part })?;
            }
        }
        Ok(())
    }

    /// Has something read, unless something is already.
    fn read(&mut self, id: u32, question: Question) -> Result<(), HallRefusal> {
        if self.reading.is_some() {
            return Err(HallRefusal::RecordsBusy);
        }
        self.check_sound(&question)?;
        let answer = self.app().records.ask(question)?;
        self.reading = Some(Box::new(Reading { id, answer }));
        Ok(())
    }

    /// Refuses what is asked of one lobby alone that cannot be trusted: nothing is read of it.
    fn check_sound(&self, question: &Question) -> Result<(), HallRefusal> {
        let hall = &self.app().registry;
        match question {
            Question::Games(GamesWish { code: Some(code), .. }) => match self.find(code) {
                Err(aside @ HallRefusal::SetAside { .. }) => Err(aside),
                _ => Ok(()),
            },
            Question::Record { name, .. } if hall.is_aside(LobbyId(name.lobby)) => {
                Err(HallRefusal::SetAside { lobby: name.lobby })
            }
            _ => Ok(()),
        }
    }

    /// Tells what was read, and counts it if it was a guess.
    pub(super) fn tell_what_was_read(&mut self, answer: Option<Answer>) {
        let (Some(reading), Some(Answer { told, is_guess })) = (self.reading.take(), answer) else {
            // Without an answer the record service is gone, and the server with it.
            return;
        };
        match told {
            Ok(told) => {
                if is_guess {
                    self.limits.guess();
                }
                // It says nothing of what waits to be told.
                if self.app().journal.error().is_some() {
                    self.connection().tell_at_once(&told);
                } else {
                    self.connection().tell(&told);
                }
            }
            Err(refusal) => {
                if is_wrong_guess(&refusal) {
                    self.limits.guess();
                }
                self.refuse(reading.id, refusal.into());
            }
        }
    }

    fn find(&self, code: &Text<{ Code::MAX_TEXT }>) -> Result<Arc<LobbyHandle>, HallRefusal> {
        let code: Code = code.as_str().parse().map_err(|_| HallRefusal::NoSuchLobby)?;
        self.app().registry.find(code).ok_or_else(|| self.app().registry.why_none(code))
    }

    /// Refuses a request for a seat that the client has already: it did not hear the answer to an earlier request. The lobby
    /// is named, and the ticket opens it. The hash does not, so that a copy of the journal opens no seat.
    fn check_new(&self, seat: TokenHash) -> Result<(), HallRefusal> {
        let held = self.app().registry.holding(seat);
        held.map_or(Ok(()), |lobby| Err(HallRefusal::SeatHeld { code: lobby.code() }))
    }

    /// The lobby to which somebody with this ticket comes back; or what has become of their seat there.
    fn find_kept(
        &self,
        code: &Text<{ Code::MAX_TEXT }>,
        ticket: &Ticket,
    ) -> Result<Arc<LobbyHandle>, HallRefusal> {
        self.find(code).map_err(|none| match none {
            HallRefusal::NoSuchLobby if self.app().registry.is_given_up(ticket.hash()) => {
                HallRefusal::GivenUp
            }
            none => none,
        })
    }

    fn match_quickly(&mut self, wish: &NewLobby) -> Result<(), Refusal> {
        let start = conditions::agree(wish, &self.app().config)?.start();
        if wish.bot == BotWish::Both {
            return self.open(wish);
        }
        let app = Arc::clone(self.app());
        let _turn = app.matching();
        let lobbies = self.app().lobby_list.open_lobbies(&start);
        let lobbies: Vec<_> = lobbies.into_iter().filter_map(|code| self.app().registry.find(code)).collect();
        // A lobby may have been filled since it was looked up; then the next one is tried.
        if lobbies.iter().any(|lobby| self.sit(lobby, None, wish.seat).is_ok()) {
            Ok(())
        } else {
            self.open(wish)
        }
    }

    fn open(&mut self, wish: &NewLobby) -> Result<(), Refusal> {
        let plan = conditions::agree(wish, &self.app().config)?;
        let exhibition = plan.conditions.bot == BotRule::Both;
        let (bolt, opener) = (wish.password.as_ref().map(LobbyPassword::of), self.connection().address());
        let lobby = self
            .app()
            .open(self.connection(), |found| LobbyHandle::new(self.app(), found, plan, bolt, opener))?;
        if exhibition {
            self.watch(lobby, wish.password.as_ref())
        } else {
            self.sit(&lobby, wish.password.as_ref(), wish.seat)
        }
    }

    fn sit(
        &mut self,
        lobby: &Arc<LobbyHandle>,
        password: Option<&Secret>,
        seat: TokenHash,
    ) -> Result<(), Refusal> {
        let player = lobby.sit(self.app(), &self.name, password, seat, self.connection())?;
        self.app().registry.note_seat(lobby.code(), seat);
        self.enter(Location::Lobby(self.seat(Arc::clone(lobby), player)));
        Ok(())
    }

    fn watch(&mut self, lobby: Arc<LobbyHandle>, password: Option<&Secret>) -> Result<(), Refusal> {
        lobby.watch(self.app(), self.name.name(), password, self.connection())?;
        let gallery = Gallery::new(Arc::clone(self.app()), lobby, Arc::clone(self.connection()));
        self.enter(Location::Gallery(gallery));
        Ok(())
    }

    fn seat(&self, lobby: Arc<LobbyHandle>, player: PlayerId) -> Seat {
        Seat::new(Arc::clone(self.app()), lobby, player, Arc::clone(self.connection()))
    }

    fn enter(&mut self, location: Location) {
        self.app().lobby_list.unwatch(self.connection());
        self.location = location;
    }
}
