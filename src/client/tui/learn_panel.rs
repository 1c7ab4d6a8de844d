//! The learn panel on the screen: the board of the selected line, the tree beside it, and below the reason
//! of its value.

use ratatui::layout::{Position as Point, Rect};

use super::appearance::Tone;
use super::board::{self, Shown};
use super::layout::{self, first_shown};
use super::learn::{Learn, Row};
use super::painter::{Painter, cut, wrap};
use crate::client::words::learn as words;
use crate::game::{Game, Side};
use crate::lobby::Lobby;
use crate::study::Known;

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
    let (list, rows) = (list(size), learn.rows());
    let row = rows.get(layout::line_at(list, learn.place(&rows), at)?)?;
    let sign = list.x + indent(row, list.width);
    Some((row.node, (sign..sign + 2).contains(&at.x)))
}

/// Whether the reason of the selected line has no room below the tree.
pub(super) fn is_cut(learn: &Learn, lobby: &Lobby, size: Rect) -> bool {
    let words = layout::learn(size).words;
    let lines = reason(lobby, learn).iter().map(|text| wrap(text, words.width).len()).sum::<usize>();
    lines > words.height.into()
}

/// The columns by which a line is indented; deep ones only as far as their moves can be read.
fn indent(row: &Row<'_>, room: u16) -> u16 {
    row.depth.saturating_mul(LEVEL).min(room.saturating_sub(VALUE) / 2)
}

/// Paints the panel on a screen of this size.
pub(super) fn paint(size: Rect, learn: &Learn, lobby: &Lobby, painter: &mut Painter<'_>) {
    let parts = layout::learn(size);
    let here = learn.here();
    paint_board(lobby, learn, &here, &mut painter.inside(parts.board));
    painter.inside(parts.tree).line(0, &words::about(lobby, learn.plies()), Tone::Title);
    let (list, rows) = (list(size), learn.rows());
    let skipped = first_shown(learn.place(&rows), list.height);
    for (row, line) in (0..list.height).zip(rows.iter().skip(skipped)) {
        paint_row(line, line.node == here.node, row, &mut painter.inside(list));
    }
    let (x, y) = (parts.board.right(), parts.words.y.saturating_sub(1));
    painter.inside(Rect { x, y, width: size.right().saturating_sub(x), height: 1 }).rule(y);
    painter.put(x, y, painter.appearance.line().vertical_right, Tone::Faint);
    // The whole reason is in an overlay.
    painter.inside(parts.words).texts(&reason(lobby, learn), Tone::Plain);
}

/// The reason of the value of the selected line.
pub(super) fn reason(lobby: &Lobby, learn: &Learn) -> Vec<String> {
    let row = learn.here();
    match row.branch {
        Some(branch) => words::of_move(branch, row.made),
        None => words::of_position(lobby, row.board, row.known, [learn.made(), learn.best()]),
    }
}

/// The progress of the search, or else the legend of the signs.
pub(super) fn notice(learn: &Learn) -> String {
    match (learn.question(), learn.left_out()) {
        (Some(_), _) => words::thinking(learn.searched()),
        _ if learn.is_full() => words::FULL.to_owned(),
        (None, Some((listed, all))) => words::unlisted(listed, all),
        (None, None) if learn.is_open_ended() => words::LEGEND_OF_LARGE.to_owned(),
        (None, None) => words::LEGEND.to_owned(),
    }
}

/// Paints the board of a line, or writes its position where the board has no room.
fn paint_board(lobby: &Lobby, learn: &Learn, row: &Row<'_>, painter: &mut Painter<'_>) {
    let (ply, _) = learn.plies();
    let before = || ply.checked_sub(1).and_then(|at| lobby.past().nth(at)).map(|past| past.mv);
    let last = row.branch.map_or_else(before, |branch| Some(branch.mv));
    let best = if row.branch.is_none() { learn.best().map(|best| best.mv) } else { None };
    let area = painter.area();
    let board = board::view(row.board);
    if area.width >= layout::LEAST_BOARD || board.fits(area) {
        return board.paint(&Shown { last, best, ..Shown::default() }, painter);
    }
    painter.lines(0, &wrap(&row.board.write_position(), area.width), Tone::Plain);
}

fn paint_row(row: &Row<'_>, here: bool, line: u16, painter: &mut Painter<'_>) {
    let (area, appearance) = (painter.area(), painter.appearance);
    let left = indent(row, area.width);
    let best = row.branch.is_some_and(|branch| branch.best);
    let tone = match (here, row.cut, best) {
        (true, ..) => Tone::Chosen,
        (_, true, _) => Tone::Faint,
        (_, _, true) => Tone::Notice,
        _ => Tone::Plain,
    };
    let sign = match row.open {
        _ if row.asked => appearance.ellipsis(),
        None => appearance.dot(),
        Some(true) => appearance.down(),
        Some(false) => appearance.pointer(),
    };
    let (x, y) = (area.x + left, area.y + line);
    painter.put(x, y, sign, if row.asked { Tone::Notice } else { Tone::Key });
    painter.put(x + 2, y, if best { appearance.star() } else { " " }, Tone::Notice);
    let name = row.branch.map_or_else(|| row.board.write_position(), |branch| branch.name.clone());
    let room = area.width.saturating_sub(left + 4 + VALUE + 1);
    painter.put(x + 4, y, &cut(&name, room, appearance), tone);
    painter.right(line, &value(row), if row.cut && !here { Tone::Faint } else { Tone::Plain });
}

/// `made  W  3  +1`, in columns.
fn value(row: &Row<'_>) -> String {
    let word = match (row.made, row.cut) {
        (true, _) => words::MADE,
        (_, true) => words::CUT,
        _ => "",
    };
    format!("{word:>4} {}", letters(row).unwrap_or_default())
}

/// `W  3  +1`, for the side that makes the move; at the root for the side to move.
fn letters(row: &Row<'_>) -> Option<String> {
    let turn = row.board.position().turn();
    let (known, side): (Known, Side) = match row.branch {
        Some(branch) => (branch.known?, !turn),
        None => (row.known?, turn),
    };
    let plies = match known.plies() {
        Some(plies) => plies.to_string(),
        None if known.is_open_ended() => words::HOW_SOON.to_owned(),
        None => String::new(),
    };
    Some(format!("{} {plies:>3}  {:>2}", words::letter(known), words::number(known, side)))
}
