//! A lobby on the screen: who plays, the board, what was told, and what is waited for.

use crate::client::model::MyLobby;
use crate::client::session::ConnectionStatus;
use crate::client::tui::bar;
use crate::client::tui::board::{self, Shown};
use crate::client::tui::layout::{self, Table};
use crate::client::tui::log::Kind;
use crate::client::tui::look::{Look, Tone};
use crate::client::tui::pen::{Pen, cut, width};
use crate::client::tui::state::State;
use crate::client::tui::view::View;
use crate::client::words::{self, screen};
use crate::game::Side;
use crate::lobby::{Lobby, Phase};
use ratatui::layout::Rect;

/// Draws the lobby.
pub(super) fn paint(state: &State, view: &View<'_>, mine: &MyLobby, pen: &mut Pen<'_>) {
    let mut parts = layout::table(state.size);
    if state.learn.is_some() {
        parts.board = layout::learn(state.size).board;
    }
    paint_rules(&parts, pen);
    paint_title(view, &mine.lobby, &mut pen.inside(parts.title));
    paint_players(view, &mine.lobby, &mut pen.inside(parts.players));
    let otherwise = if let Some(learn) = &state.learn {
        super::learn::paint(state, learn, mine, pen);
        Some(super::learn::notice(learn))
    } else {
        paint_board(state, view, &mine.lobby, &mut pen.inside(parts.board));
        paint_log(state, &mut pen.inside(parts.log));
        let held = view.held.map(|mv| screen::held(&mine.lobby, mv, state.table.chosen));
        held.or_else(|| screen::result(&mine.lobby, view.eyes))
    };
    super::paint_typing(state, otherwise.as_deref(), &mut pen.inside(parts.notice));
    paint_why(view, &mut pen.inside(parts.why));
    if state.over.is_none() {
        bar::paint(state, view, &mut pen.inside(parts.keys));
    }
}

/// The lines between the parts: one below the title, and one above and below the board with a third one beside it.
pub(super) fn paint_rules(parts: &Table, pen: &mut Pen<'_>) {
    let (look, x) = (pen.look, parts.board.right());
    for y in parts.board.top()..parts.board.bottom() {
        pen.put(x, y, look.line().vertical, Tone::Faint);
    }
    let Some([first, top, foot]) = parts.rules else { return };
    let left = pen.area().x;
    let rows =
        [(first, None), (top, Some(look.line().horizontal_down)), (foot, Some(look.line().horizontal_up))];
    for (y, cross) in rows {
        let row = Rect { x: left, y, width: pen.area().width, height: 1 };
        pen.inside(row).rule(0);
        if let Some(cross) = cross {
            pen.put(x, y, cross, Tone::Faint);
        }
    }
}

/// What is played where, and at the other end what else there is to be known of it, as far as there is room.
fn paint_title(view: &View<'_>, lobby: &Lobby, pen: &mut Pen<'_>) {
    let title = screen::title(lobby, pen.look.dot());
    let room = pen.area().width.saturating_sub(width(&title) + 2);
    let end = end_of_title(view, lobby, room, pen.look);
    let troubled = matches!(view.link, Some(ConnectionStatus::Silent(_) | ConnectionStatus::Lost));
    let tone = if troubled { Tone::Notice } else { Tone::Faint };
    pen.right(0, &end, tone);
    let area = Rect { width: pen.area().width.saturating_sub(width(&end) + 2), ..pen.area() };
    pen.inside(area).line(0, &title, Tone::Title);
}

/// As much of what else there is to be known as has room: rather how near the server is in a word less than the score not at
/// all. That the connection is lost stands below the board too.
fn end_of_title(view: &View<'_>, lobby: &Lobby, room: u16, look: Look) -> String {
    let mut company = screen::company(lobby);
    company.retain(|parts| !parts.is_empty());
    let between = format!(" {} ", look.dot());
    let of = |parts: &[String], link: Option<String>| {
        parts.iter().cloned().chain(link).collect::<Vec<_>>().join(&between)
    };
    let links = || [view.link.map(screen::link), view.link.map(screen::link_in_short)];
    let with_link = company.iter().flat_map(|parts| links().map(|link| of(parts, link)));
    let without = company.iter().map(|parts| of(parts, None)).filter(|_| view.lost);
    let mut all = with_link.chain(without).chain(links().map(|link| of(&[], link)));
    all.find(|end| width(end) <= room).unwrap_or_else(|| of(&[], view.link.map(screen::link)))
}

/// Both players beside each other: who is to move, which stones, the name with all its marks, and the clock.
pub(super) fn paint_players(view: &View<'_>, lobby: &Lobby, pen: &mut Pen<'_>) {
    let area = pen.area();
    let half = area.width / 2;
    for (at, side) in (0..).zip(Side::BOTH) {
        let part = Rect { x: area.x + at * half, width: half.saturating_sub(2), ..area };
        paint_player(view, lobby, side, &mut pen.inside(part));
    }
}

fn paint_player(view: &View<'_>, lobby: &Lobby, side: Side, pen: &mut Pen<'_>) {
    let (area, look) = (pen.area(), pen.look);
    let moves = lobby.phase() == Phase::Playing && lobby.to_move().is_some() && lobby.board().turn() == side;
    pen.put(area.x, area.y, if moves { look.pointer() } else { " " }, Tone::Notice);
    let sign = board::sign(lobby.board(), side, look);
    pen.put(area.x + 2, area.y, sign, Tone::Of(side));
    let x = area.x + if sign.is_empty() { 2 } else { 4 };
    let clock = view.clocks.as_ref().map(|clocks| clocks[side].clone()).unwrap_or_default();
    let is_you = view.mine().is_some_and(|mine| !view.two && mine.side() == Some(side));
    let name = words::sitter(lobby, side) + if is_you { " (you)" } else { "" };
    let room = area.right().saturating_sub(x + width(&clock) + 1);
    pen.put(x, area.y, &cut(&name, room, look), if moves { Tone::Title } else { Tone::Plain });
    pen.right(0, &clock, if moves { Tone::Notice } else { Tone::Plain });
}

fn paint_board(state: &State, view: &View<'_>, lobby: &Lobby, pen: &mut Pen<'_>) {
    if lobby.games() == 0 {
        return;
    }
    let table = &state.table;
    let shown = Shown {
        chosen: table.chosen,
        open: view.is_open(),
        last: lobby.past().last().map(|past| past.mv),
        best: table.hint.map(|(_, mv)| mv),
        drag: table.drag.as_ref(),
        fall: table.fall.map(|(fall, _)| fall),
    };
    board::plane(lobby.board()).paint(&shown, pen);
}

fn paint_log(state: &State, pen: &mut Pen<'_>) {
    let area = pen.area();
    for (row, (kind, line)) in (0..).zip(state.log.lines(area.width, area.height)) {
        let tone = match kind {
            Kind::Move => Tone::Title,
            Kind::Told => Tone::Plain,
            Kind::Said => Tone::Notice,
        };
        pen.line(row, &line, tone);
    }
}

fn paint_why(view: &View<'_>, pen: &mut Pen<'_>) {
    let tone = match (view.lost, view.is_open()) {
        (true, _) => Tone::Notice,
        (_, true) => Tone::Title,
        _ => Tone::Plain,
    };
    pen.texts(&[&view.why], tone);
}
