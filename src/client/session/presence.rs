//! Who is away, as the faces show it and tell of it: to people a moment late, so that they read nothing of somebody who is back
//! by then. A person who was told of a lost connection is told all that is true, and so is a script.

use tokio::time::Instant;

use super::event::SessionEvent;
use super::grace::{Graces, QUIET, Shown};
use super::state::Session;
use crate::game::Side;
use crate::lobby::{Event, Notice};
use crate::wire::ToClient;

impl Session {
    /// Makes the session tell of everything at once, as scripts expect.
    #[must_use]
    pub fn for_script(self) -> Self {
        Self { is_for_script: true, ..self }
    }

    /// Makes the model what the server says it is, to apply a message to it. Returns what it was shown as.
    pub(super) fn end_graces(&mut self) -> Option<Shown> {
        let graces = self.graces.take().map(|graces| *graces).unwrap_or_default();
        let lobby = self.lobby()?;
        let shown = Shown { code: lobby.code(), attendance: *lobby.attendance(), graces };
        self.model.show_attendance(graces.truth(shown.attendance));
        Some(shown)
    }

    /// Shows those as present who have just gone away, after this message; `before` is what was shown before it.
    pub(super) fn begin_graces(&mut self, before: Option<&Shown>, message: &ToClient) {
        let is_held_back = !self.is_for_script && !self.is_lost();
        let Some(mine) = self.model.lobby().filter(|_| is_held_back) else { return };
        let before = before.filter(|before| before.code == mine.lobby.code());
        let begun = before.map(|before| before.graces).unwrap_or_default();
        let (now, begun) = match message {
            // Another server knows the time of the last event that was recorded, and may be behind what was heard here.
            ToClient::Lobby { at, .. } | ToClient::Notice { at, .. } => (*at, begun),
            // It says for how long somebody has been away.
            ToClient::Entered { now, .. }
            | ToClient::Watching { now, .. }
            | ToClient::Returned { now, .. } => (*now, Graces::default()),
            _ => (self.now(mine), begun),
        };
        self.hide(Graces::in_lobby(&mine.lobby, before, begun, |absence| now.since(absence.since)));
    }

    /// Shows these players as present.
    fn hide(&mut self, graces: Graces) {
        let Some(truth) = self.lobby().map(|lobby| *lobby.attendance()) else { return };
        let shown = graces.shown(truth);
        if shown != truth && self.model.show_attendance(shown) {
            self.graces = Some(Box::new(graces));
        }
    }

    /// When the face is to be told that somebody is away, and who; `None` also while the client itself is, and cannot know.
    pub(super) fn next_absence(&self) -> Option<(Instant, Side)> {
        self.graces.as_ref().filter(|_| !self.is_away())?.first()
    }

    /// Handles that this player was away for a moment, and still is.
    pub(super) fn on_still_away(&mut self, side: Side) -> SessionEvent {
        let Some(Shown { mut graces, .. }) = self.end_graces() else { return SessionEvent::Nothing };
        let notice = graces.end(side);
        self.hide(graces);
        notice.map_or(SessionEvent::Nothing, SessionEvent::Noticed)
    }

    /// What has changed about the presence of players, for a client that has returned and missed those notices.
    pub(super) fn missed_notices(&self, before: Option<&Shown>) -> Vec<Notice> {
        let both = before.zip(self.lobby());
        both.map(|(before, lobby)| before.attendance.changes(lobby.attendance())).unwrap_or_default()
    }

    /// Whether a face is told of this notice: not that a player goes away, or is back, who is shown as present all the time,
    /// and not that those watch again who were carried to another server too.
    pub(super) fn is_notice_told(&self, notice: &Notice, before: Option<&Shown>) -> bool {
        let is_away = |side: Side| self.lobby().is_some_and(|lobby| lobby.absence(side).is_some());
        let was_away = |side: Side| before.is_some_and(|before| before.is_away(side));
        let is_told = match *notice {
            Notice::Away { side, .. } | Notice::Back { side } => is_away(side) || was_away(side),
            Notice::Watched { .. } => self.moved_at.is_none_or(|moved| moved.elapsed() >= QUIET),
            _ => true,
        };
        self.is_for_script || is_told
    }

    /// Whether a face is told of this event: not that the server is back, if it was not told of a loss.
    pub(super) fn is_event_told(&self, event: &Event) -> bool {
        self.is_for_script || !self.is_moving() || *event != Event::Restarted
    }
}
