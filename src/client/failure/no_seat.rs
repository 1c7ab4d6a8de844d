//! The failure if there is no seat to resume or it is not clear which one: lists all saved seats, each with
//! the command that resumes it.

use std::fmt;
use std::path::PathBuf;

use crate::client::saved_seat::{SavedSeat, SeatStatus};
use crate::client::text::spoken_time;

/// Why no seat is resumed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoSeat {
    /// The reason.
    pub why: String,
    /// The saved seats, the last used first.
    pub kept: Vec<SeatStatus>,
    /// Their folder, if it was given on the command line.
    pub folder: Option<PathBuf>,
}

impl NoSeat {
    /// A failure without seats to choose from.
    pub fn because(why: impl Into<String>) -> Self {
        Self { why: why.into(), kept: Vec::new(), folder: None }
    }

    /// The command that resumes this seat and no other.
    pub fn command(&self, seat: &SavedSeat) -> String {
        let is_alone = self.kept.iter().filter(|kept| kept.seat.code == seat.code).count() < 2;
        let name = if is_alone { String::new() } else { format!(" --as {}", quoted(seat.name.as_str())) };
        let folder =
            self.folder.as_ref().map(|folder| format!(" --state {}", quoted(&folder.display().to_string())));
        format!("nim-client resume {}{name}{}", seat.code, folder.unwrap_or_default())
    }

    /// The command on a line of its own, so that it can be copied, and below it a description of the seat.
    fn lines(&self, SeatStatus { seat, is_here, is_held, quiet, .. }: &SeatStatus) -> String {
        let SavedSeat { server, name, variant, opponent, .. } = seat;
        let place = if *is_here { "at this keyboard".into() } else { format!("on {server}") };
        let opponent = opponent.as_deref().unwrap_or("nobody yet");
        let (command, ago) = (self.command(seat), spoken_time(*quiet));
        let held = if *is_held { "; another window has it, and ends if you take it over" } else { "" };
        format!(
            "\n  {command}\n    {variant}, {name} against {opponent}, {place}, last played {ago} ago{held}"
        )
    }
}

/// How to shorten the list.
const FORGETTING: &str = "\nWith --forget at the end, each command removes its seat from this list. nim-client resume --forget-old 7d \
    removes all seats whose games were last played a week ago or earlier.";

impl fmt::Display for NoSeat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.why)?;
        self.kept.iter().try_for_each(|kept| f.write_str(&self.lines(kept)))?;
        if self.kept.len() < 2 { Ok(()) } else { f.write_str(FORGETTING) }
    }
}

/// A word as it is typed in a shell.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+@:,".contains(c);
    let plain = !word.is_empty() && word.chars().all(is_plain);
    if plain { word.into() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_takes_a_folder_with_spaces_for_one_word() {
        for (word, written) in
            [("/tmp/state", "/tmp/state"), ("my seats", "'my seats'"), ("it's", r"'it'\''s'"), ("", "''")]
        {
            assert_eq!(quoted(word), written);
        }
    }
}
