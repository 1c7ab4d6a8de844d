//! A heuristic for Connect Four. It counts threats, which weigh more in rows where they decide the endgame,
//! and the lines through each stone.
//!
//! If both sides fill the columns in turn, the first side gets the cells of the odd rows and the second
//! side those of the even rows. So a threat in a row of its own side lasts to the end (Victor Allis, *A
//! Knowledge-Based Approach of Connect-Four*, 1988).

use crate::game::connect_four::ConnectFour;
use crate::game::connect_four::board::{ALL, EVEN_ROWS, ODD_ROWS, completing, lines_through};
use crate::game::{Game, Side};
use crate::search::Score;
use crate::search::evaluation::Heuristic;

/// The points for a threat, and for one in a row that its side will get. A stone has a point for each line
/// through its cell, 3 to 13.
const THREAT: i32 = 12;
const THREAT_IN_OWN_ROW: i32 = 36;

/// The threat heuristic.
#[derive(Debug, Clone, Copy, Default)]
pub struct Threats;

impl Heuristic<ConnectFour, Score> for Threats {
    fn estimate(&self, position: &ConnectFour) -> Score {
        let (board, turn) = (position.board(), position.turn());
        let empty = ALL & !board.taken();
        Score::estimate(points(board.mover(), empty, turn) - points(board.other(), empty, !turn))
    }
}

/// The points for the stones of a side.
fn points(stones: u64, empty: u64, side: Side) -> i32 {
    let threats = completing(stones) & empty;
    let own_rows = match side {
        Side::First => ODD_ROWS,
        Side::Second => EVEN_ROWS,
    };
    let in_own_row = (threats & own_rows).count_ones().cast_signed();
    let threats = threats.count_ones().cast_signed();
    THREAT * threats + (THREAT_IN_OWN_ROW - THREAT) * in_own_row + lines(stones)
}

/// The sum, over all stones, of the lines of four through each.
fn lines(stones: u64) -> i32 {
    CELLS_BY_LINES.iter().map(|cells| (stones & cells).count_ones().cast_signed()).sum()
}

/// The cells with at least 1, 2, 3, … lines through them.
const CELLS_BY_LINES: [u64; 13] = {
    let mut cells = [0; 13];
    let mut bit = 0;
    while bit < u64::BITS {
        let lines = lines_through(1 << bit);
        let mut at = 0;
        while at < lines {
            cells[at as usize] |= 1 << bit;
            at += 1;
        }
        bit += 1;
    }
    cells
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::connect_four::board::{CELLS, cell};
    use crate::search::test_games::connect_four;

    fn estimate(text: &str) -> Score {
        Threats.estimate(&connect_four(text))
    }

    #[test]
    fn a_stone_counts_the_lines_through_its_cell() {
        for (column, row, count) in [(0, 0, 3), (3, 0, 7), (3, 2, 13), (6, 5, 3), (1, 1, 6)] {
            assert_eq!(lines(cell(column, row)), count, "{column} {row}");
        }
        // 69 lines of 4 cells.
        assert_eq!(lines(ALL), 69 * 4);
        assert_eq!(ALL.count_ones(), CELLS);
    }

    #[test]
    fn an_empty_board_is_even_and_mirror_images_are_equal() {
        assert_eq!(estimate("-"), Score::estimate(0));
        assert_eq!(estimate("112344"), estimate("776544"));
    }

    #[test]
    fn the_centre_and_threats_are_worth_points() {
        assert!(estimate("41") > estimate("14"));
        // The first side has three in row 1, or two.
        assert!(estimate("162636") > estimate("162676"));
    }
}
