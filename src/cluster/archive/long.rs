//! Recording lobbies in which so much has happened that they are read in parts.

use super::store::ArchiveStore;
use crate::cluster::engine::EngineError;
use crate::cluster::pages::{LobbyReader, Part, bytes_of};
use crate::server::storage::sqlite::Written;
use crate::server::storage::{Damage, Entry, LobbyId, StorageError};

/// About how many bytes are recorded together. Tests need several parts soon.
pub(super) const MAX_BYTES: usize = if cfg!(test) { 64 << 10 } else { 8 << 20 };

/// A lobby of which the first part was read, and is not the last one.
#[derive(Debug)]
pub(super) struct Long<'a> {
    pub(super) lobby: LobbyId,
    pub(super) reader: LobbyReader<'a>,
    pub(super) first: Vec<Entry>,
}

/// What became of it.
#[derive(Debug)]
pub(super) struct Recorded {
    /// About how many bytes were read.
    pub(super) bytes: usize,
    /// What is wrong with it, if anything.
    pub(super) damage: Option<Damage>,
}

/// Why it is to be recorded again.
#[derive(Debug)]
pub(super) enum LongError {
    Engine(EngineError),
    Storage(StorageError),
}

impl Long<'_> {
    /// Records it part by part. If it is done again after an error, only what is missing is recorded.
    pub(super) async fn record(self, store: &ArchiveStore) -> Result<Recorded, LongError> {
        let Self { lobby, mut reader, first } = self;
        let (mut part, mut bytes) = (Part::Sound { entries: first, is_last: false }, 0);
        // Whether the archive has it with its end.
        let mut is_whole = false;
        loop {
            let (entries, is_last) = match part {
                Part::Sound { entries, is_last } => (entries, is_last),
                Part::Damaged(damage) => return Ok(Recorded { bytes, damage: Some(damage) }),
                // All archives have it meanwhile.
                Part::Gone => return Ok(Recorded { bytes, damage: None }),
            };
            bytes += bytes_of(&entries);
            // Of one that the archive has whole, only the bytes are counted.
            if !is_whole {
                let written = store.record(vec![entries]).await.map_err(LongError::Storage)?;
                match written.into_iter().next() {
                    Some(Written::Whole) => is_whole = true,
                    Some(Written::Done | Written::More) | None => {}
                    Some(Written::Other(damage)) => return Ok(Recorded { bytes, damage: Some(damage) }),
                    Some(Written::Gap) => {
                        let why = "the archive has another beginning of it".into();
                        return Ok(Recorded { bytes, damage: Some(Damage { lobby, code: None, why }) });
                    }
                }
            }
            if is_last {
                return Ok(Recorded { bytes, damage: None });
            }
            part = reader.next_part(MAX_BYTES).await.map_err(LongError::Engine)?;
        }
    }
}
