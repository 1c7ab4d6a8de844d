//! Where a command writes its result: the standard output, or a file that is not overwritten by accident.

use std::io::{self, Write, stdout};
use std::path::PathBuf;

use clap::Args;
use clap::builder::ValueHint;

use crate::file::{Existing, NotOverwritten, atomic};
use crate::system::ErrorText;

/// The file of a result.
#[derive(Debug, Clone, Args)]
pub struct OutputFlags {
    /// The file to write [default: the standard output]
    #[arg(long, value_name = "FILE", alias = "out", value_hint = ValueHint::FilePath)]
    to: Option<PathBuf>,

    /// Overwrite the file if it exists already
    #[arg(long, requires = "to")]
    force: bool,
}

/// A file that may be written, or the standard output.
#[derive(Debug)]
pub struct Output {
    file: Option<PathBuf>,
    overwrites: bool,
}

/// A result that was not written.
#[derive(Debug, thiserror::Error)]
pub enum NotWritten {
    /// The file exists.
    #[error(transparent)]
    Exists(#[from] NotOverwritten),
    /// The file cannot be written.
    #[error("cannot write {}: {}", .0.display(), ErrorText(.1))]
    Unwritable(PathBuf, io::Error),
    /// The standard output cannot be written.
    #[error("could not write the output: {}", ErrorText(.0))]
    Output(io::Error),
}

impl OutputFlags {
    /// Checks the file before the work begins. If it exists, a person at a terminal is asked; otherwise it is
    /// an error.
    pub fn check(&self) -> Result<Output, NotOverwritten> {
        let existing = Existing::among(self.to.as_deref().filter(|_| !self.force));
        let overwrites = self.force || existing.is_some();
        existing.map_or(Ok(()), Existing::ask)?;
        Ok(Output { file: self.to.clone(), overwrites })
    }
}

impl Output {
    /// Whether the result goes into a file.
    pub fn is_file(&self) -> bool {
        self.file.is_some()
    }

    /// Writes the whole result.
    pub fn write(&self, text: impl AsRef<[u8]>) -> Result<(), NotWritten> {
        let Some(file) = &self.file else {
            let mut out = stdout().lock();
            return out.write_all(text.as_ref()).and_then(|()| out.flush()).map_err(NotWritten::Output);
        };
        atomic::write(file, text, self.overwrites).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => NotOverwritten::Exists(Existing::file(file)).into(),
            _ => NotWritten::Unwritable(file.clone(), error),
        })
    }
}
