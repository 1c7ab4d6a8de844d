//! The moves of a game, kept in as few bytes as possible: a server keeps those of all games that are played.
//!
//! A move is its [number](crate::game::move_number) doubled, and one more if a stand-in made it, in groups of seven
//! bits, the lowest first; all bytes but the last have the highest bit. (This is the variable-length integer of
//! DWARF and of protocol buffers.) Most moves of most games take one byte.

use serde::{Deserialize, Serialize};

use super::absence::Hand;
use crate::game::any::{Board, Move};

/// A move that was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PastMove {
    /// The move.
    pub mv: Move,
    /// Whether the player made it, or the bot that stood in.
    pub hand: Hand,
}

/// Moves of one game.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct PackedMoves {
    bytes: Vec<u8>,
    count: usize,
}

impl PackedMoves {
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// Adds a move at the end.
    pub(super) fn push(&mut self, PastMove { mv, hand }: PastMove) {
        let mut rest = u128::from(mv.number()) << 1 | u128::from(hand == Hand::StandIn);
        while rest > 0x7f {
            self.bytes.push(low_bits(rest) | 0x80);
            rest >>= 7;
        }
        self.bytes.push(low_bits(rest));
        self.count += 1;
    }

    /// Removes the first move and returns it. `game` is any board of the game.
    pub(super) fn pop_front(&mut self, game: &Board) -> Option<PastMove> {
        let mut moves = self.iter(game);
        let first = moves.next()?;
        let length = self.bytes.len() - moves.bytes.len();
        self.bytes.drain(..length);
        self.count -= 1;
        Some(first)
    }

    /// The moves, the oldest first. `game` is any board of the game.
    pub(super) fn iter<'a>(&'a self, game: &'a Board) -> Unpacked<'a> {
        Unpacked { game, bytes: &self.bytes, left: self.count }
    }
}

fn low_bits(number: u128) -> u8 {
    (number & 0x7f) as u8
}

/// The moves, one after the other.
#[derive(Debug, Clone)]
pub(super) struct Unpacked<'a> {
    game: &'a Board,
    bytes: &'a [u8],
    left: usize,
}

impl Iterator for Unpacked<'_> {
    type Item = PastMove;

    fn next(&mut self) -> Option<PastMove> {
        let length = 1 + self.bytes.iter().position(|byte| byte & 0x80 == 0)?;
        let (packed, rest) = self.bytes.split_at(length);
        let number = packed.iter().rev().fold(0, |number, byte| number << 7 | u128::from(byte & 0x7f));
        let hand = if number & 1 == 0 { Hand::Own } else { Hand::StandIn };
        (self.bytes, self.left) = (rest, self.left - 1);
        Some(PastMove { mv: self.game.move_numbered(u64::try_from(number >> 1).ok()?)?, hand })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Unpacked<'_> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::any::Variant;
    use crate::game::nim::{MAX_PILE, MAX_PILES, Take};
    use crate::game::{Game, for_each_reachable};

    fn board(text: &str) -> Board {
        text.parse::<Variant>().unwrap().start()
    }

    /// Packs moves and unpacks them.
    fn again(game: &Board, moves: &[PastMove]) -> Vec<PastMove> {
        let mut packed = PackedMoves::default();
        for &past in moves {
            packed.push(past);
        }
        assert_eq!(packed.len(), moves.len());
        packed.iter(game).collect()
    }

    #[test]
    fn the_moves_of_every_game_come_out_as_they_went_in() {
        let last = Take { pile: u8::try_from(MAX_PILES - 1).unwrap(), count: MAX_PILE };
        for text in ["nim:3-4-5", "even-or-odd:21", "tic-tac-toe", "connect-four", "pong-hau-ki", "mu-torere"]
        {
            let (start, mut moves) = (board(text), Vec::new());
            for_each_reachable(&start.position(), 300, |position| {
                for (mv, hand) in position.moves().zip([Hand::Own, Hand::StandIn].into_iter().cycle()) {
                    moves.push(PastMove { mv, hand });
                }
            });
            if matches!(start, Board::Nim(_)) {
                moves.push(PastMove { mv: Move::Nim(last), hand: Hand::StandIn });
            }
            assert_eq!(again(&start, &moves), moves, "{text}");
        }
    }

    #[test]
    fn a_move_of_a_small_game_takes_a_byte_and_the_first_can_be_taken_out() {
        let (game, mut packed) = (board("take:1000:3"), PackedMoves::default());
        let moves = [1, 2, 3].map(|count| PastMove {
            mv: Move::Nim(Take { pile: 0, count }),
            hand: if count == 2 { Hand::StandIn } else { Hand::Own },
        });
        for &past in &moves {
            packed.push(past);
        }
        assert_eq!(packed.bytes.len(), 3);
        assert_eq!(packed.pop_front(&game), Some(moves[0]));
        assert_eq!(packed.iter(&game).collect::<Vec<_>>(), moves[1..]);
        assert_eq!((packed.len(), packed.iter(&game).len()), (2, 2));
    }
}
