//! What the screens before and beside a game have in common: a key bar, a notice, a help popup, and a
//! mouse. Such a screen implements [`Page`], and [`update`] and [`draw`] do the rest.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use ratatui::Frame;
use ratatui::layout::{Position as Point, Rect};

use super::appearance::{Appearance, Tone};
use super::command::{Command, Key, key_at, paint_keys};
use super::layout::{self, LEAST};
use super::message::Message;
use super::painter::{Painter, middle, width, wrap};
use super::popup::{Popup, Width};
use super::text_field::TextField;
use crate::client::words::screen;

/// How a person leaves a screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Left {
    /// Back to the screen before.
    Back,
    /// The program ends.
    Quit,
}

/// The state that all pages have.
#[derive(Debug, Clone)]
pub struct Chrome {
    pub(super) size: Rect,
    pub(super) appearance: Appearance,
    /// Shown until the next key.
    pub(super) notice: Option<String>,
    /// How far the help is scrolled, while it is open.
    pub(super) help: Option<usize>,
}

impl Chrome {
    pub(super) fn new(size: Rect, appearance: Appearance) -> Self {
        Self { size, appearance, notice: None, help: None }
    }

    /// The area of a narrow page.
    pub(super) fn area(&self) -> Rect {
        middle(self.size, 72.min(self.size.width.saturating_sub(2)), self.size.height)
    }

    /// The row for the keys of a narrow page.
    pub(super) fn key_row(&self) -> Rect {
        let area = self.area();
        Rect { y: area.bottom().saturating_sub(1), height: 1, ..area }
    }
}

/// A screen with keys at its bottom and a help.
pub(super) trait Page {
    /// What the page ends with.
    type Output;

    fn chrome(&self) -> &Chrome;

    fn chrome_mut(&mut self) -> &mut Chrome;

    /// The keys of the bar, and its row.
    fn keys(&self) -> (Vec<Key>, Rect);

    /// The title and the lines of the help.
    fn help(&self) -> (&'static str, Vec<String>);

    /// The key that the line of the help with this index is about, for a click on it.
    fn key_in_help(&self, _line: usize) -> Option<KeyCode> {
        None
    }

    /// What Ctrl-C ends it with.
    fn quit(&self) -> Self::Output;

    /// Paints everything but the key bar and the help.
    fn paint(&self, painter: &mut Painter<'_>);

    /// A key is pressed while the help is closed.
    fn press(&mut self, key: KeyEvent) -> Option<Self::Output>;

    /// A click elsewhere.
    fn click(&mut self, _at: Point) -> Option<Self::Output> {
        None
    }

    /// The wheel turns by this many rows.
    fn scroll(&mut self, _rows: isize) -> Option<Self::Output> {
        None
    }
}

fn help<P: Page>(page: &P, scroll: usize) -> Popup {
    let (title, lines) = page.help();
    Popup::new(page.chrome().size, title, &lines, scroll, Width::Full)
}

/// Takes a message from the terminal; returns what the page ends with, if it ends.
pub(super) fn update<P: Page>(page: &mut P, message: &Message) -> Option<P::Output> {
    let is_small = layout::is_small(page.chrome().size);
    match *message {
        Message::Key(key) if is_control(key, 'c') => Some(page.quit()),
        Message::Key(key) if !is_small => press(page, key),
        Message::Mouse(mouse) if !is_small => touch(page, mouse),
        Message::Resize(columns, rows) => {
            page.chrome_mut().size = Rect::new(0, 0, columns, rows);
            None
        }
        _ => None,
    }
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

fn press<P: Page>(page: &mut P, key: KeyEvent) -> Option<P::Output> {
    page.chrome_mut().notice = None;
    if let Some(scroll) = page.chrome().help {
        page.chrome_mut().help = rows_of(key.code).map(|rows| help(page, scroll).scrolled_by(rows));
        return None;
    }
    if key.code == KeyCode::F(1) {
        page.chrome_mut().help = Some(0);
        return None;
    }
    page.press(key)
}

fn touch<P: Page>(page: &mut P, mouse: MouseEvent) -> Option<P::Output> {
    if mouse.kind == MouseEventKind::Down(MouseButton::Left) {
        return click(page, Point { x: mouse.column, y: mouse.row });
    }
    let rows = rows_of_wheel(mouse.kind)?;
    let Some(scroll) = page.chrome().help else { return page.scroll(rows) };
    page.chrome_mut().help = Some(help(page, scroll).scrolled_by(rows));
    None
}

fn click<P: Page>(page: &mut P, at: Point) -> Option<P::Output> {
    page.chrome_mut().notice = None;
    if let Some(scroll) = page.chrome_mut().help.take() {
        let line = help(page, scroll).line_at(at)?;
        let key = page.key_in_help(line)?;
        return press(page, key.into());
    }
    let (keys, row) = page.keys();
    match key_at(keys, row, at) {
        Some(key) => press(page, key.into()),
        None => page.click(at),
    }
}

/// Draws the page.
pub(super) fn draw<P: Page>(page: &P, frame: &mut Frame<'_>) {
    let Chrome { size, appearance, help: scroll, .. } = *page.chrome();
    let area = size.intersection(frame.area());
    let mut painter = Painter::new(frame.buffer_mut(), area, appearance);
    if layout::is_small(painter.area()) {
        return paint_small(screen::UNSEEN, &mut painter);
    }
    page.paint(&mut painter);
    let (keys, row) = page.keys();
    paint_keys(keys, row, &mut painter);
    if let Some(scroll) = scroll {
        let popup = help(page, scroll);
        popup.paint(&mut painter);
        paint_keys(vec![Key::of(&Command::Close, appearance)], popup.key_row(), &mut painter);
    }
}

/// Says that the terminal is too small, and what can be done then.
pub(super) fn paint_small(then: &str, painter: &mut Painter<'_>) {
    let area = painter.area();
    let words = format!("{} {then}", screen::too_small((area.width, area.height), LEAST));
    painter.lines(0, &wrap(&words, area.width), Tone::Plain);
}

/// Paints the notice, or else the question and the text that is typed, with stars for a secret one, or else
/// this. What is wrong with a text is in its place until the next key.
pub(super) fn paint_notice(
    notice: Option<&str>,
    input: Option<(&str, &TextField, bool)>,
    otherwise: &str,
    painter: &mut Painter<'_>,
) {
    match (notice, input) {
        (None, Some((question, field, secret))) => {
            let area = painter.area();
            painter.put(area.x, area.y, question, Tone::Key);
            field.paint(area.x + width(question) + 1, secret, Tone::Plain, painter);
        }
        (notice, _) => painter.line(0, notice.unwrap_or(otherwise), Tone::Notice),
    }
}
