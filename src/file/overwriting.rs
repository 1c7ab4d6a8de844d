//! The question before existing files are overwritten, in the same words everywhere. It does not know what is
//! in the files.

use std::io::{self, BufRead, IsTerminal, Read, Write, stderr, stdin};
use std::path::{Path, PathBuf};

/// The most bytes of an answer that are read.
const MAX_ANSWER: u64 = 1024;

/// Files that exist and are about to be overwritten: the first one, and the number of the others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Existing {
    first: PathBuf,
    others: usize,
}

/// Existing files are not overwritten.
#[derive(Debug, thiserror::Error)]
pub enum NotOverwritten {
    /// Nobody could be asked.
    #[error("{}: choose another {}, or overwrite {} with --force", .0.are_there(), if .0.others > 0 { "folder" } else { "name" }, .0.them())]
    Exists(Existing),
    /// The person has refused.
    #[error("{} left as {}", .0.subject(), if .0.others > 0 { "they are" } else { "it is" })]
    Kept(Existing),
    /// The answer could not be read.
    #[error("could not read the input: {}", crate::system::ErrorText(.0))]
    Unanswered(io::Error),
}

impl Existing {
    /// This file, which exists.
    pub fn file(path: &Path) -> Self {
        Self { first: path.to_owned(), others: 0 }
    }

    /// Those of these paths at which there is something; `None` if there are none.
    pub fn among<'a>(paths: impl IntoIterator<Item = &'a Path>) -> Option<Self> {
        let mut there = paths.into_iter().filter(|path| path.symlink_metadata().is_ok());
        Some(Self { first: there.next()?.to_owned(), others: there.count() })
    }

    /// The question.
    pub fn question(&self) -> String {
        format!("{}. Overwrite {}?", self.are_there(), self.them())
    }

    /// Asks a person at a terminal; without one it is an error.
    pub fn ask(self) -> Result<(), NotOverwritten> {
        if !(stdin().is_terminal() && stderr().is_terminal()) {
            return Err(NotOverwritten::Exists(self));
        }
        // Without a readable question there is no answer either.
        let _ = write!(stderr(), "{} (y/N) ", self.question());
        let mut answer = Vec::new();
        let read = stdin().lock().take(MAX_ANSWER).read_until(b'\n', &mut answer);
        read.map_err(NotOverwritten::Unanswered)?;
        match String::from_utf8_lossy(&answer).trim().to_lowercase().as_str() {
            "y" | "yes" => Ok(()),
            _ => Err(NotOverwritten::Kept(self)),
        }
    }

    fn are_there(&self) -> String {
        format!("{} there already", self.subject())
    }

    fn subject(&self) -> String {
        let first = self.first.display();
        match self.others {
            0 => format!("{first} is"),
            1 => format!("{first} and another file are"),
            others => format!("{first} and {others} other files are"),
        }
    }

    fn them(&self) -> &'static str {
        if self.others > 0 { "them" } else { "it" }
    }
}
