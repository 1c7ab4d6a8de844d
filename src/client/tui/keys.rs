//! A line of keys: what can be done, each with its key, to be pressed or clicked. It knows nothing of what they do.

use ratatui::layout::{Position as Point, Rect};

use super::look::Tone;
use super::pen::{Pen, width};

/// The columns between two keys.
const BETWEEN: u16 = 3;

/// A key that is shown.
#[derive(Debug, Clone)]
pub(super) struct Key<T> {
    /// What it does.
    pub(super) does: T,
    /// What it is called.
    pub(super) name: String,
    /// What it does, in a word or two.
    pub(super) words: String,
    /// It is shown also where there is not room for all.
    pub(super) stays: bool,
}

impl<T> Key<T> {
    fn wide(&self) -> u16 {
        width(&self.name) + 1 + width(&self.words) + BETWEEN
    }
}

/// The keys with their places on a line, as far as they have room; those that stay are there in any case.
pub(super) fn placed<T>(keys: Vec<Key<T>>, line: Rect) -> Vec<(Rect, Key<T>)> {
    let kept: u16 = keys.iter().filter(|key| key.stays).map(Key::wide).sum();
    let mut room = (line.width + BETWEEN).saturating_sub(kept);
    let mut x = line.x;
    let mut placed = Vec::new();
    for key in keys {
        let wide = key.wide();
        if !key.stays {
            if wide > room {
                continue;
            }
            room -= wide;
        }
        placed.push((Rect { x, y: line.y, width: wide - BETWEEN, height: 1 }, key));
        x += wide;
    }
    placed
}

/// What the key does that is shown at this place.
pub(super) fn at<T>(keys: Vec<Key<T>>, line: Rect, at: Point) -> Option<T> {
    placed(keys, line).into_iter().find(|(area, _)| area.contains(at)).map(|(_, key)| key.does)
}

/// Draws the line.
pub(super) fn paint<T>(keys: Vec<Key<T>>, line: Rect, pen: &mut Pen<'_>) {
    for (area, key) in placed(keys, line) {
        pen.put(area.x, area.y, &key.name, Tone::Key);
        pen.put(area.x + width(&key.name) + 1, area.y, &key.words, Tone::Plain);
    }
}
