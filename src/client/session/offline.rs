//! What a session remembers while it has no connection.

use std::time::Duration;

use tokio::time::Instant;

use super::event::SendStatus;
use crate::client::Action;
use crate::client::model::MyLobby;
use crate::client::redial::Reconnect;
use crate::game::any::Move;
use crate::lobby::{Hand, Lobby};
use crate::number;
use crate::wire::Refusal;

/// The time without a connection, which ends when the client is back in its seat.
#[derive(Debug)]
pub(super) struct Reconnecting {
    pub(super) since: Instant,
    /// For how long the client tries to come back.
    pub(super) patience: Duration,
    /// The attempts to reach the server; `None` once it is reached and asked for the seat.
    pub(super) reconnect: Option<Reconnect>,
    /// A move to be made after the return, if it is still for the same turn.
    pub(super) held: Option<Held>,
    /// A request for a new seat that was not answered, and is made again.
    pub(super) entering: Option<Action>,
    /// The client leaves as soon as it is back, in this way.
    pub(super) leaves: Option<Action>,
    /// Why the server did not let it come back yet, when it was last reached.
    pub(super) barred: Option<Refusal>,
    /// It was asked how the last game ended.
    pub(super) looked_back: bool,
}

/// A move that the server may not know of.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) turn: u32,
    pub(super) mv: Move,
    /// The number of the game that it is for.
    game: u32,
    /// It was typed after the connection was lost, so that the server cannot know of it.
    typed: bool,
}

impl Held {
    pub(super) fn of((turn, mv): (u32, Move), mine: Option<&MyLobby>, typed: bool) -> Self {
        Self { turn, mv, game: mine.map_or(0, |mine| mine.lobby.games()), typed }
    }

    /// Whether it was made for all that this lobby knows of its game. The moves of another game say nothing.
    pub(super) fn may_be_made(&self, lobby: &Lobby) -> bool {
        let ago = number::saturating::<usize, _>(lobby.turn().saturating_sub(self.turn));
        let past = lobby.past().len().checked_sub(ago).and_then(|place| lobby.past().nth(place));
        !self.typed
            && (lobby.games() != self.game
                || past.is_some_and(|past| (past.mv, past.hand) == (self.mv, Hand::Own)))
    }
}

impl Reconnecting {
    /// It begins now.
    pub(super) fn new(patience: Duration) -> Self {
        Self {
            since: Instant::now(),
            patience,
            reconnect: None,
            held: None,
            entering: None,
            leaves: None,
            barred: None,
            looked_back: false,
        }
    }

    /// What has become of an action without a connection. A client that leaves on its return makes no more
    /// moves.
    pub(super) fn put_off(&mut self, action: Action, mine: Option<&MyLobby>) -> SendStatus {
        let turn = mine.map_or(0, |mine| mine.lobby.turn());
        match action {
            action if action.is_leave() => {
                self.leaves = Some(action);
                SendStatus::Leaving
            }
            Action::Play(_) if self.leaves.is_some() => SendStatus::Leaving,
            Action::Play(mv) => {
                self.held = Some(Held::of((turn, mv), mine, true));
                SendStatus::Later
            }
            _ => SendStatus::Never,
        }
    }

    /// The move that was typed since, and is made after the return unless the client leaves.
    pub(super) fn held_move(&self) -> Option<Move> {
        self.held.as_ref().filter(|held| held.typed && self.leaves.is_none()).map(|held| held.mv)
    }

    /// Whether something is to be done after the return.
    pub(super) fn owes(&self) -> bool {
        self.held.is_some() || self.leaves.is_some()
    }

    /// For how long the client will still try to come back.
    pub(super) fn left(&self) -> Duration {
        self.patience.saturating_sub(self.since.elapsed())
    }
}
