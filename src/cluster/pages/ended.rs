//! What tells the archives that a game has ended in a lobby that is open: a key with a [checked] value of version 1, which
//! is written together with the lobby's pages.
//!
//! ```text
//! +----------+--------------------+---------------------------------+
//! | u8: slot | u32: the number of | u32: the number of the event    |   high byte first
//! |          | the last event     | with which the first page       |
//! |          |                    | begins that is new              |
//! +----------+--------------------+---------------------------------+
//! ```
//!
//! That page has the last event of which the archives were told before. Who has that event reads only from there on, of
//! many lobbies at once.

use bytes::Bytes;

use super::kept::KeptLobby;
use super::value::{Head, read_head, read_page};
use crate::cluster::checked;
use crate::cluster::engine::{Engine, EngineError, KeyValue, Operation, Range, Txn};
use crate::cluster::format::Format;
use crate::cluster::keys::{self, Slot};
use crate::server::storage::{Entry, LobbyId, Note};

/// The most new pages of a lobby that are read together with those of others: an answer has at most 4 MB.
const MAX_NEW: usize = 4;

/// Where the last events of a lobby are in which a game has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GameEnded {
    /// The lobby's slot.
    pub slot: Slot,
    /// The number of its last event.
    pub last: u32,
    /// The number of the event with which the page begins that has the last event of which the archives were told before.
    pub page: u32,
}

impl GameEnded {
    pub(super) fn of(kept: &KeptLobby) -> Self {
        Self { slot: kept.slot(), last: kept.last, page: kept.told }
    }

    pub(super) fn value(self) -> Bytes {
        let numbers = [self.last.to_be_bytes(), self.page.to_be_bytes()].concat();
        checked::finish(Format::FIRST, [&[0; checked::HEADER][..], &[self.slot.0], &numbers].concat())
    }

    /// Reads a value.
    ///
    /// # Errors
    ///
    /// What is wrong, as the end of a sentence.
    pub fn read(value: &[u8]) -> Result<Self, String> {
        let content = checked::content(value)?;
        let parts = content.split_first().and_then(|(slot, numbers)| {
            let (last, page) = numbers.split_first_chunk()?;
            Some((*slot, u32::from_be_bytes(*last), u32::from_be_bytes(page.try_into().ok()?)))
        });
        let (slot, last, page) = parts.ok_or("it has another length")?;
        Ok(Self { slot: Slot(slot), last, page })
    }
}

/// Reads how these lobbies were opened, who has had seats there, and the events of their new pages: 40 lobbies at most.
/// What cannot be read of a lobby, or has too many pages, is empty.
///
/// # Errors
///
/// If etcd does not answer.
pub async fn read_new_pages(
    engine: &dyn Engine,
    lobbies: &[(LobbyId, GameEnded)],
) -> Result<Vec<Vec<Entry>>, EngineError> {
    if lobbies.is_empty() {
        return Ok(Vec::new());
    }
    let gets = lobbies.iter().flat_map(|(lobby, at)| {
        let from = keys::page(at.slot, *lobby, at.page);
        let to = keys::pages(at.slot, *lobby).behind_prefix();
        [Operation::get(keys::head(at.slot, *lobby)), Operation::Get(Range::new((from, to), MAX_NEW))]
    });
    let reply = engine.txn(Txn { then: gets.collect(), ..Txn::default() }).await?;
    let found = lobbies.iter().zip(reply.found.chunks(2));
    Ok(found.map(|((lobby, at), found)| new_events(*lobby, *at, found).unwrap_or_default()).collect())
}

/// A lobby by its head and new pages, which were found as these two.
fn new_events(lobby: LobbyId, at: GameEnded, found: &[Vec<KeyValue>]) -> Option<Vec<Entry>> {
    let (head, pages) = (found.first()?.first()?, found.get(1)?);
    let Head { mut kept, last, .. } = read_head(lobby, &head.value).ok()?;
    // No lobby is loaded from an archive.
    kept.checkpoint = None;
    let (mut entries, mut next) = (kept.head(), at.page);
    for page in pages {
        for entry in read_page(lobby, &page.value).ok()? {
            // What pages have beyond the head was written by someone who could not finish.
            match entry.note {
                Note::Happened { number, .. } if number > last => break,
                Note::Happened { number, .. } if number == next => next += 1,
                _ => return None,
            }
            entries.push(entry);
        }
    }
    (next > at.last).then_some(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_reads_back_and_a_damaged_one_is_refused() {
        let written = GameEnded { slot: Slot(7), last: 300, page: 257 };
        assert_eq!(GameEnded::read(&written.value()), Ok(written));
        for damaged in [&written.value()[1..], b"", b"?", &checked::finish(Format::FIRST, vec![0; 10])] {
            assert!(GameEnded::read(damaged).is_err());
        }
    }
}
