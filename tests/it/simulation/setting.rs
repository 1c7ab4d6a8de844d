//! The settings of a world, from its seed: the game, its conditions, how long seats are kept, and whether it
//! can be watched.

use std::time::Duration;

use fastrand::Rng;
use nim::client::Terms;
use nim::game::Game;
use nim::game::any::Variant;
use nim::lobby::{Checksum, ClockRule, Origin, WhenAway};
use nim::wire::{AwayWish, BotWish};

/// The variants: short games, one that can be drawn, and one in which positions repeat.
const VARIANTS: [&str; 6] =
    ["take:15:3", "nim:3-4-5", "tic-tac-toe", "even-or-odd:15", "pong-hau-ki", "pong-hau-ki"];

/// How long seats are kept: longer than the whole run, or shorter than many absences.
const KEPT: [Duration; 3] = [Duration::from_mins(15), Duration::from_mins(15), Duration::from_secs(4)];

/// The longest delay of an absence rule, in milliseconds: about as long as a return takes.
const LONGEST_WAIT: u32 = 6_000;

/// The settings of these people's games.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Setting {
    pub(crate) variant: &'static str,
    /// The position of another game in which their games begin, if there is one.
    pub(crate) origin: Option<Origin>,
    pub(crate) away: AwayWish,
    pub(crate) clock: ClockRule,
    pub(crate) best_of: u8,
    pub(crate) watched: bool,
    /// How long the host keeps seats.
    pub(crate) kept: Duration,
}

impl Setting {
    /// The simplest settings: no clock, and the game waits for absent players.
    pub(crate) fn plain() -> Self {
        Self {
            variant: VARIANTS[0],
            origin: None,
            away: AwayWish { then: WhenAway::Wait, level: None, after: 0 },
            clock: ClockRule::None,
            best_of: 0,
            watched: true,
            kept: KEPT[0],
        }
    }

    /// Random settings.
    pub(crate) fn by(chance: &mut Rng) -> Self {
        let then =
            [WhenAway::StandIn, WhenAway::StandIn, WhenAway::Wait, WhenAway::Forfeit, WhenAway::Forfeit];
        let variant = VARIANTS[chance.usize(..VARIANTS.len())];
        Self {
            variant,
            origin: origin(variant, chance),
            away: AwayWish {
                then: then[chance.usize(..then.len())],
                level: None,
                after: chance.u32(..=LONGEST_WAIT),
            },
            clock: clock(chance),
            best_of: [0, 0, 1, 3, 5][chance.usize(..5)],
            watched: chance.u8(..4) > 0,
            kept: KEPT[chance.usize(..KEPT.len())],
        }
    }

    /// The conditions of the lobby.
    pub(crate) fn terms(&self) -> Terms {
        Terms {
            variant: self.variant.parse().unwrap(),
            origin: self.origin.clone(),
            bot: BotWish::PeopleOnly,
            away: self.away,
            clock: self.clock,
            best_of: self.best_of,
            watched: self.watched,
            ..Terms::default()
        }
    }
}

/// A position after a move or two; mostly none.
fn origin(variant: &str, chance: &mut Rng) -> Option<Origin> {
    let moves = [0, 0, 0, 1, 2][chance.usize(..5)];
    let mut board = variant.parse::<Variant>().unwrap().start();
    for _ in 0..moves {
        let legal: Vec<_> = board.position().moves().collect();
        board = board.play(*chance.choice(&legal)?).ok()?;
    }
    (moves > 0).then(|| Origin::of(Checksum(chance.u32(..)), moves, &board))
}

/// Short enough for a flag to fall now and then, although people hurry.
fn clock(chance: &mut Rng) -> ClockRule {
    match chance.u8(..6) {
        0 => ClockRule::Move(chance.u32(2_000..5_000)),
        1 => ClockRule::Fischer { base: chance.u32(3_000..8_000), bonus: chance.u32(..1_000) },
        2 => ClockRule::Delay { base: chance.u32(2_000..6_000), delay: chance.u32(..1_500) },
        _ => ClockRule::None,
    }
}
