//! A position of Nim and its moves: one or several piles, an optional limit on what a move takes, normal or
//! misère ending.

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use crate::game::{Game, Illegal, Outcome, Side};

/// The largest pile: large enough to show that closed forms do not count objects, small enough that the sum
/// of [`MAX_PILES`] piles, and so the number of moves, fits in a `u64`.
pub const MAX_PILE: u64 = 1_000_000_000_000_000_000;

/// The maximum number of piles: each has a line on the screen and a letter.
pub const MAX_PILES: usize = 16;

/// The piles, at most [`MAX_PILES`]. Up to four are stored inline; more need an allocation, so that
/// positions stay small.
pub(super) type Piles = SmallVec<[u64; 4]>;

/// Whether taking the last object wins or loses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ending {
    /// The side that takes the last object wins.
    Normal,
    /// The side that takes the last object loses.
    Misere,
}

/// A position: the size of each pile, the limit of a move, the ending, and the side to move.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Nim {
    pub(super) piles: Piles,
    pub(super) max: Option<u64>,
    pub(super) ending: Ending,
    pub(super) turn: Side,
}

/// A move: take `count` objects from pile number `pile`, counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Take {
    /// The index of the pile, from 0.
    pub pile: u8,
    /// The number of objects taken, at least 1.
    pub count: u64,
}

impl Nim {
    /// The size of each pile. A pile that was emptied stays as 0.
    pub fn piles(&self) -> &[u64] {
        &self.piles
    }

    /// The most objects that a move may take; `None` for no limit.
    pub fn max(&self) -> Option<u64> {
        self.max
    }

    /// Whether taking the last object wins or loses.
    pub fn ending(&self) -> Ending {
        self.ending
    }

    /// The number of objects in all piles.
    pub fn total(&self) -> u64 {
        self.piles.iter().sum()
    }

    /// The most that a move may take from pile number `pile`; 0 for a pile that is empty or does not exist.
    pub fn takeable(&self, pile: usize) -> u64 {
        let there = self.piles.get(pile).copied().unwrap_or(0);
        self.max.map_or(there, |max| max.min(there))
    }
}

impl Game for Nim {
    type Move = Take;

    fn turn(&self) -> Side {
        self.turn
    }

    fn outcome(&self) -> Option<Outcome> {
        if self.piles.iter().any(|&pile| pile > 0) {
            return None;
        }
        Some(Outcome::Win(match self.ending {
            Ending::Normal => !self.turn,
            Ending::Misere => self.turn,
        }))
    }

    fn moves(&self) -> impl Iterator<Item = Take> + '_ {
        (0..).zip(&self.piles).flat_map(|(pile, _)| {
            (1..=self.takeable(usize::from(pile))).map(move |count| Take { pile, count })
        })
    }

    fn move_count(&self) -> u64 {
        (0..self.piles.len()).map(|pile| self.takeable(pile)).sum()
    }

    fn play(&self, mv: Take) -> Result<Self, Illegal> {
        let pile = usize::from(mv.pile);
        let most = self.takeable(pile);
        if !(1..=most).contains(&mv.count) {
            return Err(Illegal(self.objection(mv)));
        }
        let mut next = self.clone();
        next.piles[pile] -= mv.count;
        next.turn = !self.turn;
        Ok(next)
    }

    /// Sorts the piles and sets the first side to move, since both sides have the same moves.
    fn canonical(&self) -> Self {
        let mut canonical = self.clone();
        canonical.piles.sort_unstable();
        canonical.turn = Side::First;
        canonical
    }
}

impl Nim {
    /// The reason why `mv` is illegal. Called for illegal moves only.
    fn objection(&self, mv: Take) -> String {
        let pile = usize::from(mv.pile);
        let only = self.piles.len() == 1;
        match self.piles.get(pile) {
            None if only => "there is only one pile".into(),
            None => format!("there is no such pile: they are a to {}", letter(self.piles.len() - 1)),
            Some(0) if only => "nothing is left to take".into(),
            Some(0) => format!("pile {} is empty", letter(pile)),
            Some(_) if mv.count == 0 => "a move takes at least 1".into(),
            Some(&there) if mv.count > there => {
                format!("only {there} {} left", if there == 1 { "is" } else { "are" })
            }
            Some(_) => format!("a move takes at most {}", self.takeable(pile)),
        }
    }
}

/// The letter of a pile, `a` for pile 0.
pub(super) fn letter(pile: usize) -> char {
    // An existing pile is below MAX_PILES = 16. A move from the network may name any number.
    u8::try_from(pile)
        .ok()
        .and_then(|p| b'a'.checked_add(p))
        .filter(u8::is_ascii_lowercase)
        .map_or('?', char::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Rules;
    use crate::game::nim::NimVariant;

    fn start(text: &str) -> Nim {
        let mut parts = text.split(':');
        let name = parts.next().unwrap();
        NimVariant::parse(name, &parts.collect::<Vec<_>>()).unwrap().unwrap().start()
    }

    #[test]
    fn the_last_object_wins_in_normal_play_and_loses_in_misere_play() {
        let last = Take { pile: 0, count: 1 };
        assert_eq!(start("take:1:3").play(last).unwrap().outcome(), Some(Outcome::Win(Side::First)));
        assert_eq!(start("take:1:3:misere").play(last).unwrap().outcome(), Some(Outcome::Win(Side::Second)));
    }

    #[test]
    fn the_largest_piles_are_counted_and_played_without_listing() {
        let huge = start(&format!("nim:{}", ["1000000000000000000"; MAX_PILES].join("-")));
        assert_eq!(huge.move_count(), MAX_PILE * MAX_PILES as u64);
        assert!(huge.play(Take { pile: 15, count: MAX_PILE }).is_ok());
        assert!(huge.play(Take { pile: 15, count: MAX_PILE + 1 }).is_err());
        assert_eq!(huge.moves().take(3).count(), 3);
    }
}
