//! What a session knows, and what it has asked for.

use std::ops::ControlFlow;

use tokio::time::Instant;

use super::offline::Reconnecting;
use super::seat_keeper::SeatKeeper;
use crate::client::model::{Model, MyLobby, Viewpoint};
use crate::client::{Action, Address, Connection, Endpoint, Question, SavedSeat, SeatStore};
use crate::lobby::{Code, Lobby, Name, Text};
use crate::wire::limits::MAX_CHAT;
use crate::wire::{Refusal, Secret, Ticket};

/// Whether a session goes on.
pub type Flow = ControlFlow<()>;

/// Where a person goes after leaving a lobby.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Afterwards {
    /// To the hall, to find another game.
    #[default]
    Hall,
    /// The program ends.
    Home,
}

/// What the server owes an answer to.
#[derive(Debug, Clone)]
pub(super) struct Pending {
    pub(super) awaited: Awaited,
    /// The request's number, which a refusal repeats.
    pub(super) id: u32,
    /// The turn in which it was asked.
    pub(super) turn: u32,
    /// A move that was asked for before this, and is not answered either.
    pub(super) before: Option<Box<Self>>,
}

/// What an answer is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Awaited {
    /// An action of the person or script.
    Action(Action),
    /// The way back to the seat, or to the lobby that is watched.
    Return,
    /// The games that were played in this seat, to which there is no way back.
    Past(Box<LostSeat>),
}

/// A seat to which there is no way back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LostSeat {
    pub(super) code: Code,
    /// What its owner was called there.
    pub(super) name: Name,
    pub(super) ticket: Ticket,
    /// Why not.
    pub(super) refusal: Refusal,
}

impl Pending {
    /// The move that is not answered, if there is one.
    pub(super) fn unanswered_move(self) -> Option<Self> {
        let is_move = matches!(self.awaited, Awaited::Action(Action::Play(_)));
        if is_move { Some(self) } else { self.before.map(|before| *before) }
    }
}

/// A session, for a client that has been welcomed.
#[derive(Debug)]
pub struct Session {
    pub(super) connection: Connection,
    pub(super) model: Model,
    /// How to come back when the connection is lost; `None` where nothing can be lost.
    pub(super) endpoint: Option<Endpoint>,
    pub(super) reconnecting: Option<Reconnecting>,
    pub(super) keeper: Option<SeatKeeper>,
    /// What the server has been asked for and has not yet answered.
    pub(super) pending: Option<Pending>,
    /// The last line of chat that the client said, and the number of that request.
    pub(super) said: Option<(u32, Text<MAX_CHAT>)>,
    /// Those whose lines the client does not want to hear.
    pub(super) muted: Vec<Name>,
    /// The seat that the client came back for.
    pub(super) claimed: Option<SavedSeat>,
    /// The password of the lobby in which the client watches, to come back to it.
    pub(super) password: Option<Secret>,
    /// Nothing has been granted yet of what the client came for.
    pub(super) arriving: bool,
    /// The client has left its last lobby.
    pub(super) quitting: bool,
    /// When the server last said anything, which is when the lobby's time was what the model says.
    pub(super) told: Instant,
}

impl Session {
    /// A session over this connection, under the model's name.
    pub fn new(connection: Connection, model: Model) -> Self {
        Self {
            connection,
            model,
            endpoint: None,
            reconnecting: None,
            keeper: None,
            pending: None,
            said: None,
            muted: Vec::new(),
            claimed: None,
            password: None,
            arriving: true,
            quitting: false,
            told: Instant::now(),
        }
    }

    /// The same session, which comes back by itself when the connection is lost, and keeps its seat among
    /// these for another run of the program.
    #[must_use]
    pub fn coming_back(self, endpoint: Endpoint, seats: Option<SeatStore>) -> Self {
        let keeper =
            seats.map(|seats| SeatKeeper::new(seats, endpoint.address.clone(), endpoint.name.clone()));
        Self { endpoint: Some(endpoint), keeper, ..self }
    }

    /// The same session, to the server inside this program, which cannot be lost. The seat is kept among these
    /// for another run of the program.
    #[must_use]
    pub fn keeping(self, seats: SeatStore) -> Self {
        // The server has another port each time.
        let keeper = SeatKeeper::new(seats, Address::here(), self.model.name().clone());
        Self { keeper: Some(keeper), ..self }
    }

    /// The server's address; `None` for the one inside this program.
    pub fn server(&self) -> Option<&Address> {
        self.endpoint.as_ref().map(|endpoint| &endpoint.address)
    }

    /// Where the person goes after a lobby: nobody else comes to the hall of the server inside this program.
    pub fn afterwards(&self) -> Afterwards {
        if self.endpoint.is_some() { Afterwards::Hall } else { Afterwards::Home }
    }

    /// What is known.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The client's lobby, if it sits in one.
    pub fn lobby(&self) -> Option<&Lobby> {
        self.model.lobby().map(|mine| &mine.lobby)
    }

    /// Whether the first action has not been granted yet, so that a refusal ends the session.
    pub fn is_arriving(&self) -> bool {
        self.arriving
    }

    /// Whether the client goes for good: leaving the lobby ends the session.
    pub fn is_quitting(&self) -> bool {
        self.quitting
    }

    /// Whether the server owes an answer that is worth waiting for: not while it cannot record that the
    /// client is back.
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
    pub fn viewpoint(&self) -> Viewpoint {
        self.model.lobby().map_or(Viewpoint::Spectator, MyLobby::viewpoint)
    }

    /// What is open for the client to say, once the server has answered all that it was asked.
    pub fn question(&self) -> Option<Question> {
        if self.is_pending() || self.is_lost() { None } else { Question::of(&self.model) }
    }

    /// All that is open for the client to say: where there are two questions, either can be answered.
    pub fn questions(&self) -> impl Iterator<Item = Question> {
        let question = self.question();
        let beside = question.zip(self.model.lobby()).and_then(|(question, mine)| question.beside(mine));
        question.into_iter().chain(beside)
    }

    /// The action that is not answered yet.
    pub(super) fn asked(&self) -> Option<&Action> {
        match &self.pending.as_ref()?.awaited {
            Awaited::Action(action) => Some(action),
            Awaited::Return | Awaited::Past(_) => None,
        }
    }

    pub(super) fn awaits(&self, awaited: &Awaited) -> bool {
        self.pending.as_ref().is_some_and(|pending| pending.awaited == *awaited)
    }

    /// The pending action is answered if it is such a one.
    pub(super) fn settle(&mut self, is_meant: impl Fn(&Action) -> bool) {
        if self.asked().is_some_and(is_meant) {
            self.pending = None;
        }
    }
}
