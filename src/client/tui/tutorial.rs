//! The tutorial: three screens that are played with the keys.

mod exercise;
mod game;
mod page;
mod puzzles;
mod tree;

use std::ops::ControlFlow;

use crossterm::event::{KeyCode, KeyModifiers, MouseButton, MouseEventKind};
use ratatui::Frame;
use ratatui::layout::{Position as Point, Rect};

use super::app::Component;
use super::appearance::{Appearance, Tone};
use super::command::KeyCommand;
use super::key_bar::{KeyHint, key_at, paint_keys};
use super::keys::Keys;
use super::layout;
use super::message::Message;
use super::page::{is_control, lower, narrow, narrow_key_row, paint_small, rows_of};
use super::painter::{Painter, wrap};
use super::popup::Popup;
use crate::client::Failure;
use crate::client::words::{screen, tutorial as words};
use crate::number::saturating;
use game::GamePage;
use page::Page;
use puzzles::PuzzlePage;
use tree::TreePage;

/// The rows for what is said below the board.
const SAID: u16 = 4;

/// The row of the lesson.
const LESSON: u16 = 2;

/// The tutorial. It ends when the pupil quits.
pub struct Tutorial {
    size: Rect,
    appearance: Appearance,
    pages: [Box<dyn Page>; 3],
    at: usize,
    /// Shown until the next key.
    notice: Option<&'static str>,
    /// The first row of the help that is shown, while it is open.
    help: Option<usize>,
}

impl Tutorial {
    /// The tutorial at its first screen.
    pub fn new(size: Rect, appearance: Appearance) -> Self {
        let pages: [Box<dyn Page>; 3] =
            [Box::new(GamePage::new()), Box::new(PuzzlePage::new()), Box::new(TreePage::new())];
        Self { size, appearance, pages, at: 0, notice: None, help: None }
    }

    fn page(&self) -> &dyn Page {
        &*self.pages[self.at]
    }

    /// The lesson in lines, and the areas of the board and of what is said below it.
    fn parts(&self) -> (Vec<String>, Rect, Rect) {
        let area = narrow(self.size);
        let lesson = wrap(&self.page().lesson(), area.width);
        let top = area.y + LESSON + saturating::<u16, _>(lesson.len()) + 1;
        let said = Rect { y: area.bottom().saturating_sub(SAID + 1), height: SAID, ..area };
        let board = Rect { y: top, height: said.y.saturating_sub(top), ..area };
        (lesson, board, said)
    }

    /// What is said below the board.
    fn said(&self) -> Vec<String> {
        self.notice.map_or_else(|| self.page().said(), |notice| vec![notice.to_owned()])
    }

    fn popup(&self, scroll: usize) -> Popup {
        Popup::new(self.size, words::HELP, &words::ABOUT_KEYS.map(str::to_owned), scroll)
    }

    fn keys(&self) -> Vec<KeyHint> {
        let key = |letter: char, label: &str| KeyHint::new(KeyCode::Char(letter), &letter.to_string(), label);
        let next = (self.at + 1 < self.pages.len()).then(|| key('n', "next screen"));
        let back = (self.at > 0).then(|| key('b', "back"));
        self.page()
            .keys(self.appearance)
            .into_iter()
            .chain(next)
            .chain(back)
            .chain([KeyHint { stays: false, ..key('?', "help") }, key('q', "quit")])
            .collect()
    }

    /// Takes a key. Returns whether the pupil quits.
    fn press(&mut self, key: KeyCode) -> bool {
        if let Some(scroll) = self.help {
            self.help = rows_of(key).map(|rows| self.popup(scroll).scrolled_by(rows));
            return false;
        }
        let notice = self.notice.take();
        match lower(key) {
            KeyCode::Char('q') => return true,
            KeyCode::Char('?') | KeyCode::F(1) => self.help = Some(0),
            KeyCode::Esc if notice == Some(words::QUIT) => return true,
            KeyCode::Esc if self.at == 0 => self.notice = Some(words::QUIT),
            KeyCode::Esc => self.at -= 1,
            KeyCode::Char('n') | KeyCode::Tab if self.at + 1 == self.pages.len() => {
                self.notice = Some(words::THAT_WAS_ALL);
            }
            KeyCode::Char('n') | KeyCode::Tab => self.at += 1,
            KeyCode::Char('b') | KeyCode::BackTab => self.at = self.at.saturating_sub(1),
            key => self.pages[self.at].press(key),
        }
        false
    }

    fn click(&mut self, at: Point) -> bool {
        if self.help.take().is_some() {
            return false;
        }
        if let Some(key) = key_at(self.keys(), narrow_key_row(self.size), at) {
            return self.press(key);
        }
        let (_, board, _) = self.parts();
        self.pages[self.at].click(board, at);
        false
    }
}

impl Component for Tutorial {
    type Output = ();

    fn draw(&self, frame: &mut Frame<'_>) {
        let area = self.size.intersection(frame.area());
        let mut painter = Painter::new(frame.buffer_mut(), area, self.appearance);
        if layout::is_small(area) {
            return paint_small(screen::UNSEEN, &mut painter);
        }
        let (lesson, board, said) = self.parts();
        let mut inside = painter.inside(narrow(area));
        inside.line(0, &words::heading(self.at), Tone::Title);
        inside.rule(1);
        inside.lines(LESSON, &lesson, Tone::Plain);
        self.page().paint(&mut painter.inside(board));
        painter.inside(said).texts(&self.said(), Tone::Notice);
        paint_keys(self.keys(), narrow_key_row(area), &mut painter);
        if let Some(popup) = self.help.map(|scroll| self.popup(scroll)) {
            popup.paint(&mut painter);
            let close = KeyHint::of(&KeyCommand::Close, &Keys::default(), self.appearance);
            paint_keys(vec![close], popup.key_row(), &mut painter);
        }
    }

    async fn next(&mut self) -> Result<Message, Failure> {
        std::future::pending().await
    }

    fn update(&mut self, message: Message) -> Result<ControlFlow<()>, Failure> {
        let quits = match message {
            Message::Key(key) if is_control(key, 'c') => true,
            Message::Resize(columns, rows) => {
                self.size = Rect::new(0, 0, columns, rows);
                false
            }
            _ if layout::is_small(self.size) => false,
            Message::Key(key) if key.modifiers.contains(KeyModifiers::CONTROL) => false,
            Message::Key(key) => self.press(key.code),
            Message::Mouse(mouse) if mouse.kind == MouseEventKind::Down(MouseButton::Left) => {
                self.click(Point { x: mouse.column, y: mouse.row })
            }
            _ => false,
        };
        Ok(if quits { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }
}
