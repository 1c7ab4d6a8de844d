//! What the session knows at this moment, as far as the screen shows it. It is looked at and thrown away: all that the screen
//! keeps is in its [`State`](super::state::State).

use crate::client::failure::Resumable;
use crate::client::model::MyLobby;
use crate::client::session::ConnectionStatus;
use crate::client::words::Viewpoint;
use crate::client::{Model, Question, Session};
use crate::game::BySide;
use crate::game::any::Move;
use crate::lobby::{Lobby, Phase};

/// What there is to be seen.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own, and they are not chosen")]
#[derive(Debug)]
pub struct View<'a> {
    /// The hall and the lobby.
    pub model: &'a Model,
    /// What is for the person to say.
    pub question: Option<Question>,
    /// Through whose eyes the lobby is described.
    pub eyes: Viewpoint,
    /// Both players sit at this keyboard.
    pub two: bool,
    /// How the connection is, where there is one to speak of.
    pub link: Option<ConnectionStatus>,
    /// The connection is lost.
    pub lost: bool,
    /// The server owes an answer.
    pub pending: bool,
    /// The move that is made as soon as the connection is back.
    pub held: Option<Move>,
    /// The person leaves as soon as the connection is back.
    pub leaves_later: bool,
    /// Nothing has been granted yet.
    pub arriving: bool,
    /// The person has left for good.
    pub quitting: bool,
    /// What another run of the program can go on with.
    pub kept: Resumable,
    /// The person is to be outside once that is recorded, which cannot be done now.
    pub leaves_once_recorded: bool,
    /// Quitting gives nothing up, since it cannot be recorded.
    pub goes_as_it_is: bool,
    /// What is waited for, in one sentence.
    pub why: String,
    /// What the clocks show, if there are any.
    pub clocks: Option<BySide<String>>,
    /// The game of somebody who is away can be claimed.
    pub claimable: bool,
    /// `why` or a clock changes though nothing happens.
    pub counting: bool,
}

impl<'a> View<'a> {
    /// As it is now.
    pub fn of(session: &'a Session) -> Self {
        Self {
            model: session.model(),
            question: session.question(),
            eyes: session.eyes(),
            two: session.is_of_two(),
            link: session.link(),
            lost: session.is_lost(),
            pending: session.is_pending(),
            held: session.held(),
            leaves_later: session.leaves_later(),
            arriving: session.is_arriving(),
            quitting: session.is_quitting(),
            kept: session.kept_for_me(),
            leaves_once_recorded: session.leaves_once_recorded(),
            goes_as_it_is: session.goes_as_it_is(),
            why: session.why(),
            clocks: session.clock_faces(),
            claimable: session.is_claimable(),
            counting: session.is_counting(),
        }
    }

    /// Of a game that is in a record; what is waited for is this.
    pub fn of_record(model: &'a Model, why: String) -> Self {
        Self {
            model,
            question: None,
            eyes: Viewpoint::Spectator,
            two: false,
            link: None,
            lost: false,
            pending: false,
            held: None,
            leaves_later: false,
            arriving: false,
            quitting: false,
            kept: Resumable::Nothing,
            leaves_once_recorded: false,
            goes_as_it_is: true,
            why,
            clocks: None,
            claimable: false,
            counting: false,
        }
    }

    /// The lobby, and what the person is there.
    pub fn mine(&self) -> Option<&'a MyLobby> {
        self.model.lobby()
    }

    /// The lobby.
    pub fn lobby(&self) -> Option<&'a Lobby> {
        self.mine().map(|mine| &mine.lobby)
    }

    /// Whether others play, and the person looks on.
    pub fn is_watching(&self) -> bool {
        self.mine().is_some_and(|mine| mine.you().is_none())
    }

    /// Whether a game is going on in which the person plays.
    pub fn is_playing(&self) -> bool {
        !self.is_watching() && self.lobby().is_some_and(|lobby| lobby.phase() == Phase::Playing)
    }

    /// Whether a move can be made here now; also without a connection, for later.
    pub fn is_open(&self) -> bool {
        let Some(mine) = self.mine().filter(|mine| mine.you().is_some()) else { return false };
        let asked = mine.lobby.to_move().is_some() && (self.two || mine.is_to_move());
        asked && !mine.lobby.is_paused() && !self.pending && !self.leaves_later
    }
}
