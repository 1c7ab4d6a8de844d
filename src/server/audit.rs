//! The audit file: a line for each act of the host.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use parking_lot::Mutex;

use super::storage::WallTime;
use crate::record::Date;

/// The file in the data folder, and the name that it gets when it is full. An older one is then removed.
const FILE: &str = "audit.log";
const FULL: &str = "audit.log.1";

/// The most bytes of each: some ten thousand acts.
const MAX_AUDIT: u64 = 1024 * 1024;

/// The audit file, if the server has a data folder.
#[derive(Debug, Default)]
pub(super) struct Audit(Mutex<Option<PathBuf>>);

impl Audit {
    /// Writes into this data folder from now on.
    pub(super) fn keep_in(&self, folder: &Path) {
        *self.0.lock() = Some(folder.into());
    }

    /// Writes an act and its outcome, each without line breaks.
    pub(super) fn note(&self, act: &str, outcome: &str) -> io::Result<()> {
        let folder = self.0.lock();
        let Some(folder) = &*folder else { return Ok(()) };
        let (file, now) = (folder.join(FILE), Date::of_millis(WallTime::now().0));
        let line = format!("{now}  {act}: {outcome}\n");
        let size = fs::metadata(&file).map_or(0, |file| file.len());
        if size + line.len() as u64 > MAX_AUDIT {
            fs::rename(&file, folder.join(FULL))?;
        }
        let mut options = OpenOptions::new();
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.create(true).append(true).open(file)?.write_all(line.as_bytes())
    }
}
