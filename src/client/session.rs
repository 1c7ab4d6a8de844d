//! A client's session with a server, from the welcome to the end: what it knows, what it has asked for, and what is open
//! for it to say. It knows no words, no keyboard and no screen: those belong to the faces, which read and show.

mod chat;
mod event;
mod leaving;
mod lost_seat;
mod reconnecting;
mod saving;
mod seat_keeper;
mod second_player;
mod status;
mod timing;

use std::ops::ControlFlow;

use tokio::time::Instant;

pub use chat::Muting;
pub use event::{Changes, SendStatus, SessionEvent};
pub use seat_keeper::SeatWarning;
pub use status::ConnectionStatus;
pub use timing::Timing;

use super::local_players::LocalPlayers;
use super::model::{Model, MyLobby};
use super::words::Viewpoint;
use super::{Action, Address, Connection, Endpoint, Failure, Question, SavedSeat, SeatStore};
use crate::lobby::{Event, Lobby, Name, Phase, Text};
use crate::wire::limits::MAX_CHAT;
use crate::wire::{HallEvent, HallRefusal, HallRequest, Refusal, Secret, Ticket, ToClient};
use lost_seat::LostSeat;
use reconnecting::Reconnecting;
use seat_keeper::SeatKeeper;
use second_player::Second;

/// Whether a session goes on.
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
    awaited: Awaited,
    /// The request's number, which a refusal repeats.
    id: u32,
    /// The turn in which it was asked.
    turn: u32,
    /// A move that was asked for before this, and is not answered either.
    before: Option<Box<Self>>,
}

/// What an answer is for.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Awaited {
    /// An action of the person or script.
    Action(Action),
    /// The way back to the seat, or to the lobby that is watched.
    Return,
    /// The games that were played in a seat to which there is no way back.
    Past,
}

impl Pending {
    /// The move that is not answered, if there is one.
    fn unanswered_move(self) -> Option<Self> {
        let is_move = matches!(self.awaited, Awaited::Action(Action::Play(_)));
        if is_move { Some(self) } else { self.before.map(|before| *before) }
    }
}

/// What comes to a client by itself, to be taken in.
#[derive(Debug)]
pub enum Incoming {
    /// The server said this.
    Said(Box<ToClient>),
    /// The connection is lost.
    Lost(Failure),
    /// The server is reached again.
    Reached(Box<Connection>),
}

/// A session, for a client that has been welcomed.
#[derive(Debug)]
pub struct Session {
    players: LocalPlayers,
    model: Model,
    /// How to come back when the connection is lost; `None` where nothing can be lost.
    endpoint: Option<Endpoint>,
    reconnecting: Option<Reconnecting>,
    keeper: Option<SeatKeeper>,
    /// The seat of the second player at this keyboard.
    second: Option<Box<Second>>,
    /// What the server has been asked for and has not yet answered.
    pending: Option<Pending>,
    /// The last line of chat that the client said, and the number of that request.
    said: Option<(u32, Text<MAX_CHAT>)>,
    /// Those whose lines the client does not want to hear.
    muted: Vec<Name>,
    /// The seat that the client came back for.
    claimed: Option<SavedSeat>,
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

impl Session {
    /// A session over these connections, under the model's name.
    pub fn new(players: LocalPlayers, model: Model) -> Self {
        Self {
            players,
            model,
            endpoint: None,
            reconnecting: None,
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

    /// The same session, which comes back by itself when the connection is lost, and keeps its seat among these for another
    /// run of the program.
    #[must_use]
    pub fn coming_back(self, endpoint: Endpoint, seats: Option<SeatStore>) -> Self {
        let keeper = seats.map(|seats| SeatKeeper::new(seats, endpoint.address.clone()));
        Self { endpoint: Some(endpoint), keeper, ..self }
    }

    /// The same session, to the server inside this program, which cannot be lost. The seats of those at this keyboard are kept
    /// among these for another run of the program.
    #[must_use]
    pub fn keeping(self, seats: &SeatStore) -> Self {
        // It has another port each time.
        let here = Address::here();
        let keeper = || SeatKeeper::new(seats.clone(), here.clone());
        let second =
            self.players.their_seat().map(|(ticket, back)| Box::new(Second::new(keeper(), ticket, back)));
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
        self.players.are_two()
    }

    /// Whether nothing has been granted yet of what the client came for, so that a refusal ends the session.
    pub fn is_arriving(&self) -> bool {
        self.arriving
    }

    /// Whether the client goes for good: leaving the lobby ends the session.
    pub fn is_quitting(&self) -> bool {
        self.quitting
    }

    /// Whether the server owes an answer that is worth waiting for: not while it cannot record that the client is back.
    pub fn is_pending(&self) -> bool {
        let is_barred = self.reconnecting.as_ref().is_some_and(|reconnecting| reconnecting.barred.is_some());
        self.pending.is_some() && !is_barred
    }

    /// Whether the connection is lost, or has not led back to the seat yet.
    pub fn is_lost(&self) -> bool {
        self.reconnecting.is_some()
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
    pub async fn next(&mut self) -> Result<Incoming, Failure> {
        if let Some(reconnect) =
            self.reconnecting.as_mut().and_then(|reconnecting| reconnecting.reconnect.as_mut())
        {
            let reached = reconnect.done().await;
            return reached.map(Box::new).map(Incoming::Reached).map_err(|failure| self.given_up(failure));
        }
        match self.hear_players().await {
            Ok(message) => Ok(Incoming::Said(Box::new(message))),
            Err(failure) if self.way_back(&failure).is_some() => Ok(Incoming::Lost(failure)),
            Err(failure) => Err(self.dropped(failure)),
        }
    }

    /// Takes in what was heard.
    pub async fn handle(&mut self, heard: Incoming) -> Result<SessionEvent, Failure> {
        match heard {
            Incoming::Said(message) => self.learn(*message).await,
            Incoming::Lost(failure) => self.lose(failure),
            Incoming::Reached(connection) => self.reach(*connection).await,
        }
    }

    /// Takes in what the server said.
    async fn learn(&mut self, message: ToClient) -> Result<SessionEvent, Failure> {
        let (before, was_halted) = (self.model.lobby().cloned(), self.is_halted());
        let changes = self.model.changes(&message);
        self.model.learn(&message).map_err(Failure::nonsense)?;
        if tells_the_time(&message) {
            self.told = Instant::now();
        }
        // Without a connection of its own the client does not know whether the seat is still its own.
        let is_sure = self.reconnecting.is_none()
            || matches!(message, ToClient::Entered { .. } | ToClient::Returned { .. });
        self.note_seats(is_sure);
        Ok(match message {
            ToClient::Entered { .. } | ToClient::Watching { .. } if self.awaits(&Awaited::Return) => {
                SessionEvent::ReturnedAnew { late: self.come_back().await? }
            }
            ToClient::Returned { .. } => SessionEvent::Returned { late: self.come_back().await? },
            ToClient::Entered { .. } | ToClient::Watching { .. } => self.enter().await?,
            ToClient::Lobby { event, .. } => {
                self.note_made(&event);
                self.agree(&event).await?;
                self.leave_what_is_over().await?;
                self.happen(event, before)
            }
            ToClient::Said(lines) => self.hear(lines.into_vec(), before.as_ref()),
            ToClient::Reviewed(review) => {
                self.settle(|action| matches!(action, Action::Review(_)));
                SessionEvent::Reviewed(review)
            }
            ToClient::Halted { why: Some(why), .. } if self.awaits(&Awaited::Return) => {
                // The answer comes as soon as it is recorded.
                self.bar(Refusal::Halted { why })?
            }
            ToClient::Halted { why, .. } => {
                // Nobody could leave meanwhile.
                self.leave_what_is_over().await?;
                self.is_kept_in &= why.is_some();
                // Whoever was let in meanwhile was told that there is room again.
                if why.is_some() || was_halted { SessionEvent::Halted } else { SessionEvent::Nothing }
            }
            ToClient::Hall(told) => self.look(told, changes),
            ToClient::Hint { turn, mv, words } => {
                self.settle(|action| *action == Action::Hint);
                SessionEvent::Hint { turn, mv, words }
            }
            ToClient::Refused { id, refusal, .. } => self.refused(id, refusal).await?,
            ToClient::Games { games, .. } if self.awaits(&Awaited::Past) => self.look_at_past(&games)?,
            ToClient::Outside => {
                self.pending = None;
                SessionEvent::Outside
            }
            _ => SessionEvent::Nothing,
        })
    }

    /// A refusal of something that was asked before the last request is nothing that anybody still wants to know.
    async fn refused(&mut self, id: u32, refusal: Refusal) -> Result<SessionEvent, Failure> {
        // Two players count their requests apart from each other, and ask one thing at a time.
        let two = self.is_of_two();
        if !two && self.said.as_ref().is_some_and(|(said, _)| *said == id) {
            return Ok(SessionEvent::Refused {
                asked: self.said.take().map(|(_, words)| Action::Say(words)),
                refusal,
            });
        }
        if let Some(pending) = self.pending.as_mut().filter(|pending| !two && pending.id != id) {
            pending.before.take_if(|before| before.id == id);
            return Ok(SessionEvent::Nothing);
        }
        let answered = self.pending.take();
        let awaited = answered.as_ref().map(|pending| pending.awaited.clone());
        if matches!(refusal, Refusal::Halted { .. }) {
            self.note_unrecorded(answered);
        }
        match awaited {
            Some(Awaited::Return) => self.turned_away(refusal).await,
            // A client that comes back to the hall is told of the lobbies first.
            Some(Awaited::Action(Action::List)) if self.is_lost() => self.turned_away(refusal).await,
            Some(Awaited::Past) => self.look_at_past(&[]),
            Some(Awaited::Action(action)) if action.is_for_new_seat() => {
                self.not_entered(action, refusal).await
            }
            Some(Awaited::Action(action)) => Ok(SessionEvent::Refused { asked: Some(action), refusal }),
            None => Ok(SessionEvent::Refused { asked: None, refusal }),
        }
    }

    /// A new seat is refused.
    async fn not_entered(&mut self, action: Action, refusal: Refusal) -> Result<SessionEvent, Failure> {
        if let (Refusal::Hall(HallRefusal::SeatHeld { code }), Some(ticket)) = (&refusal, self.model.ticket())
        {
            // The server granted an earlier request, and the client did not hear the answer.
            let request = reconnecting::by_ticket(*code, ticket, 0);
            self.ask_hall(Awaited::Return, request).await?;
            return Ok(SessionEvent::Nothing);
        }
        // A client that asked again over another connection is in the hall there, and has not seen its list.
        if self.reconnecting.take().is_some() {
            self.ask_hall(Awaited::Action(Action::List), HallRequest::Look).await?;
        }
        Ok(SessionEvent::Refused { asked: Some(action), refusal })
    }

    /// The action that is not answered yet.
    fn asked(&self) -> Option<&Action> {
        match &self.pending.as_ref()?.awaited {
            Awaited::Action(action) => Some(action),
            Awaited::Return | Awaited::Past => None,
        }
    }

    fn awaits(&self, awaited: &Awaited) -> bool {
        self.pending.as_ref().is_some_and(|pending| pending.awaited == *awaited)
    }

    /// The pending action is answered if it is such a one.
    fn settle(&mut self, is_meant: impl Fn(&Action) -> bool) {
        if self.asked().is_some_and(is_meant) {
            self.pending = None;
        }
    }

    /// Goes to the hall if there is nothing more for the client here.
    async fn leave_what_is_over(&mut self) -> Result<(), Failure> {
        if self.model.lobby().is_some_and(is_over_for) && !self.is_leaving() {
            self.ask_lobby(Action::Leave).await?;
        }
        Ok(())
    }

    /// Two players at one keyboard have agreed before one of them types an offer.
    async fn agree(&mut self, event: &Event) -> Result<(), Failure> {
        let (Event::Offered { side, offer }, Some(mine)) = (event, self.model.lobby()) else { return Ok(()) };
        let (is_mine, turn) = (mine.side() == Some(*side), mine.lobby.turn());
        if self.is_of_two() { self.players.agree(is_mine, turn, *offer).await } else { Ok(()) }
    }

    async fn enter(&mut self) -> Result<SessionEvent, Failure> {
        (self.pending, self.arriving, self.is_kept_in, self.reconnecting) = (None, false, false, None);
        if let Some(code) = self.lobby().map(Lobby::code) {
            self.players.follow(code).await?;
        }
        Ok(SessionEvent::Entered)
    }

    fn happen(&mut self, event: Event, before: Option<MyLobby>) -> SessionEvent {
        let Some(before) = before else { return SessionEvent::Nothing };
        // Whoever leaves is answered by being outside, whatever happens until then.
        if !self.is_leaving() && before.is_answered_by(&event, self.is_of_two()) {
            self.pending = None;
        }
        SessionEvent::Happened { event, before: Box::new(before.lobby) }
    }

    fn look(&mut self, told: HallEvent, changes: Changes) -> SessionEvent {
        let HallEvent::Lobbies { complete, .. } = told;
        let looking = self.asked() == Some(&Action::List);
        if looking && complete {
            (self.pending, self.arriving, self.reconnecting) = (None, false, None);
        }
        SessionEvent::Hall { told, changes, looking }
    }

    /// Asks the server for this, or does it later if the connection is lost.
    pub async fn act(&mut self, action: Action) -> Result<SendStatus, Failure> {
        match &action {
            Action::Say(words) => return self.say(words.clone()).await,
            Action::Quit => return self.quit().await,
            Action::Return(seat) => self.claim(seat),
            Action::Watch(_, password) => self.password.clone_from(password),
            _ => {}
        }
        let ticket = Ticket::random();
        let Some(request) = action.hall_request(ticket) else { return self.ask_lobby(action).await };
        if action.is_for_new_seat() {
            self.model.set_ticket(ticket);
        }
        let awaited = match action {
            Action::Return(_) => Awaited::Return,
            action => Awaited::Action(action),
        };
        self.ask_hall(awaited, request).await.map(|()| SendStatus::Now)
    }

    async fn ask_hall(&mut self, awaited: Awaited, request: HallRequest) -> Result<(), Failure> {
        if let HallRequest::Return { ticket, .. } = &request {
            self.model.set_ticket(*ticket);
        }
        let is_repeated = matches!(&awaited, Awaited::Action(action) if action.is_for_new_seat());
        let id = match self.players.mine().ask_hall(request).await {
            Ok(id) => id,
            // The next event says that the connection is lost; the request is made again after that.
            Err(failure) if is_repeated && self.way_back(&failure).is_some() => 0,
            Err(failure) => return Err(failure),
        };
        self.pending = Some(Pending { awaited, id, turn: 0, before: None });
        Ok(())
    }

    async fn ask_lobby(&mut self, action: Action) -> Result<SendStatus, Failure> {
        if let Some(reconnecting) = &mut self.reconnecting {
            return Ok(reconnecting.put_off(action, self.model.lobby()));
        }
        let turn = self.lobby().map_or(0, Lobby::turn);
        let Some(request) = action.lobby_request(turn) else { return Ok(SendStatus::Never) };
        let id = match self.players.ask(request, self.model.lobby()).await {
            Ok(id) => id,
            // The next event says that the connection is lost; what could not be sent is remembered until then.
            Err(failure) if self.way_back(&failure).is_some() => 0,
            Err(failure) => return Err(failure),
        };
        let before = self.pending.take().and_then(Pending::unanswered_move).map(Box::new);
        self.pending = Some(Pending { awaited: Awaited::Action(action), id, turn, before });
        Ok(SendStatus::Now)
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
