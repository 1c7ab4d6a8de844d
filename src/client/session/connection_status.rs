//! How a session's connection is: there and how near, silent, or lost. It knows no words.

use std::time::Duration;

use super::Session;
use crate::client::round_trip::EVERY;

/// The silence that is worth a word: an answer to the last measurement is overdue.
const SILENT: Duration = EVERY.saturating_add(Duration::from_secs(3));

/// How the connection to a server is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectionStatus {
    /// It is there, with its last round trip once there was one.
    Up(Option<Duration>),
    /// Nothing was heard for so long.
    Silent(Duration),
    /// It is lost, or has not led back yet.
    Lost,
}

impl Session {
    /// The same session, which measures how near the server is; not where it is inside this program.
    #[must_use]
    pub fn measuring(mut self) -> Self {
        if self.endpoint.is_some() {
            self.players.mine().measure();
        }
        self
    }

    /// How the connection is, where that is measured.
    pub fn link(&self) -> Option<ConnectionStatus> {
        let silent = self.players.silence().0;
        self.players.are_measured().then(|| match self.is_lost() {
            true => ConnectionStatus::Lost,
            false if silent >= SILENT => ConnectionStatus::Silent(silent),
            false => ConnectionStatus::Up(self.players.round_trip()),
        })
    }
}
