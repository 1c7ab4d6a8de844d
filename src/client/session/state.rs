//! The state of a session: the connection, the model, and the pending request.

use std::ops::ControlFlow;

use tokio::time::Instant;

use super::grace::Graces;
use super::offline::Reconnecting;
use super::seat_keeper::SeatKeeper;
use crate::client::model::{Model, MyLobby, Viewpoint};
use crate::client::redial::Reconnect;
use crate::client::{Action, Address, Connection, Endpoint, Question, SavedSeat, SeatStore};
use crate::lobby::{Code, Lobby, Name, Text};
use crate::wire::limits::MAX_CHAT;
use crate::wire::{Refusal, Secret, Ticket};

/// Whether a session continues; `Break` ends it.
pub type Flow = ControlFlow<()>;

/// Where a person gets after leaving a lobby.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Afterwards {
    /// To the hall, to find another game.
    #[default]
    Hall,
    /// The program ends.
    Home,
}

/// A request without an answer.
#[derive(Debug, Clone)]
pub(super) struct Pending {
    pub(super) kind: PendingKind,
    /// The request's number, which a refusal repeats.
    pub(super) id: u32,
    /// When it was sent.
    pub(super) since: Instant,
    /// The turn in which it was sent.
    pub(super) turn: u32,
    /// An earlier move that is not answered either.
    pub(super) previous_move: Option<Box<Self>>,
}

/// What a pending request is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PendingKind {
    /// An action of the person or script.
    Action(Action),
    /// The return to the seat, or to the watched lobby.
    Return,
    /// How the last game in this lost seat ended.
    LastGame(Box<LostSeat>),
}

/// A seat that the client has, or had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OwnSeat {
    pub(super) code: Code,
    /// Its owner's name there.
    pub(super) name: Name,
    pub(super) ticket: Ticket,
}

/// A seat to which the server refuses the return.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LostSeat {
    pub(super) seat: OwnSeat,
    /// The reason.
    pub(super) refusal: Refusal,
}

/// A seat to which the client returns without knowing its lobby.
#[derive(Debug)]
pub(super) struct ClaimedSeat {
    pub(super) seat: OwnSeat,
    /// The request that is not carried out, since an earlier one led to this seat.
    pub(super) replaced: Option<Action>,
}

impl Pending {
    /// This request if it is a move, else the earlier move without an answer.
    pub(super) fn unanswered_move(self) -> Option<Self> {
        let is_move = matches!(self.kind, PendingKind::Action(Action::Play(_)));
        if is_move { Some(self) } else { self.previous_move.map(|pending| *pending) }
    }
}

/// A session of a client that the server has welcomed. What few sessions have is boxed: a server that renders pages
/// has a session for each browser.
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
#[derive(Debug)]
pub struct Session {
    pub(super) connection: Connection,
    pub(super) model: Model,
    /// The server to reconnect to; `None` for the one inside this program.
    pub(super) endpoint: Option<Endpoint>,
    /// The address over which the connection leads, if it is not the endpoint's own.
    pub(super) reached_at: Option<Box<Address>>,
    /// Whether a session without patience reconnects nevertheless after the server has said that the game goes
    /// on in another one.
    pub(super) follows_moves: bool,
    pub(super) reconnecting: Option<Box<Reconnecting>>,
    /// The attempt to connect to the server that has the lobby, if it is not the one that the connection leads to.
    pub(super) nearer: Option<Reconnect>,
    /// Whether the client has gone there already, so that it goes no further.
    pub(super) has_gone: bool,
    /// Until when an attempt that was given up may still take the seat from this connection.
    pub(super) rival_until: Option<Instant>,
    pub(super) keeper: Option<Box<SeatKeeper>>,
    /// The ticket for the next new seat, where the face makes it.
    pub(super) next_ticket: Option<Ticket>,
    /// The last request, until the server has answered it.
    pub(super) pending: Option<Pending>,
    /// The last line of chat that was sent, and the number of that request.
    pub(super) said: Option<(u32, Text<MAX_CHAT>)>,
    /// The names whose lines are not shown.
    pub(super) muted: Vec<Name>,
    /// The seat that the client returns to: one that an earlier run saved, or one whose grant was lost.
    pub(super) claimed: Option<Box<ClaimedSeat>>,
    /// The saved seats on this server to which the client can return from the hall.
    pub(super) own_seats: Vec<SavedSeat>,
    /// The password of the watched lobby, for the return.
    pub(super) password: Option<Secret>,
    /// Whether the first action has not been granted yet.
    pub(super) arriving: bool,
    /// Whether leaving the lobby ends the session.
    pub(super) quitting: bool,
    /// Whether the client is about to go back to the hall and to keep its seat.
    pub(super) stepping_out: bool,
    /// When the last message with the lobby's time arrived.
    pub(super) synced_at: Instant,
    /// Whether the face is told of everything at once.
    pub(super) is_for_script: bool,
    /// When the client has returned from a loss that was not told.
    pub(super) moved_at: Option<Instant>,
    /// The players who are shown as present for a moment, if there are any.
    pub(super) graces: Option<Box<Graces>>,
}

impl Session {
    /// A session over this connection, under the model's name.
    pub fn new(connection: Connection, model: Model) -> Self {
        Self {
            connection,
            model,
            endpoint: None,
            reached_at: None,
            follows_moves: false,
            reconnecting: None,
            nearer: None,
            rival_until: None,
            has_gone: false,
            keeper: None,
            next_ticket: None,
            pending: None,
            said: None,
            muted: Vec::new(),
            claimed: None,
            own_seats: Vec::new(),
            password: None,
            arriving: true,
            quitting: false,
            stepping_out: false,
            synced_at: Instant::now(),
            is_for_script: false,
            moved_at: None,
            graces: None,
        }
    }

    /// Makes the session reconnect to this server, and save its seat for a later run of the program.
    #[must_use]
    pub fn coming_back(self, endpoint: Endpoint, seats: Option<SeatStore>) -> Self {
        let keeper = seats.map(|seats| SeatKeeper::new(seats, &endpoint)).map(Box::new);
        Self { endpoint: Some(endpoint), keeper, ..self }
    }

    /// Makes a session that does not reconnect do so once if its game goes on in another server.
    #[must_use]
    pub fn following_moves(self) -> Self {
        Self { follows_moves: true, ..self }
    }

    /// Makes a session with the server inside this program save its seat for a later run of the program.
    #[must_use]
    pub fn keeping(self, seats: SeatStore) -> Self {
        // The server has another port each time.
        let keeper = SeatKeeper::at_home(seats, self.model.name().clone());
        Self { keeper: Some(Box::new(keeper)), ..self }
    }

    /// Uses this ticket for the next new seat: a browser makes its own and keeps it.
    pub fn use_ticket(&mut self, ticket: Ticket) {
        self.next_ticket = Some(ticket);
    }

    /// The server's address; `None` for the one inside this program.
    pub fn server(&self) -> Option<&Address> {
        self.endpoint.as_ref().map(|endpoint| &endpoint.address)
    }

    /// Where the person gets after a lobby: nobody else is in the hall of the server inside this program.
    pub fn afterwards(&self) -> Afterwards {
        if self.endpoint.is_some() { Afterwards::Hall } else { Afterwards::Home }
    }

    /// What the client knows.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The client's lobby, if it is in one.
    pub fn lobby(&self) -> Option<&Lobby> {
        self.model.lobby().map(|mine| &mine.lobby)
    }

    /// The saved seats on this server to which the client can return from the hall.
    pub fn own_seats(&self) -> &[SavedSeat] {
        &self.own_seats
    }

    /// Whether the first action has not been granted yet, so that a refusal ends the session.
    pub fn is_arriving(&self) -> bool {
        self.arriving
    }

    /// Whether leaving the lobby ends the session.
    pub fn is_quitting(&self) -> bool {
        self.quitting
    }

    /// Whether an answer is pending. While the server refuses the return for now, none is expected soon. While the
    /// client moves, what is queued counts as asked already; in the hall nothing can be asked then.
    pub fn is_pending(&self) -> bool {
        match self.reconnecting.as_deref() {
            Some(reconnecting) if reconnecting.untold.is_some() => {
                self.lobby().is_none() || reconnecting.has_queued()
            }
            Some(reconnecting) => self.pending.is_some() && reconnecting.deferred_by.is_none(),
            None => self.pending.is_some(),
        }
    }

    /// Whether the client is not in its seat: the connection is lost, or the server has not granted the return yet.
    pub fn is_away(&self) -> bool {
        self.reconnecting.is_some()
    }

    /// The same, and the person was told so.
    pub fn is_lost(&self) -> bool {
        self.is_away() && !self.is_moving()
    }

    /// The same, but the client does so by itself, since the game goes on in another server: it is likely to be back
    /// before a person could read of it. To the person all is as before; what they ask is queued.
    pub fn is_moving(&self) -> bool {
        self.reconnecting.as_ref().is_some_and(|reconnecting| reconnecting.untold.is_some())
    }

    /// Whether the client is connected and the server cannot record.
    pub fn is_halted(&self) -> bool {
        self.model.halted().is_some() && !self.is_lost()
    }

    /// Whether the client leaves once reconnected.
    pub fn leaves_later(&self) -> bool {
        self.reconnecting.as_ref().is_some_and(|reconnecting| reconnecting.leaves.is_some())
    }

    /// Whether the client watches others.
    pub fn is_watching(&self) -> bool {
        self.model.lobby().is_some_and(|mine| mine.you().is_none())
    }

    /// The viewpoint from which the client's lobby is described.
    pub fn viewpoint(&self) -> Viewpoint {
        self.model.lobby().map_or(Viewpoint::Spectator, MyLobby::viewpoint)
    }

    /// The open question, once the server has answered everything.
    pub fn question(&self) -> Option<Question> {
        if self.is_pending() || self.is_lost() { None } else { Question::of(&self.model) }
    }

    /// All open questions. If there are two, either can be answered.
    pub fn questions(&self) -> impl Iterator<Item = Question> {
        let question = self.question();
        let beside = question.zip(self.model.lobby()).and_then(|(question, mine)| question.beside(mine));
        question.into_iter().chain(beside)
    }
}
