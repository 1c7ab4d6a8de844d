//! A text that is typed or preset: the first letter typed replaces a preset text.

use crossterm::event::{Event, KeyEvent};
use tui_input::backend::crossterm::to_input_request;
use tui_input::{Input, InputRequest};

use super::appearance::Tone;
use super::painter::{Painter, width};

/// The text, with its cursor.
#[derive(Debug, Clone, Default)]
pub struct TextField {
    input: Input,
    is_preset: bool,
}

impl TextField {
    /// A field with this text, and the cursor after it.
    pub fn new(text: impl Into<String>) -> Self {
        Self { input: Input::new(text.into()), is_preset: false }
    }

    /// A field with this preset text.
    pub fn preset(text: impl Into<String>) -> Self {
        Self { is_preset: true, ..Self::new(text) }
    }

    /// The text.
    pub fn text(&self) -> &str {
        self.input.value()
    }

    /// Takes a key for the text, which grows to at most `most` bytes.
    pub(super) fn press(&mut self, key: KeyEvent, most: usize) {
        let Some(request) = to_input_request(&Event::Key(key)) else { return };
        if let InputRequest::InsertChar(letter) = request {
            if self.is_preset {
                self.clear();
            }
            if self.text().len() + letter.len_utf8() > most {
                return;
            }
        }
        self.is_preset = false;
        self.input.handle(request);
    }

    /// Empties the field.
    pub(super) fn clear(&mut self) {
        self.input.reset();
    }

    /// Paints the text with its cursor into the first row, from this column on. What has no room is
    /// scrolled out.
    pub(super) fn paint(&self, left: u16, secret: bool, tone: Tone, painter: &mut Painter<'_>) {
        let area = painter.area();
        let room = area.right().saturating_sub(left + 1);
        let shown = |letter| if secret { '*' } else { letter };
        let text: Vec<char> = self.text().chars().map(shown).collect();
        let (before, after) = text.split_at(self.input.cursor().min(text.len()));
        let mut before: String = before.iter().collect();
        while width(&before) > room {
            before.remove(0);
        }
        let x = left + width(&before);
        let under = after.first().map_or_else(|| " ".to_owned(), char::to_string);
        let rest: String = after.iter().skip(1).collect();
        painter.put(left, area.y, &before, tone);
        painter.put(x, area.y, &under, Tone::Chosen);
        painter.put(x + width(&under), area.y, &rest, tone);
    }
}
