//! The line after a game that was left: how it ended and which command shows its record, or how to resume it.
//! The faces for people say it, each in its own place.

use super::failure::Resumable;
use super::session::{Session, SessionEvent};
use super::{Leaving, words};
use crate::lobby::{Cause, Event, Phase};

/// The line about the last game, if there is one.
#[derive(Debug, Default)]
pub struct Farewell(Option<String>);

impl Farewell {
    /// Notes how the person leaves a game in progress, and whether the program ends then.
    pub fn note_leaving(&mut self, session: &Session, how: Leaving, quits: bool) {
        let Some(mine) = session.model().lobby() else { return };
        if !session.has_game() {
            let is_unbegun = session.is_at_home() && mine.lobby.phase() == Phase::Playing;
            if is_unbegun && !session.is_watching() {
                self.0 = Some(words::leaving::NOTHING_KEPT.to_owned());
            } else if quits
                && mine.lobby.phase() == Phase::Waiting
                && !session.is_watching()
                && !session.is_away()
            {
                self.0 = Some(words::leaving::closed(mine.lobby.code()));
            }
            return;
        }
        if quits && session.is_halted() {
            return self.note_unrecorded(session);
        }
        self.0 = match (how, session.resumable_by_player()) {
            (Leaving::GiveUp, _) => Some(words::alert::after_giving_up(mine, session.server())),
            (Leaving::Keep, Resumable::Nothing) => None,
            (Leaving::Keep, _) => Some(words::leaving::is_kept(mine)),
        };
    }

    /// Notes how the game ended, or that another one has begun.
    pub fn note(&mut self, session: &Session, event: &SessionEvent) {
        match event {
            // A player who leaves a game loses it; that they leave was noted before.
            SessionEvent::Happened { event: Event::Ended { result }, .. }
                if result.cause == Cause::Left && self.0.is_some() => {}
            SessionEvent::Returned { .. } if session.is_leaving() => {}
            // The game may have ended while the player was away.
            SessionEvent::Entered
            | SessionEvent::Returned { .. }
            | SessionEvent::Happened { event: Event::Ended { .. } | Event::Started { .. }, .. } => {
                let mine = session.model().lobby();
                self.0 = mine.and_then(|mine| words::alert::after(mine, session.server()));
            }
            SessionEvent::LeftUnrecorded => self.note_unrecorded(session),
            _ => {}
        }
    }

    /// Notes that the person leaves while the host cannot record it.
    pub fn note_unrecorded(&mut self, session: &Session) {
        self.0 = Some(words::connection::left_unrecorded(session.resumable_by_player()).to_owned());
    }

    /// Takes the line.
    pub fn take(&mut self) -> Option<String> {
        self.0.take()
    }
}
