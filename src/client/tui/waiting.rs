//! The screen of a wait before a game: for the answer of a server, or for hosts on the network.

use std::ops::ControlFlow;
use std::pin::Pin;

use crossterm::event::{KeyCode, KeyModifiers, MouseButton, MouseEventKind};
use ratatui::Frame;
use ratatui::layout::{Position as Point, Rect};

use super::app::Component;
use super::appearance::{Appearance, Tone};
use super::key_bar::{KeyHint, key_at, paint_keys};
use super::layout;
use super::message::Message;
use super::page::{Exit, is_control, narrow, narrow_key_row, paint_small};
use super::painter::{Painter, wrap};
use crate::client::Failure;
use crate::client::words::{home, nearby as words, screen};
use crate::number::saturating;

/// The row of the first text.
const TOP: u16 = 4;

/// How a wait has ended.
#[derive(Debug)]
pub enum Waited<T> {
    /// The work is done.
    Done(T),
    /// The person has cancelled it.
    Left(Exit),
}

/// The screen of a wait, with the work that it waits for.
pub struct Waiting<'a, T> {
    size: Rect,
    appearance: Appearance,
    /// The sentence that says what it waits for.
    what: String,
    /// Cancelling leads back to the home screen.
    is_from_home: bool,
    work: Pin<Box<dyn Future<Output = Result<T, Failure>> + 'a>>,
    done: Option<T>,
}

impl<'a, T> Waiting<'a, T> {
    /// The screen of this size that says what it waits for.
    pub fn new(
        size: Rect,
        appearance: Appearance,
        what: String,
        is_from_home: bool,
        work: impl Future<Output = Result<T, Failure>> + 'a,
    ) -> Self {
        Self { size, appearance, what, is_from_home, work: Box::pin(work), done: None }
    }

    /// How a key leaves the screen.
    fn press(&self, key: KeyCode) -> Option<Exit> {
        match key {
            KeyCode::Esc if self.is_from_home => Some(Exit::Back),
            KeyCode::Esc | KeyCode::Char('q') => Some(Exit::Quit),
            _ => None,
        }
    }
}

fn keys() -> Vec<KeyHint> {
    let back = KeyHint::new(KeyCode::Esc, "Esc", "give up");
    vec![back, KeyHint::new(KeyCode::Char('q'), "q", "quit")]
}

impl<T> Component for Waiting<'_, T> {
    type Output = Waited<T>;

    fn draw(&self, frame: &mut Frame<'_>) {
        let area = self.size.intersection(frame.area());
        let mut painter = Painter::new(frame.buffer_mut(), area, self.appearance);
        if layout::is_small(area) {
            return paint_small(screen::UNSEEN, &mut painter);
        }
        let mut inside = painter.inside(narrow(area));
        inside.line(1, home::TITLE, Tone::Title);
        inside.rule(2);
        // The name of a host may be longer than a row.
        let what = wrap(&self.what, inside.area().width);
        inside.lines(TOP, &what, Tone::Notice);
        let how = if self.is_from_home { words::GIVE_UP } else { words::GIVE_UP_AND_END };
        inside.line(TOP + 1 + saturating::<u16, _>(what.len()), how, Tone::Plain);
        paint_keys(keys(), narrow_key_row(area), &mut painter);
    }

    async fn next(&mut self) -> Result<Message, Failure> {
        self.done = Some(self.work.as_mut().await?);
        Ok(Message::Done)
    }

    fn update(&mut self, message: Message) -> Result<ControlFlow<Waited<T>>, Failure> {
        if let Some(done) = self.done.take() {
            return Ok(ControlFlow::Break(Waited::Done(done)));
        }
        let left = match message {
            Message::Key(key) if is_control(key, 'c') => Some(Exit::Quit),
            Message::Resize(columns, rows) => {
                self.size = Rect::new(0, 0, columns, rows);
                None
            }
            _ if layout::is_small(self.size) => None,
            Message::Key(key) if key.modifiers.contains(KeyModifiers::CONTROL) => None,
            Message::Key(key) => self.press(key.code),
            Message::Mouse(mouse) if mouse.kind == MouseEventKind::Down(MouseButton::Left) => {
                let at = Point { x: mouse.column, y: mouse.row };
                key_at(keys(), narrow_key_row(self.size), at).and_then(|key| self.press(key))
            }
            _ => None,
        };
        Ok(left.map_or(ControlFlow::Continue(()), |left| ControlFlow::Break(Waited::Left(left))))
    }
}
