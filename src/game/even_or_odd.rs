//! Even or Odd: tokens in the middle, a move takes 1, 2 or 3 of them into one's own heap, and in the end whoever
//! holds an even number wins.
//!
//! This file is the position and its moves; [`variant`] is how they are typed, written and drawn.
//! Which positions are lost is not known here: see `search::closed`.

mod variant;

pub use variant::EvenOrOddVariant;

use serde::{Deserialize, Serialize};

use super::{BySide, Game, Illegal, Outcome, Side};

/// The most tokens: as large as a pile of Nim, to show that the closed form does not count, and all sums of heaps
/// fit in a `u64`.
pub const MAX_TOKENS: u64 = 1_000_000_000_000_000_000;

/// The most that a move takes.
const MOST: u8 = 3;

/// A position: what lies in the middle, what each side holds, and who is to move.
///
/// Only the parities of the heaps count for how it comes out, and not the order of the moves; but people look at
/// the heaps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct EvenOrOdd {
    middle: u64,
    heaps: BySide<u64>,
    turn: Side,
}

/// A move: this many tokens go from the middle to the heap of the side that moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Tokens(pub u8);

impl EvenOrOdd {
    /// What lies in the middle.
    pub fn middle(&self) -> u64 {
        self.middle
    }

    /// What each side has taken so far.
    pub fn heaps(&self) -> BySide<u64> {
        self.heaps
    }

    /// All tokens of the game, in the middle and in both heaps.
    pub fn total(&self) -> u64 {
        self.middle + self.heaps.first + self.heaps.second
    }

    /// The most that a move may take.
    fn takeable(&self) -> u8 {
        u8::try_from(self.middle).map_or(MOST, |middle| middle.min(MOST))
    }
}

/// Who has won with these heaps, once the middle is empty.
fn result(heaps: BySide<u64>) -> Outcome {
    match (heaps.first % 2, heaps.second % 2) {
        (0, 1) => Outcome::Win(Side::First),
        (1, 0) => Outcome::Win(Side::Second),
        _ => Outcome::Draw,
    }
}

impl Game for EvenOrOdd {
    type Move = Tokens;

    fn turn(&self) -> Side {
        self.turn
    }

    fn outcome(&self) -> Option<Outcome> {
        (self.middle == 0).then(|| result(self.heaps))
    }

    fn moves(&self) -> impl Iterator<Item = Tokens> + '_ {
        (1..=self.takeable()).map(Tokens)
    }

    fn move_count(&self) -> u64 {
        self.takeable().into()
    }

    fn play(&self, mv: Tokens) -> Result<Self, Illegal> {
        if !(1..=self.takeable()).contains(&mv.0) {
            return Err(Illegal(self.objection(mv)));
        }
        let mut next = Self { middle: self.middle - u64::from(mv.0), turn: !self.turn, ..*self };
        next.heaps[self.turn] += u64::from(mv.0);
        Ok(next)
    }
}

impl EvenOrOdd {
    /// Why `mv`, which is not legal here, is not.
    fn objection(&self, mv: Tokens) -> String {
        match (self.middle, mv.0) {
            (0, _) => "nothing is left to take".into(),
            (_, 0) => "a move takes at least 1".into(),
            (_, count) if count > MOST => format!("a move takes at most {MOST}"),
            (1, _) => "only 1 is left".into(),
            (left, _) => format!("only {left} are left"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Rules, for_each_reachable};

    fn start(tokens: &str) -> EvenOrOdd {
        EvenOrOddVariant::parse("even-or-odd", &[tokens]).unwrap().unwrap().start()
    }

    #[test]
    fn every_listed_move_is_legal_and_no_other() {
        assert!(for_each_reachable(&start("9"), 1_000, |position| {
            let listed: Vec<Tokens> = position.moves().collect();
            assert_eq!(listed.len() as u64, position.move_count());
            for mv in (0..=u8::MAX).map(Tokens) {
                assert_eq!(position.play(mv).is_ok(), listed.contains(&mv), "{position:?} {mv:?}");
            }
        }));
    }

    #[test]
    fn no_token_is_lost_or_won_on_the_way() {
        for_each_reachable(&start("9"), 1_000, |position| assert_eq!(position.total(), 9));
    }

    /// How the game comes out if these are taken in turn.
    fn outcome_of(tokens: &str, taken: &[u8]) -> Option<Outcome> {
        let play = |position: EvenOrOdd, &count| position.play(Tokens(count)).unwrap();
        taken.iter().fold(start(tokens), play).outcome()
    }

    #[test]
    fn whoever_holds_an_even_number_wins_no_matter_who_took_last() {
        assert_eq!(outcome_of("3", &[2]), None);
        assert_eq!(outcome_of("3", &[2, 1]), Some(Outcome::Win(Side::First)));
        assert_eq!(outcome_of("3", &[1, 2]), Some(Outcome::Win(Side::Second)));
        assert_eq!(outcome_of("3", &[1, 1, 1]), Some(Outcome::Win(Side::First)));
        assert_eq!(outcome_of("1", &[1]), Some(Outcome::Win(Side::Second)));
    }

    #[test]
    fn two_even_heaps_are_a_draw_and_so_are_two_odd_ones() {
        assert_eq!(outcome_of("4", &[2, 2]), Some(Outcome::Draw));
        assert_eq!(outcome_of("4", &[1, 3]), Some(Outcome::Draw));
    }

    #[test]
    fn a_refused_move_says_what_would_be_right() {
        let objection = |tokens: &str, count| start(tokens).play(Tokens(count)).unwrap_err().to_string();
        assert_eq!(objection("15", 4), "a move takes at most 3");
        assert_eq!(objection("15", 0), "a move takes at least 1");
        assert_eq!(objection("2", 3), "only 2 are left");
        assert_eq!(objection("1", 2), "only 1 is left");
        let over = start("1").play(Tokens(1)).unwrap();
        assert_eq!(over.play(Tokens(1)).unwrap_err().to_string(), "nothing is left to take");
    }
}
