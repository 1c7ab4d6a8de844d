//! The worse moves that a level may make in one position, by the exact values of all of them. Whether it makes one is
//! chance, and not known here.

use super::leeway::{Gift, Leeway};
use super::sight;
use crate::game::Game;
use crate::game::any::{Move, Position};
use crate::game::nim::{Nim, Take};
use crate::search::{Best, Known, Solution, Value, Verdict};

/// The most moves that are looked at one by one: more than any position has that a search solves. Of more than these,
/// as many are drawn by chance as [`DRAWS`] says.
const MOST_LISTED: u64 = 1_000;
/// How many of a vast choice of moves are looked at.
const DRAWS: usize = 32;

/// The moves that a level may make in a position.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Slips {
    /// Those whose result is worse than the best one, as far as the level may give it away at once.
    pub(super) spoiling: Vec<Move>,
    /// Those with the best result that a perfect player would not make.
    pub(super) dawdling: Vec<Move>,
}

/// A move with what it is worth to the side that makes it.
struct Priced {
    mv: Move,
    known: Known,
}

/// A position with all that is known of it and what a level may get wrong there.
pub(super) struct Place<'a> {
    pub(super) position: &'a Position,
    pub(super) solution: &'a Solution,
    pub(super) best: &'a Best<Move>,
    pub(super) leeway: Leeway,
}

impl Place<'_> {
    /// The moves that win within the sight; empty if there is no such win.
    pub(super) fn wins_in_sight(&self) -> Vec<Move> {
        let worth = self.best.moves.first().and_then(|&mv| self.price(mv)).map(|priced| priced.known);
        match worth {
            Some(Known::Value(Value::Win(plies))) if plies <= self.leeway.sight => self.best.moves.clone(),
            Some(Known::Verdict(Verdict::Win)) => sight::soon_won(self.position, self.leeway.sight),
            _ => Vec::new(),
        }
    }

    /// The worse moves that it may make here; none if nothing certain is known.
    pub(super) fn slips(&self, luck: &mut fastrand::Rng) -> Slips {
        let mut slips = Slips { spoiling: Vec::new(), dawdling: Vec::new() };
        let Some(result) = self.best.grounds.verdict() else { return slips };
        let worse = |priced: &Priced| !self.best.moves.contains(&priced.mv) && !self.loses_in_sight(priced);
        let worse = self.moves(luck).into_iter().filter_map(|mv| self.price(mv)).filter(worse);
        let (spoiling, dawdling): (Vec<Priced>, Vec<Priced>) =
            worse.partition(|priced| priced.known.verdict() < result);
        slips.spoiling = self.affordable(spoiling);
        slips.dawdling = dawdling.into_iter().map(|priced| priced.mv).collect();
        slips
    }

    /// The moves that are looked at: all of them, or some of a vast choice.
    fn moves(&self, luck: &mut fastrand::Rng) -> Vec<Move> {
        match self.position {
            Position::Nim(nim) if nim.move_count() > MOST_LISTED => {
                let mut draw = || nth_take(nim, luck.u64(0..nim.move_count()));
                (0..DRAWS).filter_map(|_| draw()).map(Move::Nim).collect()
            }
            // No other game has as many.
            position => position.moves().collect(),
        }
    }

    fn price(&self, mv: Move) -> Option<Priced> {
        let next = self.position.play(mv).ok()?;
        Some(Priced { mv, known: self.solution.known(&next)?.for_mover() })
    }

    /// Whether the level sees that a move loses.
    fn loses_in_sight(&self, priced: &Priced) -> bool {
        match priced.known {
            Known::Value(Value::Loss(plies)) => plies <= self.leeway.sight,
            Known::Verdict(Verdict::Loss) => {
                let sight = self.leeway.sight - 1;
                self.position.play(priced.mv).is_ok_and(|next| sight::is_soon_won(&next, sight))
            }
            _ => false,
        }
    }

    /// Of the moves that spoil the result, those that do not give away more than the level may.
    fn affordable(&self, spoiling: Vec<Priced>) -> Vec<Move> {
        let least = spoiling.iter().map(|priced| rank(priced.known)).max();
        let affordable = |priced: &Priced| match self.leeway.gift {
            Gift::Least => Some(rank(priced.known)) == least,
            Gift::Any => true,
        };
        spoiling.into_iter().filter(affordable).map(|priced| priced.mv).collect()
    }
}

/// The place of a worth in the order of all: the result first, then a quick win and a slow loss.
fn rank(known: Known) -> (Verdict, i64) {
    let plies = known.plies().map_or(0, i64::from);
    let verdict = known.verdict();
    (verdict, if verdict == Verdict::Win { -plies } else { plies })
}

/// The take with this number among all legal ones, from 0, found without listing them.
fn nth_take(nim: &Nim, mut number: u64) -> Option<Take> {
    for (pile, _) in (0u8..).zip(nim.piles()) {
        let takeable = nim.takeable(usize::from(pile));
        if number < takeable {
            return Some(Take { pile, count: number + 1 });
        }
        number -= takeable;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::any::Variant;

    #[test]
    fn takes_are_numbered_in_the_order_in_which_they_are_listed() {
        for text in ["nim:3-4-5", "nim:7-1-9:max=3", "java-tech:2"] {
            let position = text.parse::<Variant>().unwrap().start().position();
            let Position::Nim(nim) = position else { panic!("{text} is not Nim") };
            let numbered: Vec<Take> = (0..).map_while(|number| nth_take(&nim, number)).collect();
            assert_eq!(numbered, nim.moves().collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_quick_win_stands_before_a_slow_one_and_a_slow_loss_before_a_quick_one() {
        let values = [Value::Win(1), Value::Win(5), Value::Draw, Value::Loss(6), Value::Loss(2)];
        let ranks = values.map(|value| rank(Known::Value(value)));
        assert!(ranks.is_sorted_by(|one, next| one > next));
    }
}
