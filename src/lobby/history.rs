//! How often each position of the present game has come up, for the rule that the third time is a draw. It knows no
//! moves and no order.

use std::collections::HashMap;

use crate::game::any::{Board, Position};

/// The time that a position comes up with which the game is a draw.
const TIMES: u8 = 3;

/// The positions of one game, the side to move included, each kept once with a count. Empty for games that cannot
/// repeat. The largest game that can has 1,260 positions, so this stays small however long people play.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct History(HashMap<Position, u8>);

impl History {
    /// The history of a game that starts, or is known, from this board on.
    pub(super) fn of(board: &Board) -> Self {
        let mut history = Self::default();
        history.add(board);
        history
    }

    /// Counts a board that play has come to.
    pub(super) fn add(&mut self, board: &Board) {
        if board.repeats() {
            let times = self.0.entry(board.position()).or_default();
            *times = times.saturating_add(1);
        }
    }

    /// Whether play would come to this board for the third time, if it were to come to it now.
    pub(super) fn comes_to_a_third(&self, board: &Board) -> bool {
        self.0.get(&board.position()).is_some_and(|&times| times.saturating_add(1) >= TIMES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::any::Variant;

    fn start(text: &str) -> Board {
        text.parse::<Variant>().unwrap().start()
    }

    #[test]
    fn the_third_time_is_the_second_return() {
        let board = start("pong-hau-ki");
        let mut history = History::of(&board);
        assert!(!history.comes_to_a_third(&board));
        history.add(&board);
        assert!(history.comes_to_a_third(&board));
        (0..1_000).for_each(|_| history.add(&board));
        assert!(history.comes_to_a_third(&board) && history.0.len() == 1);
    }

    #[test]
    fn the_same_stones_with_the_other_side_to_move_are_another_position() {
        let variant: Variant = "pong-hau-ki".parse().unwrap();
        let [first, second] =
            ["xx.oo first", "xx.oo second"].map(|text| variant.read_position(text).unwrap());
        let mut history = History::of(&first);
        history.add(&first);
        assert!(history.comes_to_a_third(&first) && !history.comes_to_a_third(&second));
    }

    #[test]
    fn of_a_game_that_cannot_repeat_nothing_is_kept() {
        assert_eq!(History::of(&start("java-tech")), History::default());
    }
}
