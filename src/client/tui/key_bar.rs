//! A row of keys with what they do, to be pressed or clicked.

use ratatui::layout::{Position as Point, Rect};

use super::appearance::{Appearance, Tone};
use super::command::Command;
use super::painter::{Painter, width};

/// The columns between two keys.
const GAP: u16 = 3;

/// A key of the bar.
#[derive(Debug, Clone)]
pub(super) struct Key<T> {
    /// What it does.
    pub(super) does: T,
    /// Its name.
    pub(super) name: String,
    /// What it does, in one or two words.
    pub(super) label: String,
    /// It is shown even where there is no room for all keys.
    pub(super) stays: bool,
}

impl Key<Command> {
    /// The key of a command.
    pub(super) fn of(command: Command, appearance: Appearance) -> Self {
        let name = command.key_name(appearance);
        Self { does: command, name, label: command.label().to_owned(), stays: command.stays() }
    }
}

impl<T> Key<T> {
    fn width(&self) -> u16 {
        width(&self.name) + 1 + width(&self.label) + GAP
    }
}

/// The keys that have room in this row, with their areas; those that stay are always among them.
fn placed<T>(keys: Vec<Key<T>>, row: Rect) -> Vec<(Rect, Key<T>)> {
    let kept: u16 = keys.iter().filter(|key| key.stays).map(Key::width).sum();
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

/// What the key at this position does.
pub(super) fn at<T>(keys: Vec<Key<T>>, row: Rect, at: Point) -> Option<T> {
    placed(keys, row).into_iter().find(|(area, _)| area.contains(at)).map(|(_, key)| key.does)
}

/// Paints the bar.
pub(super) fn paint<T>(keys: Vec<Key<T>>, row: Rect, painter: &mut Painter<'_>) {
    for (area, key) in placed(keys, row) {
        painter.put(area.x, area.y, &key.name, Tone::Key);
        painter.put(area.x + width(&key.name) + 1, area.y, &key.label, Tone::Plain);
    }
}
