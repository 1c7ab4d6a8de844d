//! Where the parts of the screen are. Drawing and the mouse ask here, so that both mean the same places.

use ratatui::layout::Rect;

/// The smallest screen on which everything has its place: its columns and lines.
pub const LEAST: (u16, u16) = (60, 18);

/// Whether a screen of this size is too small for anything to be drawn on it, so that nothing may be done there unseen.
pub(super) fn is_small(screen: Rect) -> bool {
    screen.width < LEAST.0 || screen.height < LEAST.1
}

/// From this height on there is room for lines between the parts.
const ROOMY: u16 = 22;

/// The parts of the screen in a lobby.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Table {
    /// The game, the lobby and the score, on one line.
    pub(super) title: Rect,
    /// Who plays, on one line.
    pub(super) players: Rect,
    /// The board.
    pub(super) board: Rect,
    /// What was told and said.
    pub(super) log: Rect,
    /// What is worth looking at now; one line.
    pub(super) notice: Rect,
    /// What is waited for; two lines.
    pub(super) why: Rect,
    /// The keys; one line.
    pub(super) keys: Rect,
    /// The lines between the parts, where there is room for them.
    pub(super) rules: Option<[u16; 3]>,
}

/// The parts of a screen of this size in a lobby.
pub(super) fn table(screen: Rect) -> Table {
    with_words(screen, 2)
}

/// The lines for what a move was worth, with the one for what is worth looking at now: a better move has its own reason.
const WORTH: u16 = 5;

/// The parts of a screen of this size for a game that was played: its steps stand where otherwise things are told.
pub(super) fn reading(screen: Rect) -> Table {
    let parts = with_words(screen, if screen.height >= ROOMY { WORTH - 1 } else { 2 });
    let (board, log) = beside(parts.board.union(parts.log));
    Table { board, log, ..parts }
}

/// The parts of a screen with so many lines for what is waited for.
fn with_words(screen: Rect, lines: u16) -> Table {
    let inner = Rect { x: screen.x + 1, width: screen.width.saturating_sub(2), ..screen };
    let row = |y: u16, height: u16| Rect { y, height, ..inner }.intersection(screen);
    let roomy = screen.height >= ROOMY;
    let gap = u16::from(roomy);
    let (top, foot) = (screen.y + 2 + 2 * gap, screen.bottom().saturating_sub(2 + lines + gap));
    let side = (inner.width / 3).clamp(18, 44);
    let middle = row(top, foot.saturating_sub(top));
    let board = Rect { width: middle.width.saturating_sub(side + 2), ..middle };
    let log = Rect { x: board.right() + 2, width: side.min(middle.width), ..middle }.intersection(middle);
    Table {
        title: row(screen.y, 1),
        players: row(screen.y + 1 + gap, 1),
        board,
        log,
        notice: row(foot + gap, 1),
        why: row(foot + gap + 1, lines),
        keys: row(foot + gap + 1 + lines, 1),
        rules: roomy.then_some([screen.y + 1, top - 1, foot]),
    }
}

/// The narrowest part in which every board has room.
pub(super) const LEAST_BOARD: u16 = 31;

/// The narrowest part in which most moves can be read.
const LEAST_TREE: u16 = 36;

/// The columns in which a position is written, or drawn as small as can be.
const POSITION: u16 = 17;

/// The lines in which something is said of a move.
const WORDS: u16 = 5;

/// The board, as narrow as may be, and what is read beside it.
fn beside(all: Rect) -> (Rect, Rect) {
    let half = all.width.saturating_mul(11) / 20;
    let wide = half.min(all.width.saturating_sub(LEAST_BOARD + 2));
    let board = Rect { width: all.width.saturating_sub(wide + 2), ..all };
    (board, Rect { x: board.right() + 2, width: wide, ..all }.intersection(all))
}

/// What is otherwise in a lobby while the learn panel is open: the board is narrower, and beside it is the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Learn {
    /// The board.
    pub(super) board: Rect,
    /// The tree, its heading on the first line.
    pub(super) tree: Rect,
    /// What is to be said of one of its moves. There is a line above it.
    pub(super) words: Rect,
}

/// The parts of the learn panel on a screen of this size.
pub(super) fn learn(screen: Rect) -> Learn {
    let Table { board, log, .. } = table(screen);
    let all = board.union(log);
    let (mut board, mut side) = beside(all);
    if side.width < LEAST_TREE {
        // Where a board has no room beside the tree, it is drawn small, or its position is written.
        board.width = POSITION.min(all.width);
        side = Rect { x: board.right() + 2, width: all.width.saturating_sub(POSITION + 2), ..all };
    }
    let words = WORDS.min(side.height / 3);
    let tree = Rect { height: side.height.saturating_sub(words + 1), ..side };
    let words = Rect { y: tree.bottom() + 1, height: words, ..side }.intersection(side);
    Learn { board, tree, words }
}

/// The parts of the screen in the hall.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hall {
    /// What there is, on one line.
    pub(super) title: Rect,
    /// The lobbies.
    pub(super) list: Rect,
    /// What is to be known of one of them; four lines.
    pub(super) detail: Rect,
    /// What is worth looking at now; one line.
    pub(super) notice: Rect,
    /// The keys; one line.
    pub(super) keys: Rect,
    /// The lines between the parts, where there is room for them.
    pub(super) rules: Option<[u16; 2]>,
}

/// The parts of a screen of this size in the hall.
pub(super) fn hall(screen: Rect) -> Hall {
    let inner = Rect { x: screen.x + 1, width: screen.width.saturating_sub(2), ..screen };
    let row = |y: u16, height: u16| Rect { y, height, ..inner }.intersection(screen);
    let gap = u16::from(screen.height >= ROOMY);
    let (top, foot) = (screen.y + 1 + gap, screen.bottom().saturating_sub(6 + gap));
    Hall {
        title: row(screen.y, 1),
        list: row(top, foot.saturating_sub(top)),
        detail: row(foot + gap, 4),
        notice: row(foot + gap + 4, 1),
        keys: row(foot + gap + 5, 1),
        rules: (gap > 0).then_some([screen.y + 1, foot]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_fill_the_screen_and_do_not_overlap() {
        for (width, height) in [LEAST, (80, 24), (120, 40), (200, 60)] {
            let parts = table(Rect::new(0, 0, width, height));
            let all =
                [parts.title, parts.players, parts.board, parts.log, parts.notice, parts.why, parts.keys];
            for (at, one) in all.iter().enumerate() {
                assert!(!one.is_empty() && one.right() < width && one.bottom() <= height, "{one:?}");
                assert!(all.iter().skip(at + 1).all(|other| !one.intersects(*other)), "{one:?}");
            }
            assert_eq!(parts.keys.bottom(), height);
        }
    }

    #[test]
    fn the_learn_panel_has_room_for_tree_and_words_beside_the_board() {
        for (width, height) in [LEAST, (80, 24), (120, 40), (200, 60)] {
            let Learn { board, tree, words } = learn(Rect::new(0, 0, width, height));
            assert!(tree.height >= 5 && words.height >= 3 && tree.width >= 36, "{tree:?} {words:?}");
            assert!(board.right() < tree.x && tree.bottom() < words.y && words.right() < width);
            assert!(width < 80 || board.width >= LEAST_BOARD, "{board:?}");
        }
    }

    #[test]
    fn a_screen_that_is_too_small_does_no_harm() {
        for (width, height) in [(0, 0), (1, 1), (20, 3), (5, 40), (60, 5)] {
            let screen = Rect::new(0, 0, width, height);
            let parts = table(screen);
            assert!(screen.intersection(parts.board) == parts.board || parts.board.is_empty());
        }
    }
}
