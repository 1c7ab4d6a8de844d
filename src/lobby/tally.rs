//! The score of a match between two players, and when it is decided.

use serde::{Deserialize, Serialize};

use super::{GameResult, Lobby};
use crate::game::{BySide, Outcome, Side};

/// The games of a match that are over.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// How many the player on each side has won. It goes with the players when they change sides.
    pub won: BySide<u32>,
    /// How many were draws.
    pub drawn: u32,
}

impl Tally {
    pub(super) fn count(&mut self, result: GameResult) {
        let count = match result.outcome {
            Outcome::Win(side) => &mut self.won[side],
            Outcome::Draw => &mut self.drawn,
        };
        *count = count.saturating_add(1);
    }

    #[must_use]
    pub(super) fn swapped(self) -> Self {
        Self { won: self.won.swapped(), ..self }
    }

    /// How many games are over.
    pub fn games(&self) -> u32 {
        self.won.first.saturating_add(self.won.second).saturating_add(self.drawn)
    }

    /// How a match of the best of so many games has ended, if it has: whoever cannot be caught up with has won it.
    pub fn decision(&self, best_of: u32) -> Option<Outcome> {
        let half_points = |side: Side| u64::from(self.won[side]) * 2 + u64::from(self.drawn);
        let winner = Side::BOTH.into_iter().find(|&side| half_points(side) > u64::from(best_of));
        match winner {
            _ if best_of == 0 => None,
            Some(side) => Some(Outcome::Win(side)),
            None => (self.games() >= best_of).then_some(Outcome::Draw),
        }
    }
}

impl Lobby {
    /// The score of the match so far.
    pub fn tally(&self) -> Tally {
        self.tally
    }

    /// How the match has ended, if it is one of so many games and decided.
    pub fn decision(&self) -> Option<Outcome> {
        self.tally.decision(self.conditions.best_of.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_match_is_decided_once_nobody_can_catch_up() {
        let tally = |first, second, drawn| Tally { won: BySide { first, second }, drawn };
        for (best_of, score, decision) in [
            (0, tally(9, 0, 0), None),
            (1, tally(1, 0, 0), Some(Outcome::Win(Side::First))),
            (1, tally(0, 0, 1), Some(Outcome::Draw)),
            (3, tally(1, 0, 0), None),
            (3, tally(1, 1, 0), None),
            (3, tally(0, 2, 0), Some(Outcome::Win(Side::Second))),
            (3, tally(1, 0, 1), None),
            (3, tally(1, 0, 2), Some(Outcome::Win(Side::First))),
            (3, tally(0, 0, 3), Some(Outcome::Draw)),
            (5, tally(2, 0, 2), Some(Outcome::Win(Side::First))),
        ] {
            assert_eq!(score.decision(best_of), decision, "best of {best_of}: {score:?}");
        }
    }
}
