//! What a client's lobby waits for at this moment, and what the clocks there show. It asks nobody.

use super::Session;
use crate::client::Action;
use crate::client::model::MyLobby;
use crate::client::words;
use crate::game::any::Move;
use crate::lobby::Moment;

impl Session {
    /// What the client's lobby waits for, in one sentence; or the client itself, without a connection.
    pub fn why(&self) -> String {
        if let Some(reconnecting) = &self.reconnecting {
            return words::connection::why_lost(
                reconnecting.barred.as_ref(),
                reconnecting.left(),
                self.leaves_later(),
            );
        }
        let Some(mine) = self.model.lobby() else {
            return if self.is_halted() { self.halt() } else { String::new() };
        };
        match &mine.halted {
            Some(_) => self.halt(),
            None if matches!(self.asked(), Some(Action::Play(_))) => self.unanswered(),
            None => words::status::why(&mine.lobby, self.now(mine), self.eyes()),
        }
    }

    /// That nothing can be recorded, and why, or that it can again.
    pub fn halt(&self) -> String {
        match (self.model.halted(), self.model.lobby()) {
            (Some(why), None) => words::connection::not_let_in(why),
            (why, _) => words::connection::halted(why),
        }
    }

    /// The move that was typed while the connection is lost, and is made as soon as it is back.
    pub fn held(&self) -> Option<Move> {
        self.reconnecting.as_ref()?.held()
    }

    /// What a person can type about what the lobby waits for, in a sentence behind that one.
    pub fn can_be_typed(&self) -> Option<&'static str> {
        let mine = self.model.lobby().filter(|mine| mine.halted.is_none() && !self.is_lost())?;
        words::status::can_be_typed(&mine.lobby, self.now(mine), self.eyes())
    }

    /// That the server has not answered yet what it was asked, and for how long it has been silent; or that it cannot, as long as
    /// nothing can be recorded.
    pub fn unanswered(&self) -> String {
        if self.is_halted() {
            return self.halt();
        }
        let (silent, gone_after) = self.players.silence();
        words::connection::unanswered(matches!(self.asked(), Some(Action::Play(_))), silent, gone_after)
    }

    /// What is left on the clocks of the client's lobby, in one sentence; nothing where there are none.
    pub fn clocks(&self) -> Option<String> {
        let mine = self.model.lobby()?;
        words::agreement::clocks(&mine.lobby, self.now(mine))
    }

    /// The lobby's time at present.
    pub(super) fn now(&self, mine: &MyLobby) -> Moment {
        if mine.halted.is_some() { mine.now } else { mine.now + self.told.elapsed() }
    }
}
