//! A person at a screen without a terminal: keys, clicks, and the text of the screen.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use nim::client::tui::Message;
use ratatui::backend::TestBackend;
use ratatui::{Frame, Terminal};

/// The text of this drawing on a screen of this size.
pub(crate) fn drawn((width, height): (u16, u16), draw: impl FnOnce(&mut Frame<'_>)) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(draw).unwrap();
    let buffer = terminal.backend().buffer();
    let line = |y: u16| (0..width).map(|x| buffer[(x, y)].symbol()).collect::<String>();
    let lines: Vec<String> = (0..height).map(|y| line(y).trim_end().to_owned()).collect();
    lines.join("\n")
}

/// The keys of a text: a letter is its own key, and these signs stand for the other keys.
pub(crate) fn keys(text: &str) -> impl Iterator<Item = KeyCode> {
    text.chars().map(|sign| match sign {
        '⏎' => KeyCode::Enter,
        '⎋' => KeyCode::Esc,
        '⌫' => KeyCode::Backspace,
        '⇥' => KeyCode::Tab,
        '⇤' => KeyCode::BackTab,
        '←' => KeyCode::Left,
        '→' => KeyCode::Right,
        '↑' => KeyCode::Up,
        '↓' => KeyCode::Down,
        '⇱' => KeyCode::Home,
        '⇲' => KeyCode::End,
        letter => KeyCode::Char(letter),
    })
}

/// A screen that takes messages and shows text.
pub(crate) trait Person {
    /// Sends a message to the screen.
    fn send(&mut self, message: Message);

    /// The text of the screen.
    fn screen(&self) -> String;

    fn press(&mut self, key: KeyCode) {
        self.send(Message::Key(KeyEvent::new(key, KeyModifiers::NONE)));
    }

    /// Presses the [`keys`] of this text.
    fn types(&mut self, text: &str) {
        keys(text).for_each(|key| self.press(key));
    }

    /// Presses these keys, after which this text is shown.
    #[track_caller]
    fn asks(&mut self, text: &str, shown: &str) {
        self.types(text);
        self.shows(shown);
    }

    fn mouse(&mut self, kind: MouseEventKind, (column, row): (u16, u16)) {
        self.send(Message::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE }));
    }

    fn pushes(&mut self, at: (u16, u16)) {
        self.mouse(MouseEventKind::Down(MouseButton::Left), at);
    }

    fn pulls(&mut self, at: (u16, u16)) {
        self.mouse(MouseEventKind::Drag(MouseButton::Left), at);
    }

    fn lets_go(&mut self, at: (u16, u16)) {
        self.mouse(MouseEventKind::Up(MouseButton::Left), at);
    }

    /// Presses the button on the first of these places, and drags over the others.
    fn drags(&mut self, way: &[(u16, u16)]) {
        self.pushes(way[0]);
        way[1..].iter().for_each(|at| self.pulls(*at));
    }

    fn clicks(&mut self, at: (u16, u16)) {
        self.pushes(at);
        self.lets_go(at);
    }

    /// Clicks on the last occurrence of this text.
    fn clicks_on(&mut self, text: &str) {
        self.clicks(self.place(text));
    }

    /// The position of the last occurrence of this text.
    fn place(&self, text: &str) -> (u16, u16) {
        let screen = self.screen();
        let lines: Vec<&str> = screen.lines().collect();
        let found = lines.iter().enumerate().rev().find_map(|(y, line)| {
            let at = line.rfind(text)?;
            Some((line[..at].chars().count(), y))
        });
        let (x, y) = found.unwrap_or_else(|| panic!("{text:?} is not on\n{screen}"));
        (u16::try_from(x).unwrap(), u16::try_from(y).unwrap())
    }

    #[track_caller]
    fn shows(&self, text: &str) {
        assert!(self.screen().contains(text), "{text:?} is not on\n{}", self.screen());
    }

    #[track_caller]
    fn hides(&self, text: &str) {
        assert!(!self.screen().contains(text), "{text:?} is on\n{}", self.screen());
    }

    #[track_caller]
    fn shows_all<const N: usize>(&self, texts: [&str; N]) {
        for text in texts {
            self.shows(text);
        }
    }

    #[track_caller]
    fn hides_all<const N: usize>(&self, texts: [&str; N]) {
        for text in texts {
            self.hides(text);
        }
    }
}
