//! Draws the hall and the lobby from their state and the snapshot of the session.

use ratatui::Frame;
use ratatui::layout::Rect;

use super::appearance::{Appearance, Tone};
use super::board::{self, Shown};
use super::hall;
use super::layout::{self, LobbyLayout};
use super::learn_panel;
use super::log::Kind;
use super::overlay;
use super::page::{self, paint_small};
use super::painter::{Painter, cut, middle, width, wrap};
use super::state::{Input, Overlay, Purpose, State};
use super::view::View;
use crate::client::model::MyLobby;
use crate::client::session::ConnectionStatus;
use crate::client::words::{self, screen};
use crate::game::Side;
use crate::lobby::{Lobby, Phase};
use crate::number::saturating;

/// Draws everything.
pub fn draw(state: &State, view: &View<'_>, frame: &mut Frame<'_>) {
    let area = state.size.intersection(frame.area());
    let mut painter = Painter::new(frame.buffer_mut(), area, state.appearance);
    if layout::is_small(area) {
        let asked = state.overlay.as_ref().is_some_and(Overlay::is_about_quitting);
        let then = match (asked, view.lost) {
            (false, _) => screen::UNSEEN,
            (true, false) => screen::QUIT_UNSEEN,
            (true, true) => screen::QUIT_UNSEEN_WHILE_LOST,
        };
        return paint_small(then, &mut painter);
    }
    if let Some(mine) = view.mine() {
        paint_lobby(state, view, mine, &mut painter);
        let notice = lobby_notice(state, view, mine);
        paint_notice(state, &notice, &mut painter.inside(layout::lobby(area).notice));
    } else {
        if view.arriving && view.model.hall().is_empty() {
            paint_arriving(view, &mut painter);
        } else {
            hall::paint(state, view, &mut painter);
        }
        paint_notice(state, "", &mut painter.inside(layout::hall(area).notice));
    }
    overlay::paint(state, view, &mut painter);
}

/// There is nothing to show yet, and perhaps a reason for it.
fn paint_arriving(view: &View<'_>, painter: &mut Painter<'_>) {
    let words = if view.why.is_empty() { screen::ONE_MOMENT } else { &view.why };
    let area = painter.area();
    let lines = wrap(words, area.width.saturating_sub(4));
    let mut inside = painter.inside(middle(area, area.width, saturating(lines.len())));
    for (row, line) in (0..).zip(&lines) {
        inside.centred(row, line, Tone::Faint);
    }
}

/// Paints the notice, the text that is being typed, or else this.
fn paint_notice(state: &State, otherwise: &str, painter: &mut Painter<'_>) {
    let question = |purpose: Purpose| match purpose {
        Purpose::Chat => screen::SAY.to_owned(),
        Purpose::Filter => screen::FILTER.to_owned(),
        Purpose::Find => words::learn::FIND.to_owned(),
        Purpose::Password { code, .. } => screen::password_of(code),
    };
    let question = state.input.as_ref().map(|input| question(input.purpose)).unwrap_or_default();
    let secret = |input: &Input| matches!(input.purpose, Purpose::Password { .. });
    let input = state.input.as_ref().map(|input| (&*question, &input.field, secret(input)));
    page::paint_notice(state.notice.as_deref(), input, otherwise, painter);
}

/// Paints the lobby without its notice and its keys.
fn paint_lobby(state: &State, view: &View<'_>, mine: &MyLobby, painter: &mut Painter<'_>) {
    let mut parts = layout::lobby(state.size);
    if state.learn.is_some() {
        parts.board = layout::learn(state.size).board;
    }
    paint_rules(&parts, painter);
    paint_title(view, &mine.lobby, &mut painter.inside(parts.title));
    paint_players(view, &mine.lobby, &mut painter.inside(parts.players));
    if let Some(learn) = &state.learn {
        learn_panel::paint(state.size, learn, &mine.lobby, painter);
    } else {
        paint_board(state, view, &mine.lobby, &mut painter.inside(parts.board));
        paint_log(state, &mut painter.inside(parts.log));
    }
    let tone = match (view.lost, view.is_open()) {
        (true, _) => Tone::Notice,
        (_, true) => Tone::Title,
        _ => Tone::Plain,
    };
    painter.inside(parts.why).texts(&[&view.why], tone);
}

/// What is in the row of the notice while there is none.
fn lobby_notice(state: &State, view: &View<'_>, mine: &MyLobby) -> String {
    if let Some(learn) = &state.learn {
        return learn_panel::notice(learn);
    }
    let held = view.held.map(|mv| screen::held(&mine.lobby, mv, state.board.chosen));
    held.or_else(|| screen::result(&mine.lobby, view.eyes)).unwrap_or_default()
}

/// Paints the rules between the parts, and the one beside the board.
pub(super) fn paint_rules(parts: &LobbyLayout, painter: &mut Painter<'_>) {
    let (line, x) = (painter.appearance.line(), parts.board.right());
    for y in parts.board.top()..parts.board.bottom() {
        painter.put(x, y, line.vertical, Tone::Faint);
    }
    let Some([first, top, foot]) = parts.rules else { return };
    for y in [first, top, foot] {
        painter.rule(y);
    }
    painter.put(x, top, line.horizontal_down, Tone::Faint);
    painter.put(x, foot, line.horizontal_up, Tone::Faint);
}

/// The game and the lobby, and on the right what else has room.
fn paint_title(view: &View<'_>, lobby: &Lobby, painter: &mut Painter<'_>) {
    let area = painter.area();
    let title = screen::title(lobby, painter.appearance.dot());
    let room = area.width.saturating_sub(width(&title) + 2);
    let end = end_of_title(view, lobby, room, painter.appearance);
    let troubled = matches!(view.link, Some(ConnectionStatus::Silent(_) | ConnectionStatus::Lost));
    painter.right(0, &end, if troubled { Tone::Notice } else { Tone::Faint });
    let area = Rect { width: area.width.saturating_sub(width(&end) + 2), ..area };
    painter.inside(area).line(0, &title, Tone::Title);
}

/// The first of these that has room: watchers, score and connection; fewer of them; the connection alone. A
/// short status of the connection is better than no score. A lost connection is shown below the board too.
fn end_of_title(view: &View<'_>, lobby: &Lobby, room: u16, appearance: Appearance) -> String {
    let mut company = screen::company(lobby);
    company.retain(|parts| !parts.is_empty());
    let between = format!(" {} ", appearance.dot());
    let joined = |parts: &[String], link: Option<String>| {
        parts.iter().cloned().chain(link).collect::<Vec<_>>().join(&between)
    };
    let links = || [view.link.map(screen::link), view.link.map(screen::link_in_short)];
    let with_link = company.iter().flat_map(|parts| links().map(|link| joined(parts, link)));
    let without = company.iter().map(|parts| joined(parts, None)).filter(|_| view.lost);
    let mut all = with_link.chain(without).chain(links().map(|link| joined(&[], link)));
    all.find(|end| width(end) <= room).unwrap_or_else(|| joined(&[], view.link.map(screen::link)))
}

/// Paints both players: who is to move, the stones, the name with its marks, and the clock.
pub(super) fn paint_players(view: &View<'_>, lobby: &Lobby, painter: &mut Painter<'_>) {
    let area = painter.area();
    let half = area.width / 2;
    for (at, side) in (0..).zip(Side::BOTH) {
        let part = Rect { x: area.x + at * half, width: half.saturating_sub(2), ..area };
        paint_player(view, lobby, side, &mut painter.inside(part));
    }
}

fn paint_player(view: &View<'_>, lobby: &Lobby, side: Side, painter: &mut Painter<'_>) {
    let (area, appearance) = (painter.area(), painter.appearance);
    let moves = lobby.phase() == Phase::Playing && lobby.to_move().is_some() && lobby.board().turn() == side;
    painter.put(area.x, area.y, if moves { appearance.pointer() } else { " " }, Tone::Notice);
    let sign = board::sign(lobby.board(), side, appearance);
    painter.put(area.x + 2, area.y, sign, Tone::Of(side));
    let x = area.x + if sign.is_empty() { 2 } else { 4 };
    let clock = view.clocks.as_ref().map(|clocks| clocks[side].clone()).unwrap_or_default();
    let is_you = view.mine().is_some_and(|mine| !mine.is_for_two() && mine.side() == Some(side));
    let name = words::sitter(lobby, side) + if is_you { " (you)" } else { "" };
    let room = area.right().saturating_sub(x + width(&clock) + 1);
    let name = cut(&name, room, appearance);
    painter.put(x, area.y, &name, if moves { Tone::Title } else { Tone::Plain });
    painter.right(0, &clock, if moves { Tone::Notice } else { Tone::Plain });
}

fn paint_board(state: &State, view: &View<'_>, lobby: &Lobby, painter: &mut Painter<'_>) {
    if lobby.games() == 0 {
        return;
    }
    let shown = Shown {
        chosen: state.board.chosen,
        open: view.is_open(),
        last: lobby.past().last().map(|past| past.mv),
        best: state.board.hint.map(|(_, mv)| mv),
        drag: state.board.drag.as_ref(),
        fall: state.board.fall,
    };
    board::view(lobby.board()).paint(&shown, painter);
}

fn paint_log(state: &State, painter: &mut Painter<'_>) {
    let area = painter.area();
    for (row, (kind, line)) in (0..).zip(state.log.lines(area.width, area.height)) {
        let tone = match kind {
            Kind::Move => Tone::Title,
            Kind::Event => Tone::Plain,
            Kind::Chat => Tone::Notice,
        };
        painter.line(row, &line, tone);
    }
}
