//! The third screen of the tutorial: a small tree that the pupil opens and closes.

use crossterm::event::KeyCode;
use ratatui::layout::{Position as Point, Rect};

use super::page::{Page, enter};
use crate::client::learn::Learn;
use crate::client::tui::appearance::Appearance;
use crate::client::tui::key_bar::KeyHint;
use crate::client::tui::learn_panel;
use crate::client::tui::page::rows_of;
use crate::client::tui::painter::Painter;
use crate::client::tutorial::{moves, root};
use crate::client::words::tutorial as words;

/// The tree.
#[derive(Debug)]
pub(super) struct TreePage(Learn);

impl TreePage {
    /// The tree with its root open.
    pub(super) fn new() -> Self {
        let mut page = Self(Learn::about(root()));
        page.search();
        page
    }

    /// Finds the moves of all open positions.
    fn search(&mut self) {
        while let Some(node) = self.0.tree.wanted(self.0.at) {
            let found = moves(&self.0.tree.node(node).board);
            self.0.take(node, found);
        }
    }
}

impl Page for TreePage {
    fn lesson(&self) -> String {
        words::TREE.to_owned()
    }

    fn paint(&self, painter: &mut Painter<'_>) {
        let (list, row) = parts(painter.area());
        let first = words::first_line(&self.0.tree.node(0).board);
        let below = learn_panel::paint_list(&self.0, &first, list, painter);
        painter.more_below(row, below);
    }

    fn said(&self) -> Vec<String> {
        let board = &self.0.tree.node(self.0.at).board;
        [words::of_node(board, moves(board).as_ref()), words::LEGEND.to_owned()].into()
    }

    fn keys(&self, appearance: Appearance) -> Vec<KeyHint> {
        let right = KeyHint::new(KeyCode::Right, appearance.sign("→", "Right"), "open");
        let left = KeyHint::new(KeyCode::Left, appearance.sign("←", "Left"), "close");
        vec![right, left, KeyHint { stays: false, ..enter(appearance, "open below") }]
    }

    fn press(&mut self, key: KeyCode) {
        match key {
            KeyCode::Right => self.0.open(),
            KeyCode::Left => self.0.close(),
            KeyCode::Enter => self.0.deepen(),
            key => {
                if let Some(rows) = rows_of(key) {
                    self.0.step(rows);
                }
            }
        }
        self.search();
    }

    fn click(&mut self, area: Rect, at: Point) {
        if let Some((number, on_sign)) = learn_panel::line_at(&self.0, parts(area).0, at) {
            self.0.at = number;
            if on_sign {
                self.0.toggle();
            }
        }
        self.search();
    }
}

/// The list, and the row below it that says how many lines follow.
fn parts(area: Rect) -> (Rect, u16) {
    let height = area.height.saturating_sub(1);
    (Rect { height, ..area }, height)
}
