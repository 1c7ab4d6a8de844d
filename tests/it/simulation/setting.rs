//! What kind of world a seed makes: what is played, on which terms, and who may look on. It knows no people and no network.

use std::fmt;

use fastrand::Rng;
use nim::client::Preferences;
use nim::client::wish::Terms;
use nim::lobby::{ClockRule, WhenAway};
use nim::wire::{AwayWish, BotWish};

/// What is played: short games, one that can be drawn, and one in which positions repeat.
const VARIANTS: [&str; 5] = ["take:15:3", "nim:3-4-5", "tic-tac-toe", "even-or-odd:15", "pong-hau-ki"];

/// How long an absent player's time may be at most, in milliseconds: about as long as it takes to come back.
const LONGEST_WAIT: u32 = 6_000;

/// The terms on which these people play.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Setting {
    pub(crate) variant: &'static str,
    pub(crate) away: AwayWish,
    pub(crate) clock: ClockRule,
    pub(crate) best_of: u8,
    pub(crate) watched: bool,
}

impl Setting {
    /// What everybody understands who has never played here: no clock, and the game waits.
    pub(crate) fn plain() -> Self {
        Self {
            variant: VARIANTS[0],
            away: AwayWish { then: WhenAway::Wait, after: 0 },
            clock: ClockRule::None,
            best_of: 0,
            watched: true,
        }
    }

    /// Whatever chance makes of it.
    pub(crate) fn by(chance: &mut Rng) -> Self {
        let then = [WhenAway::StandIn, WhenAway::StandIn, WhenAway::Wait, WhenAway::Forfeit];
        Self {
            variant: VARIANTS[chance.usize(..VARIANTS.len())],
            away: AwayWish { then: then[chance.usize(..then.len())], after: chance.u32(..=LONGEST_WAIT) },
            clock: clock(chance),
            best_of: [0, 0, 1, 3, 5][chance.usize(..5)],
            watched: chance.u8(..4) > 0,
        }
    }

    /// The terms, as whoever opens the lobby says them.
    pub(crate) fn terms(&self) -> Terms {
        Terms {
            variant: self.variant.parse().unwrap(),
            origin: None,
            preferences: Preferences {
                bot: BotWish::PeopleOnly,
                away: self.away,
                clock: self.clock,
                best_of: self.best_of,
                watched: self.watched,
                ..Preferences::default()
            },
        }
    }
}

/// Short enough for a flag to fall now and then, though people hurry.
fn clock(chance: &mut Rng) -> ClockRule {
    match chance.u8(..6) {
        0 => ClockRule::Move(chance.u32(2_000..5_000)),
        1 => ClockRule::Fischer { base: chance.u32(3_000..8_000), bonus: chance.u32(..1_000) },
        2 => ClockRule::Delay { base: chance.u32(2_000..6_000), delay: chance.u32(..1_500) },
        _ => ClockRule::None,
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { variant, away, clock, best_of, watched } = self;
        let watched = if *watched { "watched" } else { "not watched" };
        write!(
            f,
            "{variant}, {:?} after {} ms, clock {clock}, best of {best_of}, {watched}",
            away.then, away.after
        )
    }
}
