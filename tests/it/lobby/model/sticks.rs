//! The rules of taking sticks from piles, once more: all the game that the second lobby needs.

use nim::game::Side;
use nim::game::any::Move;
use nim::game::nim::Take;

/// A variant, as it is typed and as it is played.
#[derive(Debug, Clone, Copy)]
pub(in crate::lobby) struct Sticks {
    pub(in crate::lobby) text: &'static str,
    piles: &'static [u64],
    /// The most that a move takes.
    most: u64,
    /// Whether taking the last stick loses.
    misere: bool,
}

/// Games that are over soon, and one that takes a little.
pub(in crate::lobby) const VARIANTS: [Sticks; 4] = [
    Sticks { text: "take:12:2", piles: &[12], most: 2, misere: false },
    Sticks { text: "take:4:3:misere", piles: &[4], most: 3, misere: true },
    Sticks { text: "nim:1-2", piles: &[1, 2], most: u64::MAX, misere: false },
    Sticks { text: "nim:3-4:misere", piles: &[3, 4], most: u64::MAX, misere: true },
];

/// What lies on the table, and whose turn it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::lobby) struct Table {
    pub(in crate::lobby) piles: Vec<u64>,
    pub(in crate::lobby) turn: Side,
}

impl Table {
    /// The same after these moves.
    pub(in crate::lobby) fn after(mut self, moves: impl IntoIterator<Item = Move>) -> Self {
        for mv in moves {
            let Move::Nim(take) = mv else { panic!("nothing else is played here") };
            self.piles[usize::from(take.pile)] -= take.count;
            self.turn = !self.turn;
        }
        self
    }

    /// Whether there is anything left to take.
    pub(super) fn is_laid(&self) -> bool {
        self.piles.iter().any(|&pile| pile > 0)
    }

    /// As a position is written: `3-4 first`.
    pub(in crate::lobby) fn written(&self) -> String {
        let piles: Vec<String> = self.piles.iter().map(ToString::to_string).collect();
        format!("{} {}", piles.join("-"), if self.turn == Side::First { "first" } else { "second" })
    }

    /// What is written so.
    pub(super) fn read(text: &str) -> Self {
        let (piles, turn) = text.split_once(' ').unwrap();
        let turn = if turn == "first" { Side::First } else { Side::Second };
        Self { piles: piles.split('-').map(|pile| pile.parse().unwrap()).collect(), turn }
    }
}

impl Sticks {
    /// Where a game begins that does not go on from another one.
    pub(in crate::lobby) fn start(self) -> Table {
        Table { piles: self.piles.to_vec(), turn: Side::First }
    }

    /// All that may be taken from these piles.
    pub(in crate::lobby) fn moves(self, piles: &[u64]) -> Vec<Move> {
        let from = |(pile, &there): (usize, &u64)| {
            let pile = u8::try_from(pile).unwrap();
            (1..=there.min(self.most)).map(move |count| Move::Nim(Take { pile, count }))
        };
        piles.iter().enumerate().flat_map(from).collect()
    }

    /// Whether the player who took the last stick has won.
    pub(super) fn last_wins(self) -> bool {
        !self.misere
    }
}
