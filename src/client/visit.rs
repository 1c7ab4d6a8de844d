//! A client's visit to a server, from the welcome to the end: what it knows, what it has asked for, and what is open
//! for it to say. It knows no words, no keyboard and no screen: those belong to the faces, which read and show.

mod aftermath;
mod chat;
mod exile;
mod keeper;
mod keeping;
mod nearness;
mod news;
mod parting;
mod second;
mod showing;
mod timing;
mod waits;

use std::ops::ControlFlow;

use tokio::time::Instant;

pub use keeper::Complaint;
pub use nearness::Link;
pub use news::{Asked, Changes, News, Sent};
pub use timing::Timing;

use super::hands::{Hands, Said};
use super::model::{Model, MyLobby};
use super::words::Viewpoint;
use super::{Address, Connection, Failure, KeptSeat, Question, Seats, Way, Wish};
use crate::lobby::{Event, Lobby, Name, Phase};
use crate::wire::{HallEvent, HallRequest, LobbyRequest, Refusal, Secret, Ticket, ToClient};
use aftermath::LostSeat;
use exile::Exile;
use keeper::Keeper;
use second::Second;

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
#[derive(Debug, Clone)]
struct Pending {
    asked: Asked,
    /// The request's number, which a refusal repeats.
    id: u32,
    /// The move, if it is one: should the connection break, it may not have arrived.
    play: Option<LobbyRequest>,
    /// A move that was asked for before this, and is not answered either.
    before: Option<Box<Self>>,
}

impl Pending {
    /// The move that is not answered, if there is one.
    fn unanswered_move(self) -> Option<Self> {
        if self.asked == Asked::Play { Some(self) } else { self.before.map(|before| *before) }
    }
}

/// What comes to a client by itself, to be taken in.
#[derive(Debug)]
pub enum Heard {
    /// The server said this.
    Said(Box<ToClient>),
    /// The second player at this keyboard comes back to their seat by this.
    TheirTicket(Ticket),
    /// The connection is lost.
    Lost(Failure),
    /// The server is reached again.
    Reached(Box<Connection>),
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
    /// The seat of the second player at this keyboard.
    second: Option<Box<Second>>,
    /// What the server has been asked for and has not yet answered.
    pending: Option<Pending>,
    /// The number of the last line of chat that the client said.
    said: Option<u32>,
    /// Those whose lines the client does not want to hear.
    muted: Vec<Name>,
    /// The seat that the client came back for.
    claimed: Option<KeptSeat>,
    /// The seat to which there is no way back, while it is asked what has become of it.
    lost_seat: Option<Box<LostSeat>>,
    /// The password of the lobby in which the client watches, to come back to it.
    password: Option<Secret>,
    /// Nothing has been granted yet of what the client came for.
    arriving: bool,
    /// The client has left its last lobby.
    quitting: bool,
    /// The client would have left, and that could not be recorded.
    is_kept_in: bool,
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
            second: None,
            pending: None,
            said: None,
            muted: Vec::new(),
            claimed: None,
            lost_seat: None,
            password: None,
            arriving: true,
            quitting: false,
            is_kept_in: false,
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

    /// The same visit, to the server inside this program, which cannot be lost. The seats of those at this keyboard are kept
    /// among these for another run of the program.
    #[must_use]
    pub fn keeping(self, seats: &Seats) -> Self {
        // It has another port each time.
        let here = Address::here();
        let keeper = || Keeper::new(seats.clone(), here.clone());
        let second = self.is_of_two().then(|| Box::new(Second::new(keeper(), self.hands.their_seat())));
        Self { keeper: Some(keeper()), second, ..self }
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

    /// Whether the server owes an answer that is worth waiting for: not while it cannot record that the client is back.
    pub fn is_pending(&self) -> bool {
        let is_barred = self.exile.as_ref().is_some_and(|exile| exile.barred.is_some());
        self.pending.is_some() && !is_barred
    }

    /// Whether the connection is lost, or has not led back to the seat yet.
    pub fn is_lost(&self) -> bool {
        self.exile.is_some()
    }

    /// Whether the client watches others.
    pub fn is_watching(&self) -> bool {
        self.model.lobby().is_some_and(|mine| mine.you().is_none())
    }

    /// Through whose eyes the client's lobby is described.
    pub fn eyes(&self) -> Viewpoint {
        match self.model.lobby() {
            Some(mine) if !self.is_of_two() => mine.you().map_or(Viewpoint::Spectator, Viewpoint::Player),
            _ => Viewpoint::Spectator,
        }
    }

    /// What is open for the client to say, once the server has answered all that it was asked.
    pub fn question(&self) -> Option<Question> {
        if self.is_pending() || self.is_lost() { None } else { Question::of(&self.model, self.is_of_two()) }
    }

    /// All that is open for the client to say: where there are two questions, either can be answered.
    pub fn questions(&self) -> impl Iterator<Item = Question> {
        let question = self.question();
        let beside = question.zip(self.model.lobby()).and_then(|(question, mine)| question.beside(mine));
        question.into_iter().chain(beside)
    }

    /// What happens next to this client, to be taken in.
    ///
    /// Nothing is lost if the future is dropped before it is ready.
    pub async fn next(&mut self) -> Result<Heard, Failure> {
        if let Some(comeback) = self.exile.as_mut().and_then(|exile| exile.comeback.as_mut()) {
            let reached = comeback.done().await;
            return reached.map(Box::new).map(Heard::Reached).map_err(|failure| self.given_up(failure));
        }
        match self.hear_of_hands().await {
            Ok(Said::Word(message)) => Ok(Heard::Said(message)),
            Ok(Said::TheirTicket(ticket)) => Ok(Heard::TheirTicket(ticket)),
            Err(failure) if self.way_back(&failure).is_some() => Ok(Heard::Lost(failure)),
            Err(failure) => Err(self.dropped(failure)),
        }
    }

    /// Takes in what was heard.
    pub async fn take_in(&mut self, heard: Heard) -> Result<News, Failure> {
        match heard {
            Heard::Said(message) => self.learn(*message).await,
            Heard::TheirTicket(ticket) => {
                self.note_their_ticket(ticket).await;
                Ok(News::Nothing)
            }
            Heard::Lost(failure) => self.lose(failure),
            Heard::Reached(connection) => self.reach(*connection).await,
        }
    }

    /// Takes in what the server said.
    async fn learn(&mut self, message: ToClient) -> Result<News, Failure> {
        let (before, was_halted) = (self.model.lobby().cloned(), self.is_halted());
        let changes = self.model.changes(&message);
        self.model.learn(&message).map_err(Failure::nonsense)?;
        if tells_the_time(&message) {
            self.told = Instant::now();
        }
        // Without a connection of its own the client does not know whether the seat is still its own.
        let is_sure =
            self.exile.is_none() || matches!(message, ToClient::Entered { .. } | ToClient::Returned { .. });
        self.note_seats(is_sure).await;
        Ok(match message {
            ToClient::Entered { .. } | ToClient::Watching { .. } if self.asked() == Some(Asked::Return) => {
                News::ReturnedAnew { late: self.come_back().await? }
            }
            ToClient::Returned { .. } => News::Returned { late: self.come_back().await? },
            ToClient::Entered { .. } | ToClient::Watching { .. } => self.enter().await?,
            ToClient::Lobby { event, .. } => {
                self.note_made(&event);
                self.agree(&event).await?;
                self.leave_what_is_over().await?;
                self.happen(event, before)
            }
            ToClient::Said(lines) => self.hear(lines.into_vec(), before.as_ref()),
            ToClient::Reviewed(review) => {
                self.pending.take_if(|pending| pending.asked == Asked::Review);
                News::Reviewed(review)
            }
            ToClient::Halted { why: Some(why), .. } if self.asked() == Some(Asked::Return) => {
                // The answer comes as soon as it is recorded.
                self.bar(Refusal::Halted { why })?
            }
            ToClient::Halted { why, .. } => {
                // Nobody could leave meanwhile.
                self.leave_what_is_over().await?;
                self.is_kept_in &= why.is_some();
                // Whoever was let in meanwhile was told that there is room again.
                if why.is_some() || was_halted { News::Halted } else { News::Nothing }
            }
            ToClient::Hall(told) => self.look(told, changes),
            ToClient::Hint { turn, mv, words } => {
                self.pending.take_if(|pending| pending.asked == Asked::Hint);
                News::Hint { turn, mv, words }
            }
            ToClient::Refused { id, refusal, .. } => self.refused(id, refusal).await?,
            ToClient::Games { games, .. } if self.asked() == Some(Asked::Past) => {
                self.look_at_past(&games)?
            }
            ToClient::Outside => {
                self.pending = None;
                News::Outside
            }
            _ => News::Nothing,
        })
    }

    /// A refusal of something that was asked before the last request is nothing that anybody still wants to know.
    async fn refused(&mut self, id: u32, refusal: Refusal) -> Result<News, Failure> {
        // Two players count their requests apart from each other, and ask one thing at a time.
        let two = self.is_of_two();
        if !two && self.said == Some(id) {
            return Ok(News::Refused { asked: Some(Asked::Say), refusal });
        }
        if let Some(pending) = self.pending.as_mut().filter(|pending| !two && pending.id != id) {
            pending.before.take_if(|before| before.id == id);
            return Ok(News::Nothing);
        }
        let answered = self.pending.take();
        let asked = answered.as_ref().map(|pending| pending.asked);
        if matches!(refusal, Refusal::Halted { .. }) {
            self.note_unrecorded(answered);
        }
        match asked {
            Some(Asked::Return) => self.turned_away(refusal).await,
            // Whoever comes back to the hall is told of the lobbies first.
            Some(Asked::Look) if self.is_lost() => self.turned_away(refusal).await,
            Some(Asked::Past) => self.look_at_past(&[]),
            asked => Ok(News::Refused { asked, refusal }),
        }
    }

    fn asked(&self) -> Option<Asked> {
        self.pending.as_ref().map(|pending| pending.asked)
    }

    /// Goes to the hall if there is nothing more for the client here.
    async fn leave_what_is_over(&mut self) -> Result<(), Failure> {
        if self.model.lobby().is_some_and(is_over_for) && !self.is_leaving() {
            self.ask(LobbyRequest::Leave).await?;
        }
        Ok(())
    }

    /// Two players at one keyboard have agreed before one of them types an offer.
    async fn agree(&mut self, event: &Event) -> Result<(), Failure> {
        let (Event::Offered { side, offer }, Some(mine)) = (event, self.model.lobby()) else { return Ok(()) };
        let (is_mine, turn) = (mine.side() == Some(*side), mine.lobby.turn());
        if self.is_of_two() { self.hands.agree(is_mine, turn, *offer).await } else { Ok(()) }
    }

    async fn enter(&mut self) -> Result<News, Failure> {
        (self.pending, self.arriving, self.is_kept_in) = (None, false, false);
        if let Some(code) = self.lobby().map(Lobby::code) {
            self.hands.follow(code).await?;
        }
        Ok(News::Entered)
    }

    fn happen(&mut self, event: Event, before: Option<MyLobby>) -> News {
        let Some(before) = before else { return News::Nothing };
        // Whoever leaves is answered by being outside, whatever happens until then.
        if !self.is_leaving() && before.is_answered_by(&event, self.is_of_two()) {
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
        match wish {
            Wish::Return(seat) => self.claim(seat),
            Wish::Watch(_, password) => self.password.clone_from(password),
            _ => {}
        }
        self.ask_hall(wish.into(), wish.into()).await
    }

    async fn ask_hall(&mut self, asked: Asked, request: HallRequest) -> Result<(), Failure> {
        let id = self.hands.mine().ask_hall(request).await?;
        self.pending = Some(Pending { asked, id, play: None, before: None });
        Ok(())
    }

    /// Asks the lobby.
    pub async fn ask(&mut self, request: LobbyRequest) -> Result<Sent, Failure> {
        self.ask_as((&request).into(), request).await
    }

    async fn ask_as(&mut self, asked: Asked, request: LobbyRequest) -> Result<Sent, Failure> {
        let play = Some(request.clone()).filter(|_| asked == Asked::Play);
        if let Some(exile) = &mut self.exile {
            return Ok(exile.put_off(asked, play, self.model.lobby()));
        }
        let id = match self.hands.ask(request, self.model.lobby()).await {
            Ok(id) => id,
            // That the connection is lost is heard next, and what could not be sent is remembered until then.
            Err(failure) if self.way_back(&failure).is_some() => 0,
            Err(failure) => return Err(failure),
        };
        let before = self.pending.take().and_then(Pending::unanswered_move).map(Box::new);
        self.pending = Some(Pending { asked, id, play, before });
        Ok(Sent::Now)
    }
}

/// Whether there is nothing more for a client in this lobby: it is closed, or the client's own seat was given up, while
/// nothing was heard from it over a connection that is there all the same.
fn is_over_for(mine: &MyLobby) -> bool {
    let has_lost_seat = mine.you().is_some() && mine.side().is_none();
    mine.halted.is_none() && (has_lost_seat || mine.lobby.phase() == Phase::Closed)
}

fn tells_the_time(message: &ToClient) -> bool {
    matches!(
        message,
        ToClient::Entered { .. }
            | ToClient::Watching { .. }
            | ToClient::Returned { .. }
            | ToClient::Lobby { .. }
            | ToClient::Halted { .. }
    )
}
