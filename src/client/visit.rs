//! A client's visit to a server, from the welcome to the end: what it knows, what it has asked for, and what is open
//! for it to say. It knows no words, no keyboard and no screen: those belong to the faces, which read and show.

mod keeper;
mod news;

use std::io;
use std::ops::ControlFlow;
use std::time::Duration;

use tokio::time::Instant;

pub use news::{Asked, Changes, News};

use super::comeback::Comeback;
use super::hands::Hands;
use super::model::{Model, MyLobby};
use super::words::{self, Viewpoint};
use super::{Connection, Failure, KeptSeat, Question, Seats, Way, Wish};
use crate::lobby::{Event, Lobby, Phase, Text};
use crate::wire::{Farewell, HallEvent, HallRequest, LobbyRequest, Refusal, ToClient};
use keeper::Keeper;

/// Whether a visit goes on.
pub type Flow = ControlFlow<()>;

/// Where somebody goes who leaves a lobby.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Afterwards {
    /// To the hall, to find another game.
    Hall,
    /// Home: the program ends.
    Home,
}

/// What the server owes an answer to.
#[derive(Debug, Clone, Copy)]
struct Pending {
    asked: Asked,
    /// The request's number, which a refusal repeats.
    id: u32,
    /// The move, if it is one: should the connection break, it may not have arrived.
    play: Option<LobbyRequest>,
}

/// What has become of a request to the lobby.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sent {
    /// It is on its way.
    Now,
    /// It is a move, and goes out once the connection is back, if it is still for the same turn.
    Later,
    /// It is not sent, since the connection is lost.
    Never,
}

/// What comes to a client by itself, to be taken in.
#[derive(Debug)]
pub enum Heard {
    /// The server said this.
    Said(ToClient),
    /// The connection is lost.
    Lost(Failure),
    /// The server is reached again.
    Reached(Box<Connection>),
}

/// The time without a connection, which ends when the client is back in its seat.
#[derive(Debug)]
struct Exile {
    since: Instant,
    /// The attempts to reach the server; `None` once it is reached and asked for the seat.
    comeback: Option<Comeback>,
    /// A move to be made after the return, if it is still for the same turn.
    held: Option<LobbyRequest>,
}

/// A visit, for a client that has been welcomed.
#[derive(Debug)]
pub struct Visit {
    hands: Hands,
    model: Model,
    /// How to come back when the connection is lost; `None` where nothing can be lost.
    way: Option<Way>,
    exile: Option<Exile>,
    keeper: Option<Keeper>,
    /// What the server has been asked for and has not yet answered.
    pending: Option<Pending>,
    /// The seat that the client came back for.
    claimed: Option<KeptSeat>,
    /// Nothing has been granted yet of what the client came for.
    arriving: bool,
    /// The client has left its last lobby.
    quitting: bool,
    /// When the server last said anything, which is when the lobby's time was what the model says.
    told: Instant,
}

impl Visit {
    /// A visit over these connections, under the model's name.
    pub fn new(hands: Hands, model: Model) -> Self {
        Self {
            hands,
            model,
            way: None,
            exile: None,
            keeper: None,
            pending: None,
            claimed: None,
            arriving: true,
            quitting: false,
            told: Instant::now(),
        }
    }

    /// The same visit, which comes back by itself when the connection is lost, and keeps its seat among these for another
    /// run of the program.
    #[must_use]
    pub fn coming_back(self, way: Way, seats: Option<Seats>) -> Self {
        let keeper = seats.map(|seats| Keeper::new(seats, way.address.clone()));
        Self { way: Some(way), keeper, ..self }
    }

    /// What is known.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The client's lobby, if it sits in one.
    pub fn lobby(&self) -> Option<&Lobby> {
        self.model.lobby().map(|mine| &mine.lobby)
    }

    /// Whether both players sit at this keyboard.
    pub fn is_of_two(&self) -> bool {
        self.hands.are_two()
    }

    /// Whether nothing has been granted yet of what the client came for, so that a refusal ends the visit.
    pub fn is_arriving(&self) -> bool {
        self.arriving
    }

    /// Whether the client goes for good: leaving the lobby ends the visit.
    pub fn is_quitting(&self) -> bool {
        self.quitting
    }

    /// Whether the server owes an answer.
    pub fn is_pending(&self) -> bool {
        self.pending.is_some()
    }

    /// Whether the connection is lost, or has not led back to the seat yet.
    pub fn is_lost(&self) -> bool {
        self.exile.is_some()
    }

    /// Why the client's seat could not be kept for another run of the program; told once.
    pub fn complaint(&mut self) -> Option<io::Error> {
        self.keeper.as_mut()?.complaint()
    }

    /// What the client's lobby waits for, in one sentence.
    pub fn why(&self) -> String {
        let Some(mine) = self.model.lobby() else { return String::new() };
        let now = mine.now + self.told.elapsed();
        words::absence::why(&mine.lobby, now, self.eyes())
    }

    /// Through whose eyes the client's lobby is described.
    pub fn eyes(&self) -> Viewpoint {
        match self.model.lobby() {
            Some(mine) if !self.is_of_two() => Viewpoint::Player(mine.you),
            _ => Viewpoint::Spectator,
        }
    }

    /// What is open for the client to say, once the server has answered all that it was asked.
    pub fn question(&self) -> Option<Question> {
        if self.is_pending() || self.is_lost() { None } else { Question::of(&self.model, self.is_of_two()) }
    }

    /// What happens next to this client, to be taken in.
    ///
    /// Nothing is lost if the future is dropped before it is ready.
    pub async fn next(&mut self) -> Result<Heard, Failure> {
        if let Some(comeback) = self.exile.as_mut().and_then(|exile| exile.comeback.as_mut()) {
            return Ok(Heard::Reached(Box::new(comeback.done().await?)));
        }
        match self.hands.next().await {
            Ok(message) => Ok(Heard::Said(message)),
            Err(failure) if self.way_back(&failure).is_some() => Ok(Heard::Lost(failure)),
            Err(failure) => Err(failure),
        }
    }

    /// Takes in what was heard.
    pub async fn take_in(&mut self, heard: Heard) -> Result<News, Failure> {
        match heard {
            Heard::Said(message) => self.learn(message).await,
            Heard::Lost(failure) => self.lose(failure),
            Heard::Reached(connection) => self.reach(*connection).await,
        }
    }

    /// The way back after this failure, if it is one that passes, and if there is something to come back to.
    fn way_back(&self, failure: &Failure) -> Option<&Way> {
        let passes = match failure {
            Failure::Broken(_) | Failure::Silent(_) => true,
            Failure::Goodbye(word) => {
                matches!(word, Farewell::Stopping | Farewell::Behind | Farewell::Silent | Farewell::HalfFrame)
            }
            _ => false,
        };
        self.way.as_ref().filter(|way| passes && !way.patience.is_zero() && !self.arriving && !self.quitting)
    }

    /// The connection is lost: from now on the client tries to come back.
    fn lose(&mut self, failure: Failure) -> Result<News, Failure> {
        let Some(way) = self.way_back(&failure) else { return Err(failure) };
        let patience = self.patience(way);
        let again = self.exile.is_some();
        let way = way.clone();
        let play = self.pending.take().and_then(|pending| pending.play);
        let exile = self.exile.get_or_insert(Exile { since: Instant::now(), comeback: None, held: None });
        exile.held = play.or(exile.held);
        exile.comeback = Some(Comeback::begin(&way, patience.saturating_sub(exile.since.elapsed())));
        Ok(if again { News::Nothing } else { News::Lost { failure, patience } })
    }

    /// For how long to look for the server: no longer than the seat is kept.
    fn patience(&self, way: &Way) -> Duration {
        let kept = self.model.lobby().and_then(|mine| mine.lobby.kept_without(mine.you));
        kept.map_or(way.patience, |kept| kept.min(way.patience))
    }

    /// The server is reached again: the client asks for its seat, or where it had none looks at the hall.
    async fn reach(&mut self, connection: Connection) -> Result<News, Failure> {
        self.hands.replace(connection);
        if let Some(exile) = &mut self.exile {
            exile.comeback = None;
        }
        let asked = match self.model.lobby() {
            Some(mine) => {
                let request = HallRequest::Return {
                    code: Text::cut(&mine.lobby.code().to_string()),
                    ticket: mine.ticket,
                    seen: mine.lobby.last_event(),
                };
                self.ask_hall(Asked::Return, request).await
            }
            None => self.wish(&Wish::Hall).await,
        };
        match asked {
            Err(failure) => self.lose(failure),
            Ok(()) => Ok(News::Nothing),
        }
    }

    /// Takes in what the server said.
    async fn learn(&mut self, message: ToClient) -> Result<News, Failure> {
        let before = self.model.lobby().cloned();
        let changes = self.model.changes(&message);
        self.model.learn(&message).map_err(Failure::nonsense)?;
        if tells_the_time(&message) {
            self.told = Instant::now();
        }
        if let Some(keeper) = &mut self.keeper {
            keeper.note(self.model.lobby());
        }
        Ok(match message {
            ToClient::Entered { .. } if self.asked() == Some(Asked::Return) => {
                self.come_back().await?;
                News::ReturnedAnew
            }
            ToClient::Returned { .. } => {
                self.come_back().await?;
                News::Returned
            }
            ToClient::Entered { .. } => self.enter().await?,
            ToClient::Lobby { event, .. } => self.happen(event, before),
            ToClient::Hall(told) => self.look(told, changes),
            ToClient::Hint { turn, mv, words } => {
                self.pending.take_if(|pending| pending.asked == Asked::Hint);
                News::Hint { turn, mv, words }
            }
            ToClient::Refused { id, refusal, .. } => self.refused(id, refusal)?,
            ToClient::Outside => {
                self.pending = None;
                News::Outside
            }
            _ => News::Nothing,
        })
    }

    /// A refusal of something that was asked before the last request is nothing that anybody still wants to know.
    fn refused(&mut self, id: u32, refusal: Refusal) -> Result<News, Failure> {
        // Two players count their requests apart from each other, and ask one thing at a time.
        let two = self.is_of_two();
        if !two && self.pending.is_some_and(|pending| pending.id != id) {
            return Ok(News::Nothing);
        }
        let asked = self.pending.take().map(|pending| pending.asked);
        if asked == Some(Asked::Return) {
            self.give_seat_up();
            return Err(Failure::SeatLost(refusal));
        }
        Ok(News::Refused { asked, refusal })
    }

    /// The seat is not this client's any more, so nobody is to come back to it.
    fn give_seat_up(&mut self) {
        let Some(keeper) = &mut self.keeper else { return };
        match &self.claimed {
            Some(seat) => keeper.forget(seat),
            None => keeper.note(None),
        }
    }

    /// The client is back in its seat, and makes the move that it owes, if it is still for the same turn.
    async fn come_back(&mut self) -> Result<(), Failure> {
        (self.pending, self.arriving, self.claimed) = (None, false, None);
        let held = self.exile.take().and_then(|exile| exile.held);
        let turn = self.model.lobby().filter(|mine| mine.is_to_move()).map(|mine| mine.lobby.turn());
        if let Some(play @ LobbyRequest::Play { turn: meant, .. }) = held
            && turn == Some(meant)
        {
            self.ask(play).await?;
        }
        Ok(())
    }

    fn asked(&self) -> Option<Asked> {
        self.pending.map(|pending| pending.asked)
    }

    async fn enter(&mut self) -> Result<News, Failure> {
        (self.pending, self.arriving) = (None, false);
        if let Some(code) = self.lobby().map(Lobby::code) {
            self.hands.follow(code).await?;
        }
        Ok(News::Entered)
    }

    fn happen(&mut self, event: Event, before: Option<MyLobby>) -> News {
        let Some(before) = before else { return News::Nothing };
        // Whoever leaves is answered by being outside, whatever happens until then.
        let leaving = matches!(self.asked(), Some(Asked::Leave | Asked::Quit));
        if !leaving && before.is_answered_by(&event, self.is_of_two()) {
            self.pending = None;
        }
        News::Happened { event, before: Box::new(before.lobby) }
    }

    fn look(&mut self, told: HallEvent, changes: Changes) -> News {
        let HallEvent::Lobbies { complete, .. } = told;
        let looking = self.asked() == Some(Asked::Look);
        if looking && complete {
            (self.pending, self.arriving, self.exile) = (None, false, None);
        }
        News::Hall { told, changes, looking }
    }

    /// Asks the hall.
    pub async fn wish(&mut self, wish: &Wish) -> Result<(), Failure> {
        if let Wish::Return(seat) = wish {
            self.claimed = Some(seat.clone());
        }
        self.ask_hall(wish.into(), wish.into()).await
    }

    async fn ask_hall(&mut self, asked: Asked, request: HallRequest) -> Result<(), Failure> {
        let id = self.hands.mine().ask_hall(request).await?;
        self.pending = Some(Pending { asked, id, play: None });
        Ok(())
    }

    /// Asks the lobby.
    pub async fn ask(&mut self, request: LobbyRequest) -> Result<Sent, Failure> {
        self.ask_as(request.into(), request).await
    }

    async fn ask_as(&mut self, asked: Asked, request: LobbyRequest) -> Result<Sent, Failure> {
        let play = Some(request).filter(|_| asked == Asked::Play);
        if let Some(exile) = &mut self.exile {
            exile.held = play.or(exile.held);
            return Ok(if play.is_some() { Sent::Later } else { Sent::Never });
        }
        let id = match self.hands.ask(request, self.model.lobby()).await {
            Ok(id) => id,
            // That the connection is lost is heard next, and what could not be sent is remembered until then.
            Err(failure) if self.way_back(&failure).is_some() => 0,
            Err(failure) => return Err(failure),
        };
        self.pending = Some(Pending { asked, id, play });
        Ok(Sent::Now)
    }

    /// Leaves on purpose, so that the other one knows it at once, and for good.
    pub async fn quit(&mut self) -> Result<Flow, Failure> {
        if self.model.lobby().is_none() || self.is_lost() {
            return Ok(Flow::Break(()));
        }
        self.quitting = true;
        self.ask_as(Asked::Quit, LobbyRequest::Leave).await?;
        Ok(Flow::Continue(()))
    }

    /// There is no more input. That is no way to leave: the seat is kept. In the middle of a game it is a failure besides.
    pub fn end_of_input(&self) -> Result<Flow, Failure> {
        match self.lobby().map(Lobby::phase) {
            Some(Phase::Playing) => Err(Failure::EndOfInput { kept: self.keeper.is_some() }),
            _ => Ok(Flow::Break(())),
        }
    }
}

fn tells_the_time(message: &ToClient) -> bool {
    matches!(message, ToClient::Entered { .. } | ToClient::Returned { .. } | ToClient::Lobby { .. })
}
