//! The key bar: a row of keys to press or click.

use crossterm::event::KeyCode;
use ratatui::layout::{Position as Point, Rect};

use super::appearance::{Appearance, Tone};
use super::command::KeyCommand;
use super::keys::{self, Keys};
use super::painter::{Painter, width};

/// The columns between two keys.
const GAP: u16 = 3;

/// A key of the bar.
#[derive(Debug, Clone)]
pub(super) struct KeyHint {
    /// The key itself: a click on the bar presses it.
    pub(super) code: KeyCode,
    /// Its name.
    pub(super) name: String,
    /// What it does, in one or two words.
    pub(super) label: String,
    /// It is shown even where there is no room for all keys.
    pub(super) stays: bool,
}

impl KeyHint {
    /// A key that is always shown.
    pub(super) fn new(code: KeyCode, name: &str, label: &str) -> Self {
        Self { code, name: name.to_owned(), label: label.to_owned(), stays: true }
    }

    /// The key of a command.
    pub(super) fn of(command: &KeyCommand, keys: &Keys, appearance: Appearance) -> Self {
        let code = keys.of(command);
        let key = Self::new(code, &keys::name(code, appearance), command.label());
        Self { stays: command.stays(), ..key }
    }

    fn width(&self) -> u16 {
        width(&self.name) + 1 + width(&self.label) + GAP
    }
}

/// The keys that have room in this row, with their areas; those that stay are always among them.
fn placed(keys: Vec<KeyHint>, row: Rect) -> Vec<(Rect, KeyHint)> {
    let kept: u16 = keys.iter().filter(|key| key.stays).map(KeyHint::width).sum();
    let mut room = (row.width + GAP).saturating_sub(kept);
    let mut x = row.x;
    let mut placed = Vec::new();
    for key in keys {
        let width = key.width();
        if !key.stays {
            if width > room {
                continue;
            }
            room -= width;
        }
        placed.push((Rect { x, y: row.y, width: width - GAP, height: 1 }, key));
        x += width;
    }
    placed
}

/// The key at this position.
pub(super) fn key_at(keys: Vec<KeyHint>, row: Rect, at: Point) -> Option<KeyCode> {
    placed(keys, row).into_iter().find(|(area, _)| area.contains(at)).map(|(_, key)| key.code)
}

/// Paints the bar.
pub(super) fn paint_keys(keys: Vec<KeyHint>, row: Rect, painter: &mut Painter<'_>) {
    for (area, key) in placed(keys, row) {
        painter.put(area.x, area.y, &key.name, Tone::Key);
        painter.put(area.x + width(&key.name) + 1, area.y, &key.label, Tone::Plain);
    }
}
