//! A copy of a journal that is sound, whoever writes into it meanwhile. It knows files, and nothing of what is in them.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

use super::folder::{Folder, open_private, remove};
use super::opening::connect_to_read;
use super::trouble::{of_engine, of_file};
use crate::server::storage::Trouble;

/// Copies the journal in this folder, as it is at this moment, into one file that nobody else may read. A server may go on
/// meanwhile. To use the copy, put it into an empty folder under the name `journal.sqlite`.
///
/// Refuses to write over anything that is there.
pub fn backup(folder: &Path, file: &Path) -> Result<(), Trouble> {
    let journal = Folder::at(folder).journal();
    File::open(&journal).map_err(|error| of_file(&journal, &error))?;
    copy(&journal, file)
}

/// Copies a journal into a file that is not there yet.
pub(super) fn copy(journal: &Path, file: &Path) -> Result<(), Trouble> {
    let taken = match file.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => false,
        Err(error) => return Err(of_file(file, &error)),
        Ok(_) => true,
    };
    if taken {
        return Err(Trouble(format!(
            "{} is there already: choose another name for the copy",
            file.display()
        )));
    }
    let made = open_private(file, OpenOptions::new().create_new(true))?;
    let filled = fill(journal, file, &made);
    if filled.is_err() {
        // What is half done is no copy; and the first trouble is the one to tell.
        let _ = remove(file);
    }
    filled
}

fn fill(journal: &Path, file: &Path, made: &File) -> Result<(), Trouble> {
    let folder = journal.parent().unwrap_or(journal);
    let Some(name) = file.to_str() else {
        return Err(Trouble(format!("{} is no name in UTF-8: choose another one", file.display())));
    };
    // SQLite writes into a file that is there, if it is empty.
    let copied = connect_to_read(journal).and_then(|from| from.execute("VACUUM INTO ?1", [name]));
    copied.map_err(|error| of_engine(folder, &error))?;
    made.sync_all().map_err(|error| of_file(file, &error))
}
