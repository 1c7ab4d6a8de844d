//! How a visit's connection is: there and how near, silent, or lost. It knows no words.

use std::time::Duration;

use super::Visit;
use crate::client::pulse::EVERY;

/// The silence that is worth a word: an answer to the last measurement is overdue.
const SILENT: Duration = EVERY.saturating_add(Duration::from_secs(3));

/// How the connection to a server is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Link {
    /// It is there, with its last round trip once there was one.
    Up(Option<Duration>),
    /// Nothing was heard for so long.
    Silent(Duration),
    /// It is lost, or has not led back yet.
    Lost,
}

impl Visit {
    /// The same visit, which measures how near the server is; not where it is inside this program.
    #[must_use]
    pub fn measuring(mut self) -> Self {
        if self.way.is_some() {
            self.hands.mine().measure();
        }
        self
    }

    /// How the connection is, where that is measured.
    pub fn link(&self) -> Option<Link> {
        let silent = self.hands.silence().0;
        self.hands.are_measured().then(|| match self.is_lost() {
            true => Link::Lost,
            false if silent >= SILENT => Link::Silent(silent),
            false => Link::Up(self.hands.round_trip()),
        })
    }
}
