//! A person at a screen without a terminal: what they press and click, and what they read.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use nim::client::tui::Message;

/// A screen that takes messages and shows text.
pub(super) trait Person {
    /// Sends a message to the screen.
    fn send(&mut self, message: Message);

    /// The text of the screen.
    fn screen(&self) -> String;

    fn press(&mut self, key: KeyCode) {
        self.send(Message::Key(KeyEvent::new(key, KeyModifiers::NONE)));
    }

    fn types(&mut self, text: &str) {
        text.chars().for_each(|letter| self.press(KeyCode::Char(letter)));
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

    fn clicks(&mut self, at: (u16, u16)) {
        self.pushes(at);
        self.lets_go(at);
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
}
