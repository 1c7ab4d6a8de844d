//! What a connection asks of the hall: to look, to open a lobby, to sit down, to come back, to watch.

use std::sync::Arc;

use super::pace::price_of;
use super::reading::Reading;
use super::{Place, Session, terms};
use crate::lobby::{BotRule, Code, PlayerId, Text};
use crate::server::connections::Standing;
use crate::server::guesses::Guesses;
use crate::server::librarian::{Answer, Question};
use crate::server::seat::{Gallery, Seat};
use crate::server::storage::LobbyId;
use crate::server::table::{Bolt, Table};
use crate::wire::{
    BotWish, GamesWish, HallRefusal, HallRequest, Misplaced, NewLobby, Refusal, Secret, Ticket,
};

/// What could be found out by asking again and again.
enum Try {
    /// Nothing that is not open to everybody.
    Nothing,
    /// A code, a password, or the name of a game.
    Guess,
    /// A ticket. Nobody finds one by trying, and whoever has one gets the seat, however often others at the same address have
    /// guessed.
    Ticket,
}

impl Session {
    pub(super) fn answer_in_hall(&mut self, id: u32, request: HallRequest) -> Result<(), Refusal> {
        self.may_ask(price_of(&request))?;
        if !matches!(self.place, Place::Hall) {
            return Err(Misplaced::InLobby.into());
        }
        let address = self.link().address();
        // What is read has been recorded.
        if !matches!(request, HallRequest::Games(_) | HallRequest::Record { .. }) {
            self.may_happen()?;
        }
        match self.try_of(&request) {
            Try::Nothing => self.grant_in_hall(id, request),
            Try::Guess => {
                self.house().guesses.check(address, self.wrong)?;
                let answered = self.grant_in_hall(id, request);
                answered.inspect_err(|refusal| self.note_guess(refusal))
            }
            Try::Ticket => {
                let answered = self.grant_in_hall(id, request);
                if answered.as_ref().is_err_and(Guesses::is_wrong) {
                    self.house().guesses.check(address, self.wrong)?;
                }
                answered.inspect_err(|refusal| self.note_guess(refusal))
            }
        }
    }

    fn try_of(&self, request: &HallRequest) -> Try {
        match request {
            HallRequest::Look | HallRequest::Create(_) | HallRequest::Quick(_) => Try::Nothing,
            HallRequest::Join { code, .. } | HallRequest::Watch { code, .. } => match self.find(code) {
                Ok(table) if table.is_open_to_all() => Try::Nothing,
                _ => Try::Guess,
            },
            HallRequest::Games(wish) if wish.tickets.is_empty() => Try::Nothing,
            HallRequest::Games(_) | HallRequest::Record { .. } => Try::Guess,
            HallRequest::Return { .. } => Try::Ticket,
        }
    }

    fn note_guess(&mut self, refusal: &Refusal) {
        if let Refusal::Hall(refusal) = refusal {
            let (mut wrong, address) = (self.wrong, self.link().address());
            self.house().guesses.note(address, &mut wrong, refusal);
            self.wrong = wrong;
        }
    }

    fn grant_in_hall(&mut self, id: u32, request: HallRequest) -> Result<(), Refusal> {
        match request {
            HallRequest::Look => self.house().directory.watch(&self.house().journal, self.link()),
            HallRequest::Create(wish) => self.open(&wish)?,
            HallRequest::Join { code, password } => self.sit(&self.find(&code)?, password.as_ref())?,
            HallRequest::Watch { code, password } => self.watch(self.find(&code)?, password.as_ref())?,
            HallRequest::Return { code, ticket, seen } => {
                let table = self.find_kept(&code, &ticket)?;
                let (player, name) = table.come_back(self.house(), &ticket, seen, self.link())?;
                self.note_merits(table.happened());
                self.name = name;
                self.enter(Place::Lobby(self.seat(table, player)));
            }
            HallRequest::Quick(wish) => self.match_quickly(&wish)?,
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
        let answer = self.house().librarian.ask(question)?;
        self.reading = Some(Box::new(Reading { id, answer }));
        Ok(())
    }

    /// Refuses what is asked of one lobby alone that cannot be trusted: nothing is read of it.
    fn check_sound(&self, question: &Question) -> Result<(), HallRefusal> {
        let hall = &self.house().hall;
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
            // Without an answer the librarian is gone, and the server with it.
            return;
        };
        match told {
            Ok(told) => {
                if is_guess {
                    self.note_guess(&HallRefusal::BadTicket.into());
                }
                // It says nothing of what waits to be told.
                if self.house().journal.trouble().is_some() {
                    self.link().tell_at_once(&told);
                } else {
                    self.link().tell(&told);
                }
            }
            Err(refusal) => {
                let refusal = Refusal::from(refusal);
                self.note_guess(&refusal);
                self.refuse(reading.id, refusal);
            }
        }
    }

    fn find(&self, code: &Text<{ Code::MAX_TEXT }>) -> Result<Arc<Table>, HallRefusal> {
        let code: Code = code.as_str().parse().map_err(|_| HallRefusal::NoSuchLobby)?;
        self.house().hall.find(code).ok_or_else(|| self.house().hall.why_none(code))
    }

    /// The lobby to which somebody with this ticket comes back; or what has become of their seat there.
    fn find_kept(&self, code: &Text<{ Code::MAX_TEXT }>, ticket: &Ticket) -> Result<Arc<Table>, HallRefusal> {
        self.find(code).map_err(|none| self.house().hall.fate(code.as_str(), ticket).unwrap_or(none))
    }

    fn match_quickly(&mut self, wish: &NewLobby) -> Result<(), Refusal> {
        let start = terms::agree(wish, &self.house().config)?.start();
        if wish.bot == BotWish::Both {
            return self.open(wish);
        }
        let house = Arc::clone(self.house());
        let _turn = house.matching();
        let lobbies = self.house().directory.open_lobbies(&start);
        let tables: Vec<_> = lobbies.into_iter().filter_map(|code| self.house().hall.find(code)).collect();
        // A lobby may have been filled since it was looked up; then the next one is tried.
        if tables.iter().any(|table| self.sit(table, None).is_ok()) { Ok(()) } else { self.open(wish) }
    }

    fn open(&mut self, wish: &NewLobby) -> Result<(), Refusal> {
        let plan = terms::agree(wish, &self.house().config)?;
        let exhibition = plan.conditions.bot == BotRule::Both;
        let (bolt, opener) = (wish.password.as_ref().map(Bolt::of), self.link().address());
        let table =
            self.house().open(self.link(), |found| Table::new(self.house(), found, plan, bolt, opener))?;
        if exhibition {
            self.watch(table, wish.password.as_ref())
        } else {
            self.sit(&table, wish.password.as_ref())
        }
    }

    fn sit(&mut self, table: &Arc<Table>, password: Option<&Secret>) -> Result<(), Refusal> {
        let player = table.sit(self.house(), &self.name, password, self.link())?;
        self.enter(Place::Lobby(self.seat(Arc::clone(table), player)));
        Ok(())
    }

    fn watch(&mut self, table: Arc<Table>, password: Option<&Secret>) -> Result<(), Refusal> {
        table.watch(self.house(), self.name.name(), password, self.link())?;
        let gallery = Gallery::new(Arc::clone(self.house()), table, Arc::clone(self.link()));
        self.enter(Place::Gallery(gallery));
        Ok(())
    }

    fn seat(&self, table: Arc<Table>, player: PlayerId) -> Seat {
        Seat::new(Arc::clone(self.house()), table, player, Arc::clone(self.link()))
    }

    fn enter(&mut self, place: Place) {
        self.house().directory.unwatch(self.link());
        self.place = place;
        self.stand(Standing::Loose);
        self.note_game();
    }
}
