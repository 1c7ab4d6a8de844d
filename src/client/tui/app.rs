//! The application: the terminal, and the one event loop that runs every screen on it.

use std::io::{self, Stdout, stdout};
use std::ops::ControlFlow;
use std::thread;
use std::time::{Duration, Instant};

use crossterm::event::MouseEventKind;
use crossterm::execute;
use crossterm::terminal::{Clear, ClearType};
use ratatui::backend::CrosstermBackend;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::{Frame, Terminal, TerminalOptions, Viewport};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time;

use super::guard::{self, Guard};
use super::message::Message;
use super::page::is_control;
use crate::client::Failure;
use crate::client::words::alert;

/// A screen of the application.
pub trait Component {
    /// What it ends with.
    type Output;

    /// Draws it.
    fn draw(&self, frame: &mut Frame<'_>);

    /// The title of the window.
    fn title(&self) -> String {
        alert::PROGRAM.to_owned()
    }

    /// Whether the bell has to ring, once.
    fn rings(&mut self) -> bool {
        false
    }

    /// The time until it changes by itself.
    fn tick(&self) -> Option<Duration> {
        None
    }

    /// Waits for the next message that does not come from the terminal. Cancel safe.
    fn next(&mut self) -> impl Future<Output = Result<Message, Failure>>;

    /// Takes a message. It does not wait for anything, so that every key is answered.
    fn update(&mut self, message: Message) -> Result<ControlFlow<Self::Output>, Failure>;
}

/// How the application tells a person who looks elsewhere that it is their turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Alerts {
    /// The terminal's bell may ring.
    pub bell: bool,
    /// The window has a title.
    pub title: bool,
}

/// The terminal, which is a screen while this lives.
#[derive(Debug)]
pub struct TuiApp {
    alerts: Alerts,
    /// The title that the window has.
    title: String,
    guard: Guard,
    terminal: Terminal<CrosstermBackend<Stdout>>,
    /// The picture on the terminal; an empty one if that is not known.
    shown: Buffer,
    messages: UnboundedReceiver<io::Result<Message>>,
    /// The area that the screen knows.
    area: Rect,
    /// A button of the mouse is pressed.
    held: bool,
}

/// How long to wait for the release of a mouse button at the end, and the pause between two looks.
const RELEASE: (Duration, Duration) = (Duration::from_millis(400), Duration::from_millis(5));

impl TuiApp {
    /// Takes the terminal. In a runtime.
    pub fn open(alerts: Alerts) -> io::Result<Self> {
        let (send, messages) = unbounded_channel();
        let wake = send.clone();
        // If nobody receives it, nobody draws either.
        let guard = Guard::take(move || drop(wake.send(Ok(Message::Tick))))?;
        // From here on the system reports resizes, even before the thread begins to read them.
        crossterm::event::poll(Duration::ZERO)?;
        let area = area()?;
        let terminal = cleared(area)?;
        // The thread ends with the program: a reader that waits cannot be woken.
        thread::spawn(move || read(&send));
        Ok(Self {
            alerts,
            title: String::new(),
            guard,
            terminal,
            shown: Buffer::default(),
            messages,
            area,
            held: false,
        })
    }

    /// The area of the terminal.
    pub fn size(&self) -> Rect {
        area().unwrap_or_default()
    }

    /// Runs a screen until it ends.
    pub async fn run<C: Component>(&mut self, screen: &mut C) -> Result<C::Output, Failure> {
        let mut due = None;
        loop {
            let mut next = self.resized().map_err(Failure::Output)?;
            if next.is_none() {
                self.draw(|frame| screen.draw(frame)).map_err(Failure::Output)?;
                self.alert(screen.title(), screen.rings()).map_err(Failure::Output)?;
                due = screen.tick().map(|after| {
                    let latest = time::Instant::now() + after;
                    due.map_or(latest, |due: time::Instant| due.min(latest))
                });
                next = Some(tokio::select! {
                    biased;
                    message = screen.next() => message?,
                    message = self.messages.recv() => self.note(message).map_err(Failure::Output)?,
                    () = until(due) => {
                        due = None;
                        Message::Tick
                    }
                });
            }
            // All keys that are waiting are drawn together.
            while let Some(message) = next {
                if let ControlFlow::Break(output) = screen.update(message)? {
                    return Ok(output);
                }
                next = self.pending();
            }
        }
    }

    /// The message about a new size that the screen does not know. The terminal's own report of it may be lost
    /// when keys arrive at the same time.
    fn resized(&mut self) -> io::Result<Option<Message>> {
        let (area, known) = (area()?, self.area);
        self.area = area;
        Ok((area != known).then_some(Message::Resize(area.width, area.height)))
    }

    /// Draws what has changed.
    fn draw(&mut self, picture: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        let area = area()?;
        let is_back = self.guard.keep()?;
        if is_back {
            self.title.clear();
        }
        if is_back || self.terminal.get_frame().area() != area {
            self.terminal = cleared(area)?;
            self.shown = Buffer::default();
        }
        show(picture, &mut self.terminal, &mut self.shown)
    }

    /// Changes the title of the window and rings the bell, if that is wanted.
    fn alert(&mut self, title: String, rings: bool) -> io::Result<()> {
        if self.alerts.title && title != self.title {
            guard::set_title(&title)?;
            self.title = title;
        }
        if self.alerts.bell && rings { guard::ring() } else { Ok(()) }
    }

    fn pending(&mut self) -> Option<Message> {
        let message = self.messages.try_recv().ok();
        message.and_then(|message| self.note(Some(message)).ok())
    }

    fn note(&mut self, message: Option<io::Result<Message>>) -> io::Result<Message> {
        let ended = || Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the terminal is gone"));
        let message = message.unwrap_or_else(ended)?;
        match &message {
            Message::Key(key) if is_control(*key, 'z') => {
                guard::suspend();
                return Ok(Message::Tick);
            }
            Message::Mouse(mouse) => {
                self.held = matches!(mouse.kind, MouseEventKind::Down(_) | MouseEventKind::Drag(_));
            }
            Message::Resize(columns, rows) => self.area = Rect::new(0, 0, *columns, *rows),
            _ => {}
        }
        Ok(message)
    }
}

impl Drop for TuiApp {
    /// Waits for the release of a mouse button before the terminal is given back: a shell would take the
    /// report of it for typed text.
    fn drop(&mut self) {
        let (most, pause) = RELEASE;
        let end = Instant::now() + most;
        while self.held && Instant::now() < end {
            if self.pending().is_none() {
                thread::sleep(pause);
            }
        }
    }
}

/// Draws a picture, unless it is the one that is shown: even then some bytes would be written.
fn show<W: io::Write>(
    picture: impl FnOnce(&mut Frame<'_>),
    terminal: &mut Terminal<CrosstermBackend<W>>,
    shown: &mut Buffer,
) -> io::Result<()> {
    picture(&mut terminal.get_frame());
    let buffer = terminal.current_buffer_mut();
    if buffer == shown {
        buffer.reset();
        return Ok(());
    }
    shown.clone_from(buffer);
    terminal.apply_buffer().map(drop)
}

fn area() -> io::Result<Rect> {
    crossterm::terminal::size().map(|(columns, rows)| Rect::new(0, 0, columns, rows))
}

/// A cleared terminal of this size. A viewport that finds its size by itself would ask the terminal for its
/// cursor, and the reading thread would take the answer.
fn cleared(area: Rect) -> io::Result<Terminal<CrosstermBackend<Stdout>>> {
    execute!(stdout(), Clear(ClearType::All))?;
    let options = TerminalOptions { viewport: Viewport::Fixed(area) };
    Terminal::with_options(CrosstermBackend::new(stdout()), options)
}

/// Sends what the terminal reports, until nobody receives it or nothing more can be read.
fn read(send: &UnboundedSender<io::Result<Message>>) {
    loop {
        let message = match crossterm::event::read() {
            Ok(event) => match Message::of_terminal(&event) {
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

/// Waits until then; forever if nothing is due.
async fn until(due: Option<time::Instant>) {
    match due {
        Some(due) => time::sleep_until(due).await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::rc::Rc;

    use super::*;

    /// Counts what is written.
    #[derive(Clone, Default)]
    struct Counter(Rc<Cell<usize>>);

    impl io::Write for Counter {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.set(self.0.get() + bytes.len());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_picture_that_has_not_changed_writes_nothing() {
        let (counter, viewport) = (Counter::default(), Viewport::Fixed(Rect::new(0, 0, 20, 2)));
        let backend = CrosstermBackend::new(counter.clone());
        let mut terminal = Terminal::with_options(backend, TerminalOptions { viewport }).unwrap();
        let mut shown = Buffer::default();
        let mut written = |text: &str| {
            let before = counter.0.get();
            show(|frame| frame.render_widget(text, frame.area()), &mut terminal, &mut shown).unwrap();
            counter.0.get() - before
        };
        assert!(written("Your turn.") > 0);
        assert_eq!([written("Your turn."), written("Your turn.")], [0, 0]);
        assert!(written("ben's turn.") > 0 && written("Your turn.") > 0);
    }
}
