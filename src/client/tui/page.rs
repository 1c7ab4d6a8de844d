//! What all screens have in common: the keys of lists, the key bar of a narrow page, and what is shown where
//! the terminal is too small.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseEventKind};
use ratatui::layout::Rect;

use super::appearance::Tone;
use super::layout::LEAST;
use super::painter::{Painter, middle, wrap};
use crate::client::words::screen;

/// Where a person goes from a screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Back to the screen before.
    Back,
    /// The program ends.
    Quit,
}

/// The area of a narrow page on a screen of this size.
pub(super) fn narrow(size: Rect) -> Rect {
    middle(size, 72.min(size.width.saturating_sub(2)), size.height)
}

/// The row for the keys of a narrow page.
pub(super) fn narrow_key_row(size: Rect) -> Rect {
    let area = narrow(size);
    Rect { y: area.bottom().saturating_sub(1), height: 1, ..area }
}

/// Whether a key is this letter with the control key.
pub(super) fn is_control(key: KeyEvent, letter: char) -> bool {
    key.modifiers.contains(KeyModifiers::CONTROL) && key.code == KeyCode::Char(letter)
}

/// A key without its capital; a space is Enter.
pub(super) fn lower(key: KeyCode) -> KeyCode {
    match key {
        KeyCode::Char(' ') => KeyCode::Enter,
        KeyCode::Char(letter) => KeyCode::Char(letter.to_ascii_lowercase()),
        other => other,
    }
}

/// The rows of a page.
const PAGE: isize = 8;

/// The rows by which a key goes down a list.
pub(super) fn rows_of(key: KeyCode) -> Option<isize> {
    Some(match key {
        KeyCode::Up => -1,
        KeyCode::Down => 1,
        KeyCode::PageUp => -PAGE,
        KeyCode::PageDown => PAGE,
        KeyCode::Home => isize::MIN,
        KeyCode::End => isize::MAX,
        _ => return None,
    })
}

/// The rows by which the wheel goes down a list where it goes slowly.
pub(super) fn rows_of_wheel(kind: MouseEventKind) -> Option<isize> {
    match kind {
        MouseEventKind::ScrollUp => Some(-1),
        MouseEventKind::ScrollDown => Some(1),
        _ => None,
    }
}

/// Says that the terminal is too small, and what can be done then.
pub(super) fn paint_small(then: &str, painter: &mut Painter<'_>) {
    let area = painter.area();
    let words = format!("{} {then}", screen::too_small((area.width, area.height), LEAST));
    painter.lines(0, &wrap(&words, area.width), Tone::Plain);
}
