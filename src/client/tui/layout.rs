//! Where the parts of the screens are, for drawing and for the mouse.

use ratatui::layout::Constraint::{Fill, Length};
use ratatui::layout::{Layout, Position as Point, Rect};

use super::painter::first_shown;

/// The columns and rows of the smallest supported screen.
pub const LEAST: (u16, u16) = (60, 18);

/// Whether a screen is too small to show anything, so that nothing may be done on it unseen.
pub(super) fn is_small(screen: Rect) -> bool {
    screen.width < LEAST.0 || screen.height < LEAST.1
}

/// The height from which on rules separate the parts.
const ROOMY: u16 = 22;

/// The parts of the screen in a lobby.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LobbyLayout {
    /// The game, the lobby and the score; one row.
    pub(super) title: Rect,
    /// Who plays; one row.
    pub(super) players: Rect,
    /// The board.
    pub(super) board: Rect,
    /// Who wins, at the top of the column beside the board.
    pub(super) goal: Rect,
    /// The log, below it.
    pub(super) log: Rect,
    /// The notice; one row.
    pub(super) notice: Rect,
    /// What the game waits for; two rows.
    pub(super) why: Rect,
    /// The key bar; one row.
    pub(super) keys: Rect,
    /// The rows of the rules, where there is room for them.
    pub(super) rules: Option<[u16; 3]>,
}

/// The parts of a screen of this size in a lobby.
pub(super) fn lobby(screen: Rect) -> LobbyLayout {
    with_text_rows(screen, 2)
}

/// The rows for the value of a move in a record, with the row of the notice.
const WORTH: u16 = 5;

/// The parts of a screen of this size for a record: its steps are in the place of the log.
pub(super) fn record(screen: Rect) -> LobbyLayout {
    let parts = with_text_rows(screen, if screen.height >= ROOMY { WORTH - 1 } else { 2 });
    let (board, side) = narrow_board(parts.board.union(parts.goal).union(parts.log));
    let (goal, log) = below_goal(side);
    LobbyLayout { board, goal, log, ..parts }
}

/// The columns in which every goal has room in one row; in fewer it needs two.
const WIDE_GOAL: u16 = 32;

/// The rows of the goal, and what is below it.
fn below_goal(side: Rect) -> (Rect, Rect) {
    let rows = if side.width < WIDE_GOAL { 2 } else { 1 };
    let goal = Rect { height: rows.min(side.height), ..side };
    let rest = Rect { y: goal.bottom(), height: side.height.saturating_sub(goal.height), ..side };
    (goal, rest)
}

/// The parts of a screen with this many rows of text below the notice.
fn with_text_rows(screen: Rect, lines: u16) -> LobbyLayout {
    let gap = u16::from(screen.height >= ROOMY);
    let rows =
        [1, gap, 1, gap].map(Length).into_iter().chain([Fill(1)]).chain([gap, 1, lines, 1].map(Length));
    let [title, first, players, top, middle, foot, notice, why, keys] =
        Layout::vertical(rows).areas(inner(screen));
    let side = (middle.width / 3).clamp(18, 44);
    let [board, _, side] = Layout::horizontal([Fill(1), Length(2), Length(side)]).areas(middle);
    let (goal, log) = below_goal(side);
    let rules = (gap > 0).then_some([first.y, top.y, foot.y]);
    LobbyLayout { title, players, board, goal, log, notice, why, keys, rules }
}

/// A screen without its first and last column.
fn inner(screen: Rect) -> Rect {
    Rect { x: screen.x + 1, width: screen.width.saturating_sub(2), ..screen }
}

/// The columns in which every board has room.
const LEAST_BOARD: u16 = 31;

/// The columns in which most moves of a tree can be read.
const LEAST_TREE: u16 = 36;

/// The rows for the reason of a move.
const WORDS: u16 = 5;

/// The narrowest board, and what is beside it.
fn narrow_board(all: Rect) -> (Rect, Rect) {
    let half = all.width.saturating_mul(11) / 20;
    let wide = half.min(all.width.saturating_sub(LEAST_BOARD + 2));
    let board = Rect { width: all.width.saturating_sub(wide + 2), ..all };
    (board, Rect { x: board.right() + 2, width: wide, ..all }.intersection(all))
}

/// The parts of a lobby that change while the learn panel is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LearnLayout {
    /// The board; empty where it has no room.
    pub(super) board: Rect,
    /// Who wins.
    pub(super) goal: Rect,
    /// The tree, with its title in the first row.
    pub(super) tree: Rect,
    /// The reason of a move. There is a rule above it.
    pub(super) words: Rect,
    /// The legend of the signs; one row across the board too.
    pub(super) legend: Rect,
}

/// The parts of the learn panel on a screen of this size.
pub(super) fn learn(screen: Rect) -> LearnLayout {
    let LobbyLayout { board, goal, log, rules, .. } = lobby(screen);
    let mut all = board.union(goal).union(log);
    // The rule below the panel, or else its last row.
    let legend = match rules {
        Some([.., foot]) => Rect { y: foot, height: 1, ..all },
        None => Rect { y: all.bottom().saturating_sub(1), height: 1.min(all.height), ..all },
    };
    all.height = legend.y.saturating_sub(all.y);
    let (mut board, mut side) = narrow_board(all);
    if side.width < LEAST_TREE {
        // There is no room for a board beside the tree.
        board.width = 0;
        side = Rect { x: all.x + 2, width: all.width.saturating_sub(2), ..all };
    }
    let words = WORDS.min(side.height / 3);
    // Every goal has room in a row that is as wide as a tree.
    let goal = Rect { height: 1.min(side.height), ..side };
    let side = Rect { y: goal.bottom(), height: side.height.saturating_sub(1), ..side };
    let tree = Rect { height: side.height.saturating_sub(words + 1), ..side };
    let words = Rect { y: tree.bottom() + 1, height: words, ..side }.intersection(side);
    LearnLayout { board, goal, tree, words, legend }
}

/// The index of the line at this position, in a list of this area with this line selected.
pub(super) fn line_at(list: Rect, selected: usize, at: Point) -> Option<usize> {
    let row = usize::from(at.y.checked_sub(list.y)?);
    list.contains(at).then(|| first_shown(selected, list.height) + row)
}

/// The parts of the screen in the hall.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct HallLayout {
    /// The title; one row.
    pub(super) title: Rect,
    /// The lobbies.
    pub(super) list: Rect,
    /// The details of one of them; four rows.
    pub(super) detail: Rect,
    /// The notice; one row.
    pub(super) notice: Rect,
    /// The key bar; one row.
    pub(super) keys: Rect,
    /// The rows of the rules, where there is room for them.
    pub(super) rules: Option<[u16; 2]>,
}

/// The parts of a screen of this size in the hall.
pub(super) fn hall(screen: Rect) -> HallLayout {
    with_list(screen, 4)
}

/// The same for the form of a lobby, all of which has room on the smallest screen.
pub(super) fn form(screen: Rect) -> HallLayout {
    with_list(screen, 3)
}

fn with_list(screen: Rect, detail: u16) -> HallLayout {
    let gap = u16::from(screen.height >= ROOMY);
    let rows = [Length(1), Length(gap), Fill(1), Length(gap), Length(detail), Length(1), Length(1)];
    let [title, first, list, foot, detail, notice, keys] = Layout::vertical(rows).areas(inner(screen));
    let rules = (gap > 0).then_some([first.y, foot.y]);
    HallLayout { title, list, detail, notice, keys, rules }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_screen_that_is_too_small_does_no_harm() {
        for (width, height) in [(0, 0), (1, 1), (20, 3), (5, 40), (60, 5)] {
            let screen = Rect::new(0, 0, width, height);
            let parts = lobby(screen);
            assert!(screen.intersection(parts.board) == parts.board || parts.board.is_empty());
        }
    }
}
