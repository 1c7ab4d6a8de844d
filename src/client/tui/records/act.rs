//! What can be done with a key while somebody looks at records. It is the one list for the keyboard, for the keys that are shown
//! and clicked, and for the help.

use crossterm::event::KeyCode;

/// What can be done with a key, in the list or in a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    /// Open the game of the line.
    Open,
    /// See what every move is worth, and the tree.
    Learn,
    /// Write the record into a file.
    Write,
    /// See what can be done.
    Help,
    /// The same while a name is typed, in which its usual sign may stand.
    HelpInText,
    /// Back to the list, or to where one came from.
    Back,
    /// The name that is being typed is whole.
    Enter,
    /// Type no name after all.
    Drop,
    /// Have enough.
    Quit,
}

impl Act {
    /// Its key.
    pub fn key(self) -> KeyCode {
        match self {
            Self::Open | Self::Enter => KeyCode::Enter,
            Self::Learn => KeyCode::Char('s'),
            Self::Write => KeyCode::Char('e'),
            Self::Help => KeyCode::Char('?'),
            Self::HelpInText => KeyCode::F(1),
            Self::Back | Self::Drop => KeyCode::Esc,
            Self::Quit => KeyCode::Char('q'),
        }
    }
}
