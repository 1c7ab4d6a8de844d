//! A text that is chosen or typed: what is typed first takes the place of what was chosen, and what is typed then goes on.

/// The text, and whether it was chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    text: String,
    is_chosen: bool,
}

impl Field {
    /// One in which this was chosen.
    pub fn chosen(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_chosen: true }
    }

    /// What stands in it.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// A letter is typed, as long as there are not `longest` bytes.
    pub fn push(&mut self, letter: char, longest: usize) {
        if std::mem::take(&mut self.is_chosen) {
            self.text.clear();
        }
        if self.text.len() < longest {
            self.text.push(letter);
        }
    }

    /// The last letter is taken back, also one of what was chosen.
    pub fn pop(&mut self) {
        self.is_chosen = false;
        self.text.pop();
    }

    /// Nothing stands in it any more.
    pub fn clear(&mut self) {
        self.text.clear();
    }
}

impl Default for Field {
    fn default() -> Self {
        Self::chosen("")
    }
}
