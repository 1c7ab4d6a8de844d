//! The status of a session in words: what it waits for, and what the clocks show.

use super::{agreement, connection, status};
use crate::client::Session;
use crate::client::model::Viewpoint;
use crate::game::BySide;
use crate::lobby::{Lobby, Moment};

/// What the client's lobby waits for, in one sentence; or the client itself, without a connection.
pub fn why(session: &Session) -> String {
    in_words(session, status::why)
}

/// The same below the result of a game that is over, which it does not repeat.
pub fn why_below_result(session: &Session) -> String {
    in_words(session, status::why_below_result)
}

fn in_words(session: &Session, of_lobby: fn(&Lobby, Moment, Viewpoint) -> String) -> String {
    if let Some((left, refusal)) = session.reconnecting() {
        return connection::why_lost(refusal, left, session.leaves_later());
    }
    match session.model().lobby() {
        _ if session.is_halted() => connection::halted(session.model().halted()),
        None => String::new(),
        Some(_) if session.is_move_pending() => unanswered(session),
        Some(mine) => of_lobby(&mine.lobby, session.now(mine), session.viewpoint()),
    }
}

/// What can be typed about what the lobby waits for.
pub fn can_be_typed(session: &Session) -> Option<&'static str> {
    let mine = session.model().lobby().filter(|_| !session.is_halted() && !session.is_lost())?;
    status::can_be_typed(&mine.lobby, session.now(mine), session.viewpoint())
}

/// That the server has not answered yet, and for how long it has been silent; or that it cannot, since it
/// cannot record.
pub fn unanswered(session: &Session) -> String {
    if session.is_halted() {
        return connection::halted(session.model().halted());
    }
    let (silent, gone_after) = session.silence();
    connection::unanswered(session.is_move_pending(), silent, gone_after)
}

/// What is left on the clocks, in one sentence; `None` where there are none.
pub fn clocks(session: &Session) -> Option<String> {
    let mine = session.model().lobby()?;
    agreement::clocks(&mine.lobby, session.now(mine))
}

/// What each clock shows; `None` where there are none.
pub fn clock_faces(session: &Session) -> Option<BySide<String>> {
    let mine = session.model().lobby().filter(|_| session.has_clocks())?;
    Some(BySide::from_fn(|side| agreement::on_the_clock(&mine.lobby, side, session.now(mine))))
}
