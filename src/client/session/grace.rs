//! A moment's grace: a player who goes away is shown as present for it, and nobody is told of one who is back by then. So nobody
//! reads of what is over before it is read, as when games go to another server of a cluster.

use std::time::Duration;

use tokio::time::Instant;

use crate::game::{BySide, Side};
use crate::lobby::{Absence, Attendance, Code, Hand, Lobby, Notice};

/// How long a person is not told that somebody is away, and not that their game goes on in another server: too short to notice,
/// and longer than it usually takes to be back.
pub(super) const QUIET: Duration = Duration::from_secs(1);

/// The players of a lobby who are away and are shown as present.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Graces(BySide<Option<Grace>>);

#[derive(Debug, Clone, Copy)]
struct Grace {
    absence: Absence,
    /// When the person is told after all.
    until: Instant,
}

/// Who was away in a lobby before a message, as the person was shown it.
#[derive(Debug)]
pub(super) struct Shown {
    pub(super) code: Code,
    pub(super) attendance: Attendance,
    pub(super) graces: Graces,
}

impl Shown {
    /// Whether this player was shown as away.
    pub(super) fn is_away(&self, side: Side) -> bool {
        self.attendance.absences[side].is_some()
    }
}

impl Graces {
    /// The graces in a lobby after a message: those of players who have been away for less than a moment, were not shown as away
    /// before, and are neither waited for nor replaced. `begun` are those that have begun and go on, and `away_for` says how long
    /// an absence has lasted.
    pub(super) fn in_lobby(
        lobby: &Lobby,
        before: Option<&Shown>,
        begun: Self,
        away_for: impl Fn(Absence) -> Duration,
    ) -> Self {
        let was_shown = |side: Side| before.is_some_and(|before| before.is_away(side));
        Self(BySide::from_fn(|side| {
            let absence = lobby.absence(side)?;
            if was_shown(side) || absence.waited || lobby.hand(side) == Hand::StandIn {
                return None;
            }
            let left = QUIET.saturating_sub(away_for(absence));
            let ends = (!left.is_zero()).then(|| Instant::now() + left);
            let until = begun.0[side].map(|grace| grace.until).or(ends)?;
            Some(Grace { absence, until })
        }))
    }

    /// Who is shown as away where these players are.
    pub(super) fn shown(&self, truth: Attendance) -> Attendance {
        let absence = |side: Side| truth.absences[side].filter(|_| self.0[side].is_none());
        Attendance { absences: BySide::from_fn(absence), ..truth }
    }

    /// Who is away where these players are shown as such.
    pub(super) fn truth(&self, shown: Attendance) -> Attendance {
        let absence = |side: Side| self.0[side].map(|grace| grace.absence).or(shown.absences[side]);
        Attendance { absences: BySide::from_fn(absence), ..shown }
    }

    /// When the first grace is over, and whose it is.
    pub(super) fn first(&self) -> Option<(Instant, Side)> {
        let until = |side: Side| Some((self.0[side]?.until, side));
        Side::BOTH.into_iter().filter_map(until).min_by_key(|(until, _)| *until)
    }

    /// Ends the grace of this player. Returns what the person is to be told, if there was one.
    pub(super) fn end(&mut self, side: Side) -> Option<Notice> {
        let Absence { since, loss, .. } = self.0[side].take()?.absence;
        Some(Notice::Away { side, since, loss })
    }
}
