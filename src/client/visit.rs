//! A client's visit to a server, from the welcome to the end: what it knows, what it has asked for, and what is open
//! for it to say. It knows no words, no keyboard and no screen: those belong to the faces, which read and show.

use std::ops::ControlFlow;

use super::hands::Hands;
use super::model::{Model, MyLobby};
use super::words::Viewpoint;
use super::{Failure, Question, Wish};
use crate::game::any::Move;
use crate::lobby::{Code, Event, Lobby, Phase, Text};
use crate::wire::limits::MAX_SENTENCE;
use crate::wire::{HallEvent, Listing, LobbyRequest, Refusal, ToClient};

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

/// Something that was asked of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// To be told of the lobbies.
    Look,
    /// To open a lobby.
    New,
    /// To join a lobby.
    Join,
    /// To join any open lobby of a game, or to open one.
    Quick,
    /// To make a move.
    Play,
    /// To give the game up.
    Resign,
    /// To be told a good move.
    Hint,
    /// To play another game.
    Again,
    /// To go back to the hall.
    Leave,
    /// To go for good.
    Quit,
}

/// What the server said, as a face has to show it. What it changes is known to the visit by then.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum News {
    /// The client has a seat in a lobby.
    Entered,
    /// Something happened in the lobby.
    Happened {
        /// What.
        event: Event,
        /// The lobby before it.
        before: Box<Lobby>,
    },
    /// The lobbies of the hall.
    Hall {
        /// As it was told.
        told: HallEvent,
        /// What of it was not known before.
        changes: Changes,
        /// Whether the client has asked for all of them and this is a part of the answer.
        looking: bool,
    },
    /// A good move.
    Hint {
        /// The turn for which it is given.
        turn: u32,
        /// The move.
        mv: Move,
        /// Why it is good.
        words: Text<MAX_SENTENCE>,
    },
    /// A request was not granted.
    Refused {
        /// Which one; `None` if nothing was asked.
        asked: Option<Asked>,
        /// Why.
        refusal: Refusal,
    },
    /// The client has left its lobby.
    Outside,
    /// Nothing that anybody has to be told.
    Nothing,
}

/// What is new in the hall.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Changes {
    /// Lobbies that are new, or other than they were.
    pub listed: Vec<Listing>,
    /// Lobbies that were known and are gone.
    pub gone: Vec<Code>,
}

/// What the server owes an answer to.
#[derive(Debug, Clone, Copy)]
struct Pending {
    asked: Asked,
    /// The request's number, which a refusal repeats.
    id: u32,
}

/// A visit, for a client that has been welcomed.
#[derive(Debug)]
pub struct Visit {
    hands: Hands,
    model: Model,
    /// What the server has been asked for and has not yet answered.
    pending: Option<Pending>,
    /// Nothing has been granted yet of what the client came for.
    arriving: bool,
    /// The client has left its last lobby.
    quitting: bool,
}

impl Visit {
    /// A visit over these connections, under the model's name.
    pub fn new(hands: Hands, model: Model) -> Self {
        Self { hands, model, pending: None, arriving: true, quitting: false }
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

    /// Through whose eyes the client's lobby is described.
    pub fn eyes(&self) -> Viewpoint {
        match self.model.lobby() {
            Some(mine) if !self.is_of_two() => Viewpoint::Player(mine.you),
            _ => Viewpoint::Spectator,
        }
    }

    /// What is open for the client to say, once the server has answered all that it was asked.
    pub fn question(&self) -> Option<Question> {
        if self.is_pending() { None } else { Question::of(&self.model, self.is_of_two()) }
    }

    /// What the server says next, to be taken in.
    ///
    /// Nothing is lost if the future is dropped before it is ready.
    pub async fn next(&mut self) -> Result<ToClient, Failure> {
        self.hands.next().await
    }

    /// Takes in what the server said.
    pub async fn take_in(&mut self, message: ToClient) -> Result<News, Failure> {
        let before = self.model.lobby().cloned();
        let changes = self.model.changes(&message);
        self.model.learn(&message).map_err(Failure::nonsense)?;
        Ok(match message {
            ToClient::Entered { .. } => self.enter().await?,
            ToClient::Lobby { event, .. } => self.happen(event, before),
            ToClient::Hall(told) => self.look(told, changes),
            ToClient::Hint { turn, mv, words } => {
                self.pending.take_if(|pending| pending.asked == Asked::Hint);
                News::Hint { turn, mv, words }
            }
            ToClient::Refused { id, refusal, .. } => self.refused(id, refusal),
            ToClient::Outside => {
                self.pending = None;
                News::Outside
            }
            _ => News::Nothing,
        })
    }

    /// A refusal of something that was asked before the last request is nothing that anybody still wants to know.
    fn refused(&mut self, id: u32, refusal: Refusal) -> News {
        // Two players count their requests apart from each other, and ask one thing at a time.
        let two = self.is_of_two();
        if !two && self.pending.is_some_and(|pending| pending.id != id) {
            return News::Nothing;
        }
        News::Refused { asked: self.pending.take().map(|pending| pending.asked), refusal }
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
            (self.pending, self.arriving) = (None, false);
        }
        News::Hall { told, changes, looking }
    }

    /// Asks the hall.
    pub async fn wish(&mut self, wish: &Wish) -> Result<(), Failure> {
        let id = self.hands.mine().ask_hall(wish.into()).await?;
        self.pending = Some(Pending { asked: wish.into(), id });
        Ok(())
    }

    /// Asks the lobby.
    pub async fn ask(&mut self, request: LobbyRequest) -> Result<(), Failure> {
        self.ask_as(request.into(), request).await
    }

    async fn ask_as(&mut self, asked: Asked, request: LobbyRequest) -> Result<(), Failure> {
        let id = self.hands.ask(request, self.model.lobby()).await?;
        self.pending = Some(Pending { asked, id });
        Ok(())
    }

    /// Leaves on purpose, so that the other one knows it at once, and for good.
    pub async fn quit(&mut self) -> Result<Flow, Failure> {
        if self.model.lobby().is_none() {
            return Ok(Flow::Break(()));
        }
        self.quitting = true;
        self.ask_as(Asked::Quit, LobbyRequest::Leave).await?;
        Ok(Flow::Continue(()))
    }

    /// There is no more input: between games that is a way to go, in the middle of one it is a failure.
    pub async fn end_of_input(&mut self) -> Result<Flow, Failure> {
        match self.lobby().map(Lobby::phase) {
            Some(Phase::Playing) => Err(Failure::EndOfInput),
            _ => self.quit().await,
        }
    }
}

impl From<&Wish> for Asked {
    fn from(wish: &Wish) -> Self {
        match wish {
            Wish::Hall => Self::Look,
            Wish::New(_) => Self::New,
            Wish::Join(_) => Self::Join,
            Wish::Quick(_) => Self::Quick,
        }
    }
}

impl From<LobbyRequest> for Asked {
    fn from(request: LobbyRequest) -> Self {
        match request {
            LobbyRequest::Play { .. } => Self::Play,
            LobbyRequest::Resign => Self::Resign,
            LobbyRequest::Again => Self::Again,
            LobbyRequest::Hint => Self::Hint,
            LobbyRequest::Leave => Self::Leave,
        }
    }
}
