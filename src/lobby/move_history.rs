//! The moves of one game: its oldest known board, the moves since then, and the board that they lead to.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::absence::Hand;
use super::packed_moves::{PackedMoves, PastMove};
use crate::game::Side;
use crate::game::any::{Board, Position};
use crate::number::saturating;

/// The most moves that are kept. All games that people finish are shorter; of a longer one the oldest moves
/// are dropped, so that a lobby's snapshot fits into a frame: a move takes 12 bytes at most.
pub const MAX_PAST: usize = 1_000;

/// A move that was made, in the notation of its game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NotatedMove {
    /// The move as it is typed.
    #[serde(rename = "move")]
    pub text: String,
    /// Whose turn it was.
    pub side: Side,
    /// Whether the player made it, or the bot that stood in.
    pub hand: Hand,
}

/// A game so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MoveHistory {
    /// The start of the game, or the board after the dropped moves.
    base: Board,
    past: PackedMoves,
    board: Board,
    /// How often each position has occurred, if positions can repeat.
    repetition: Repetition,
}

/// The error for a move that the rules do not allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Impossible;

impl MoveHistory {
    /// A history without moves, whose oldest board is this one.
    pub(super) fn of(base: Board) -> Self {
        Self { repetition: Repetition::of(&base), board: base.clone(), base, past: PackedMoves::default() }
    }

    /// A history with this oldest board and these moves.
    pub(super) fn with(base: Board, past: impl IntoIterator<Item = PastMove>) -> Result<Self, Impossible> {
        let mut moves = Self::of(base);
        past.into_iter().try_for_each(|past| moves.play(past))?;
        Ok(moves)
    }

    pub(super) fn board(&self) -> &Board {
        &self.board
    }

    pub(super) fn base(&self) -> &Board {
        &self.base
    }

    /// The moves that are known, the oldest first.
    pub(super) fn past(&self) -> impl ExactSizeIterator<Item = PastMove> {
        self.past.iter(&self.base)
    }

    /// Whether one more occurrence of this board would be the third.
    pub(super) fn would_repeat(&self, board: &Board) -> bool {
        self.repetition.would_repeat(board)
    }

    /// Whether the position has come up for the third time.
    pub(super) fn repeats(&self) -> bool {
        self.repetition.repeats(&self.board)
    }

    /// The positions of the game, and how often each has occurred; none if they cannot repeat.
    pub(super) fn positions(&self) -> impl Iterator<Item = (&Position, u8)> {
        self.repetition.0.iter().map(|(position, times)| (position, *times))
    }

    /// Replaces the counts of [`Self::positions`].
    pub(super) fn set_positions(&mut self, positions: impl IntoIterator<Item = (Position, u8)>) {
        self.repetition = Repetition(positions.into_iter().collect());
    }

    /// The move with this number, from 1, and the board on which it was made.
    pub(super) fn played(&self, number: u32) -> Option<(Board, PastMove)> {
        let place = usize::try_from(number.checked_sub(1)?).ok()?;
        let mut past = self.past();
        let board = past.by_ref().take(place).try_fold(self.base.clone(), |board, past| board.play(past.mv));
        Some((board.ok()?, past.next()?))
    }

    /// The moves, each in the notation of the board on which it was made.
    pub(super) fn made(&self) -> Vec<NotatedMove> {
        let mut board = self.base.clone();
        let made = self.past().map_while(|past| {
            let made = NotatedMove { side: board.turn(), text: board.write_move(past.mv), hand: past.hand };
            board = board.play(past.mv).ok()?;
            Some(made)
        });
        made.collect()
    }

    /// The last of them.
    pub(super) fn last_made(&self) -> Option<NotatedMove> {
        let (board, past) = self.played(saturating(self.past.len()))?;
        Some(NotatedMove { side: board.turn(), text: board.write_move(past.mv), hand: past.hand })
    }

    /// Makes a move.
    pub(super) fn play(&mut self, past: PastMove) -> Result<(), Impossible> {
        self.board = self.board.play(past.mv).map_err(|_| Impossible)?;
        self.repetition.add(&self.board);
        if self.past.len() == MAX_PAST
            && let Some(oldest) = self.past.pop_front(&self.base)
        {
            self.base = self.base.play(oldest.mv).map_err(|_| Impossible)?;
        }
        self.past.push(past);
        Ok(())
    }

    /// Takes the last `count` moves back. Repetitions before the oldest known board are lost.
    pub(super) fn take_back(&mut self, count: usize) -> Result<(), Impossible> {
        let kept = self.past.len().checked_sub(count).ok_or(Impossible)?;
        *self = Self::with(self.base.clone(), self.past().take(kept))?;
        Ok(())
    }
}

/// The occurrence of a position that makes the game a draw.
const TIMES: u8 = 3;

/// The positions of one game, the side to move included, with the number of their occurrences. Empty for
/// games that cannot repeat. The largest game that can has 1,260 positions, so this stays small in a long
/// game.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Repetition(HashMap<Position, u8>);

impl Repetition {
    /// The count of a game whose oldest known board is this one.
    fn of(board: &Board) -> Self {
        let mut counts = Self::default();
        counts.add(board);
        counts
    }

    /// Counts an occurrence of a board.
    fn add(&mut self, board: &Board) {
        if board.repeats() {
            let times = self.0.entry(board.position()).or_default();
            *times = times.saturating_add(1);
        }
    }

    /// Whether one more occurrence of this board would be the third.
    fn would_repeat(&self, board: &Board) -> bool {
        self.times(board) + 1 >= TIMES
    }

    /// Whether this board has occurred three times.
    fn repeats(&self, board: &Board) -> bool {
        self.times(board) >= TIMES
    }

    /// How often this board has occurred, counted up to [`TIMES`].
    fn times(&self, board: &Board) -> u8 {
        if self.0.is_empty() {
            return 0;
        }
        self.0.get(&board.position()).map_or(0, |&times| times.min(TIMES))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::any::Variant;

    fn start(text: &str) -> Board {
        text.parse::<Variant>().unwrap().start()
    }

    fn past(moves: &MoveHistory, text: &str) -> PastMove {
        PastMove { mv: moves.board().read_move(text).unwrap(), hand: Hand::Own }
    }

    fn play(moves: &mut MoveHistory, text: &str) {
        moves.play(past(moves, text)).unwrap();
    }

    #[test]
    fn what_is_taken_back_has_never_been() {
        for (variant, typed) in [
            ("java-tech:9", ["1", "2", "3"]),
            ("pong-hau-ki", ["1-3", "4-1", "3-4"]),
            ("connect-four", ["4", "4", "3"]),
        ] {
            let mut histories = vec![MoveHistory::of(start(variant))];
            for text in typed {
                let mut next = histories[histories.len() - 1].clone();
                play(&mut next, text);
                histories.push(next);
            }
            for count in 0..=3 {
                let mut back = histories[3].clone();
                back.take_back(count).unwrap();
                assert_eq!(back, histories[3 - count], "{variant} {count}");
            }
            assert_eq!(histories[3].clone().take_back(4), Err(Impossible));
        }
    }

    #[test]
    fn the_third_time_that_a_position_comes_up_the_game_is_decided_also_in_a_copy() {
        let mut moves = MoveHistory::of(start("pong-hau-ki"));
        for text in ["1-3", "4-1", "3-4"].repeat(4) {
            assert!(!moves.repeats());
            let next = moves.board().play(past(&moves, text).mv).unwrap();
            assert_eq!(moves.would_repeat(&next), moves.past().len() == 11);
            play(&mut moves, text);
        }
        assert!(moves.repeats());
        assert_eq!(MoveHistory::with(moves.base().clone(), moves.past()).unwrap(), moves);
    }

    #[test]
    fn the_same_stones_with_the_other_side_to_move_are_another_position() {
        let variant: Variant = "pong-hau-ki".parse().unwrap();
        let [first, second] =
            ["xx.oo first", "xx.oo second"].map(|text| variant.read_position(text).unwrap());
        let mut counts = Repetition::of(&first);
        counts.add(&first);
        assert!(counts.would_repeat(&first) && !counts.would_repeat(&second));
    }

    #[test]
    fn of_a_game_that_cannot_repeat_no_position_is_kept() {
        assert_eq!(Repetition::of(&start("java-tech")), Repetition::default());
    }

    #[test]
    fn of_a_very_long_game_the_oldest_moves_are_forgotten() {
        let mut moves = MoveHistory::of(start("take:3000:3"));
        for _ in 0..MAX_PAST + 5 {
            play(&mut moves, "2");
        }
        assert_eq!((moves.past().len(), moves.base().write_position()), (MAX_PAST, "2990 second".into()));
        let again = MoveHistory::with(moves.base().clone(), moves.past()).unwrap();
        assert_eq!(again, moves);
    }
}
