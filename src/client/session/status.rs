//! The status of a session that changes without events: the connection, the clocks, and waiting times.

use std::time::Duration;

use super::state::Session;
use crate::client::Action;
use crate::client::model::MyLobby;
use crate::client::round_trip::EVERY;
use crate::game::any::Move;
use crate::lobby::{ClockRule, Moment};
use crate::wire::Refusal;

/// A silence of this length means that the answer to the last measurement is overdue.
const SILENT: Duration = EVERY.saturating_add(Duration::from_secs(3));

/// The state of the connection to a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectionStatus {
    /// It is up; the last round-trip time, once there is one.
    Up(Option<Duration>),
    /// Nothing was received for this long.
    Silent(Duration),
    /// It is lost, or the client is not back in its seat yet.
    Lost,
}

impl Session {
    /// Turns on measuring the round-trip time, unless the server is inside this program.
    #[must_use]
    pub fn measuring(mut self) -> Self {
        if self.endpoint.is_some() {
            self.connection.measure();
        }
        self
    }

    /// Whether the server is inside this program: the game is at this keyboard.
    pub fn is_at_home(&self) -> bool {
        self.endpoint.is_none()
    }

    /// The state of the connection; `None` if it is not measured.
    pub fn connection_status(&self) -> Option<ConnectionStatus> {
        let silent = self.silence().0;
        self.connection.is_measured().then(|| match self.is_lost() {
            true => ConnectionStatus::Lost,
            _ if silent >= SILENT => ConnectionStatus::Silent(silent),
            _ => ConnectionStatus::Up(self.connection.round_trip()),
        })
    }

    /// How long nothing has been received, and after how long the connection counts as lost.
    pub fn silence(&self) -> (Duration, Duration) {
        self.connection.silence()
    }

    /// How much longer the client tries to reconnect, and why the server has refused the return so far;
    /// `None` while it is connected, or likely to be in a moment.
    pub fn reconnecting(&self) -> Option<(Duration, Option<&Refusal>)> {
        self.reconnecting
            .as_ref()
            .filter(|_| self.is_lost())
            .map(|reconnecting| (reconnecting.time_left(), reconnecting.deferred_by.as_ref()))
    }

    /// The move that was typed while the connection is lost, and is sent once reconnected.
    pub fn held_move(&self) -> Option<Move> {
        self.reconnecting.as_ref().filter(|_| self.is_lost())?.held_move()
    }

    /// Whether more messages of the server have arrived.
    pub fn has_unread(&self) -> bool {
        self.connection.has_unread()
    }

    /// Whether a move has no answer yet.
    pub fn is_move_pending(&self) -> bool {
        let is_queued =
            self.is_moving() && self.reconnecting.as_ref().is_some_and(|gone| gone.held.is_some());
        is_queued || matches!(self.asked(), Some(Action::Play(_)))
    }

    /// The lobby's current time, which stands still while the server cannot record.
    pub fn now(&self, mine: &MyLobby) -> Moment {
        if self.model.halted().is_some() { mine.now } else { mine.now + self.synced_at.elapsed() }
    }

    /// Whether the client can claim the game of a player who is away.
    pub fn is_claimable(&self) -> bool {
        self.model.lobby().is_some_and(|mine| mine.is_claimable(self.now(mine)))
    }

    /// Whether the games of this lobby have clocks, and one has begun.
    pub fn has_clocks(&self) -> bool {
        self.lobby().is_some_and(|lobby| lobby.conditions().clock != ClockRule::None && lobby.games() > 0)
    }
}
