//! What is done about a journal with damaged pages: it is put away, and every lobby of which all can be read and verified
//! goes into a new one. What was lost is said.

use std::fs::File;
use std::io;
use std::path::Path;

use rusqlite::{Connection, Result};

use super::folder::{Folder, remove};
use super::gathering::gather;
use super::image::Image;
use super::index::Index;
use super::opening::{connect, connect_to_read};
use super::schema::Layout;
use super::survey::Survey;
use super::trouble::{of_engine, of_file};
use crate::server::storage::StorageError;

/// Saves what can be saved, also of the log for which there may be an index. What a host has to know of it.
pub(super) fn salvage(
    folder: &Folder,
    layout: &Layout,
    index: Option<Index>,
    why: &str,
) -> Result<Vec<String>, StorageError> {
    let trouble = |error| of_engine(folder.path(), &error);
    let image = Image::of(&folder.journal(), index).map_err(|error| of_file(&folder.journal(), &error))?;
    let new = folder.begin_new()?;
    let mut made = connect(&new).map_err(trouble)?;
    begin(&made, layout).map_err(trouble)?;
    let old = readable(folder, layout, &image, &new)?;
    let survey = fill(&mut made, old, &image).map_err(trouble)?;
    drop((made, image));
    remove(&folder.mended())?;
    let synced = File::open(&new).and_then(|file| file.sync_all());
    synced.map_err(|error| of_file(&new, &error))?;
    // From here on the new one is whole; should the process end in between, the next one goes on.
    folder.rename(&new, &folder.salvaged())?;
    let away = folder.put_away()?;
    folder.rename(&folder.salvaged(), &folder.journal())?;
    Ok(survey.told(&away, why))
}

fn begin(new: &Connection, layout: &Layout) -> Result<()> {
    // Nothing depends on it before it is whole.
    new.pragma_update(None, "synchronous", "OFF")?;
    layout.create(new)
}

/// The damaged journal, if SQLite finds the tables in it, and all that is beside it; or else a copy of both with their own first page,
/// or with that of a new journal.
fn readable(
    folder: &Folder,
    layout: &Layout,
    image: &Image,
    new: &Path,
) -> Result<Option<Connection>, StorageError> {
    let known = |file: &Path| {
        let connection = connect_to_read(file).ok()?;
        layout.shape(&connection).ok()?.map(|_| connection)
    };
    let (journal, copy) = (folder.journal(), folder.mended());
    // Of an empty journal SQLite removes what is beside it; and it shows an older state where it does not read all of that.
    let is_empty = journal.metadata().is_ok_and(|journal| journal.len() == 0);
    if let Some(old) = (!is_empty && !image.is_ahead).then(|| known(&journal)).flatten() {
        return Ok(Some(old));
    }
    let of_new = |error: io::Error| of_file(new, &error);
    let firsts =
        [image.first_page(), Some(Image::of(new, None).and_then(|new| new.page(1)).map_err(of_new)?)];
    for first in firsts.into_iter().flatten() {
        remove(&copy)?;
        image.write(first, &copy)?;
        let old = known(&copy);
        if old.is_some() {
            return Ok(old);
        }
    }
    Ok(None)
}

/// Puts what can be read of the old journal into the new one.
fn fill(new: &mut Connection, old: Option<Connection>, image: &Image) -> Result<Survey> {
    let transaction = new.transaction()?;
    let gathered = gather(old.as_ref(), image, &transaction)?;
    let survey = Survey::of(&transaction, gathered)?;
    transaction.commit()?;
    drop(old);
    new.pragma_update(None, "journal_mode", "WAL")?;
    Ok(survey)
}
