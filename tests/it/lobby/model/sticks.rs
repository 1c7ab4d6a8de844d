//! The rules of taking sticks from piles, once more: all the game that the second lobby needs.

use nim::game::any::Move;
use nim::game::nim::Take;
use nim::lobby::Past;

/// A variant, as it is typed and as it is played.
#[derive(Debug, Clone, Copy)]
pub(in crate::lobby) struct Sticks {
    pub(in crate::lobby) text: &'static str,
    piles: &'static [u64],
    /// The most that a move takes.
    most: u64,
    /// Whether whoever takes the last stick loses.
    misere: bool,
}

/// Games that are over soon, and one that takes a little.
pub(in crate::lobby) const VARIANTS: [Sticks; 4] = [
    Sticks { text: "take:12:2", piles: &[12], most: 2, misere: false },
    Sticks { text: "take:4:3:misere", piles: &[4], most: 3, misere: true },
    Sticks { text: "nim:1-2", piles: &[1, 2], most: u64::MAX, misere: false },
    Sticks { text: "nim:3-4:misere", piles: &[3, 4], most: u64::MAX, misere: true },
];

impl Sticks {
    /// What lies in each pile after these moves.
    pub(super) fn after(self, past: &[Past]) -> Vec<u64> {
        let mut piles = self.piles.to_vec();
        for past in past {
            let Move::Nim(take) = past.mv else { panic!("nothing else is played here") };
            piles[usize::from(take.pile)] -= take.count;
        }
        piles
    }

    /// All that may be taken from these piles.
    pub(in crate::lobby) fn moves(self, piles: &[u64]) -> Vec<Move> {
        let from = |(pile, &there): (usize, &u64)| {
            let pile = u8::try_from(pile).unwrap();
            (1..=there.min(self.most)).map(move |count| Move::Nim(Take { pile, count }))
        };
        piles.iter().enumerate().flat_map(from).collect()
    }

    /// Whether whoever took the last stick has won.
    pub(super) fn last_wins(self) -> bool {
        !self.misere
    }
}
