//! The learn panel on the screen: the board of the selected line, the tree beside it, and below the reason
//! of its value.

use ratatui::layout::{Position as Point, Rect};

use super::appearance::Tone;
use super::board::{self, Shown};
use super::layout;
use super::painter::{Painter, cut, first_shown, width, wrap};
use crate::client::learn::Learn;
use crate::client::learn::reason::reason;
use crate::client::learn::tree::LearnNode;
use crate::client::words::learn as words;
use crate::game::Side;
use crate::lobby::Lobby;
use crate::study::Known;
use crate::study::nim_pattern::Pattern;

/// The columns of a value: a word for a move that is cut or made, the letter, the plies, and the number.
const VALUE: u16 = 15;

/// The columns by which each level is indented.
const LEVEL: u16 = 2;

/// The area of the tree, below its title.
fn list(size: Rect) -> Rect {
    let tree = layout::learn(size).tree;
    Rect { y: tree.y + 1, height: tree.height.saturating_sub(1), ..tree }
}

/// The node of the line at this position, and whether the position is the sign that opens and closes it.
pub(super) fn row_at(learn: &Learn, size: Rect, at: Point) -> Option<(usize, bool)> {
    line_at(learn, list(size), at)
}

/// The same in a list of this area.
pub(super) fn line_at(learn: &Learn, list: Rect, at: Point) -> Option<(usize, bool)> {
    let lines = learn.tree.shown();
    let number = *lines.get(layout::line_at(list, learn.place(&lines), at)?)?;
    let sign = list.x + indent(learn.tree.node(number), list.width);
    Some((number, (sign..sign + 2).contains(&at.x)))
}

/// Whether the reason of the selected line has no room below the tree.
pub(super) fn is_cut(learn: &Learn, lobby: &Lobby, size: Rect) -> bool {
    let words = layout::learn(size).words;
    let lines = reason(lobby, learn).iter().map(|text| wrap(text, words.width).len()).sum::<usize>();
    lines > words.height.into()
}

/// The columns by which a line is indented; deep ones only as far as their moves can be read.
fn indent(node: &LearnNode, room: u16) -> u16 {
    node.depth.saturating_mul(LEVEL).min(room.saturating_sub(VALUE) / 2)
}

/// Paints the panel on a screen of this size.
pub(super) fn paint(size: Rect, learn: &Learn, lobby: &Lobby, painter: &mut Painter<'_>) {
    let parts = layout::learn(size);
    if !parts.board.is_empty() {
        paint_board(lobby, learn, &mut painter.inside(parts.board));
    }
    painter.inside(parts.tree).line(0, &words::about(lobby, learn.plies()), Tone::Title);
    let first_line = words::root(lobby, &learn.tree.node(0).board);
    let below = paint_list(learn, &first_line, list(size), painter);
    let (x, y) = (parts.board.right(), parts.words.y.saturating_sub(1));
    painter.inside(Rect { x, y, width: size.right().saturating_sub(x), height: 1 }).rule(y);
    painter.put(x, y, painter.appearance.line().vertical_right, Tone::Faint);
    painter.inside(Rect { y, height: 1, ..parts.words }).more_below(0, below);
    paint_legend(learn, &mut painter.inside(parts.legend));
    // The whole reason is in an overlay, with the rule of Nim.
    painter.inside(parts.words).texts(&reason(lobby, learn), Tone::Plain);
}

/// Paints the lines of the tree, the first one with this name, that have room in this area. Returns the number of
/// those below.
pub(super) fn paint_list(learn: &Learn, first_line: &str, list: Rect, painter: &mut Painter<'_>) -> usize {
    let lines = learn.tree.shown();
    let skipped = first_shown(learn.place(&lines), list.height);
    for (row, number) in (0..list.height).zip(lines.iter().copied().skip(skipped)) {
        paint_line(learn, first_line, (number, row), &mut painter.inside(list));
    }
    lines.len().saturating_sub(skipped + usize::from(list.height))
}

/// The reason of the value of the selected line, and the rule of Nim behind it.
pub(super) fn explanation(lobby: &Lobby, learn: &Learn) -> Vec<String> {
    let pattern = Pattern::of(&learn.tree.node(learn.at).board);
    reason(lobby, learn).into_iter().chain(pattern.into_iter().flat_map(Pattern::lines)).collect()
}

/// The longest legend of the signs that has room.
fn paint_legend(learn: &Learn, painter: &mut Painter<'_>) {
    let room = painter.area().width;
    let has_cut = learn.tree.shown().into_iter().any(|number| is_marked_cut(learn, number));
    let legends = words::legends(learn.is_open_ended(), has_cut);
    let fitting = legends.iter().find(|legend| width(legend) + 2 <= room);
    let Some(legend) = fitting.or(legends.last()) else { return };
    painter.inside(Rect { width: width(legend) + 2, ..painter.area() }).clear();
    painter.line(0, &format!(" {legend}"), Tone::Key);
}

/// The progress of the search, or that not all of the tree is shown.
pub(super) fn notice(learn: &Learn) -> String {
    match learn.left_out() {
        _ if learn.is_searching() => words::thinking(learn.searched),
        _ if learn.tree.full => words::FULL.to_owned(),
        Some((listed, all)) => words::unlisted(listed, all),
        None => String::new(),
    }
}

/// Paints the board of the selected line.
fn paint_board(lobby: &Lobby, learn: &Learn, painter: &mut Painter<'_>) {
    let (node, (ply, _)) = (learn.tree.node(learn.at), learn.plies());
    let before = || ply.checked_sub(1).and_then(|at| lobby.past().nth(at)).map(|past| past.mv);
    let last = node.branch.as_ref().map_or_else(before, |branch| Some(branch.mv));
    let best = learn.best().filter(|_| node.branch.is_none()).map(|best| best.mv);
    board::view(&node.board).paint(&Shown { last, best, ..Shown::default() }, painter);
}

/// Whether the word beside a move says that it is cut: alpha-beta would not search it.
fn is_marked_cut(learn: &Learn, number: usize) -> bool {
    learn.tree.node(number).window.is_none() && !learn.is_made(number)
}

fn paint_line(learn: &Learn, first_line: &str, (number, line): (usize, u16), painter: &mut Painter<'_>) {
    let (area, appearance) = (painter.area(), painter.appearance);
    let (node, is_here) = (learn.tree.node(number), number == learn.at);
    // Alpha-beta would not search here.
    let is_cut = node.window.is_none();
    let best = node.branch.as_ref().is_some_and(|branch| branch.best);
    let tone = match (is_here, is_cut, best) {
        (true, ..) => Tone::Chosen,
        (_, true, _) => Tone::Faint,
        (_, _, true) => Tone::Notice,
        _ => Tone::Plain,
    };
    let (sign, of_sign) = match node.is_open() {
        _ if learn.tree.wanted(learn.at) == Some(number) => (appearance.ellipsis(), Tone::Notice),
        None => (appearance.dot(), Tone::Key),
        Some(true) => (appearance.down(), Tone::Key),
        Some(false) => (appearance.pointer(), Tone::Key),
    };
    let left = indent(node, area.width);
    let (x, y) = (area.x + left, area.y + line);
    painter.put(x, y, sign, of_sign);
    painter.put(x + 2, y, if best { appearance.star() } else { " " }, Tone::Notice);
    let name = node.branch.as_ref().map_or(first_line, |branch| &branch.name);
    let room = area.width.saturating_sub(left + 4 + VALUE + 1);
    painter.put(x + 4, y, &cut(name, room, appearance), tone);
    let word = if learn.is_made(number) {
        "made"
    } else if is_marked_cut(learn, number) {
        "cut"
    } else if best {
        "best"
    } else {
        ""
    };
    // `made  W  3  +1`, in columns.
    let value = format!("{word:>4} {}", value(node).unwrap_or_default());
    let tone = match (is_cut && !is_here, best) {
        (true, _) => Tone::Faint,
        (_, true) => Tone::Notice,
        _ => Tone::Plain,
    };
    painter.right(line, &value, tone);
}

/// `W  3  +1`, for the side that makes the move; at the root for the side to move.
fn value(node: &LearnNode) -> Option<String> {
    let turn = node.board.turn();
    let (known, side): (Known, Side) = match &node.branch {
        Some(branch) => (branch.known?, !turn),
        None => (node.known()?, turn),
    };
    let plies = match known.plies() {
        Some(plies) => plies.to_string(),
        None if known.is_open_ended() => "?".to_owned(),
        None => String::new(),
    };
    Some(format!("{} {plies:>3}  {:>2}", words::letter(known), words::number(known, side)))
}
