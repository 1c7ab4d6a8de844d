//! Where a command writes its result: the standard output, or a file that is not overwritten by accident.

use std::io::{self, IsTerminal, Write, stderr, stdin};
use std::path::PathBuf;

use clap::Args;
use nim::client::atomic_file;
use nim::client::input::read_line;

use crate::failure::{CliError, print};

#[derive(Debug, Clone, Args)]
pub(crate) struct OutputFlags {
    /// The file to write [default: the standard output]
    #[arg(long, value_name = "FILE", alias = "out")]
    to: Option<PathBuf>,

    /// Overwrite the file if it exists already
    #[arg(long, requires = "to")]
    force: bool,
}

/// A file that may be written, or the standard output.
pub(crate) struct Output {
    file: Option<PathBuf>,
    overwrites: bool,
}

impl OutputFlags {
    /// Checks the file before the work begins. If it exists, a person at a terminal is asked; otherwise it is
    /// an error.
    pub(crate) fn check(&self) -> Result<Output, CliError> {
        let output = |overwrites| Output { file: self.to.clone(), overwrites };
        let Some(file) = self.to.as_ref().filter(|file| !self.force && file.symlink_metadata().is_ok())
        else {
            return Ok(output(self.force));
        };
        if !(stdin().is_terminal() && stderr().is_terminal()) {
            return Err(CliError::Exists(file.clone()));
        }
        // Without a readable question there is no answer either.
        let _ = write!(stderr(), "{} is there already. Overwrite it? (y/N) ", file.display());
        let answer = read_line(&mut stdin().lock()).map_err(CliError::Input)?.unwrap_or_default();
        match answer.trim().to_lowercase().as_str() {
            "y" | "yes" => Ok(output(true)),
            _ => Err(CliError::Kept(file.clone())),
        }
    }
}

impl Output {
    /// Whether the result goes into a file.
    pub(crate) fn is_file(&self) -> bool {
        self.file.is_some()
    }

    /// Writes the whole result.
    pub(crate) fn write(&self, text: &str) -> Result<(), CliError> {
        let Some(file) = &self.file else { return print(text) };
        atomic_file::write(file, text, self.overwrites).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => CliError::Exists(file.clone()),
            _ => CliError::Unwritable(file.clone(), error),
        })
    }
}
