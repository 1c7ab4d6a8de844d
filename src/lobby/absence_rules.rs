//! What a lobby does about players who are away, and what falls due while nobody asks for anything.
//!
//! An absent player's time runs only on that player's turn, and only while somebody is there who waits.
//! While nobody is there the game stands still.

use std::time::Duration;

use super::absence::{Absence, ConnectionLoss, Cover, Due, Hand, WhenAway};
use super::clock::{LAST_MOMENT, RESTART_GRACE};
use super::event::{Cause, Departure, Event, Events};
use super::moment::Moment;
use super::player::{Kind, PlayerId};
use super::refusal::Refusal;
use super::snapshot::Phase;
use super::state::Lobby;
use crate::game::{Outcome, Side};
use crate::number;

impl Lobby {
    /// Whether a person sits here and is not away. A guest is where the other player is.
    pub fn is_here(&self, side: Side) -> bool {
        let side = if self.has_guest(!side) { !side } else { side };
        self.kind(side) == Some(Kind::Person) && self.state.absences[side].is_none()
    }

    /// Whether any person is in the lobby and not away. Bots are not people.
    pub fn has_people_here(&self) -> bool {
        Side::BOTH.into_iter().any(|side| self.is_here(side))
    }

    /// The hand that moves for this side.
    pub fn hand(&self, side: Side) -> Hand {
        match self.state.absences[side] {
            Some(Absence { cover: Cover::StandIn, .. }) => Hand::StandIn,
            _ => Hand::Own,
        }
    }

    /// How long the lobby outlives this player, if they are the only person here; `None` while somebody
    /// else sits here.
    pub fn kept_without(&self, player: PlayerId) -> Option<Duration> {
        let other = !self.side_of(player)?;
        (self.kind(other) != Some(Kind::Person)).then(|| self.kept_for())
    }

    /// How long seats are kept while nobody waits for their owners.
    pub fn kept_for(&self) -> Duration {
        let rule = self.state.conditions.away;
        Duration::from_millis(if self.state.paused { rule.rests_for } else { rule.kept_for }.into())
    }

    /// When the time of an absent player runs out whose turn it is, and what happens then; `None` where
    /// nobody is away who has to move, where nobody waits, or where it is to be waited.
    pub fn absence_deadline(&self) -> Option<(Moment, Side, WhenAway)> {
        self.agreed_absence_deadline().filter(|&(_, side, _)| self.cover(side) == Some(Cover::Agreed))
    }

    /// The same, also where it is waited whatever was agreed, or where a bot stands in.
    pub fn agreed_absence_deadline(&self) -> Option<(Moment, Side, WhenAway)> {
        let side = self.to_move().and_then(|player| self.side_of(player.id))?;
        let absence = self.state.absences[side]?;
        let rule = self.state.conditions.away;
        let waited_for = self.is_here(!side) && !self.state.paused && rule.then != WhenAway::Wait;
        waited_for.then(|| (absence.absence_deadline(rule, self.state.began), side, rule.then))
    }

    /// Whether the flag of an absent player falls before their time runs out, so that nothing that was
    /// agreed for an absence comes of it.
    pub fn flag_falls_first(&self) -> bool {
        let (out, flag) = (self.agreed_absence_deadline(), self.flag_due());
        out.zip(flag).is_some_and(|((out, ..), (flag, _))| flag < out)
    }

    fn cover(&self, side: Side) -> Option<Cover> {
        self.state.absences[side].map(|absence| absence.cover)
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
            .absences
            .iter()
            .filter_map(|(_, absence)| absence.as_ref())
            .map(|absence| absence.since)
            .max()
    }

    /// The first seat to be given up while no game is going on.
    fn vacated(&self) -> Option<(Moment, Due)> {
        let given_up = |side: Side| {
            let absence = self.state.absences[side]?;
            Some((absence.since.max(self.state.began) + self.kept_for(), Due::Vacated(side)))
        };
        Side::BOTH.into_iter().filter_map(given_up).min_by_key(|&(at, _)| at)
    }

    /// What happens by itself at this moment, in order: nothing if nothing is due yet.
    pub fn decide_due(&self, now: Moment) -> Events {
        match self.due().filter(|&(at, _)| at <= now) {
            None => Events::new(),
            Some((_, Due::StandIn(side))) => Events::from_iter([Event::StoodIn { side }]),
            Some((_, Due::Vacated(side))) => self.decide_leave(side, Departure::Lost),
            Some((_, Due::Flag(_))) => self.flag_fallen(now).unwrap_or_default(),
            Some((_, Due::Abandoned)) => self.abandon(),
        }
    }

    /// Since when nobody has been here, neither to play nor to watch two bots; `None` while somebody is.
    pub fn left_since(&self) -> Option<Moment> {
        match self.state.phase {
            Phase::Closed => None,
            _ if self.is_unwatched() => Some(self.state.began),
            _ if self.is_deserted() => self.last_to_go(),
            _ => None,
        }
    }

    /// Nobody is there any more: the game is over, if one was going on, and the lobby with it.
    pub fn abandon(&self) -> Events {
        let ended =
            (self.state.phase == Phase::Playing).then(|| Event::ended(Outcome::Draw, Cause::Abandoned));
        ended.into_iter().chain([Event::Closed]).collect()
    }

    /// What happens when the server is back after it was away; a lobby in which nobody has a seat is
    /// closed, unless two bots play there, who wait for somebody to watch.
    pub fn decide_restart(&self) -> Events {
        if self.state.phase == Phase::Closed {
            return Events::new();
        }
        let goes_on = self.has_people() || self.is_exhibition();
        let abandoned = if goes_on { Events::new() } else { self.abandon() };
        [Event::Restarted].into_iter().chain(abandoned).collect()
    }

    /// Everybody is away from now on. Some time of the present turn is free.
    pub(super) fn restart(&mut self, at: Moment) {
        let away = Absence { since: at, loss: ConnectionLoss::Closed, cover: Cover::Agreed };
        for side in Side::BOTH {
            self.state.absences[side] = (self.kind(side) == Some(Kind::Person)).then_some(away);
        }
        self.state.watchers = 0;
        self.state.clocks.give(RESTART_GRACE);
    }

    /// Somebody's connection is lost: they keep the seat. Nothing happens by what is known already.
    pub(super) fn decide_lose(&self, side: Side, loss: ConnectionLoss, since: Moment) -> Events {
        let new = Absence { since, loss, cover: Cover::Agreed };
        let rule = self.state.conditions.away;
        // A connection that closes after it fell silent may bring the end of the wait nearer, and never
        // farther.
        let tells = self.state.absences[side].is_none_or(|known| {
            known.loss == ConnectionLoss::Silent
                && new.absence_deadline(rule, Moment::START) < known.absence_deadline(rule, Moment::START)
        });
        let happens = tells && self.kind(side) == Some(Kind::Person) && self.state.phase != Phase::Closed;
        happens.then_some(Event::Away { side, since, loss }).into_iter().collect()
    }

    pub(super) fn decide_return(&self, side: Side) -> Events {
        let away = self.state.absences[side].is_some();
        away.then_some(Event::Back { side }).into_iter().collect()
    }

    /// The other player would rather wait than have what was agreed.
    pub(super) fn decide_wait(&self, side: Side) -> Result<Events, Refusal> {
        if self.state.phase != Phase::Playing {
            return Err(Refusal::NoGame);
        }
        match self.state.absences[!side] {
            Some(Absence { cover: Cover::Agreed, .. })
                if self.state.conditions.away.then != WhenAway::Wait =>
            {
                Ok(Events::from_iter([Event::WaitedFor { side: !side }]))
            }
            Some(_) => Err(Refusal::WaitsAlready),
            None => Err(Refusal::NobodyAway),
        }
    }

    /// The other player would rather have what was agreed after all.
    pub(super) fn decide_wait_no_more(&self, side: Side) -> Result<Events, Refusal> {
        match (self.state.phase, self.cover(!side)) {
            (Phase::Playing, Some(Cover::Waited)) => {
                Ok(Events::from_iter([Event::WaitedNoMore { side: !side }]))
            }
            (Phase::Playing, _) => Err(Refusal::WaitsNot),
            _ => Err(Refusal::NoGame),
        }
    }

    /// The other player claims the game, because the absent player's time has run out. Having waited for
    /// longer changes nothing.
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

    /// The player for whom a bot moves now, if one does: nobody's stand-in plays while nobody is there.
    pub fn stood_in_for(&self) -> Option<PlayerId> {
        let player = self.to_move()?;
        let side = self.side_of(player.id)?;
        let plays = self.hand(side) == Hand::StandIn && self.is_here(!side) && !self.state.paused;
        plays.then_some(player.id)
    }
}
