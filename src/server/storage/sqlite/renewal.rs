//! A journal whose files are gone from its folder while it is open. As long as a file is open the system keeps what is in it,
//! so all that was recorded can be written anew. Where a file was cut off in its place that may be impossible; then nothing is
//! recorded any more, and the next start saves what can be read.

use std::fs::File;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, Error, ErrorCode};

use super::backup::write_into;
use super::checkpoints::{Checkpoints, Progress};
use super::folder::{Folder, is_there, remove};
use super::loading::load;
use super::opening::{connect, connect_to_read, prepare};
use super::presence::{Care, Loss, Presence};
use super::row::Table;
use super::trouble::{is_damage, of_engine, of_file};
use super::{Sqlite, StorageError};

impl Sqlite {
    /// Sees to it that all that was recorded is in the folder, where whoever opens the journal next finds it, and that it does not
    /// become too much beside the journal.
    pub(super) fn secure(&mut self, care: Care) -> Result<(), StorageError> {
        if let Some(spoiled) = &self.spoiled {
            return Err(spoiled.clone());
        }
        match self.look(care).map_err(|error| of_engine(&self.folder, &error))? {
            Ok(progress) => {
                let kept_up = self.checkpoints.keep_up(progress, &self.connection);
                kept_up.map_err(|error| of_engine(&self.folder, &error))
            }
            Err(loss) => self.renew(&loss),
        }
    }

    /// Looks whether all that was recorded is in the folder.
    pub(super) fn look(&mut self, care: Care) -> rusqlite::Result<Result<Progress, Loss>> {
        let checkpoints = &self.checkpoints;
        self.presence.look(&self.connection, care, || checkpoints.length())
    }

    /// Looks whether a stranger finds what was recorded last.
    pub(super) fn read_back(&self) -> Result<(), StorageError> {
        let trouble = |error| of_engine(&self.folder, &error);
        let newest = newest_event(&self.connection).map_err(trouble)?;
        let found = connect_to_read(&Folder::at(&self.folder).journal());
        let found = found.and_then(|stranger| newest_event(&stranger)).map_err(trouble)?;
        if found == newest {
            return Ok(());
        }
        let place = self.folder.display();
        Err(StorageError::of_host(format!(
            "what was recorded last is not in the journal in {place}: look who else writes there"
        )))
    }

    /// Writes the journal anew, and goes on there.
    fn renew(&mut self, loss: &Loss) -> Result<(), StorageError> {
        self.leave_as_it_is();
        let place = self.folder.display().to_string();
        let folder = Folder::make(&self.folder)?;
        if !self.held.is_of(&folder) {
            folder.hold_again(&mut self.held)?;
        }
        self.write_anew(&folder, loss)?;
        self.make_way(&folder)?;
        folder.rename(&folder.renewed(), &folder.journal())?;
        let opened = connect(&folder.journal()).and_then(|connection| {
            prepare(&connection, self.durability)?;
            Ok(connection)
        });
        let connection = opened.map_err(|error| of_engine(&self.folder, &error))?;
        let presence =
            Presence::of(&folder, &connection).map_err(|error| of_file(&folder.journal(), &error))?;
        // The old one is gone first, and tidies nothing up: by now its names are other files'.
        self.checkpoints = Checkpoints::of(&self.folder, self.durability)?;
        (self.presence, self.connection) = (presence, connection);
        tracing::warn!("{loss}; the journal in {place} was written anew, and nothing is lost");
        Ok(())
    }

    /// Makes a journal of all that is in this one, and gives it the name by which the next start knows that it is whole.
    fn write_anew(&mut self, folder: &Folder, loss: &Loss) -> Result<(), StorageError> {
        let new = folder.begin_new()?;
        let written = write_into(&self.connection, &new)?.and_then(|()| assert_sound(&new));
        if let Err(error) = written {
            // What is half done is no journal; and the first trouble is the one to tell.
            let _ = remove(&new);
            return Err(self.not_written(loss, &error));
        }
        let synced = File::open(&new).and_then(|file| file.sync_all());
        synced.map_err(|error| of_file(&new, &error))?;
        folder.rename(&new, &folder.renewed())
    }

    /// Why the journal cannot be written anew. Where what was cut off is missing, that is so for good.
    fn not_written(&mut self, loss: &Loss, error: &Error) -> StorageError {
        let is_missing = is_damage(error) || error.sqlite_error_code() == Some(ErrorCode::SystemIoFailure);
        if !matches!(loss, Loss::Spoiled(_)) || !is_missing {
            let why = of_engine(&self.folder, error);
            return StorageError::new(why.told, format!("{loss}, and it cannot be written anew: {why}"));
        }
        let spoiled = StorageError::new(
            StorageError::DAMAGED,
            format!(
                "{loss}, and a part of what was recorded is lost: stop the server and start it again, which saves all that can \
                 be read"
            ),
        );
        self.spoiled = Some(spoiled.clone());
        spoiled
    }

    /// Has SQLite tidy nothing up when the journal is closed: by then its names may be other files'.
    pub(super) fn leave_as_it_is(&self) {
        // This cannot fail for a connection that is open, and were it so, nothing better could be done.
        let _ = self.connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true);
    }

    /// Clears the journal's name. What is in a file of ours is in the new one too; what somebody else put there is kept.
    fn make_way(&self, folder: &Folder) -> Result<(), StorageError> {
        if self.presence.is_in_place() {
            return remove(&folder.journal());
        }
        if is_there(&folder.journal()) {
            let away = folder.put_away()?;
            tracing::warn!("what was in the journal's place is now {}", away.display());
        }
        Ok(())
    }
}

/// Whether every open lobby in this journal is whole.
fn assert_sound(journal: &std::path::Path) -> rusqlite::Result<()> {
    let mut damages = 0;
    load(&connect_to_read(journal)?, &mut |lobby| damages += usize::from(lobby.is_err()))?;
    if damages == 0 { Ok(()) } else { Err(Error::QueryReturnedNoRows) }
}

/// The id of the last event, if its row is as it was written.
fn newest_event(connection: &Connection) -> rusqlite::Result<Option<i64>> {
    let mut newest = connection.prepare("SELECT * FROM events ORDER BY id DESC LIMIT 1")?;
    let mut rows = newest.query([])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    if Table::Events.fits(row)? { row.get(0).map(Some) } else { Ok(None) }
}
