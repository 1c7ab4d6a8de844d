//! A bitboard: the stones as bits of two 64-bit words, and the lines of four that they make. The rules are
//! in `position`.
//!
//! Each column has 7 bits, the lowest cell first. The highest of the 7 is always 0, so that a shift never
//! carries a line from one column into the next. The layout is John Tromp's, from his Fhourstones program.
//!
//! ```text
//!  6 13 20 27 34 41 48    always 0
//!  5 12 19 26 33 40 47    row 6
//!  4 11 18 25 32 39 46
//!  3 10 17 24 31 38 45
//!  2  9 16 23 30 37 44
//!  1  8 15 22 29 36 43
//!  0  7 14 21 28 35 42    row 1
//! ```

/// The number of columns.
pub const COLUMNS: u8 = 7;
/// The number of cells in a column.
pub const ROWS: u8 = 6;
/// The number of cells on the board.
pub const CELLS: u32 = COLUMNS as u32 * ROWS as u32;

/// The number of bits of a column: its cells, and the bit above them that is always 0.
pub const COLUMN_BITS: u32 = ROWS as u32 + 1;
/// The shifts from a cell to its neighbours: up, down and right, right, up and right.
const DIRECTIONS: [u32; 4] = [1, COLUMN_BITS - 1, COLUMN_BITS, COLUMN_BITS + 1];

/// The lowest cell of each column.
pub const BOTTOM: u64 = {
    let mut cells = 0;
    let mut column = 0;
    while column < COLUMNS {
        cells |= 1 << (column as u32 * COLUMN_BITS);
        column += 1;
    }
    cells
};
/// All cells.
pub const ALL: u64 = BOTTOM * ((1 << ROWS) - 1);
/// The cells of rows 1, 3 and 5. The first side gets them when the sides fill an empty column in turns.
pub const ODD_ROWS: u64 = BOTTOM * 0b01_0101;
/// The cells of rows 2, 4 and 6.
pub const EVEN_ROWS: u64 = ALL & !ODD_ROWS;

/// The cells of a column, counted from 0 at the left.
pub const fn column(index: u8) -> u64 {
    ((1 << ROWS) - 1) << (index as u32 * COLUMN_BITS)
}

/// The cells of the column that contains `cell`.
pub const fn column_of(cell: u64) -> u64 {
    column(0) << (cell.trailing_zeros() / COLUMN_BITS * COLUMN_BITS)
}

/// The cell of this column and row, both counted from 0.
pub const fn cell(column: u8, row: u8) -> u64 {
    1 << (column as u32 * COLUMN_BITS + row as u32)
}

/// Whether these cells contain a line of four.
pub const fn has_four(cells: u64) -> bool {
    let mut first = 0;
    let mut at = 0;
    while at < DIRECTIONS.len() {
        first |= first_of_four(cells, DIRECTIONS[at]);
        at += 1;
    }
    first != 0
}

/// The `cells` that are part of a line of four.
pub const fn fours(cells: u64) -> u64 {
    let mut found = 0;
    let mut at = 0;
    while at < DIRECTIONS.len() {
        let step = DIRECTIONS[at];
        let first = first_of_four(cells, step);
        found |= first | (first << step) | (first << (2 * step)) | (first << (3 * step));
        at += 1;
    }
    found
}

/// The `cells` that begin a line of four in steps of `step`.
const fn first_of_four(cells: u64, step: u32) -> u64 {
    let pairs = cells & (cells >> step);
    pairs & (pairs >> (2 * step))
}

/// The cells, free or not, each of which completes a line of four with three of `stones`.
pub const fn completing(stones: u64) -> u64 {
    // In a vertical line, only the cell above three stones can be free.
    let mut cells = (stones << 1) & (stones << 2) & (stones << 3);
    let mut at = 1;
    while at < DIRECTIONS.len() {
        let step = DIRECTIONS[at];
        let above = (stones << step) & (stones << (2 * step));
        let below = (stones >> step) & (stones >> (2 * step));
        cells |= above & ((stones << (3 * step)) | (stones >> step));
        cells |= below & ((stones >> (3 * step)) | (stones << step));
        at += 1;
    }
    cells & ALL
}

/// The number of lines of four through a cell; 0 for a bit that is not a cell.
pub const fn lines_through(cell: u64) -> u32 {
    let mut lines = 0;
    let mut at = 0;
    while at < DIRECTIONS.len() {
        // The part of the line within three cells to either side.
        let step = DIRECTIONS[at];
        let mut stretch = cell & ALL;
        let mut count = 0;
        while count < 3 {
            stretch |= ((stretch << step) | (stretch >> step)) & ALL;
            count += 1;
        }
        lines += first_of_four(stretch, step).count_ones();
        at += 1;
    }
    lines
}

/// The stones of both sides, from the view of the side to move.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Bitboard {
    /// The stones of the side to move.
    mover: u64,
    /// The stones of both sides.
    taken: u64,
}

impl Bitboard {
    /// The stones of the side to move.
    pub const fn mover(self) -> u64 {
        self.mover
    }

    /// The stones of the side that moved last.
    pub const fn other(self) -> u64 {
        self.mover ^ self.taken
    }

    /// The stones of both sides.
    pub const fn taken(self) -> u64 {
        self.taken
    }

    /// The number of stones.
    pub const fn stones(self) -> u32 {
        self.taken.count_ones()
    }

    /// The cells into which a stone can fall: one for each column that is not full.
    pub const fn landings(self) -> u64 {
        (self.taken + BOTTOM) & ALL
    }

    /// The cell into which a stone falls in this column; 0 if the column is full.
    pub const fn landing(self, index: u8) -> u64 {
        self.landings() & column(index)
    }

    /// The board after the side to move has dropped a stone into `cell`, one of [`Self::landings`].
    #[must_use]
    pub const fn after(self, cell: u64) -> Self {
        Self { mover: self.other(), taken: self.taken | cell }
    }

    /// The boards after each move, from left to right.
    pub fn children(self) -> impl Iterator<Item = Self> {
        (0..COLUMNS)
            .map(move |index| self.landing(index))
            .filter(|&cell| cell != 0)
            .map(move |cell| self.after(cell))
    }

    /// The boards from which one move leads here, from left to right. No game may lead to some of them.
    pub fn parents(self) -> impl Iterator<Item = Self> {
        let topmost = move |index| self.taken & column(index) & !((self.taken & column(index)) >> 1);
        let last = (0..COLUMNS).map(topmost).filter(move |&cell| cell & self.other() != 0);
        last.map(move |cell| Self { mover: self.other() ^ cell, taken: self.taken ^ cell })
    }

    /// Whether the side that moved last has four in a line.
    pub const fn last_mover_has_four(self) -> bool {
        has_four(self.other())
    }

    /// A unique number below 2^49: in each column, the stones of the side to move, and a 1 above the topmost
    /// stone. Pascal Pons' solver uses the same key.
    pub const fn key(self) -> u64 {
        self.mover + self.taken + BOTTOM
    }

    /// The board with left and right exchanged.
    #[must_use]
    pub const fn mirrored(self) -> Self {
        Self { mover: mirror(self.mover), taken: mirror(self.taken) }
    }
}

/// The cells with left and right exchanged.
pub const fn mirror(cells: u64) -> u64 {
    const COLUMN: u64 = (1 << COLUMN_BITS) - 1;
    let mut mirrored = 0;
    let mut at = 0;
    while at < COLUMNS as u32 {
        mirrored = (mirrored << COLUMN_BITS) | ((cells >> (at * COLUMN_BITS)) & COLUMN);
        at += 1;
    }
    mirrored
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All 69 lines of four, cell by cell.
    fn lines() -> Vec<u64> {
        let mut lines = Vec::new();
        for (across, up) in [(0, 1), (1, 0), (1, 1), (1, -1)] {
            for x in 0..7_i32 {
                for y in 0..6_i32 {
                    let cells: Vec<_> = (0..4).map(|i| (x + i * across, y + i * up)).collect();
                    if cells.iter().all(|&(x, y)| (0..7).contains(&x) && (0..6).contains(&y)) {
                        lines.push(cells.iter().map(|(x, y)| 1_u64 << (x * 7 + y)).sum());
                    }
                }
            }
        }
        lines
    }

    /// Numbers that look random: the multiplier is from Knuth's MMIX.
    fn scattered() -> impl Iterator<Item = u64> {
        std::iter::successors(Some(1_u64), |seed| {
            Some(seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407))
        })
        .map(|seed| (seed >> 13) & ALL)
    }

    #[test]
    fn fours_are_found_as_by_looking_along_every_line() {
        let lines = lines();
        assert_eq!(lines.len(), 69);
        for (a, b) in scattered().zip(scattered().skip(1)).take(20_000) {
            let stones = a & b;
            let full = lines.iter().filter(|&line| line & stones == *line);
            let expected = full.fold(0, |cells, line| cells | line);
            assert_eq!(fours(stones), expected);
            assert_eq!(has_four(stones), expected != 0);
        }
    }

    #[test]
    fn completing_cells_are_found_as_by_looking_along_every_line() {
        // Stones do not float: of an upright line only the top cell can be lacking.
        let can_be = |line: u64, lacking: u64| line & (line >> 1) == 0 || lacking > line & !lacking;
        let lines = lines();
        for (a, b) in scattered().zip(scattered().skip(1)).take(20_000) {
            let stones = a & b;
            let lacking_one = lines.iter().filter(|&line| (line & stones).count_ones() == 3);
            let lacking = lacking_one.filter(|&line| can_be(*line, line & !stones));
            let expected = lacking.fold(0, |cells, line| cells | (line & !stones));
            assert_eq!(completing(stones) & !stones, expected);
        }
    }

    #[test]
    fn a_mirrored_mirror_image_is_the_original() {
        for cells in scattered().take(1_000) {
            assert_eq!(mirror(mirror(cells)), cells);
        }
        assert_eq!(mirror(column(0)), column(6));
        assert_eq!(mirror(column(3)), column(3));
    }

    #[test]
    fn through_each_cell_go_as_many_lines_as_hold_it() {
        let lines = lines();
        for bit in (0..64).map(|at| 1_u64 << at) {
            let expected = lines.iter().filter(|&line| line & bit != 0).count();
            assert_eq!(lines_through(bit) as usize, expected, "{bit:#x}");
        }
    }

    #[test]
    fn each_cell_is_in_its_column_and_in_its_row() {
        let cells = |odd| {
            let rows = (0..ROWS).filter(|row| (row % 2 == 0) == odd);
            rows.flat_map(|row| (0..COLUMNS).map(move |index| cell(index, row))).sum::<u64>()
        };
        assert_eq!((ODD_ROWS, EVEN_ROWS, ODD_ROWS | EVEN_ROWS), (cells(true), cells(false), ALL));
        for index in 0..COLUMNS {
            let rows: u64 = (0..ROWS).map(|row| cell(index, row)).sum();
            assert_eq!(column(index), rows);
            assert!((0..ROWS).all(|row| column_of(cell(index, row)) == rows));
        }
    }

    #[test]
    fn every_board_is_among_the_parents_of_its_children_and_has_a_number_of_its_own() {
        let mut numbers = std::collections::HashMap::new();
        let mut boards = vec![Bitboard::default()];
        for _ in 0..5 {
            let children = boards.iter().flat_map(|&board| board.children().map(move |child| (board, child)));
            let mut next: Vec<Bitboard> = children
                .inspect(|&(board, child)| assert!(child.parents().any(|parent| parent == board)))
                .map(|(_, child)| child)
                .collect();
            next.sort_unstable_by_key(|board| board.key());
            next.dedup();
            for &board in &next {
                assert!(board.key() < 1 << 49 && numbers.insert(board.key(), board).is_none());
                assert!(board.parents().all(|parent| parent.children().any(|child| child == board)));
            }
            boards = next;
        }
        assert_eq!(boards.len(), 4_263, "as many as are known to have five stones");
    }
}
