//! The clocks and deadlines of the model.

use std::time::Duration;

use nim::game::{BySide, Side};
use nim::lobby::{
    Absence, ClockRule, ConnectionLoss, Cover, Due, Event, FLAG_GRACE, Moment, Notice, Phase, RESTART_GRACE,
    WhenAway,
};

use super::{Entry, Story};
use crate::fuzzed::bodies::story::Told;
use crate::fuzzed::bodies::story::Told::{Event as E, Notice as N};

/// What the clocks of a game show.
pub(in crate::lobby) struct Shown {
    /// In milliseconds.
    pub(in crate::lobby) left: BySide<u64>,
    /// The time when the flag of the running clock falls.
    pub(in crate::lobby) falls: Option<Moment>,
}

pub(super) fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap()
}

fn later(moment: Moment, millis: u64) -> Moment {
    moment + Duration::from_millis(millis)
}

/// Whether a turn, or a period of the same kind, begins with it.
fn begins(event: &Told) -> bool {
    matches!(
        event,
        E(Event::Started { .. }
            | Event::Moved { .. }
            | Event::Ended { .. }
            | Event::Left { .. }
            | Event::Sat { .. }
            | Event::TakenBack { .. }
            | Event::Resumed { .. }
            | Event::Restarted)
    )
}

impl Story<'_> {
    /// When the present turn began. A player who returns to an empty lobby begins to wait then, and so does
    /// one who wants another game without an opponent. Bots pause when the last watcher leaves, and continue
    /// when one comes.
    pub(in crate::lobby) fn began(self) -> Moment {
        let begun = |(index, entry): (usize, &Entry)| {
            let to_nobody = matches!(entry.event, N(Notice::Back { .. })) && self.as_of(index).is_deserted();
            let attention = self.as_of(index).is_unwatched() != self.as_of(index + 1).is_unwatched();
            let waits = self.as_of(index + 1).phase() == Phase::Waiting;
            let waits_anew = waits && self.as_of(index).phase() != Phase::Waiting;
            (to_nobody || attention || waits_anew || begins(&entry.event)).then_some(entry.at)
        };
        self.entries.iter().enumerate().filter_map(begun).max().unwrap_or(Moment::START)
    }

    /// The agreed delay of an absence, counted from its beginning as if it were the player's turn all the
    /// time.
    pub(super) fn patience(self, loss: ConnectionLoss) -> u64 {
        let rule = self.conditions.away;
        u64::from(if loss == ConnectionLoss::Closed { rule.closed_after } else { rule.silent_after })
    }

    /// An absent player's time runs on their own turn, while an opponent waits and the game is not paused.
    pub(in crate::lobby) fn absence_deadline(self) -> Option<(Moment, Side, WhenAway)> {
        self.end_of_patience(&[Cover::Agreed])
    }

    /// When a game can be claimed, and by whom: also by a player who waits longer than necessary.
    pub(in crate::lobby) fn may_be_claimed(self) -> Option<(Moment, Side, WhenAway)> {
        self.end_of_patience(&[Cover::Agreed, Cover::Waited])
    }

    fn end_of_patience(self, covers: &[Cover]) -> Option<(Moment, Side, WhenAway)> {
        let side = self.mover()?;
        let (Absence { since, loss, .. }, cover) = (self.absence(side)?, self.cover(side)?);
        let then = self.conditions.away.then;
        let runs = covers.contains(&cover) && self.is_here(!side) && !self.is_paused();
        let at = later(since.max(self.began()), self.patience(loss));
        (runs && then != WhenAway::Wait).then_some((at, side, then))
    }

    /// The next event that is due.
    pub(in crate::lobby) fn due(self) -> Option<(Moment, Due)> {
        match self.phase() {
            Phase::Closed => None,
            _ if self.is_unwatched() => Some((later(self.began(), self.kept()), Due::Abandoned)),
            Phase::Playing if self.is_deserted() => self.given_up(),
            Phase::Playing => {
                let stand_in = self.absence_deadline().filter(|&(_, _, then)| then == WhenAway::StandIn);
                let stand_in = stand_in.map(|(at, side, _)| (at, Due::StandIn(side)));
                let flag =
                    self.clocks(Moment::START).falls.map(|at| (later(at, 1), Due::Flag(self.board_turn())));
                [stand_in, flag].into_iter().flatten().min_by_key(|&(at, _)| at)
            }
            Phase::Waiting | Phase::Over { .. } => self.freed(),
        }
    }

    /// The time after the last player's departure until a deserted game ends.
    fn given_up(self) -> Option<(Moment, Due)> {
        let went = Side::BOTH.into_iter().filter_map(|side| self.absence(side)).map(|it| it.since).max()?;
        Some((later(went, self.kept()), Due::Abandoned))
    }

    /// How long an unattended game is kept.
    fn kept(self) -> u64 {
        let rule = self.conditions.away;
        u64::from(if self.is_paused() { rule.rests_for } else { rule.kept_for })
    }

    /// How long a seat is kept without a game.
    fn freed(self) -> Option<(Moment, Due)> {
        let kept = |side: Side| {
            let from = self.absence(side)?.since.max(self.began());
            Some((later(from, self.conditions.away.kept_for.into()), Due::Vacated(side)))
        };
        Side::BOTH.into_iter().filter_map(kept).min_by_key(|&(at, _)| at)
    }

    /// A clock runs during a turn, while the game is not paused and the clock has not stopped.
    pub(super) fn clock_runs(self) -> bool {
        self.is_timed() && self.mover().is_some() && !self.is_paused() && !self.is_clock_stopped()
    }

    /// The clock of a game stops with an event of its own or a restart, until it starts again.
    pub(super) fn is_clock_stopped(self) -> bool {
        let goes = |it: &Entry| matches!(it.event, E(Event::Started { .. } | Event::ClockStarted));
        let stops = |it: &Entry| matches!(it.event, E(Event::ClockStopped | Event::Restarted));
        self.is_timed() && self.is_playing() && self.after(goes).iter().any(stops)
    }

    fn is_timed(self) -> bool {
        self.conditions.clock != ClockRule::None
    }

    /// The clocks at this time.
    pub(in crate::lobby) fn clocks(self, now: Moment) -> Shown {
        if !self.is_timed() {
            return Shown { left: BySide::default(), falls: None };
        }
        let mut watches = Watches::new(self.conditions.clock);
        let started = self.entries.iter().rposition(|it| matches!(it.event, E(Event::Started { .. })));
        for index in started.unwrap_or(self.entries.len())..self.entries.len() {
            let mover = self.as_of(index).board_turn();
            watches.see(&self.entries[index], mover, self.as_of(index + 1).clock_runs());
        }
        watches.show(self.board_turn(), now)
    }
}

/// The clocks of a game, in milliseconds. A turn is charged for the time while its clock runs. A stopped
/// clock never shows less than zero.
struct Watches {
    rule: ClockRule,
    /// The time that each side had left at the beginning of the turn.
    left: BySide<u64>,
    /// The free time of every turn.
    every: u64,
    /// The free time of this turn.
    free: u64,
    /// The time used in this turn, over all periods of its clock.
    used: u64,
    running: Option<Moment>,
}

impl Watches {
    fn new(rule: ClockRule) -> Self {
        let (given, free) = match rule {
            ClockRule::None => (0, 0),
            ClockRule::Move(time) => (time, 0),
            ClockRule::Fischer { base, .. } => (base, 0),
            ClockRule::Delay { base, delay } => (base, delay),
        };
        let (left, free) = (BySide::from_fn(|_| given.into()), free.into());
        Self { rule, left, every: free, free, used: 0, running: None }
    }

    /// Handles an event in this side's turn, and whether the clock of the player to move runs after it.
    fn see(&mut self, entry: &Entry, mover: Side, runs: bool) {
        let turn_over = matches!(entry.event, E(Event::Moved { .. } | Event::TakenBack { .. }));
        if turn_over || !runs {
            let ran = self.running.take().map_or(0, |since| millis(entry.at.since(since)));
            self.used = (self.used + ran).min(self.free + self.left[mover]);
        }
        if turn_over {
            self.turn_over(mover, matches!(entry.event, E(Event::Moved { .. })));
        }
        if entry.event == E(Event::Restarted) {
            self.give(mover, millis(RESTART_GRACE));
        }
        self.running = self.running.or(runs.then_some(entry.at));
    }

    /// Charges the used time of this turn, its free time first.
    fn settle(&mut self, side: Side) {
        let used = std::mem::take(&mut self.used);
        self.left[side] -= used.saturating_sub(self.free);
        self.free = self.free.saturating_sub(used);
    }

    /// Makes at least this much of the turn free from now on.
    fn give(&mut self, mover: Side, free: u64) {
        self.settle(mover);
        self.free = self.free.max(free);
    }

    fn turn_over(&mut self, side: Side, moved: bool) {
        self.settle(side);
        self.free = self.every;
        match self.rule {
            ClockRule::Move(time) => self.left = BySide::from_fn(|_| time.into()),
            ClockRule::Fischer { bonus, .. } if moved => self.left[side] += u64::from(bonus),
            _ => {}
        }
    }

    fn show(mut self, mover: Side, now: Moment) -> Shown {
        let rest = self.free + self.left[mover] - self.used;
        let falls = self.running.map(|since| later(since, rest) + FLAG_GRACE);
        let used = self.used + self.running.map_or(0, |since| millis(now.since(since)));
        self.left[mover] = self.left[mover].saturating_sub(used.saturating_sub(self.free));
        Shown { left: self.left, falls }
    }
}
