//! What of a session is shown all the time, and changes while nothing happens: the clocks, and what is waited for.

use super::{ConnectionStatus, Session};
use crate::client::model::MyLobby;
use crate::client::words;
use crate::game::{BySide, Side};
use crate::lobby::{ClockRule, Lobby, Phase};

impl Session {
    /// What each side's clock shows; nothing where there are none.
    pub fn clock_faces(&self) -> Option<BySide<String>> {
        let mine = self.model.lobby()?;
        let timed = mine.lobby.conditions().clock != ClockRule::None && mine.lobby.games() > 0;
        let face = |side| words::agreement::on_the_clock(&mine.lobby, side, self.now(mine));
        timed.then(|| BySide::from_fn(face))
    }

    /// Whether the game of somebody who is away can be claimed.
    pub fn is_claimable(&self) -> bool {
        let claims = |mine: &MyLobby| words::status::is_claimable(&mine.lobby, self.now(mine), self.eyes());
        self.model.lobby().is_some_and(claims)
    }

    /// Whether [`Self::why`] or a clock says something else by and by, though nothing happens.
    pub fn is_counting(&self) -> bool {
        if self.is_lost() || matches!(self.link(), Some(ConnectionStatus::Silent(_))) {
            return true;
        }
        let Some(mine) = self.model.lobby() else { return false };
        if self.is_pending() && mine.halted.is_none() {
            return true;
        }
        mine.halted.is_none()
            && (is_timed(&mine.lobby) || is_others_turn(&mine.lobby, self.is_of_two(), mine.side()))
    }
}

/// Whether something happens here by itself once its time has come.
fn is_timed(lobby: &Lobby) -> bool {
    let away = |side| lobby.absence(side).is_some();
    let comes = lobby.due().is_some() || lobby.bot_comes().is_some();
    lobby.clocks().since.is_some() || comes || Side::BOTH.into_iter().any(away)
}

/// Whether it is told since when somebody else thinks.
fn is_others_turn(lobby: &Lobby, two: bool, you: Option<Side>) -> bool {
    lobby.phase() == Phase::Playing && !two && Some(lobby.board().turn()) != you
}
