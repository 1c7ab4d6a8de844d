//! The terminal as a screen: what is drawn on it, and what its keyboard and mouse say. It knows no game.

use std::io::{self, Stdout, stdout};
use std::thread;
use std::time::{Duration, Instant};

use crossterm::event::MouseEventKind;
use crossterm::execute;
use crossterm::terminal::{Clear, ClearType};
use ratatui::backend::CrosstermBackend;
use ratatui::layout::Rect;
use ratatui::{Frame, Terminal, TerminalOptions, Viewport};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::draw::draw;
use super::guard::Guard;
use super::message::{Message, of_terminal};
use super::state::State;
use super::view::View;

/// A terminal that is a screen while this lives.
#[derive(Debug)]
pub struct Screen {
    guard: Guard,
    terminal: Terminal<CrosstermBackend<Stdout>>,
    messages: UnboundedReceiver<io::Result<Message>>,
    /// A button of the mouse is pressed.
    held: bool,
}

/// For how long at most it is waited for a button to be let go, and how often it is looked whether that is so.
const RELEASE: (Duration, Duration) = (Duration::from_millis(400), Duration::from_millis(5));

impl Screen {
    /// Takes the terminal. In a runtime.
    pub fn open() -> io::Result<Self> {
        let guard = Guard::take()?;
        // From now on the system tells of another size of the window; the thread may begin to listen much later.
        crossterm::event::poll(Duration::ZERO)?;
        let terminal = canvas(Self::area()?)?;
        let (send, messages) = unbounded_channel();
        // The thread ends with the program: a reader that waits cannot be woken.
        thread::spawn(move || listen(&send));
        Ok(Self { guard, terminal, messages, held: false })
    }

    fn area() -> io::Result<Rect> {
        crossterm::terminal::size().map(|(columns, lines)| Rect::new(0, 0, columns, lines))
    }

    /// The columns and lines of the terminal, if there is one and it says so.
    pub fn room() -> Option<(u16, u16)> {
        crossterm::terminal::size().ok()
    }

    /// Its size.
    pub fn size(&self) -> Rect {
        Self::area().unwrap_or_default()
    }

    /// Draws what has changed.
    pub(super) fn draw(&mut self, state: &State, view: &View<'_>) -> io::Result<()> {
        self.paint(|frame| draw(state, view, frame))
    }

    /// The same of any picture.
    pub(super) fn paint(&mut self, picture: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        let area = Self::area()?;
        if self.guard.keep()? || self.terminal.get_frame().area() != area {
            self.terminal = canvas(area)?;
        }
        self.terminal.draw(picture)?;
        Ok(())
    }

    /// What the keyboard or the mouse says next.
    ///
    /// Nothing is lost if the future is dropped before it is ready.
    pub(super) async fn next(&mut self) -> io::Result<Message> {
        let ended = || Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the terminal is gone"));
        let message = self.messages.recv().await.unwrap_or_else(ended)?;
        self.note(&message);
        Ok(message)
    }

    /// The same, if it has been said already.
    pub(super) fn waiting(&mut self) -> Option<Message> {
        let message = self.messages.try_recv().ok()?.ok()?;
        self.note(&message);
        Some(message)
    }

    fn note(&mut self, message: &Message) {
        if let Message::Mouse(mouse) = message {
            self.held = matches!(mouse.kind, MouseEventKind::Down(_) | MouseEventKind::Drag(_));
        }
    }
}

impl Drop for Screen {
    /// Where a click ended the program, the button is let go of before the terminal is given back: whoever reads that next, such
    /// as a shell, would take what is said of it for something that was typed.
    fn drop(&mut self) {
        let (most, pause) = RELEASE;
        let end = Instant::now() + most;
        while self.held && Instant::now() < end {
            if self.waiting().is_none() {
                thread::sleep(pause);
            }
        }
    }
}

/// An empty screen of this size. It is not asked where its cursor is, as one that finds its size by itself would be: the
/// answer would be read by whoever listens to the keyboard.
fn canvas(area: Rect) -> io::Result<Terminal<CrosstermBackend<Stdout>>> {
    execute!(stdout(), Clear(ClearType::All))?;
    let options = TerminalOptions { viewport: Viewport::Fixed(area) };
    Terminal::with_options(CrosstermBackend::new(stdout()), options)
}

/// Passes on what the terminal says, until nobody listens or nothing more can be read.
fn listen(send: &UnboundedSender<io::Result<Message>>) {
    loop {
        let message = match crossterm::event::read() {
            Ok(event) => match of_terminal(&event) {
                Some(message) => Ok(message),
                None => continue,
            },
            Err(error) => Err(error),
        };
        let ends = message.is_err();
        if send.send(message).is_err() || ends {
            return;
        }
    }
}
