//! The clocks of a game. They do not read the time: the caller passes it in.
//!
//! A turn lasts from the arrival of the move before it to the arrival of the frame with the next one. So the
//! player's time includes the network, and not the server's own work. A flag falls a little after the clock
//! shows zero, and a move that arrives before that counts.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::moment::Moment;
use crate::game::{BySide, Side};
use crate::number::millis;

/// How long after zero a flag falls. It covers most short delays of a wireless network, and can be used up
/// only once.
pub const FLAG_GRACE: Duration = Duration::from_millis(250);

/// A move that arrives in the last millisecond counts.
pub(super) const LAST_MOMENT: Duration = Duration::from_millis(1);

/// The free part of a turn in which the server restarted: time to reconnect and to think again.
pub const RESTART_GRACE: Duration = Duration::from_secs(30);

/// How much time a player has. All times are milliseconds. The order of the variants is the protocol's.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ClockRule {
    /// Unlimited time.
    #[default]
    None,
    /// A fixed time for each move.
    Move(u32),
    /// A time for the game, and a bonus with every move: Fischer's clock.
    Fischer {
        /// For the game.
        base: u32,
        /// With every move.
        bonus: u32,
    },
    /// A time for the game that starts to run after a delay in each turn: simple delay.
    Delay {
        /// For the game.
        base: u32,
        /// Free in every turn.
        delay: u32,
    },
}

/// The clocks of one game.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clocks {
    /// What each side has left, in milliseconds, at the clock's last update.
    pub left: BySide<u32>,
    /// The free part that is left of this turn, in milliseconds.
    pub free: u32,
    /// When the running clock was last updated; `None` if none runs.
    pub since: Option<Moment>,
    /// Whether the clock stands still because nobody is present.
    pub stopped: bool,
}

impl Clocks {
    /// The clocks at the start of a game.
    pub(super) fn of(rule: ClockRule) -> Self {
        let left = match rule {
            ClockRule::None => 0,
            ClockRule::Move(time) => time,
            ClockRule::Fischer { base, .. } | ClockRule::Delay { base, .. } => base,
        };
        Self { left: BySide::from_fn(|_| left), free: rule.free(), since: None, stopped: false }
    }

    /// Subtracts the time that has passed for `side`, and restarts the clock at this moment if it `goes_on`.
    pub(super) fn update(&mut self, side: Side, at: Moment, goes_on: bool) {
        let passed = self.since.map_or(0, |since| millis(at.since(since)));
        let (free, left) = self.after(side, passed);
        (self.free, self.left[side]) = (free, left);
        self.since = goes_on.then_some(at);
    }

    fn after(&self, side: Side, passed: u32) -> (u32, u32) {
        let counted = passed.saturating_sub(self.free);
        (self.free.saturating_sub(passed), self.left[side].saturating_sub(counted))
    }

    /// Ends this side's turn and begins the next one.
    pub(super) fn turn_over(&mut self, rule: ClockRule, side: Side) {
        if let ClockRule::Fischer { bonus, .. } = rule {
            self.left[side] = self.left[side].saturating_add(bonus);
        }
        self.begin_turn(rule);
    }

    /// Begins a turn.
    pub(super) fn begin_turn(&mut self, rule: ClockRule) {
        if let ClockRule::Move(time) = rule {
            self.left = BySide::from_fn(|_| time);
        }
        self.free = rule.free();
    }

    /// Makes at least this much of the present turn free.
    pub(super) fn give(&mut self, free: Duration) {
        self.free = self.free.max(millis(free));
    }

    /// What `side` has left at this moment, if it is to move.
    pub fn left_at(&self, side: Side, now: Moment) -> Duration {
        let passed = self.since.map_or(0, |since| millis(now.since(since)));
        Duration::from_millis(self.after(side, passed).1.into())
    }

    /// When the flag of `side` falls, if its clock runs.
    pub(super) fn flag_falls_at(&self, side: Side) -> Option<Moment> {
        let rest = Duration::from_millis(u64::from(self.free) + u64::from(self.left[side]));
        self.since.map(|since| since + rest + FLAG_GRACE)
    }
}

impl ClockRule {
    /// The longest possible turn, which ends when the flag falls; `None` if that depends on the game.
    pub(super) fn longest_turn(self) -> Option<Duration> {
        let most = match self {
            Self::None | Self::Fischer { bonus: 1.., .. } => return None,
            Self::Move(time) | Self::Fischer { base: time, bonus: 0 } => time.into(),
            Self::Delay { base, delay } => u64::from(base) + u64::from(delay),
        };
        Some(Duration::from_millis(most) + FLAG_GRACE + LAST_MOMENT)
    }

    /// The free part of every turn, in milliseconds.
    fn free(self) -> u32 {
        if let Self::Delay { delay, .. } = self { delay } else { 0 }
    }
}

/// The error for a text that is no clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "a clock is none, 30s/move, 5m+3s (5 minutes for the game, and 3 seconds more with every move), 5m+0s or 5m~3s (it runs \
     after 3 seconds of each turn)"
)]
pub struct BadClock;

impl fmt::Display for ClockRule {
    /// Writes the rule as people type it: `none`, `30s/move`, `5m+3s`, `5m~3s`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::None => f.write_str("none"),
            Self::Move(time) => write!(f, "{}/move", write_time(time)),
            Self::Fischer { base, bonus } => write!(f, "{}+{}", write_time(base), write_time(bonus)),
            Self::Delay { base, delay } => write!(f, "{}~{}", write_time(base), write_time(delay)),
        }
    }
}

impl FromStr for ClockRule {
    type Err = BadClock;

    fn from_str(text: &str) -> Result<Self, BadClock> {
        let time = |text: &str| read_time(text).ok_or(BadClock);
        let text = text.trim().to_lowercase();
        if text == "none" {
            return Ok(Self::None);
        }
        if let Some(each) = text.strip_suffix("/move") {
            return Ok(Self::Move(time(each)?));
        }
        match (text.split_once('+'), text.split_once('~')) {
            (Some((base, bonus)), None) => Ok(Self::Fischer { base: time(base)?, bonus: time(bonus)? }),
            (None, Some((base, delay))) => Ok(Self::Delay { base: time(base)?, delay: time(delay)? }),
            _ => Err(BadClock),
        }
    }
}

/// Writes a time in milliseconds as people type it: `1m30s`.
pub fn write_time(millis: u32) -> String {
    humantime::format_duration(Duration::from_millis(millis.into())).to_string().replace(' ', "")
}

/// Reads a time as people type it, in milliseconds; `None` for any other text.
pub fn read_time(text: &str) -> Option<u32> {
    let time = if text == "0" { Duration::ZERO } else { humantime::parse_duration(text).ok()? };
    u32::try_from(time.as_millis()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_is_typed_as_it_is_shown() {
        for text in ["none", "30s/move", "5m+3s", "1m30s+0s", "10m~2s", "500ms/move"] {
            assert_eq!(text.parse::<ClockRule>().unwrap().to_string(), text);
        }
        let fischer = ClockRule::Fischer { base: 300_000, bonus: 3_000 };
        assert_eq!("5m+3s".parse(), Ok(fischer));
        assert_eq!(" 5M + 3S ".parse(), Ok(fischer));
        for text in ["", "5m", "5m+", "+3s", "5m+3s~1s", "soon/move", "-5m+3s", "99999999d+1s", "5+3"] {
            assert_eq!(text.parse::<ClockRule>(), Err(BadClock), "{text}");
        }
    }
}
