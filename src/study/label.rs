//! What stands next to a position when it is shown: a number for the first side, and who wins, and how soon. It does
//! not know how that was found.

use crate::game::Side;
use crate::search::{Known, Points, Value, Verdict};

/// The worth of a position, ready to be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Label {
    /// The side that is to move.
    pub turn: Side,
    /// What the position is worth to the side that is to move.
    pub worth: Shown,
    /// Whether that is certain.
    pub certain: bool,
}

/// A worth, as it is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// Who wins, and how soon if that is known.
    Game(Known),
    /// A number, where nobody wins or loses.
    Number(Points),
}

impl Label {
    /// The number for the first side: 1 if it wins, −1 if it loses, 0 for a draw; in an abstract tree what stands there.
    pub fn number(&self) -> i64 {
        let for_mover = match self.worth {
            Shown::Number(Points(number)) => number,
            Shown::Game(known) => match known.verdict() {
                Verdict::Win => 1,
                Verdict::Draw => 0,
                Verdict::Loss => -1,
            },
        };
        match self.turn {
            Side::First => for_mover,
            Side::Second => -for_mover,
        }
    }

    /// How the game comes out for the side to move; nothing where nobody wins or loses.
    pub fn verdict(&self) -> Option<Verdict> {
        match self.worth {
            Shown::Game(known) => Some(known.verdict()),
            Shown::Number(_) => None,
        }
    }

    /// After how many plies it ends, if that is known and anybody wins.
    pub fn plies(&self) -> Option<u32> {
        match self.worth {
            Shown::Game(known) => known.plies(),
            Shown::Number(_) => None,
        }
    }

    /// `+1`, `0`, `-1`; the numbers of an abstract tree as they are written.
    pub fn number_text(&self) -> String {
        match (self.worth, self.number()) {
            (Shown::Game(_), number @ 1..) => format!("+{number}"),
            (_, number) => number.to_string(),
        }
    }

    /// What a move to this position is worth to the side that makes it; a greater one is better.
    pub fn for_mover(&self) -> (i64, i64) {
        let sooner_is_better = match self.verdict() {
            Some(Verdict::Loss) => -1,
            Some(Verdict::Win) => 1,
            _ => 0,
        };
        let plies = i64::from(self.plies().unwrap_or(0));
        let for_turn = if self.turn == Side::First { self.number() } else { -self.number() };
        (-for_turn, sooner_is_better * plies)
    }
}

/// `won`, `drawn`, `lost`: for the side that is to move.
pub fn participle(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Win => "won",
        Verdict::Draw => "drawn",
        Verdict::Loss => "lost",
    }
}

/// The label of what a tree or a graph found for itself, `estimated` if there is more below it than it holds.
///
/// A win or a loss that was seen is certain, whatever was not: the other side would have chosen what was not seen.
pub(super) fn of_value(turn: Side, (value, estimated): (Value, bool)) -> Label {
    Label { turn, worth: Shown::Game(Known::Value(value)), certain: !estimated || value != Value::Draw }
}

pub(super) fn of_points(turn: Side, (points, estimated): (Points, bool)) -> Label {
    Label { turn, worth: Shown::Number(points), certain: !estimated }
}

pub(super) fn of_known(turn: Side, known: Known) -> Label {
    Label { turn, worth: Shown::Game(known), certain: true }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn label(turn: Side, value: Value) -> Label {
        of_known(turn, Known::Value(value))
    }

    #[test]
    fn numbers_are_for_the_first_side() {
        assert_eq!(label(Side::First, Value::Win(3)).number_text(), "+1");
        assert_eq!(label(Side::Second, Value::Win(3)).number_text(), "-1");
        assert_eq!(label(Side::Second, Value::Draw).number_text(), "0");
        assert_eq!(of_points(Side::Second, (Points(-14), false)).number_text(), "14");
    }

    #[test]
    fn whoever_moves_prefers_quick_wins_and_slow_losses() {
        let ladder = [Value::Loss(1), Value::Loss(3), Value::Draw, Value::Win(4), Value::Win(2)];
        for turn in Side::BOTH {
            let worths = ladder.map(|value| label(turn, value).for_mover());
            assert!(worths.windows(2).all(|pair| pair[0] > pair[1]), "{worths:?}");
        }
        let points = [-3, 0, 7].map(|points| of_points(Side::Second, (Points(points), false)).for_mover());
        assert!(points.windows(2).all(|pair| pair[0] > pair[1]));
    }

    #[test]
    fn what_was_not_seen_makes_a_draw_uncertain_and_no_win() {
        assert!(!of_value(Side::First, (Value::Draw, true)).certain);
        assert!(of_value(Side::First, (Value::Win(3), true)).certain);
        assert!(of_value(Side::First, (Value::Draw, false)).certain);
    }
}
