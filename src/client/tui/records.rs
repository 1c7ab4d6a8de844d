//! Games that were played, for whoever looks through them: the list, and one of them at a time. It knows neither where they are
//! kept nor any session: what is wanted of them goes out as errands, and comes back as answers.

mod act;
mod book;
mod errand;
mod librarian;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::{Position as Point, Rect};

pub use act::Act;
pub(super) use book::Book;
pub use errand::{Answer, Errand};
pub(super) use librarian::Librarian;

use super::draw::{games, reading};
use super::layout;
use super::look::Look;
use super::message::{Command, Message};
use super::screen::Screen;
use crate::client::Failure;
use crate::client::record_source::{Library, Listed};
use crate::client::records::Found;
use crate::client::words::{records as words, screen};
use crate::record::Record;

/// How many lines a page has.
const PAGE: isize = 8;

/// How many lines the wheel goes by.
const WHEEL: isize = 3;

/// The longest name of a file that is typed.
const LONGEST: usize = 200;

/// Why somebody looks at records no more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Left {
    /// They go back to where they came from.
    Back,
    /// They have enough.
    Quit,
}

/// What follows from a message.
#[derive(Debug)]
pub enum Follows {
    /// This is to be done.
    Commands(Vec<Command>),
    /// That was all.
    Left(Left),
}

/// The games, and where in them one is.
#[derive(Debug)]
pub struct Records {
    pub(super) size: Rect,
    pub(super) look: Look,
    /// Whose games they are, as a heading.
    pub(super) title: String,
    /// What there is, once that is known.
    pub(super) listed: Option<Listed>,
    /// The line on which one is.
    pub(super) at: usize,
    /// The game that was asked for, and has not come yet.
    pub(super) opening: Option<String>,
    /// The game that is open.
    pub(super) book: Option<Box<Book>>,
    /// The name of a file that is being typed.
    pub(super) typing: Option<String>,
    /// What is worth looking at until the next key.
    pub(super) notice: Option<String>,
    /// How many lines of the help were gone past, while it lies over the screen.
    pub(super) help: Option<usize>,
}

impl Records {
    /// Those under this heading, of which nothing is known yet; and what is to be done about that.
    pub fn new(size: Rect, look: Look, title: String) -> (Self, Command) {
        let (listed, opening, book) = (None, None, None);
        let (typing, notice, help) = (None, None, None);
        let records = Self { size, look, title, listed, at: 0, opening, book, typing, notice, help };
        (records, Command::Read(Errand::List))
    }

    /// Shows those of a library until somebody has seen enough.
    pub async fn run(
        size: Rect,
        look: Look,
        title: String,
        library: std::sync::Arc<dyn Library>,
        screen: &mut Screen,
    ) -> Result<Left, Failure> {
        let (mut records, first) = Self::new(size, look, title);
        let mut librarian = Librarian::of(library);
        librarian.obey(first);
        loop {
            screen.paint(|frame| records.draw(frame)).map_err(Failure::Output)?;
            let message = tokio::select! {
                message = screen.next() => message.map_err(Failure::Output)?,
                message = librarian.next() => message,
            };
            match records.update(message) {
                Follows::Commands(commands) => {
                    for command in commands {
                        librarian.obey(command);
                    }
                }
                Follows::Left(left) => return Ok(left),
            }
        }
    }

    /// The size of the screen.
    pub fn size(&self) -> Rect {
        self.size
    }

    /// The line on which one is.
    pub(super) fn here(&self) -> Option<&Found> {
        self.listed.as_ref()?.games.get(self.at)
    }

    /// Takes in a message.
    pub fn update(&mut self, message: Message) -> Follows {
        if let Message::Resize(columns, lines) = message {
            self.size = Rect::new(0, 0, columns, lines);
        }
        match (&mut self.book, message) {
            // The list and the files are not for the tree.
            (Some(book), message) if book.is_in_tree() && !matches!(message, Message::Read(_)) => {
                sifted(book.in_tree(message))
            }
            (_, message) => self.take_in(message),
        }
    }

    fn take_in(&mut self, message: Message) -> Follows {
        match message {
            Message::Key(key) => self.press(key),
            Message::Mouse(mouse) => self.touch(mouse),
            Message::Read(answer) => self.take(answer),
            _ => self.judge(),
        }
    }

    fn take(&mut self, answer: Answer) -> Follows {
        match answer {
            Answer::Listed(Ok(listed)) => {
                self.notice = (!listed.complaints.is_empty()).then(|| listed.complaints.join(" "));
                self.at = self.at.min(listed.games.len().saturating_sub(1));
                self.listed = Some(listed);
            }
            Answer::Listed(Err(why)) => {
                (self.listed, self.notice) = (Some(Listed::default()), Some(why));
            }
            // Whoever went away meanwhile does not want it any more.
            Answer::Opened(ref name, _) if self.opening.as_ref() != Some(name) => {}
            Answer::Opened(_, Ok(record)) => {
                (self.opening, self.book) = (None, Some(Box::new(Book::of(*record))));
            }
            Answer::Opened(_, Err(why)) => (self.opening, self.notice) = (None, Some(why)),
            Answer::Written(path, Ok(())) => self.notice = Some(words::written(&path)),
            Answer::Written(path, Err(error)) => {
                self.notice = Some(words::not_written(&path, &error));
                self.typing = Some(path.display().to_string());
            }
            Answer::Looked(step, looked) => {
                if let Some(book) = &mut self.book {
                    book.note(step, looked);
                }
            }
            Answer::Judged(step, worth) => {
                if let Some(book) = &mut self.book {
                    book.judged(step, worth);
                }
            }
        }
        self.judge()
    }

    /// What has to be found out now about the move on which one is.
    fn judge(&mut self) -> Follows {
        let errand = self.book.as_mut().and_then(|book| book.wants());
        Follows::Commands(errand.map(Command::Read).into_iter().collect())
    }

    fn press(&mut self, key: KeyEvent) -> Follows {
        let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
        if is_control && key.code == KeyCode::Char('c') {
            return Follows::Left(Left::Quit);
        }
        if layout::is_small(self.size) || is_control && key.code != KeyCode::Char('u') {
            return self.judge();
        }
        self.notice = None;
        if let Some(down) = self.help {
            self.help = games::scrolled(self, down, key.code);
            return self.judge();
        }
        if is_control {
            self.typing.as_mut().map(String::clear);
            return self.judge();
        }
        if key.code == KeyCode::F(1) {
            return self.carry_out(Act::HelpInText);
        }
        if self.typing.is_some() {
            return self.write(key.code);
        }
        let key = match key.code {
            KeyCode::Char(' ') => KeyCode::Enter,
            KeyCode::Char(letter) => KeyCode::Char(letter.to_ascii_lowercase()),
            other => other,
        };
        match self.acts().into_iter().find(|act| act.key() == key) {
            Some(act) => self.carry_out(act),
            None => self.go(key),
        }
    }

    /// What can be done now, what matters most first.
    pub(super) fn acts(&self) -> Vec<Act> {
        if self.typing.is_some() {
            return vec![Act::Enter, Act::Drop, Act::HelpInText];
        }
        let mut acts = match (&self.book, self.here()) {
            (Some(book), _) if book.has_tree() => vec![Act::Learn, Act::Write],
            (Some(_), _) => vec![Act::Write],
            (None, Some(_)) => vec![Act::Open],
            (None, None) => Vec::new(),
        };
        acts.extend([Act::Back, Act::Help, Act::Quit]);
        acts
    }

    fn carry_out(&mut self, act: Act) -> Follows {
        match (act, &mut self.book) {
            (Act::Open, _) => {
                self.opening = self.here().map(|found| found.name.clone());
                let errand = self.opening.clone().map(Errand::Open);
                return Follows::Commands(errand.map(Command::Read).into_iter().collect());
            }
            (Act::Learn, Some(book)) => {
                return sifted(book.learn(self.size, self.look));
            }
            (Act::Write, Some(book)) => self.typing = Some(words::file_name(book.record())),
            (Act::Enter | Act::Drop, _) => return self.write(act.key()),
            (Act::Help | Act::HelpInText, _) => self.help = Some(0),
            (Act::Quit, _) => return Follows::Left(Left::Quit),
            (Act::Back, Some(_)) => {
                self.book = None;
                return Follows::Commands(vec![Command::Read(Errand::Rest)]);
            }
            // Whoever waits for a game waits no more.
            (Act::Back, None) if self.opening.is_some() => self.opening = None,
            (Act::Back, None) => return Follows::Left(Left::Back),
            (Act::Learn | Act::Write, None) => {}
        }
        self.judge()
    }

    /// A key that goes through the list, or through a game.
    fn go(&mut self, key: KeyCode) -> Follows {
        let down = match key {
            KeyCode::Up => -1,
            KeyCode::Down => 1,
            // A game goes to the right too.
            KeyCode::Left if self.book.is_some() => -1,
            KeyCode::Right | KeyCode::Enter if self.book.is_some() => 1,
            KeyCode::PageUp => -PAGE,
            KeyCode::PageDown => PAGE,
            KeyCode::Home => isize::MIN,
            KeyCode::End => isize::MAX,
            KeyCode::Char(_) => {
                self.notice = Some(screen::NO_SUCH_KEY.to_owned());
                0
            }
            _ => 0,
        };
        self.step(down)
    }

    fn step(&mut self, down: isize) -> Follows {
        if let Some(book) = &mut self.book {
            book.step(down);
        } else {
            let last = self.listed.as_ref().map_or(0, |listed| listed.games.len().saturating_sub(1));
            self.at = self.at.saturating_add_signed(down).min(last);
        }
        self.judge()
    }

    /// A key for the name of a file.
    fn write(&mut self, key: KeyCode) -> Follows {
        let Some(text) = &mut self.typing else { return self.judge() };
        match key {
            KeyCode::Char(letter) if text.len() < LONGEST => text.push(letter),
            KeyCode::Backspace => {
                text.pop();
            }
            KeyCode::Esc => self.typing = None,
            KeyCode::Enter => {
                let path =
                    self.typing.take().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
                let record: Option<&Record> = self.book.as_ref().map(|book| book.record());
                let errand =
                    path.zip(record).map(|(path, record)| Errand::Write(path.into(), record.to_string()));
                return Follows::Commands(errand.map(Command::Read).into_iter().collect());
            }
            _ => {}
        }
        self.judge()
    }

    fn touch(&mut self, mouse: MouseEvent) -> Follows {
        if layout::is_small(self.size) {
            return self.judge();
        }
        let down = match mouse.kind {
            MouseEventKind::ScrollUp => -1,
            MouseEventKind::ScrollDown => 1,
            MouseEventKind::Down(MouseButton::Left) => {
                return self.click(Point { x: mouse.column, y: mouse.row });
            }
            _ => return self.judge(),
        };
        if let Some(lines) = self.help {
            let key = if down < 0 { KeyCode::Up } else { KeyCode::Down };
            self.help = games::scrolled(self, lines, key);
            return self.judge();
        }
        // In a game a turn of the wheel is a move.
        self.step(if self.book.is_some() { down } else { down * WHEEL })
    }

    /// A click on a key does what it does, and one on a line goes there; in the list a second one opens it.
    fn click(&mut self, at: Point) -> Follows {
        self.notice = None;
        if let Some(down) = self.help.take() {
            let act = games::act_in_help(self, down, at);
            return match act {
                Some(act) => self.carry_out(act),
                None => self.judge(),
            };
        }
        if let Some(act) = games::act_at(self, at) {
            return self.carry_out(act);
        }
        if self.typing.is_some() {
            return self.judge();
        }
        let row = match &self.book {
            Some(book) => reading::row_at(book, self.size, at),
            None => games::row_at(self, at),
        };
        let Some(row) = row else { return self.judge() };
        match &mut self.book {
            Some(book) => book.go(row),
            None if self.at == row => return self.carry_out(Act::Open),
            None => self.at = row,
        }
        self.judge()
    }
}

/// What the tree of a game wants; whoever quits there has enough of all.
fn sifted(commands: Vec<Command>) -> Follows {
    if commands.iter().any(|command| matches!(command, Command::Quit | Command::End)) {
        return Follows::Left(Left::Quit);
    }
    Follows::Commands(commands)
}
