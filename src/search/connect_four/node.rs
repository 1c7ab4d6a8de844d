//! A position of the search: the stones and threats of both sides as bitboards, and what follows from them
//! without a search.
//!
//! A *threat* of a side is an empty cell that would complete a line of four for it. A move is *safe* if the
//! other side cannot win with its next stone: the move blocks where that is needed, and is not right below a
//! threat of the other side.

use super::bounds::ScoreBounds;
use crate::game::connect_four::board::{ALL, BOTTOM, Bitboard, CELLS, completing};

/// A position in which the side to move cannot win with its next stone.
///
/// This holds after every safe move, so the search meets no other positions.
#[derive(Debug, Clone, Copy)]
pub(super) struct SolverNode {
    /// The stones of the side to move.
    pub(super) mover: u64,
    /// The stones of the other side.
    pub(super) other: u64,
    /// The threats of the side to move.
    pub(super) mover_threats: u64,
    /// The threats of the other side.
    pub(super) other_threats: u64,
    /// The number of stones.
    pub(super) stones: i32,
}

/// The score of a side that wins with its next stone, with this number of stones on the board.
pub(super) fn win_now(stones: i32) -> i32 {
    (CELLS.cast_signed() + 1 - stones) / 2
}

impl SolverNode {
    /// The node of a board, or `None` where the side to move wins with its next stone.
    pub(super) fn new(board: Bitboard) -> Option<Self> {
        let empty = ALL & !board.taken();
        let node = Self {
            mover: board.mover(),
            other: board.other(),
            mover_threats: completing(board.mover()) & empty,
            other_threats: completing(board.other()) & empty,
            stones: board.stones().cast_signed(),
        };
        (node.mover_threats & node.landings() == 0).then_some(node)
    }

    pub(super) fn taken(&self) -> u64 {
        self.mover | self.other
    }

    /// The cells into which a stone can fall.
    pub(super) fn landings(&self) -> u64 {
        (self.taken() + BOTTOM) & ALL
    }

    /// Whether it is the turn of the side that made the game's first move.
    pub(super) fn first_to_move(&self) -> bool {
        self.stones & 1 == 0
    }

    /// The node after the mover's stone has fallen into `cell`, which must be safe.
    pub(super) fn after(&self, cell: u64) -> Self {
        let grown = self.mover | cell;
        let empty = ALL & !(self.taken() | cell);
        Self {
            mover: self.other,
            other: grown,
            mover_threats: self.other_threats & empty,
            other_threats: completing(grown) & empty,
            stones: self.stones + 1,
        }
    }

    /// The cells of all safe moves; none if the other side wins with its next stone in any case, or if the
    /// board is full.
    pub(super) fn safe_moves(&self) -> u64 {
        let landings = self.landings();
        let must_block = landings & self.other_threats;
        let safe = landings & !(self.other_threats >> 1);
        match must_block {
            0 => safe,
            _ if must_block & (must_block - 1) != 0 => 0,
            _ => safe & must_block,
        }
    }

    /// The score if no move is safe: the other side wins with its next stone, or the board is full.
    pub(super) fn score_without_safe_moves(&self) -> i32 {
        -win_now(self.stones + 1)
    }

    /// The bounds that the number of stones sets where there is a safe move: the mover wins with the stone
    /// after its next at best, and the other side with the one after its next at worst.
    pub(super) fn bounds(&self) -> ScoreBounds {
        ScoreBounds { low: -win_now(self.stones + 3), high: win_now(self.stones + 2) }
    }
}
