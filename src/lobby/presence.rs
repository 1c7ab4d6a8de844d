//! Who is present: decides about arrivals and departures, and applies notices. The clock of a game stops when
//! the last person leaves, and starts again when the first one returns; these two, and the end of a stand-in,
//! are events.

use super::absence::{Absence, ConnectionLoss, Cover, WhenAway};
use super::apply::{OutOfStep, fits};
use super::event::{Departure, Event, Events};
use super::list::List;
use super::moment::Moment;
use super::name::Name;
use super::notice::{Attendance, Decision, Notice};
use super::player::OPENER;
use super::refusal::Refusal;
use super::request::Who;
use super::snapshot::Phase;
use super::state::Lobby;
use crate::game::Side;

impl Lobby {
    /// Applies a notice of this moment, which changes only the attendance. After an error, for a notice that
    /// is impossible here, nothing has changed.
    pub fn note(&mut self, notice: &Notice, at: Moment) -> Result<(), OutOfStep> {
        let (was_deserted, was_unwatched) = (self.is_deserted(), self.is_unwatched());
        let is_open = self.state.phase != Phase::Closed;
        match *notice {
            Notice::Away { side, since, loss } => {
                fits(is_open && self.is_client(side))?;
                let waited = self.absence(side).is_some_and(|known| known.waited);
                self.state.attendance.absences[side] = Some(Absence { since, loss, waited });
            }
            Notice::Back { side } => {
                self.state.attendance.absences[side].take().ok_or(OutOfStep)?;
            }
            Notice::WaitedFor { side } => self.set_waited(side, Cover::Agreed, true)?,
            Notice::WaitedNoMore { side } => self.set_waited(side, Cover::Waited, false)?,
            Notice::Watched { .. } => {
                fits(is_open)?;
                self.state.attendance.watchers = self.watchers().saturating_add(1);
            }
            Notice::Unwatched { .. } | Notice::Kicked { .. } => {
                self.state.attendance.watchers = self.watchers().checked_sub(1).ok_or(OutOfStep)?;
            }
        }
        // A player who returns to a lobby without people begins to wait then, not before.
        if was_deserted && !self.is_deserted() || was_unwatched != self.is_unwatched() {
            self.state.attendance.since = self.state.attendance.since.max(at);
        }
        Ok(())
    }

    /// Replaces the attendance, for a client that missed notices. Returns an error if it is impossible here.
    pub fn set_attendance(&mut self, attendance: Attendance) -> Result<(), OutOfStep> {
        let known = std::mem::replace(&mut self.state.attendance, attendance);
        // The rest may be impossible for a moment: once both want another game, the event that begins it follows.
        if self.state.attendance_is_possible() {
            return Ok(());
        }
        self.state.attendance = known;
        Err(OutOfStep)
    }

    fn set_waited(&mut self, side: Side, before: Cover, waited: bool) -> Result<(), OutOfStep> {
        fits(self.state.phase == Phase::Playing && self.cover(side) == Some(before))?;
        let absence = self.state.attendance.absences[side].as_mut().ok_or(OutOfStep)?;
        absence.waited = waited;
        Ok(())
    }

    pub(super) fn decide_watch(&self, name: Name) -> Result<Decision, Refusal> {
        let most = self.state.conditions.watchers;
        match most {
            0 => Err(Refusal::NoWatchers),
            _ if self.is_full_of_watchers() => Err(Refusal::TooManyWatchers { most }),
            _ => {
                let starts = self.is_exhibition() && self.state.clocks.stopped;
                Ok(Decision::of(starts.then_some(Event::ClockStarted), Notice::Watched { name }))
            }
        }
    }

    /// A watcher leaves. If it was the last one of two bots, their game pauses until somebody is back; if
    /// that watcher left on purpose, the lobby closes.
    pub(super) fn decide_unwatch(&self, name: Name, how: Departure) -> Decision {
        let notice = Some(Notice::Unwatched { name });
        let events = match how {
            _ if self.watchers() > 1 || self.has_people() => Events::new(),
            Departure::Lost if self.is_exhibition() => self.stops_clock().into_iter().collect(),
            _ => self.abandon(),
        };
        Decision { events, notice }
    }

    /// Whether `who` may kick watchers, as far as the lobby knows: the person who opened it, as long as they keep
    /// the seat. A lobby of two bots was opened by one of its watchers, and the server knows which.
    pub fn may_kick(&self, who: Who) -> Result<(), Refusal> {
        match who {
            _ if self.state.phase == Phase::Closed => Err(Refusal::Closed),
            Who::Player(OPENER) if self.side_of(OPENER).is_some() => Ok(()),
            Who::Watcher if self.is_exhibition() => Ok(()),
            _ => Err(Refusal::NotOpener),
        }
    }

    /// A watcher is kicked, and nothing else happens, since the person who opened the lobby stays. The server knows
    /// the watchers' names.
    pub(super) fn decide_kick(&self, who: Who, name: &str) -> Result<Decision, Refusal> {
        self.may_kick(who)?;
        let others = self.watchers().saturating_sub(u32::from(who == Who::Watcher));
        match Name::clean(name) {
            Ok(name) if others > 0 => Ok(Notice::Kicked { name }.into()),
            _ => Err(Refusal::NoSuchWatcher { watchers: List::default() }),
        }
    }

    /// A player's connection is lost; the player keeps the seat. Nothing happens if that changes nothing.
    pub(super) fn decide_disconnect(&self, side: Side, loss: ConnectionLoss, since: Moment) -> Decision {
        let new = Absence { since, loss, waited: false };
        let rule = self.state.conditions.away;
        // A connection that closes after it fell silent may bring the deadline forward, and never puts it
        // off.
        let tells = self.absence(side).is_none_or(|known| {
            known.loss == ConnectionLoss::Silent
                && new.absence_deadline(rule, Moment::START) < known.absence_deadline(rule, Moment::START)
        });
        if !tells || !self.is_client(side) {
            return Decision::default();
        }
        let stops = self.stops_clock().filter(|_| !self.is_here(!side) || self.has_guest(side));
        Decision::of(stops, Notice::Away { side, since, loss })
    }

    /// The event that stops the clock, if the clock runs.
    fn stops_clock(&self) -> Option<Event> {
        self.clock_runs().then_some(Event::ClockStopped)
    }

    /// A player is back. Nothing happens if they were not away.
    pub(super) fn decide_return(&self, side: Side) -> Decision {
        if self.absence(side).is_none() {
            return Decision::default();
        }
        let again = self.state.stand_ins[side].then_some(Event::PlaysAgain { side });
        let starts = self.state.clocks.stopped.then_some(Event::ClockStarted);
        let events = again.into_iter().chain(starts).collect();
        Decision { events, notice: Some(Notice::Back { side }) }
    }

    /// The other player chooses to wait instead of applying the agreed rule.
    pub(super) fn decide_wait(&self, side: Side) -> Result<Notice, Refusal> {
        let waits = self.state.conditions.away.then == WhenAway::Wait;
        match (self.state.phase, self.cover(!side)) {
            (Phase::Playing, Some(Cover::Agreed)) if !waits => Ok(Notice::WaitedFor { side: !side }),
            (Phase::Playing, Some(_)) => Err(Refusal::WaitsAlready),
            (Phase::Playing, None) => Err(Refusal::NobodyAway),
            _ => Err(Refusal::NoGame),
        }
    }

    /// The other player no longer waits: the agreed rule applies again.
    pub(super) fn decide_wait_no_more(&self, side: Side) -> Result<Notice, Refusal> {
        match (self.state.phase, self.cover(!side)) {
            (Phase::Playing, Some(Cover::Waited)) => Ok(Notice::WaitedNoMore { side: !side }),
            (Phase::Playing, _) => Err(Refusal::WaitsNot),
            _ => Err(Refusal::NoGame),
        }
    }
}
