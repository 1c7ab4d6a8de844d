//! The rules for absent players, and what happens in a lobby at a deadline without any request.
//!
//! An absent player's time runs only on that player's turn, and only while the opponent is present. While
//! nobody is present the game stands still.

use std::time::Duration;

use super::absence::{Absence, ConnectionLoss, Cover, Due, Hand, WhenAway};
use super::clock::{LAST_MOMENT, RESTART_GRACE};
use super::event::{Cause, Departure, Event, Events};
use super::moment::Moment;
use super::player::PlayerId;
use super::refusal::Refusal;
use super::snapshot::Phase;
use super::state::Lobby;
use crate::game::{BySide, Outcome, Side};
use crate::number;

impl Lobby {
    /// Whether a person or a program sits here and is present. A guest is present exactly if the host is.
    pub fn is_here(&self, side: Side) -> bool {
        let side = if self.has_guest(!side) { !side } else { side };
        self.is_client(side) && self.state.attendance.absences[side].is_none()
    }

    /// Whether any person or program is present in a seat.
    pub fn has_people_here(&self) -> bool {
        Side::BOTH.into_iter().any(|side| self.is_here(side))
    }

    /// Who moves for this side: the player or the stand-in.
    pub fn hand(&self, side: Side) -> Hand {
        if self.state.stand_ins[side] { Hand::StandIn } else { Hand::Own }
    }

    /// How long the lobby outlives this player, if no other person or program sits here; `None` while somebody
    /// else sits here.
    pub fn kept_without(&self, player: PlayerId) -> Option<Duration> {
        let other = !self.side_of(player)?;
        (!self.is_client(other)).then(|| self.kept_for())
    }

    /// How long seats are kept while all their owners are away.
    pub fn kept_for(&self) -> Duration {
        let rule = self.state.conditions.away;
        Duration::from_millis(if self.state.paused { rule.rests_for } else { rule.kept_for }.into())
    }

    /// The deadline of the absent player to move, and what happens then; `None` if the player to move is
    /// present, nobody is waiting, or the opponent chose to wait.
    pub fn absence_deadline(&self) -> Option<(Moment, Side, WhenAway)> {
        self.agreed_absence_deadline().filter(|&(_, side, _)| self.cover(side) == Some(Cover::Agreed))
    }

    /// The deadline by the agreed rule alone, even if the opponent chose to wait or a bot stands in.
    pub fn agreed_absence_deadline(&self) -> Option<(Moment, Side, WhenAway)> {
        let side = self.to_move().and_then(|player| self.side_of(player.id))?;
        let absence = self.state.attendance.absences[side]?;
        let rule = self.state.conditions.away;
        let waited_for = self.is_here(!side) && !self.state.paused && rule.then != WhenAway::Wait;
        waited_for.then(|| (absence.absence_deadline(rule, self.began()), side, rule.then))
    }

    /// Whether the flag of an absent player falls before the agreed deadline, which then has no effect.
    pub fn flag_falls_first(&self) -> bool {
        let (out, flag) = (self.agreed_absence_deadline(), self.flag_due());
        out.zip(flag).is_some_and(|((out, ..), (flag, _))| flag < out)
    }

    /// What the lobby does about the absence of the player on this side; `None` if they are not away.
    pub fn cover(&self, side: Side) -> Option<Cover> {
        self.state.attendance.absences[side].map(|absence| match self.hand(side) {
            Hand::StandIn => Cover::StandIn,
            Hand::Own if absence.waited => Cover::Waited,
            Hand::Own => Cover::Agreed,
        })
    }

    /// The earliest moment at which the agreed rule can apply to the player to move, whenever they went away.
    pub fn earliest_absence_deadline(&self) -> Moment {
        let patience = self.state.conditions.away.shortest_patience();
        self.state.began + Duration::from_millis(patience.into())
    }

    /// What happens next by itself, and when.
    pub fn due(&self) -> Option<(Moment, Due)> {
        match self.state.phase {
            Phase::Closed => None,
            phase if self.is_unwatched() || phase == Phase::Playing && self.is_deserted() => {
                Some((self.left_since()? + self.kept_for(), Due::Abandoned))
            }
            Phase::Playing => {
                [self.stand_in_due(), self.flag_due()].into_iter().flatten().min_by_key(|due| due.0)
            }
            Phase::Waiting | Phase::Over { .. } => self.vacated(),
        }
    }

    fn stand_in_due(&self) -> Option<(Moment, Due)> {
        let (at, side, then) = self.absence_deadline()?;
        (then == WhenAway::StandIn).then_some((at, Due::StandIn(side)))
    }

    fn flag_due(&self) -> Option<(Moment, Due)> {
        self.flag_falls().map(|at| (at + LAST_MOMENT, Due::Flag(self.board().turn())))
    }

    fn last_to_go(&self) -> Option<Moment> {
        self.state
            .attendance
            .absences
            .iter()
            .filter_map(|(_, absence)| absence.as_ref())
            .map(|absence| absence.since)
            .max()
    }

    /// The first seat to be given up while no game is going on.
    fn vacated(&self) -> Option<(Moment, Due)> {
        let given_up = |side: Side| {
            let absence = self.state.attendance.absences[side]?;
            Some((absence.since.max(self.began()) + self.kept_for(), Due::Vacated(side)))
        };
        Side::BOTH.into_iter().filter_map(given_up).min_by_key(|&(at, _)| at)
    }

    /// The events that are due at this moment, in order.
    pub fn decide_due(&self, now: Moment) -> Events {
        match self.due().filter(|&(at, _)| at <= now) {
            None => Events::new(),
            Some((_, Due::StandIn(side))) => Events::from_iter([Event::StoodIn { side }]),
            Some((_, Due::Vacated(side))) => self.decide_leave(side, Departure::Lost),
            Some((_, Due::Flag(_))) => self.flag_fallen(now).unwrap_or_default(),
            Some((_, Due::Abandoned)) => self.abandon(),
        }
    }

    /// When the last person left who played or watched two bots; `None` while one is present.
    pub fn left_since(&self) -> Option<Moment> {
        match self.state.phase {
            Phase::Closed => None,
            _ if self.is_unwatched() => Some(self.began()),
            _ if self.is_deserted() => self.last_to_go(),
            _ => None,
        }
    }

    /// The events that end the game, if one is going on, and close the lobby.
    pub fn abandon(&self) -> Events {
        let ended =
            (self.state.phase == Phase::Playing).then(|| Event::ended(Outcome::Draw, Cause::Abandoned));
        ended.into_iter().chain([Event::Closed]).collect()
    }

    /// The events of a restart of the server. It closes a lobby without people in its seats, unless two bots
    /// play there, who wait for a watcher.
    pub fn decide_restart(&self) -> Events {
        if self.state.phase == Phase::Closed {
            return Events::new();
        }
        let goes_on = self.has_people() || self.is_exhibition();
        let abandoned = if goes_on { Events::new() } else { self.abandon() };
        [Event::Restarted].into_iter().chain(abandoned).collect()
    }

    /// Marks everybody as away from now on, and makes some time of the present turn free.
    pub(super) fn restart(&mut self, at: Moment) {
        let away = Absence { since: at, loss: ConnectionLoss::Closed, waited: false };
        for side in Side::BOTH {
            self.state.attendance.absences[side] = self.is_client(side).then_some(away);
        }
        self.state.attendance.watchers = 0;
        self.state.stand_ins = BySide::default();
        self.state.clocks.stopped = self.is_timed() && self.state.phase == Phase::Playing;
        self.state.clocks.give(RESTART_GRACE);
    }

    /// The opponent claims the game after the agreed deadline, also after having chosen to wait.
    pub(super) fn decide_claim(&self, side: Side, now: Moment) -> Result<Events, Refusal> {
        if self.state.phase != Phase::Playing {
            return Err(Refusal::NoGame);
        }
        match self.agreed_absence_deadline() {
            Some((at, absent, WhenAway::Forfeit)) if absent != side && at <= now => {
                Ok(Events::from_iter([Event::ended(Outcome::Win(side), Cause::Forfeited)]))
            }
            Some((at, absent, WhenAway::Forfeit)) if absent != side => {
                Err(Refusal::ClaimTooEarly { millis: number::millis(at.since(now)) })
            }
            _ => Err(Refusal::NothingToClaim),
        }
    }

    /// The player for whom a stand-in moves now, if there is one. It does not play while the opponent is
    /// away.
    pub fn stood_in_for(&self) -> Option<PlayerId> {
        let player = self.to_move()?;
        let side = self.side_of(player.id)?;
        let plays = self.hand(side) == Hand::StandIn && self.is_here(!side) && !self.state.paused;
        plays.then_some(player.id)
    }
}
