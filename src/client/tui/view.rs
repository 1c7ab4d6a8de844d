//! A snapshot of the session for the screens.

use crate::client::failure::Resumable;
use crate::client::model::MyLobby;
use crate::client::session::ConnectionStatus;
use crate::client::words::{self, Viewpoint};
use crate::client::{Model, Question, SavedSeat, Session};
use crate::game::BySide;
use crate::game::any::Move;
use crate::lobby::{Lobby, Phase};

/// A snapshot of the session.
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
#[derive(Debug)]
pub struct View<'a> {
    /// The hall and the lobby.
    pub model: &'a Model,
    /// What the person can answer.
    pub question: Option<Question>,
    /// The status of the connection; `None` to the server inside this program.
    pub link: Option<ConnectionStatus>,
    /// The connection is lost.
    pub lost: bool,
    /// The server owes an answer.
    pub pending: bool,
    /// The move that waits for the connection.
    pub held: Option<Move>,
    /// The person leaves once the connection is back.
    pub leaves_later: bool,
    /// The first request of the person is not granted yet.
    pub arriving: bool,
    /// The person has left for good.
    pub quitting: bool,
    /// Giving the seat up would lose a game.
    pub has_game: bool,
    /// Quitting gives up nothing, since it cannot be recorded.
    pub cannot_leave_now: bool,
    /// What the person can return to after quitting.
    pub kept: Resumable,
    /// The saved seats to which the person can return from the hall.
    pub own_seats: &'a [SavedSeat],
    /// What the game waits for, in one sentence.
    pub why: String,
    /// The times on the clocks, if there are any.
    pub clocks: Option<BySide<String>>,
    /// The game of an absent player can be claimed.
    pub claimable: bool,
}

impl<'a> View<'a> {
    /// The snapshot of a session.
    pub fn of(session: &'a Session) -> Self {
        Self {
            model: session.model(),
            question: session.question(),
            link: session.connection_status(),
            lost: session.is_lost(),
            pending: session.is_pending(),
            held: session.held_move(),
            leaves_later: session.leaves_later(),
            arriving: session.is_arriving(),
            quitting: session.is_quitting(),
            has_game: session.has_game(),
            cannot_leave_now: session.cannot_leave_now(),
            kept: session.resumable_by_player(),
            own_seats: session.own_seats(),
            why: words::session::why_below_result(session),
            clocks: words::session::clock_faces(session),
            claimable: session.is_claimable(),
        }
    }

    /// The snapshot of a game in a record, without a session; `why` replaces what the game waits for.
    pub fn of_record(model: &'a Model, why: String) -> Self {
        Self {
            model,
            question: None,
            link: None,
            lost: false,
            pending: false,
            held: None,
            leaves_later: false,
            arriving: false,
            quitting: false,
            has_game: false,
            cannot_leave_now: true,
            kept: Resumable::Nothing,
            own_seats: &[],
            why,
            clocks: None,
            claimable: false,
        }
    }

    /// From whose point of view the lobby is described.
    pub fn viewpoint(&self) -> Viewpoint {
        self.mine().map_or(Viewpoint::Spectator, MyLobby::viewpoint)
    }

    /// The lobby, with the role of the person in it.
    pub fn mine(&self) -> Option<&'a MyLobby> {
        self.model.lobby()
    }

    /// The lobby.
    pub fn lobby(&self) -> Option<&'a Lobby> {
        self.mine().map(|mine| &mine.lobby)
    }

    /// Whether the person watches others.
    pub fn is_watching(&self) -> bool {
        self.mine().is_some_and(|mine| mine.you().is_none())
    }

    /// Whether two people at this keyboard play against each other.
    pub fn is_for_two(&self) -> bool {
        self.mine().is_some_and(MyLobby::is_for_two)
    }

    /// Whether the person is in a running game.
    pub fn is_playing(&self) -> bool {
        !self.is_watching() && self.lobby().is_some_and(|lobby| lobby.phase() == Phase::Playing)
    }

    /// Whether a move can be made now, or for later while the connection is lost.
    pub fn is_open(&self) -> bool {
        let Some(mine) = self.mine().filter(|mine| mine.you().is_some()) else { return false };
        mine.is_to_move() && !mine.lobby.is_paused() && !self.pending && !self.leaves_later
    }
}
