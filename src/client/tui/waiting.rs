//! The screen while the program waits for something before there is a game: the answer of a server, or
//! hosts on the network.

use std::ops::ControlFlow;
use std::pin::Pin;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::Frame;
use ratatui::layout::Rect;

use super::app::Component;
use super::appearance::{Appearance, Tone};
use super::command::Key;
use super::message::Message;
use super::page::{self, Chrome, Left, Page};
use super::painter::{Painter, wrap};
use crate::client::Failure;
use crate::client::words::{home, waiting as words};
use crate::number::saturating;

/// The row of the first text.
const TOP: u16 = 4;

/// How a wait has ended.
#[derive(Debug)]
pub enum Waited<T> {
    /// It has come.
    Done(T),
    /// The person has given it up.
    Left(Left),
}

/// The screen of a wait, with the work that it waits for.
pub struct Waiting<'a, T> {
    chrome: Chrome,
    /// What it waits for, in a sentence.
    what: String,
    /// Giving it up leads back to the home screen.
    is_from_home: bool,
    work: Pin<Box<dyn Future<Output = Result<T, Failure>> + 'a>>,
    done: Option<T>,
}

impl<T> Component for Waiting<'_, T> {
    type Output = Waited<T>;

    fn draw(&self, frame: &mut Frame<'_>) {
        page::draw(self, frame);
    }

    async fn next(&mut self) -> Result<Message, Failure> {
        self.done = Some(self.work.as_mut().await?);
        Ok(Message::Done)
    }

    async fn update(&mut self, message: Message) -> Result<ControlFlow<Waited<T>>, Failure> {
        let end = self.done.take().map(Waited::Done);
        let end = end.or_else(|| page::update(self, &message).map(Waited::Left));
        Ok(end.map_or(ControlFlow::Continue(()), ControlFlow::Break))
    }
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
        let chrome = Chrome::new(size, appearance);
        Self { chrome, what, is_from_home, work: Box::pin(work), done: None }
    }
}

impl<T> Page for Waiting<'_, T> {
    type Output = Left;

    fn chrome(&self) -> &Chrome {
        &self.chrome
    }

    fn chrome_mut(&mut self) -> &mut Chrome {
        &mut self.chrome
    }

    fn keys(&self) -> (Vec<Key>, Rect) {
        let keys = vec![
            Key::new(KeyCode::Esc, "Esc", words::BACK),
            Key::new(KeyCode::Char('?'), "?", home::HELP),
            Key::new(KeyCode::Char('q'), "q", words::END),
        ];
        (keys, self.chrome.key_row())
    }

    fn help(&self) -> (&'static str, Vec<String>) {
        let lines = if self.is_from_home { words::ABOUT_KEYS } else { words::ABOUT_KEYS_AT_FIRST };
        (home::KEYS, lines.map(str::to_owned).into())
    }

    fn quit(&self) -> Left {
        Left::Quit
    }

    fn paint(&self, painter: &mut Painter<'_>) {
        let mut inside = painter.inside(self.chrome.area());
        inside.line(1, home::TITLE, Tone::Title);
        inside.rule(2);
        // The name of a host may be longer than a row.
        let what = wrap(&self.what, inside.area().width);
        inside.lines(TOP, &what, Tone::Notice);
        let how = if self.is_from_home { words::GIVE_UP } else { words::GIVE_UP_AND_END };
        inside.line(TOP + 1 + saturating::<u16, _>(what.len()), how, Tone::Plain);
    }

    fn press(&mut self, key: KeyEvent) -> Option<Left> {
        match key.code {
            _ if key.modifiers.contains(KeyModifiers::CONTROL) => {}
            KeyCode::Esc if self.is_from_home => return Some(Left::Back),
            KeyCode::Esc | KeyCode::Char('q') => return Some(Left::Quit),
            KeyCode::Char('?') => self.chrome.help = Some(0),
            _ => {}
        }
        None
    }
}
