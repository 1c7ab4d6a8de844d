//! An opinion on positions of Connect Four that no search can get to the end of: open threes count most, in the rows
//! where they will tell, and then stones on cells that many lines of four go through. It proves nothing.
//!
//! Where both sides fill the columns in turns, the first side gets the cells of the odd rows and the second side those
//! of the even ones: so a threat in such a row of one's own is the one that is left to the end (Victor Allis, *A
//! Knowledge-Based Approach of Connect-Four*, 1988).

use crate::game::connect_four::ConnectFour;
use crate::game::connect_four::board::{ALL, EVEN_ROWS, ODD_ROWS, completing, lines_through};
use crate::game::{Game, Side};
use crate::search::Score;
use crate::search::evaluation::Evaluation;

/// What a threat is worth, and what it is worth more in a row that its side will get. A stone is worth the number of
/// lines through its cell, 3 to 13.
const THREAT: i32 = 12;
const THREAT_IN_OWN_ROW: i32 = 36;

/// Counts threats and the lines that stones are on.
#[derive(Debug, Clone, Copy, Default)]
pub struct Threats;

impl Evaluation<ConnectFour, Score> for Threats {
    fn estimate(&self, position: &ConnectFour) -> Score {
        let (board, turn) = (position.board(), position.turn());
        let empty = ALL & !board.taken();
        Score::estimate(worth(board.mover(), empty, turn) - worth(board.other(), empty, !turn))
    }
}

/// What a side's stones are worth.
fn worth(stones: u64, empty: u64, side: Side) -> i32 {
    let threats = completing(stones) & empty;
    let own_rows = match side {
        Side::First => ODD_ROWS,
        Side::Second => EVEN_ROWS,
    };
    let in_own_row = (threats & own_rows).count_ones().cast_signed();
    let threats = threats.count_ones().cast_signed();
    THREAT * threats + (THREAT_IN_OWN_ROW - THREAT) * in_own_row + lines(stones)
}

/// How many lines of four there are through each stone, added up.
fn lines(stones: u64) -> i32 {
    THROUGH.iter().map(|cells| (stones & cells).count_ones().cast_signed()).sum()
}

/// The cells with at least 1, 2, 3, … lines through them.
const THROUGH: [u64; 13] = {
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
    use crate::game::Rules;
    use crate::game::connect_four::ConnectFourVariant;
    use crate::game::connect_four::board::{CELLS, cell};

    fn estimate(text: &str) -> Score {
        Threats.estimate(&ConnectFourVariant.read_position(text).unwrap())
    }

    #[test]
    fn a_cell_counts_as_many_lines_as_go_through_it() {
        for (column, row, count) in [(0, 0, 3), (3, 0, 7), (3, 2, 13), (6, 5, 3), (1, 1, 6)] {
            assert_eq!(lines(cell(column, row)), count, "{column} {row}");
        }
        // 69 lines of 4 cells.
        assert_eq!(lines(ALL), 69 * 4);
        assert_eq!(ALL.count_ones(), CELLS);
    }

    #[test]
    fn an_empty_board_is_even_and_a_mirror_image_as_good() {
        assert_eq!(estimate("-"), Score::estimate(0));
        assert_eq!(estimate("112344"), estimate("776544"));
    }

    #[test]
    fn the_centre_and_a_threat_are_worth_something_to_their_owner() {
        assert!(estimate("41") > estimate("14"));
        // The first side has three in row 1, or two.
        assert!(estimate("162636") > estimate("162676"));
    }
}
