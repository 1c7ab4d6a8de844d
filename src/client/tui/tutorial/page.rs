//! What the screens of the tutorial have in common.

use crossterm::event::KeyCode;
use ratatui::layout::{Position as Point, Rect};

use crate::client::tui::appearance::Appearance;
use crate::client::tui::key_bar::KeyHint;
use crate::client::tui::painter::Painter;

/// A screen of the tutorial.
pub(super) trait Page {
    /// What it teaches.
    fn lesson(&self) -> String;

    /// Paints the board or the tree.
    fn paint(&self, painter: &mut Painter<'_>);

    /// What is said about what the pupil did.
    fn said(&self) -> Vec<String>;

    /// Its own keys.
    fn keys(&self, appearance: Appearance) -> Vec<KeyHint>;

    /// Takes a key, in lower case; a space is Enter.
    fn press(&mut self, key: KeyCode);

    /// Takes a click, with the board in this area.
    fn click(&mut self, area: Rect, at: Point);
}

/// The name of Enter in the key bar.
pub(super) fn enter(appearance: Appearance, label: &str) -> KeyHint {
    KeyHint::new(KeyCode::Enter, appearance.sign("⏎", "Enter"), label)
}
