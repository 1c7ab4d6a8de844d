//! The learn panel on the screen: the board of the line on which one is, the tree beside it, and below that what is to be
//! said of it.

use ratatui::layout::{Position as Point, Rect};

use crate::client::model::MyLobby;
use crate::client::tui::board::{self, Shown};
use crate::client::tui::hall::first;
use crate::client::tui::layout;
use crate::client::tui::learn::{Learn, Row};
use crate::client::tui::look::Tone;
use crate::client::tui::pen::{Pen, cut, wrap};
use crate::client::tui::state::State;
use crate::client::words::learn as words;
use crate::game::{Game, Side};
use crate::lobby::Lobby;
use crate::study::Known;

/// The columns of a worth: a word for what is cut or made, the letter, the plies, the number.
const WORTH: u16 = 15;

/// The columns by which each level is moved in.
const LEVEL: u16 = 2;

/// The part of the lines of the tree, below its heading.
fn list(size: Rect) -> Rect {
    let tree = layout::learn(size).tree;
    Rect { y: tree.y + 1, height: tree.height.saturating_sub(1), ..tree }
}

/// The lines that are shown, the first one on top.
fn shown(learn: &Learn, height: u16) -> Vec<Row<'_>> {
    let rows = learn.rows();
    let skipped = first(learn.place(&rows), height);
    rows.into_iter().skip(skipped).take(height.into()).collect()
}

/// The position at a place of the screen, and whether that place is the sign that opens and closes it.
pub(in crate::client::tui) fn row_at(learn: &Learn, size: Rect, at: Point) -> Option<(usize, bool)> {
    let list = list(size);
    let rows = shown(learn, list.height);
    let row = rows.get(usize::from(at.y.checked_sub(list.y)?)).filter(|_| list.contains(at))?;
    let sign = list.x + indent(row, list.width);
    Some((row.node, (sign..sign + 2).contains(&at.x)))
}

/// Whether there is no room beside the board for all that is to be said of a line.
pub(in crate::client::tui) fn is_cut(learn: &Learn, lobby: &Lobby, size: Rect) -> bool {
    let words = layout::learn(size).words;
    let lines = said(lobby, learn).iter().map(|text| wrap(text, words.width).len()).sum::<usize>();
    lines > words.height.into()
}

/// How far a line is moved in; those far down no further than that their moves can be read.
fn indent(row: &Row<'_>, room: u16) -> u16 {
    (row.depth.saturating_mul(LEVEL)).min(room.saturating_sub(WORTH) / 2)
}

/// Draws the board, the tree, and what there is to say.
pub(super) fn paint(state: &State, learn: &Learn, mine: &MyLobby, pen: &mut Pen<'_>) {
    let parts = layout::learn(state.size);
    let here = learn.here();
    paint_board(&mine.lobby, learn, &here, &mut pen.inside(parts.board));
    let mut tree = pen.inside(parts.tree);
    tree.line(0, &words::about(&mine.lobby, learn.plies()), Tone::Title);
    let list = list(state.size);
    for (row, line) in (0..).zip(shown(learn, list.height)) {
        paint_row(&line, line.node == here.node, row, &mut pen.inside(list));
    }
    let y = parts.words.y.saturating_sub(1);
    let edge = parts.board.right();
    pen.inside(Rect { x: edge, y, width: pen.area().right().saturating_sub(edge), height: 1 }).rule(0);
    pen.put(edge, y, pen.look.line().vertical_right, Tone::Faint);
    let mut below = pen.inside(parts.words);
    // What has no room is read by a key of its own.
    below.texts(&said(&mine.lobby, learn), Tone::Plain);
}

/// What there is to say of the line on which one is.
pub(in crate::client::tui) fn said(lobby: &Lobby, learn: &Learn) -> Vec<String> {
    let row = learn.here();
    match row.branch {
        Some(branch) => words::of_move(branch, row.made),
        None => words::of_position(lobby, row.board, row.known, [learn.made(), learn.best()]),
    }
}

/// What is worth looking at below: how far a thought has come, or else what the signs are.
pub(super) fn notice(learn: &Learn) -> String {
    match (learn.question(), learn.left_out()) {
        (Some(_), _) => words::thinking(learn.looked()),
        (None, Some((unlisted, other))) => words::unlisted(unlisted.listed, unlisted.all, &other),
        (None, None) if learn.is_open_ended() => words::LEGEND_OF_LARGE.to_owned(),
        (None, None) => words::LEGEND.to_owned(),
    }
}

/// The board of a line. Where there is no room for it, the position is written.
fn paint_board(lobby: &Lobby, learn: &Learn, row: &Row<'_>, pen: &mut Pen<'_>) {
    let (ply, _) = learn.plies();
    let before = || ply.checked_sub(1).and_then(|at| lobby.past().nth(at)).map(|past| past.mv);
    let last = row.branch.map_or_else(before, |branch| Some(branch.mv));
    let best = if row.branch.is_none() { learn.best().map(|best| best.mv) } else { None };
    let shown = Shown { last, best, ..Shown::default() };
    let area = pen.area();
    let plane = board::plane(row.board);
    if area.width >= layout::LEAST_BOARD || plane.fits(area) {
        return plane.paint(&shown, pen);
    }
    for (line, part) in (0..area.height).zip(wrap(&row.board.write_position(), area.width)) {
        pen.line(line, &part, Tone::Plain);
    }
}

fn paint_row(row: &Row<'_>, here: bool, line: u16, pen: &mut Pen<'_>) {
    let (area, look) = (pen.area(), pen.look);
    let left = indent(row, area.width);
    let best = row.branch.is_some_and(|branch| branch.best);
    let tone = match (here, row.cut, best) {
        (true, ..) => Tone::Chosen,
        (_, true, _) => Tone::Faint,
        (_, _, true) => Tone::Notice,
        _ => Tone::Plain,
    };
    let sign = match row.open {
        _ if row.asked => look.ellipsis(),
        None => look.dot(),
        Some(true) => look.opened(),
        Some(false) => look.pointer(),
    };
    let (x, y) = (area.x + left, area.y + line);
    pen.put(x, y, sign, if row.asked { Tone::Notice } else { Tone::Key });
    pen.put(x + 2, y, if best { look.star() } else { " " }, Tone::Notice);
    let name = row.branch.map_or_else(|| row.board.write_position(), |branch| branch.name.clone());
    let room = area.width.saturating_sub(left + 4 + WORTH + 1);
    pen.put(x + 4, y, &cut(&name, room, look), tone);
    pen.right(line, &worth(row), if row.cut && !here { Tone::Faint } else { Tone::Plain });
}

/// `made  W  3  +1`, in columns.
fn worth(row: &Row<'_>) -> String {
    let word = match (row.made, row.cut) {
        (true, _) => words::MADE,
        (_, true) => words::CUT,
        _ => "",
    };
    format!("{word:>4} {}", letters(row).unwrap_or_default())
}

/// `W  3  +1`: for whoever makes the move, or is to move in the position that the tree is about.
fn letters(row: &Row<'_>) -> Option<String> {
    let (known, side): (Known, Side) = match row.branch {
        Some(branch) => (branch.known?, mover(row)),
        None => (row.known?, row.board.turn()),
    };
    let plies = match known.plies() {
        Some(plies) => plies.to_string(),
        None if known.is_open_ended() => words::HOW_SOON.to_owned(),
        None => String::new(),
    };
    Some(format!("{} {plies:>3}  {:>2}", words::letter(known), words::number(known, side)))
}

/// Who makes the move that leads to a line: in all these games the sides move in turn.
fn mover(row: &Row<'_>) -> Side {
    !row.board.position().turn()
}
