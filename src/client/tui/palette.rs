//! The list of all actions that are possible now, filtered by a typed text. Each shows its name, its key and
//! what it does.

use crossterm::event::{KeyCode, KeyEvent, MouseButton, MouseEventKind};
use ratatui::layout::{Position as Point, Rect};

use super::appearance::Tone;
use super::command::KeyCommand;
use super::keys::{self, Keys};
use super::layout;
use super::page::{rows_of, rows_of_wheel};
use super::painter::{Painter, middle, width};
use super::text_field::TextField;
use crate::client::words::screen;
use crate::number::saturating;

/// The largest size.
const WIDEST: u16 = 76;
const TALLEST: u16 = 20;

/// The columns between the frame and the text, on both sides.
const MARGIN: u16 = 2;

/// The rows without actions.
const EDGES: u16 = 6;

/// The largest number of bytes of the typed text.
const MOST: usize = 40;

/// The list.
#[derive(Debug, Clone, Default)]
pub struct Palette {
    field: TextField,
    at: usize,
}

/// A command in the list, and what it does now.
#[derive(Debug)]
pub(super) struct ListedCommand {
    pub(super) command: KeyCommand,
    pub(super) meaning: &'static str,
}

/// What a key or a click in the list does.
#[derive(Debug)]
pub(super) enum Picked {
    /// The list stays open.
    Nothing,
    /// The list is closed.
    Close,
    /// This command is run.
    Command(KeyCommand),
}

impl Palette {
    /// The commands whose name, label or meaning contains the typed text.
    fn found<'a>(&self, commands: &'a [ListedCommand]) -> Vec<&'a ListedCommand> {
        let typed = self.field.text().trim().to_lowercase();
        let has = |text: &str| text.to_lowercase().contains(&typed);
        let is_named = |listed: &&ListedCommand| has(listed.command.name()) || has(listed.command.label());
        let (named, others): (Vec<_>, Vec<_>) = commands.iter().partition(is_named);
        named.into_iter().chain(others.into_iter().filter(|listed| has(listed.meaning))).collect()
    }

    fn pick(&self, commands: &[ListedCommand]) -> Picked {
        let picked = self.found(commands).get(self.at).map(|listed| listed.command.clone());
        picked.map_or(Picked::Nothing, Picked::Command)
    }

    fn step(&mut self, down: isize, commands: &[ListedCommand]) {
        self.at = self.at.saturating_add_signed(down).min(self.found(commands).len().saturating_sub(1));
    }

    /// Takes a key.
    pub(super) fn press(&mut self, key: KeyEvent, commands: &[ListedCommand]) -> Picked {
        match (key.code, rows_of(key.code)) {
            (KeyCode::Esc, _) => return Picked::Close,
            (KeyCode::Enter, _) => return self.pick(commands),
            (KeyCode::Tab, _) => self.step(1, commands),
            (KeyCode::BackTab, _) => self.step(-1, commands),
            (_, Some(rows)) => self.step(rows, commands),
            _ => {
                self.field.press(key, MOST);
                self.at = 0;
            }
        }
        Picked::Nothing
    }

    /// Takes a mouse event on a screen of this size. A click on a line does it, one outside closes the list.
    pub(super) fn touch(
        &mut self,
        kind: MouseEventKind,
        at: Point,
        size: Rect,
        commands: &[ListedCommand],
    ) -> Picked {
        if kind != MouseEventKind::Down(MouseButton::Left) {
            self.step(rows_of_wheel(kind).unwrap_or(0), commands);
            return Picked::Nothing;
        }
        if !area(size, commands.len()).contains(at) {
            return Picked::Close;
        }
        let line = layout::line_at(list(size, commands.len()), self.at, at)
            .filter(|line| *line < self.found(commands).len());
        line.map_or(Picked::Nothing, |line| {
            self.at = line;
            self.pick(commands)
        })
    }

    /// Paints it without its keys.
    pub(super) fn paint(
        &self,
        size: Rect,
        commands: &[ListedCommand],
        keys: &Keys,
        painter: &mut Painter<'_>,
    ) {
        let mut painter = painter.inside(area(size, commands.len()));
        painter.clear();
        painter.frame(screen::ALL_ACTIONS);
        let mut list = painter.inside(list(size, commands.len()));
        let found = self.found(commands);
        if found.is_empty() {
            list.line(0, screen::NO_SUCH_ACTION, Tone::Faint);
        }
        let appearance = list.appearance;
        let line = |ListedCommand { command, meaning }: &&ListedCommand| {
            let key = keys::name(keys.of(command), appearance);
            (format!("{:<14}{key:<6}{meaning}", command.name()), Tone::Plain)
        };
        list.list(found.iter().map(line), self.at);
        let mut typed = painter.inside(Rect {
            y: area(size, commands.len()).y + 1,
            height: 1,
            ..columns(size, commands.len())
        });
        let x = typed.area().x;
        typed.line(0, screen::FIND_ACTION, Tone::Key);
        self.field.paint(x + width(screen::FIND_ACTION) + 1, false, Tone::Plain, &mut typed);
    }
}

/// The area of the list with its frame, where this many actions are possible.
fn area(size: Rect, count: usize) -> Rect {
    let tall = saturating::<u16, _>(count).saturating_add(EDGES).min(TALLEST);
    middle(size, WIDEST.min(size.width.saturating_sub(4)), tall.min(size.height))
}

/// The columns for text.
fn columns(size: Rect, count: usize) -> Rect {
    let area = area(size, count);
    Rect { x: area.x + MARGIN, width: area.width.saturating_sub(2 * MARGIN), ..area }
}

/// The rows of the actions: below the frame, the typed text and a free row, above a free row and the keys.
fn list(size: Rect, count: usize) -> Rect {
    let area = columns(size, count);
    Rect { y: area.y + 3, height: area.height.saturating_sub(EDGES), ..area }
}

/// The row for its keys.
pub(super) fn key_row(size: Rect, count: usize) -> Rect {
    let area = columns(size, count);
    Rect { y: area.bottom().saturating_sub(2), height: 1, ..area }
}
