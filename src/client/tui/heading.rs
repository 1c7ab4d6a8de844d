//! What surrounds a board: the rules between the parts of the screen, the title and the players.

use ratatui::layout::Rect;

use super::appearance::{Appearance, Tone};
use super::board;
use super::layout::LobbyLayout;
use super::painter::{Painter, cut, width};
use super::view::View;
use crate::client::session::ConnectionStatus;
use crate::client::words::{self, screen};
use crate::game::Side;
use crate::lobby::{Lobby, Phase};

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
pub(super) fn paint_title(view: &View<'_>, lobby: &Lobby, painter: &mut Painter<'_>) {
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
    let company: Vec<_> =
        screen::company(lobby, view.viewpoint()).filter(|parts| !parts.is_empty()).collect();
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

/// Paints who wins.
pub(super) fn paint_goal(lobby: &Lobby, painter: &mut Painter<'_>) {
    painter.texts(&[lobby.variant().goal()], Tone::Notice);
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
    let you = screen::you(is_you, moves && !lobby.is_paused());
    let room = area.right().saturating_sub(x + width(you) + width(&clock) + 1);
    // Whose turn it is has to be seen, whatever else is said below.
    let name = cut(&words::sitter(lobby, side), room, appearance) + you;
    painter.put(x, area.y, &name, if moves { Tone::Title } else { Tone::Plain });
    painter.right(0, &clock, if moves { Tone::Notice } else { Tone::Plain });
}
