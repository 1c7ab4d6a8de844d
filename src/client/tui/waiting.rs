//! The screen while something is waited for before there is a game: a server that has yet to answer, or hosts that are looked
//! for. It knows neither: what is waited for goes on by itself, and keys are answered meanwhile.

use std::pin::pin;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEventKind};
use ratatui::Frame;
use ratatui::layout::{Position as Point, Rect};

use super::card::{Breadth, Card};
use super::deed::Deed;
use super::draw::small;
use super::keys::{self, Key};
use super::layout::is_small;
use super::look::{Look, Tone};
use super::message::Message;
use super::pen::{Pen, middle, wrap};
use super::records::Left;
use super::screen::Screen;
use crate::client::Failure;
use crate::client::words::{home, screen, waiting as words};

/// The line of the first word.
const TOP: u16 = 4;

/// How a wait has ended.
#[derive(Debug)]
pub enum Waited<T> {
    /// With what was waited for.
    Done(T),
    /// Somebody has given it up.
    Left(Left),
}

/// The screen of a wait.
#[derive(Debug)]
pub struct Waiting {
    size: Rect,
    look: Look,
    /// What is waited for, in a sentence.
    what: String,
    /// Whoever gives it up goes back to the first screen.
    is_from_first: bool,
    /// How many lines of the help were gone past, while it lies over the screen.
    help: Option<usize>,
}

impl Waiting {
    /// One of this size in which this is waited for.
    pub fn new(size: Rect, look: Look, what: String) -> Self {
        Self { size, look, what, is_from_first: false, help: None }
    }

    /// The same for somebody who comes from the first screen, and goes back to it.
    #[must_use]
    pub fn from_first_screen(self) -> Self {
        Self { is_from_first: true, ..self }
    }

    /// Shows it until there is what is waited for, or somebody has enough. What is typed meanwhile is for nobody else.
    pub async fn run<T>(
        mut self,
        screen: &mut Screen,
        work: impl Future<Output = Result<T, Failure>>,
    ) -> Result<Waited<T>, Failure> {
        let mut work = pin!(work);
        loop {
            screen.paint(|frame| self.draw(frame)).map_err(Failure::Output)?;
            tokio::select! {
                biased;
                message = screen.next() => {
                    if let Some(left) = self.update(&message.map_err(Failure::Output)?) {
                        return Ok(Waited::Left(left));
                    }
                }
                done = &mut work => return done.map(Waited::Done),
            }
        }
    }

    /// Takes in a message; returns how somebody gives it up, if they do.
    pub fn update(&mut self, message: &Message) -> Option<Left> {
        match *message {
            Message::Key(key) => self.press(key),
            Message::Mouse(mouse) if !is_small(self.size) => match mouse.kind {
                MouseEventKind::Down(MouseButton::Left) => {
                    self.click(Point { x: mouse.column, y: mouse.row })
                }
                _ => None,
            },
            Message::Resize(columns, lines) => {
                self.size = Rect::new(0, 0, columns, lines);
                None
            }
            _ => None,
        }
    }

    fn press(&mut self, key: KeyEvent) -> Option<Left> {
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            return (key.code == KeyCode::Char('c')).then_some(Left::Quit);
        }
        if is_small(self.size) {
            return None;
        }
        if let Some(down) = self.help {
            self.help = self.card(down).scrolled(key.code);
            return None;
        }
        self.does(key.code)
    }

    fn does(&mut self, key: KeyCode) -> Option<Left> {
        match key {
            KeyCode::Esc if self.is_from_first => Some(Left::Back),
            KeyCode::Esc | KeyCode::Char('q') => Some(Left::Quit),
            KeyCode::Char('?') | KeyCode::F(1) => {
                self.help = Some(0);
                None
            }
            _ => None,
        }
    }

    fn click(&mut self, at: Point) -> Option<Left> {
        if self.help.take().is_some() {
            return None;
        }
        keys::at(keys(), self.foot(), at).and_then(|key| self.does(key))
    }

    /// The part in which everything stands.
    fn area(&self) -> Rect {
        middle(self.size, 72.min(self.size.width.saturating_sub(2)), self.size.height)
    }

    /// The line of the keys.
    fn foot(&self) -> Rect {
        let area = self.area();
        Rect { y: area.bottom().saturating_sub(1), height: 1, ..area }
    }

    /// The help, so many lines down.
    fn card(&self, down: usize) -> Card {
        let text = if self.is_from_first { words::ABOUT_KEYS } else { words::ABOUT_KEYS_AT_FIRST };
        Card::new(self.size, home::KEYS, &text.map(str::to_owned), down, Breadth::Full)
    }

    /// Draws it.
    pub fn draw(&self, frame: &mut Frame<'_>) {
        let size = self.size.intersection(frame.area());
        let mut pen = Pen::new(frame.buffer_mut(), size, self.look);
        if is_small(size) {
            return small(screen::UNSEEN, &mut pen);
        }
        let mut inside = pen.inside(self.area());
        inside.line(1, home::TITLE, Tone::Title);
        inside.rule(2);
        // A host's name may be longer than a line.
        let what = wrap(&self.what, inside.area().width);
        for (row, line) in (TOP..).zip(&what) {
            inside.line(row, line, Tone::Notice);
        }
        let below = TOP + 1 + u16::try_from(what.len()).unwrap_or(1);
        let how = if self.is_from_first { words::GIVE_UP } else { words::GIVE_UP_AND_END };
        inside.line(below, how, Tone::Plain);
        keys::paint(keys(), self.foot(), &mut inside);
        if let Some(down) = self.help {
            let card = self.card(down);
            card.paint(&mut pen);
            let keys = card.keys();
            pen.put(keys.x, keys.y, "Esc", Tone::Key);
            pen.put(keys.x + 4, keys.y, screen::label(Deed::Close), Tone::Plain);
        }
    }
}

/// What can be done.
fn keys() -> Vec<Key<KeyCode>> {
    let key = |does, name: &str, words: &str| Key {
        does,
        name: name.to_owned(),
        words: words.to_owned(),
        stays: true,
    };
    vec![
        key(KeyCode::Esc, "Esc", words::BACK),
        key(KeyCode::Char('?'), "?", home::HELP),
        key(KeyCode::Char('q'), "q", words::END),
    ]
}
