//! What a host does with a journal beside hosting: verifies it, and copies it.

use std::path::PathBuf;

use anyhow::bail;
use clap::Args;
use nim::server::storage::sqlite;

use super::keeping::folder;

/// Which journal.
#[derive(Debug, Args)]
pub(crate) struct Check {
    /// The folder of the journal [default: where nim-server keeps it]
    #[arg(long, env = "NIM_DATA", value_name = "DIR")]
    data: Option<PathBuf>,
}

/// Which journal, and where to.
#[derive(Debug, Args)]
pub(crate) struct Backup {
    /// The file to write, which must not exist yet; put into an empty folder as journal.sqlite it is a journal to host from
    file: PathBuf,

    /// The folder of the journal [default: where nim-server keeps it]
    #[arg(long, env = "NIM_DATA", value_name = "DIR")]
    data: Option<PathBuf>,
}

impl Check {
    /// Verifies everything, and says what is wrong; whether nothing is.
    pub(crate) fn run(&self) -> anyhow::Result<bool> {
        let report = sqlite::check(&folder(self.data.as_deref())?)?;
        super::say(&report.to_string())?;
        Ok(report.findings.is_empty())
    }
}

impl Backup {
    /// Makes a sound copy, while games go on.
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        if self.file.as_os_str() == "-" {
            bail!("a journal cannot be copied to the standard output: name a file");
        }
        sqlite::backup(&folder(self.data.as_deref())?, &self.file)?;
        super::say(&format!("The journal is copied to {}.", self.file.display()))
    }
}
