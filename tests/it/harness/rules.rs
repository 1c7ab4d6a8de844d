//! Nim written a second time, in a slow and obvious way, to check the crate's rules.

use nim::game::any::Move;
use nim::game::nim::Take;
use nim::game::{Outcome, Side};

/// Typed variants and their meaning: the heaps, the most objects of a move, and whether the last object
/// wins.
pub(crate) const VARIANTS: [(&str, &[u64], u64, bool); 7] = [
    ("java-tech:21", &[21], 3, false),
    ("zero-sum:11", &[11], 2, false),
    ("one-two-ten", &[10], 2, true),
    ("take:3:1", &[3], 1, true),
    ("take:9:4:misere", &[9], 4, false),
    ("nim:3-4-5", &[3, 4, 5], u64::MAX, true),
    ("nim:1-3-5-7:max=3:misere", &[1, 3, 5, 7], 3, false),
];

/// Takes this many objects from the first pile.
pub(crate) fn take(count: u64) -> Move {
    Move::Nim(Take { pile: 0, count })
}

/// The heaps, and the side to move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Heaps {
    sizes: Vec<u64>,
    most: u64,
    last_wins: bool,
    to_move: Side,
}

impl Heaps {
    /// The start of one of [`VARIANTS`]; the text may name the default ending.
    pub(crate) fn of(variant: &str) -> Self {
        let short = variant.strip_suffix(":normal").unwrap_or(variant);
        let row = VARIANTS.iter().find(|(text, ..)| *text == short);
        let &(_, heaps, most, last_wins) = row.unwrap_or_else(|| panic!("the tests know no {variant}"));
        Self { sizes: heaps.to_vec(), most, last_wins, to_move: Side::First }
    }

    /// Another position of the same game, as written: `3-4 first`.
    pub(crate) fn at(&self, text: &str) -> Self {
        let (sizes, turn) = text.split_once(' ').unwrap();
        let sizes = sizes.split('-').map(|size| size.parse().unwrap()).collect();
        Self { sizes, to_move: if turn == "first" { Side::First } else { Side::Second }, ..*self }
    }

    /// The position as written.
    pub(crate) fn written(&self) -> String {
        let sizes: Vec<String> = self.sizes.iter().map(ToString::to_string).collect();
        format!("{} {}", sizes.join("-"), if self.to_move == Side::First { "first" } else { "second" })
    }

    pub(crate) fn to_move(&self) -> Side {
        self.to_move
    }

    /// The number of objects in all heaps.
    pub(crate) fn left(&self) -> u64 {
        self.sizes.iter().sum()
    }

    /// Every legal move: all counts from each heap.
    pub(crate) fn moves(&self) -> Vec<Move> {
        let mut moves = Vec::new();
        for (pile, &there) in (0..).zip(&self.sizes) {
            let takes = (1..=there).filter(|count| *count <= self.most);
            moves.extend(takes.map(|count| Move::Nim(Take { pile, count })));
        }
        moves
    }

    /// Makes a move; it has to be legal.
    pub(crate) fn play(&mut self, mv: Move) {
        assert!(self.moves().contains(&mv), "{mv:?} is not legal in {self:?}");
        let Move::Nim(Take { pile, count }) = mv else { panic!("{mv:?} is no move of Nim") };
        self.sizes[usize::from(pile)] -= count;
        self.to_move = !self.to_move;
    }

    /// The result, once no object is left.
    pub(crate) fn outcome(&self) -> Option<Outcome> {
        let took_last = !self.to_move;
        (self.left() == 0).then_some(Outcome::Win(if self.last_wins { took_last } else { !took_last }))
    }
}

/// Chooses the first legal move.
pub(crate) fn first_move(heaps: &Heaps) -> Move {
    heaps.moves()[0]
}

/// Chooses the last legal move.
pub(crate) fn last_move(heaps: &Heaps) -> Move {
    heaps.moves().pop().expect("the game goes on")
}
