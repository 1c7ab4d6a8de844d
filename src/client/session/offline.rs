//! The state of a session while it is offline: the attempts to reconnect, and what is queued until then.

use std::time::Duration;

use tokio::time::Instant;

use super::event::{SendStatus, SessionEvent};
use crate::client::model::MyLobby;
use crate::client::redial::{Reached, Reconnect};
use crate::client::{Action, Failure};
use crate::game::any::Move;
use crate::lobby::{Hand, Lobby};
use crate::number;
use crate::wire::Refusal;

/// How much is queued before a loss is told, besides a move: more than a person asks for in that time.
const MOST_ASKED: usize = 8;

/// The state from the loss of the connection until the client is back in its seat.
#[derive(Debug)]
pub(super) struct Reconnecting {
    pub(super) since: Instant,
    /// How long the client tries to reconnect.
    pub(super) patience: Duration,
    /// The attempts to reach the server; `None` once it was reached and asked for the seat.
    pub(super) reconnect: Option<Reconnect>,
    /// The connection over which the client played before it went to a nearer server, until the return is granted.
    pub(super) left: Option<Box<Reached>>,
    /// A move to send after the return, if it is still for the same turn.
    pub(super) held: Option<HeldMove>,
    /// What else was asked in the lobby before the loss was told, each with its turn, to send after the return.
    pub(super) asked: Vec<(Action, u32)>,
    /// A request for a new seat that was not answered, and is repeated.
    pub(super) entering: Option<Action>,
    /// The request to leave that is sent after the return.
    pub(super) leaves: Option<Action>,
    /// The reason why the server last refused the return for now.
    pub(super) deferred_by: Option<Refusal>,
    /// How often the server has said that the game goes on in another one.
    pub(super) moves: u32,
    /// How often the server has refused the return for now.
    pub(super) refusals: usize,
    /// The loss, if no face was told of it, since the client is likely to be back soon.
    pub(super) untold: Option<UntoldLoss>,
    /// Whether a connection was lost over which the seat was asked for without an answer.
    pub(super) has_rival: bool,
    /// Whether the server was asked how the last game ended.
    pub(super) asked_last_game: bool,
}

/// The loss of a connection of which no face was told.
#[derive(Debug)]
pub(super) struct UntoldLoss {
    pub(super) loss: Loss,
    /// When a face is told of it after all.
    pub(super) due: Instant,
}

/// What a face is told of the loss of a connection.
#[derive(Debug)]
pub(super) struct Loss {
    pub(super) failure: Failure,
    /// How long the client tries to reconnect at least.
    pub(super) patience: Duration,
    /// Whether the seat or watched game may be given up after that.
    pub(super) limited: bool,
}

/// A move that the server may not know of.
#[derive(Debug)]
pub(super) struct HeldMove {
    pub(super) turn: u32,
    pub(super) mv: Move,
    /// The number of the game that it is for.
    game: u32,
    /// Whether it was typed after the connection was lost, so that the server cannot know it.
    typed: bool,
}

impl Loss {
    /// Of a client that tries to reconnect for as long as `patience`, and whose seat is kept for as long as `kept`.
    pub(super) fn of(failure: Failure, patience: Duration, kept: Duration) -> Self {
        Self { failure, patience: patience.min(kept), limited: kept < patience }
    }
}

impl From<Loss> for SessionEvent {
    fn from(Loss { failure, patience, limited }: Loss) -> Self {
        Self::Lost { failure, patience, limited }
    }
}

impl HeldMove {
    pub(super) fn of((turn, mv): (u32, Move), mine: Option<&MyLobby>, typed: bool) -> Self {
        Self { turn, mv, game: mine.map_or(0, |mine| mine.lobby.games()), typed }
    }

    /// Whether the server may already have made this move. After the start of another game, it cannot be
    /// ruled out.
    pub(super) fn may_have_been_made(&self, lobby: &Lobby) -> bool {
        let ago = number::saturating::<usize, _>(lobby.turn().saturating_sub(self.turn));
        let past = lobby.past().len().checked_sub(ago).and_then(|place| lobby.past().nth(place));
        !self.typed
            && (lobby.games() != self.game
                || past.is_some_and(|past| (past.mv, past.hand) == (self.mv, Hand::Own)))
    }
}

impl Reconnecting {
    /// The state of a client whose connection was lost just now.
    pub(super) fn new(patience: Duration) -> Self {
        Self {
            since: Instant::now(),
            patience,
            reconnect: None,
            left: None,
            held: None,
            asked: Vec::new(),
            entering: None,
            leaves: None,
            deferred_by: None,
            moves: 0,
            refusals: 0,
            untold: None,
            has_rival: false,
            asked_last_game: false,
        }
    }

    /// Queues an action if that is possible: any, if no face was told of the loss, which is then not told that it waits
    /// either. A client that leaves after its return makes no more moves.
    pub(super) fn queue(&mut self, action: Action, mine: Option<&MyLobby>) -> SendStatus {
        let turn = mine.map_or(0, |mine| mine.lobby.turn());
        let is_untold = self.untold.is_some();
        let sent = match action {
            action if action.is_leave() => {
                self.leaves = Some(action);
                SendStatus::Leaving
            }
            Action::Play(_) if self.leaves.is_some() => SendStatus::Leaving,
            Action::Play(mv) => {
                self.held = Some(HeldMove::of((turn, mv), mine, true));
                SendStatus::Later
            }
            action if is_untold && self.asked.len() < MOST_ASKED => {
                self.asked.push((action, turn));
                SendStatus::Later
            }
            _ => SendStatus::Never,
        };
        if is_untold && sent != SendStatus::Never { SendStatus::Now } else { sent }
    }

    /// The move that was typed meanwhile, and is sent after the return unless the client leaves.
    pub(super) fn held_move(&self) -> Option<Move> {
        self.held.as_ref().filter(|held| held.typed && self.leaves.is_none()).map(|held| held.mv)
    }

    /// Whether something that has an answer is sent after the return. A line of chat has none.
    pub(super) fn has_queued(&self) -> bool {
        let is_asked = self.asked.iter().any(|(action, _)| !matches!(action, Action::Say(_)));
        self.held.is_some() || self.leaves.is_some() || is_asked
    }

    /// How much longer the client tries to reconnect.
    pub(super) fn time_left(&self) -> Duration {
        self.patience.saturating_sub(self.since.elapsed())
    }
}
