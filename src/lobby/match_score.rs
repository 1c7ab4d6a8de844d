//! The score of a match between two players, and when it is decided.

use serde::{Deserialize, Serialize};

use super::event::GameResult;
use crate::game::{BySide, Outcome, Side};

/// The games of a match that are over.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatchScore {
    /// How many the player on each side has won. It goes with the players when they change sides.
    pub won: BySide<u32>,
    /// How many were draws.
    pub drawn: u32,
}

impl MatchScore {
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

    /// How a match of this many games has ended, if it has: a player who cannot be caught up with has won it.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_match_is_decided_once_nobody_can_catch_up() {
        let score = |first, second, drawn| MatchScore { won: BySide { first, second }, drawn };
        for (best_of, so_far, decision) in [
            (0, score(9, 0, 0), None),
            (1, score(1, 0, 0), Some(Outcome::Win(Side::First))),
            (1, score(0, 0, 1), Some(Outcome::Draw)),
            (3, score(1, 0, 0), None),
            (3, score(1, 1, 0), None),
            (3, score(0, 2, 0), Some(Outcome::Win(Side::Second))),
            (3, score(1, 0, 1), None),
            (3, score(1, 0, 2), Some(Outcome::Win(Side::First))),
            (3, score(0, 0, 3), Some(Outcome::Draw)),
            (5, score(2, 0, 2), Some(Outcome::Win(Side::First))),
        ] {
            assert_eq!(so_far.decision(best_of), decision, "best of {best_of}: {so_far:?}");
        }
    }
}
