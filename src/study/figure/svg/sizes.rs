//! The sizes of nodes, and the distances between them.

use crate::study::figure::{Arrow, Figure, FigureNode};
use crate::study::picture::{Picture, Purpose, picture};

/// The distance between the edge of a node and what is in it.
pub(super) const EDGE: i64 = 7;
/// The height of a line of text, and of a name.
pub(super) const LINE: i64 = 16;
/// The gap between two nodes.
const GAP: i64 = 8;
/// The smallest width of a node.
const LEAST_WIDTH: i64 = 40;
/// The widest words below a position that goes on elsewhere.
const ELSEWHERE: &str = "see above";
/// The height of the words below a position that goes on elsewhere.
const STEM: i64 = 24;
/// The gap between two levels, for the words below a node and the name of the move to the next one. In a
/// graph each further move of a node adds to it, up to a limit.
const GAP_BELOW: i64 = 64;
const GAP_PER_MOVE: i64 = 16;
const MAX_GAP: i64 = 180;
/// The greatest height of a part, which is that of a page without its head.
const MAX_HEIGHT: i64 = 1_130;

/// The sizes in a drawing.
pub(super) struct Sizes {
    /// The width of a node.
    pub(super) width: i64,
    /// The height of a node.
    pub(super) height: i64,
    /// The height of the picture or the name in a node.
    pub(super) picture: i64,
    /// Whether each node names the side to move, because it differs on a level.
    pub(super) sides: bool,
    /// The distance between the middles of two nodes.
    pub(super) step: i64,
    /// The width of a node with the words above and below it.
    pub(super) reach: i64,
    /// How far an arrow goes straight down, past the words below the neighbours of its node.
    pub(super) stem: i64,
    /// The distance between the upper edges of two levels.
    pub(super) level: i64,
}

impl Sizes {
    /// The sizes in a drawing of a figure that is folded or not.
    pub(super) fn of(figure: &Figure, folded: bool) -> Self {
        let sides = is_mixed(figure);
        let content: Vec<(i64, i64)> = figure.nodes.iter().map(|node| content(node, sides)).collect();
        let wide = content.iter().map(|(width, _)| width + 2 * EDGE).max().unwrap_or(0);
        let picture = content.iter().map(|(_, height)| *height).max().unwrap_or(0);
        let width = wide.max(LEAST_WIDTH);
        let height = picture + LINE + 2 * EDGE + if sides { LINE } else { 0 };
        let arrows = figure.nodes.iter().flat_map(|node| &node.moves);
        let names = arrows.map(|arrow| bold(&arrow_text(arrow))).max().unwrap_or(0);
        let below = figure.nodes.iter().map(|node| letters(&hidden(node))).max().unwrap_or(0);
        let elsewhere = if folded { letters(ELSEWHERE) } else { 0 };
        let stem = if folded { STEM } else { 0 };
        let reach = width.max(names).max(below).max(elsewhere);
        Self {
            width,
            height,
            picture,
            sides,
            step: reach + GAP,
            reach,
            stem,
            level: height + gap(figure) + stem,
        }
    }

    /// Whether a part is not higher than a page.
    pub(super) fn fits_in_height(&self, part: &Figure) -> bool {
        let levels = part.depth() - part.nodes.first().map_or(0, |root| root.level);
        i64::try_from(levels).unwrap_or(0) * self.level + self.height <= MAX_HEIGHT
    }
}

/// Whether both sides are to move on the same level, as can be in a graph.
fn is_mixed(figure: &Figure) -> bool {
    let mut sides = vec![None; figure.depth() + 1];
    let mut moving = figure.nodes.iter().filter(|node| !node.over);
    moving.any(|node| *sides[node.level].get_or_insert(node.side) != node.side)
}

fn gap(figure: &Figure) -> i64 {
    let most = figure.nodes.iter().map(|node| node.moves.len()).max().unwrap_or(0);
    match i64::try_from(most) {
        Ok(most) if figure.merged => (GAP_BELOW + (most - 1).max(0) * GAP_PER_MOVE).min(MAX_GAP),
        _ => GAP_BELOW,
    }
}

/// The width of everything in a node, and the height of its picture or name.
fn content(node: &FigureNode, sides: bool) -> (i64, i64) {
    let (wide, height) = match board(node) {
        Some(picture) => (picture.width, picture.height),
        None => (bold(&node.name) * 7 / 6, LINE),
    };
    let side = if sides { letters(node.side) } else { 0 };
    (wide.max(bold(&value(node))).max(side), height)
}

/// The picture of a node's board.
pub(super) fn board(node: &FigureNode) -> Option<Picture> {
    node.board.as_ref().map(|board| picture(board, Purpose::Tree))
}

/// The width of a plain text, in a wide font.
pub(super) fn letters(text: &str) -> i64 {
    bold(text) * 8 / 9
}

/// The width of a text in bold type.
pub(super) fn bold(text: &str) -> i64 {
    let each = |letter: char| match letter {
        ' ' | '.' | ',' | ':' | ';' | 'f' | 'i' | 'j' | 'l' | 'r' | 't' => 6,
        'm' | 'w' | 'M' | 'W' => 13,
        letter if letter.is_ascii() => 9,
        _ => 13,
    };
    text.chars().map(each).sum()
}

/// The value of a node as it is drawn in it: `+1 in 5`.
pub(super) fn value(node: &FigureNode) -> String {
    let about = if node.label.certain { "" } else { "about " };
    // A minus sign is as wide as a plus sign; a hyphen is easily overlooked.
    let number = format!("{about}{}", node.label.number_text().replace('-', "−"));
    match node.label.plies() {
        Some(moves) if !node.over => format!("{number} in {moves}"),
        _ => number,
    }
}

/// The number of moves that are not shown, below a node.
pub(super) fn hidden(node: &FigureNode) -> String {
    if node.hidden == 0 { String::new() } else { format!("{} more", node.hidden) }
}

/// The name of a move with the mark of a best one.
pub(super) fn arrow_text(arrow: &Arrow) -> String {
    match (arrow.best, arrow.name.is_empty()) {
        (true, true) => "★".into(),
        (true, false) => format!("★ {}", arrow.name),
        _ => arrow.name.clone(),
    }
}
