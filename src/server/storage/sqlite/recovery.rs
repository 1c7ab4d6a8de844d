//! Recovers a damaged journal: its files are set aside under another name, and every readable row that fits
//! its checksum is copied into a new journal.

use std::path::Path;

use rusqlite::{Connection, ErrorCode, Result};

use super::connect::{connect, connect_to_read};
use super::error::{is_damage, of_engine};
use super::files::{Folder, is_there, remove};
use super::loading::load;
use super::row::{Conflict, TABLES, Table, values};
use super::schema::create;
use crate::server::storage::StorageError;

/// Replaces a damaged journal by a new one. Returns a sentence about what was lost.
pub(super) fn recover(folder: &Folder, why: &str) -> Result<String, StorageError> {
    let engine = |error| of_engine(folder.path(), &error);
    let new = folder.begin_new()?;
    let (copied, lobbies) = copy(&folder.journal(), &new).map_err(engine)?;
    folder.rename(&new, &folder.recovered())?;
    let away = folder.set_aside()?;
    folder.rename(&folder.recovered(), &folder.journal())?;
    Ok(format!(
        "the journal was damaged ({why}): {lobbies}{}; the damaged files were renamed to {}",
        copied.lost(),
        away.display()
    ))
}

/// Finishes a recovery that the end of the process interrupted. Returns a sentence for the host.
pub(super) fn finish_interrupted(folder: &Folder) -> Result<Option<String>, StorageError> {
    let (journal, recovered) = (folder.journal(), folder.recovered());
    if !recovered.exists() {
        return Ok(None);
    }
    if journal.exists() {
        // The damaged journal is recovered once more.
        return remove(&recovered).map(|()| None);
    }
    if is_there(&journal) {
        folder.set_aside()?;
    }
    folder.rename(&recovered, &journal)?;
    Ok(Some(
        "a damaged journal was set aside at the last start, and what could be recovered of it is used".into(),
    ))
}

/// Creates a journal from the readable rows of a damaged one. Also returns how many open lobbies it has, in
/// words.
fn copy(damaged: &Path, new: &Path) -> Result<(CopyReport, String)> {
    let target = connect(new)?;
    create(&target)?;
    let mut copied = CopyReport::default();
    // SQLite would remove the files beside an empty file.
    if damaged.metadata().is_ok_and(|file| file.len() > 0) {
        match readable(connect_to_read(damaged))? {
            Some(source) => copied = copy_rows(&source, &target)?,
            None => copied.is_cut = true,
        }
    }
    let (mut sound, mut all) = (0, 0);
    load(&target, &mut |lobby| (sound, all) = (sound + u32::from(lobby.is_ok()), all + 1))?;
    let lobbies = match all {
        0 => "no open lobby was found in it".into(),
        _ => format!("{sound} of {all} open lobbies were recovered"),
    };
    Ok((copied, lobbies))
}

/// Copies all readable rows that fit their checksums into the empty tables of another journal.
pub(super) fn copy_rows(source: &Connection, target: &Connection) -> Result<CopyReport> {
    let mut copied = CopyReport::default();
    target.execute_batch("BEGIN")?;
    TABLES.into_iter().try_for_each(|table| copied.table(source, target, table))?;
    target.execute_batch("COMMIT")?;
    Ok(copied)
}

/// What could not be copied.
#[derive(Debug, Default)]
pub(super) struct CopyReport {
    /// How many rows did not fit their checksums.
    wrong: u64,
    /// The first of them, a sentence each; [`MAX_NAMED`] at most.
    pub(super) named: Vec<String>,
    /// Whether there were pages that SQLite could not read.
    pub(super) is_cut: bool,
}

/// The most damaged rows that are named.
const MAX_NAMED: usize = 100;

impl CopyReport {
    /// Copies the rows of a table. Where SQLite cannot read on, it skips keys until it can.
    fn table(&mut self, source: &Connection, target: &Connection, table: Table) -> Result<()> {
        let mut from = Some(0);
        while let Some(start) = from {
            let Some(unreadable) = self.rows(source, target, table, start)? else { break };
            self.is_cut = true;
            from = next_readable(source, table, unreadable)?;
        }
        Ok(())
    }

    /// Copies the rows from this key on, as far as SQLite can read. Returns the key at which it stopped, if
    /// it did.
    fn rows(
        &mut self,
        source: &Connection,
        target: &Connection,
        table: Table,
        from: i64,
    ) -> Result<Option<i64>> {
        let mut reached = from;
        let mut writer = table.writer(target, Conflict::Ignore)?;
        let Some(mut select) = readable(source.prepare_cached(&from_key(table)))? else {
            return Ok(Some(from));
        };
        let Some(mut rows) = readable(select.query([from]))? else { return Ok(Some(from)) };
        loop {
            let row = match readable(rows.next())? {
                None => return Ok(Some(reached)),
                Some(None) => return Ok(None),
                Some(Some(row)) => row,
            };
            // A damaged key need not be a number.
            let key = row.get::<_, i64>(table.key).unwrap_or(reached);
            if key < reached {
                return Ok(Some(reached));
            }
            reached = key;
            if table.fits(row)? {
                writer.write(&values(row)?)?;
            } else {
                self.wrong += 1;
                if self.named.len() < MAX_NAMED {
                    self.named.push(table.misfit(row));
                }
            }
        }
    }

    /// The end of a sentence about what was lost.
    fn lost(&self) -> String {
        let mut lost = String::new();
        if self.is_cut {
            lost += ", and a part of it could not be read";
        }
        match self.wrong {
            0 => lost,
            1 => lost + ", and 1 row did not fit its checksum",
            rows => format!("{lost}, and {rows} rows did not fit their checksums"),
        }
    }
}

fn from_key(Table { name, key, .. }: Table) -> String {
    format!("SELECT * FROM {name} WHERE {key} >= ?1 ORDER BY {key}")
}

/// The first key after this one from which SQLite can read again, if there is one: found by doubling steps,
/// then by bisection.
fn next_readable(source: &Connection, table: Table, unreadable: i64) -> Result<Option<i64>> {
    let can_read = |key: i64| -> Result<bool> {
        let Some(mut select) = readable(source.prepare_cached(&from_key(table)))? else { return Ok(false) };
        let Some(mut rows) = readable(select.query([key]))? else { return Ok(false) };
        Ok(readable(rows.next())?.is_some())
    };
    let (mut low, mut step) = (unreadable, 1_i64);
    let mut high = loop {
        let Some(key) = low.checked_add(step) else { return Ok(None) };
        if can_read(key)? {
            break key;
        }
        (low, step) = (key, step.saturating_mul(2));
    };
    while high - low > 1 {
        let middle = i64::midpoint(low, high);
        if can_read(middle)? { high = middle } else { low = middle }
    }
    Ok(Some(high))
}

/// Returns what was read; `None` if the file or the disk is damaged there.
fn readable<T>(read: Result<T>) -> Result<Option<T>> {
    match read {
        Ok(found) => Ok(Some(found)),
        Err(error) if is_damage(&error) => Ok(None),
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::SystemIoFailure) => Ok(None),
        Err(error) => Err(error),
    }
}
