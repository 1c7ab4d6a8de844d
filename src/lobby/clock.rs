//! The time that players have for their moves. It knows no present: instants are given to it.
//!
//! Time counts from the moment when the server was told of the turn before to the moment when the frame
//! with the move had arrived, so the way over the network is the player's own; how long the server takes
//! with the frame is not. A flag falls only a little after the clock shows zero, and a move that arrives
//! until then counts.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::moment::Moment;
use crate::game::{BySide, Side};
use crate::number::millis;

/// How much later than at zero a flag falls. A wireless network that stumbles once over a move that was
/// made in time takes no longer, mostly; and nobody gains by it more than this once.
pub const FLAG_GRACE: Duration = Duration::from_millis(250);

/// A move that arrives in the very last moment counts.
pub(super) const LAST_MOMENT: Duration = Duration::from_millis(1);

/// How much of a turn is free in which the server went away: time to come back, and to find one's
/// thoughts again.
pub const RESTART_GRACE: Duration = Duration::from_secs(30);

/// How much time a player has. All times are milliseconds. The order of the variants is the protocol's.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ClockRule {
    /// Unlimited time.
    #[default]
    None,
    /// A fixed time for every move.
    Move(u32),
    /// A time for the game, and a bonus with every move: Fischer's clock.
    Fischer {
        /// For the game.
        base: u32,
        /// With every move.
        bonus: u32,
    },
    /// A time for the game, which begins to run only after a delay in each turn: simple delay.
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
    /// What each side has left, in milliseconds, when its clock was last looked at.
    pub left: BySide<u32>,
    /// What is still free of this turn, in milliseconds.
    pub free: u32,
    /// Since when the clock of the side to move runs that has been looked at last; `None` while none runs.
    pub since: Option<Moment>,
}

impl Clocks {
    /// The clocks at the start of a game.
    pub(super) fn of(rule: ClockRule) -> Self {
        let left = match rule {
            ClockRule::None => 0,
            ClockRule::Move(time) => time,
            ClockRule::Fischer { base, .. } | ClockRule::Delay { base, .. } => base,
        };
        Self { left: BySide::from_fn(|_| left), free: rule.free(), since: None }
    }

    /// Takes off what has passed for `side`, whose clock runs, and goes on from this moment; or stands still.
    pub(super) fn look(&mut self, side: Side, at: Moment, goes_on: bool) {
        let passed = self.since.map_or(0, |since| millis(at.since(since)));
        let (free, left) = self.after(side, passed);
        (self.free, self.left[side]) = (free, left);
        self.since = goes_on.then_some(at);
    }

    fn after(&self, side: Side, passed: u32) -> (u32, u32) {
        let counted = passed.saturating_sub(self.free);
        (self.free.saturating_sub(passed), self.left[side].saturating_sub(counted))
    }

    /// A turn is over that was this side's, and the next one begins.
    pub(super) fn turn_over(&mut self, rule: ClockRule, side: Side) {
        if let ClockRule::Fischer { bonus, .. } = rule {
            self.left[side] = self.left[side].saturating_add(bonus);
        }
        self.begin_turn(rule);
    }

    /// Another turn begins, whatever became of the one before.
    pub(super) fn begin_turn(&mut self, rule: ClockRule) {
        if let ClockRule::Move(time) = rule {
            self.left = BySide::from_fn(|_| time);
        }
        self.free = rule.free();
    }

    /// At least this part of the present turn is free.
    pub(super) fn give(&mut self, free: Duration) {
        self.free = self.free.max(millis(free));
    }

    /// What `side` has left at this moment, if it is the one to move.
    pub fn left_at(&self, side: Side, now: Moment) -> Duration {
        let passed = self.since.map_or(0, |since| millis(now.since(since)));
        Duration::from_millis(self.after(side, passed).1.into())
    }

    /// When the flag of `side` falls, whose clock runs; `None` if it stands.
    pub(super) fn falls(&self, side: Side) -> Option<Moment> {
        let rest = Duration::from_millis(u64::from(self.free) + u64::from(self.left[side]));
        self.since.map(|since| since + rest + FLAG_GRACE)
    }
}

impl ClockRule {
    /// After how long a turn is over at the latest, since the flag falls; `None` where that is not known
    /// beforehand.
    pub(super) fn longest_turn(self) -> Option<Duration> {
        let most = match self {
            Self::None | Self::Fischer { bonus: 1.., .. } => return None,
            Self::Move(time) | Self::Fischer { base: time, bonus: 0 } => time.into(),
            Self::Delay { base, delay } => u64::from(base) + u64::from(delay),
        };
        Some(Duration::from_millis(most) + FLAG_GRACE + LAST_MOMENT)
    }

    /// What is free of every turn.
    fn free(self) -> u32 {
        if let Self::Delay { delay, .. } = self { delay } else { 0 }
    }
}

/// The text is no clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "write none, a time for every move as in 30s/move, one for the game with some more for every move as in 5m+3s, or one \
     that runs only after a delay as in 5m~3s"
)]
pub struct BadClock;

impl fmt::Display for ClockRule {
    /// As it is typed: `none`, `30s/move`, `5m+3s`, `5m~3s`.
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

/// A time in milliseconds as it is typed: `1m30s`.
pub fn write_time(millis: u32) -> String {
    humantime::format_duration(Duration::from_millis(millis.into())).to_string().replace(' ', "")
}

/// A time as it is typed, in milliseconds; `None` for any other text.
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
