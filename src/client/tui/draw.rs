//! Draws the hall and the lobby from their state and the snapshot of the session.

use ratatui::Frame;
use ratatui::layout::Rect;

use super::appearance::Tone;
use super::available_commands;
use super::board::{self, Shown};
use super::command::KeyCommand;
use super::hall;
use super::heading::{paint_goal, paint_players, paint_rules, paint_title};
use super::keys;
use super::layout;
use super::learn_panel;
use super::log::EntryKind;
use super::overlay;
use super::page::paint_small;
use super::painter::{Painter, width, wrap};
use super::state::{Input, Overlay, Purpose, State};
use super::view::View;
use crate::client::Action;
use crate::client::failure::Resumable;
use crate::client::model::MyLobby;
use crate::client::words::screen;
use crate::lobby::Lobby;
use crate::number::saturating;

/// Draws everything.
pub fn draw(state: &State, view: &View<'_>, frame: &mut Frame<'_>) {
    let area = state.size.intersection(frame.area());
    let mut painter = Painter::new(frame.buffer_mut(), area, state.appearance);
    if layout::is_small(area) {
        let asked = state.overlay.as_ref().is_some_and(Overlay::is_about_quitting);
        let then = match (asked, view.kept) {
            (false, _) => screen::UNSEEN,
            (true, Resumable::Nothing) => screen::QUIT_UNSEEN_WITHOUT_KEEPING,
            (true, _) => screen::QUIT_UNSEEN,
        };
        return paint_small(then, &mut painter);
    }
    let panel = state.record_in_panel();
    let record = panel.as_ref().map(|(end, why)| View::of_record(end, why.clone()));
    let view = record.as_ref().unwrap_or(view);
    let notice = match (view.mine(), &state.records, &state.form) {
        (Some(mine), ..) => {
            paint_lobby(state, view, mine, &mut painter);
            lobby_notice(state, view, mine)
        }
        (None, Some(records), _) => {
            records.paint(area, &mut painter);
            if records.opening.is_some() { screen::ONE_MOMENT.to_owned() } else { String::new() }
        }
        (None, None, Some(form)) => {
            form.paint(area, &mut painter);
            String::new()
        }
        (None, None, None) => {
            hall::paint(state, view, &mut painter);
            String::new()
        }
    };
    paint_notice(state, view, &notice, &mut painter);
    overlay::paint(state, view, &mut painter);
}

/// Paints the notice, or else the question and the text that is being typed, or else this. What is wrong with
/// a text is in its place until the next key.
fn paint_notice(state: &State, view: &View<'_>, otherwise: &str, painter: &mut Painter<'_>) {
    let [row, last] = available_commands::last_rows(state, view);
    if let (None, Some(input)) = (&state.notice, &state.input) {
        return paint_input(input, view, &mut painter.inside(row));
    }
    let text = state.notice.as_deref().unwrap_or(otherwise);
    // A long text has the rows down to the keys; what the game waits for has those that it leaves.
    let rows =
        saturating::<u16, _>(wrap(text, row.width).len()).clamp(1, last.y.saturating_sub(row.y).max(1));
    let mut inside = painter.inside(Rect { height: rows, ..row });
    if state.notice.is_some() || rows > 1 {
        // In a record the row has other words.
        inside.clear();
    }
    inside.texts(&[text], Tone::Notice);
    if let Some(mine) = view.mine().filter(|_| rows > 1 && state.records.is_none()) {
        let why = layout::lobby(state.size).why;
        let why = Rect { y: row.y + rows, height: why.bottom().saturating_sub(row.y + rows), ..why };
        painter.inside(why).clear();
        paint_why(state, view, mine, &mut painter.inside(why));
    }
}

/// Paints a question and the text that is being typed.
fn paint_input(Input { purpose, field }: &Input, view: &View<'_>, painter: &mut Painter<'_>) {
    let question = match *purpose {
        Purpose::Chat => screen::say(available_commands::readers(view)).to_owned(),
        Purpose::Filter => "Show only:".to_owned(),
        Purpose::Code => "Join the lobby with the code:".to_owned(),
        Purpose::Find => "Go to the move:".to_owned(),
        Purpose::File => "Write it to the file:".to_owned(),
        Purpose::Password { code, .. } => screen::password_of(code),
    };
    // In a record the row has other words.
    painter.clear();
    painter.line(0, &question, Tone::Key);
    let left = painter.area().x + width(&question) + 1;
    field.paint(left, matches!(purpose, Purpose::Password { .. }), Tone::Plain, painter);
}

/// Paints what the game waits for.
fn paint_why(state: &State, view: &View<'_>, mine: &MyLobby, painter: &mut Painter<'_>) {
    let tone = match (view.lost, view.is_open()) {
        (true, _) => Tone::Notice,
        (_, true) => Tone::Title,
        _ => Tone::Plain,
    };
    let again = KeyCommand::Act(Action::Again);
    let starts = mine.is_against_bot() && available_commands::on_screen(state, view).contains(&again);
    let key = keys::name(state.keys.of(&again), state.appearance);
    let starts = starts.then(|| screen::starts_another(&mine.lobby, &key));
    painter.texts(&[starts.as_ref().unwrap_or(&view.why)], tone);
}

/// Paints the lobby without its notice and its keys.
fn paint_lobby(state: &State, view: &View<'_>, mine: &MyLobby, painter: &mut Painter<'_>) {
    let mut parts = layout::lobby(state.size);
    if state.learn.is_some() {
        let learn = layout::learn(state.size);
        (parts.board, parts.goal) = (learn.board, learn.goal);
    }
    paint_rules(&parts, painter);
    paint_title(view, &mine.lobby, &mut painter.inside(parts.title));
    paint_players(view, &mine.lobby, &mut painter.inside(parts.players));
    paint_goal(&mine.lobby, &mut painter.inside(parts.goal));
    if let Some(learn) = &state.learn {
        learn_panel::paint(state.size, learn, &mine.lobby, painter);
    } else {
        paint_board(state, view, &mine.lobby, &mut painter.inside(parts.board));
        paint_log(state, &mut painter.inside(parts.log));
    }
    paint_why(state, view, mine, &mut painter.inside(parts.why));
}

/// What is in the row of the notice while there is none.
fn lobby_notice(state: &State, view: &View<'_>, mine: &MyLobby) -> String {
    let of_panel = state.learn.as_ref().map_or_else(String::new, |learn| learn_panel::notice(learn));
    // The end of a record stands below.
    if !of_panel.is_empty() || state.records.is_some() {
        return of_panel;
    }
    let held = view.held.map(|mv| screen::held(&mine.lobby, mv, state.board.chosen));
    held.or_else(|| screen::result(&mine.lobby, view.viewpoint())).unwrap_or_default()
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
            EntryKind::Move => Tone::Title,
            EntryKind::Event => Tone::Plain,
            EntryKind::Chat => Tone::Notice,
        };
        painter.line(row, &line, tone);
    }
}
