//! Restoring the lobbies of some slots: their heads and pages, and after them what sealed logs have, in the order
//! of revisions.

use std::collections::btree_map::Entry as Place;
use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt, stream};

use super::kept::{Events, KeptLobby};
use super::marks::read_marks;
use super::selecting::read_for_taking;
use super::value::{MAX_VALUE, read_head, read_page};
use crate::cluster::engine::{Engine, EngineError, KeyValue, RangeReader, Revision};
use crate::cluster::keys::{self, Paged, Slot};
use crate::cluster::log::{LogReader, ReadError, RecordedBatch, logs};
use crate::cluster::node::{Living, Sealed};
use crate::server::storage::{Damage, Entry, LobbyId, Note, Owner, StoredLobby};

/// How many slots, and how many logs, are read at the same time: etcd answers one reader after a round trip, and
/// there are many slots with little in them.
pub(super) const AT_ONCE: usize = 16;

/// The lobbies of some slots, as their last owners have left them.
#[derive(Debug)]
pub struct Restored {
    /// Which slots.
    pub slots: BTreeSet<Slot>,
    /// The revision up to which all that was recorded of them is considered.
    pub as_of: Revision,
    /// All lobbies that are not archived, in the order of their numbers.
    pub lobbies: Vec<RestoredLobby>,
    /// Those that cannot be trusted.
    pub damaged: Vec<Damage>,
}

/// A lobby that was restored.
#[derive(Debug)]
pub struct RestoredLobby {
    /// What its head and pages are to keep.
    pub kept: KeptLobby,
    /// Whether they are behind that.
    pub is_behind: bool,
    /// The frames of the events after the checkpoint, each with its number.
    events: Vec<(u32, Bytes)>,
    /// When its head was written last, if it was.
    pub(super) written: Option<Revision>,
    /// What was recorded up to here is in the head and the pages.
    covered: Revision,
}

impl RestoredLobby {
    /// The lobby as a start of a server loads it; `None` if it is closed.
    pub fn stored(&self) -> Option<StoredLobby> {
        let KeptLobby { lobby, opened, meta, owners, checkpoint, closed, .. } = &self.kept;
        let holds = |(owner, holds): &(Owner, bool)| holds.then(|| owner.clone());
        let events = self.events.iter().map(|(_, frame)| frame.clone()).collect();
        closed.is_none().then(|| StoredLobby {
            lobby: *lobby,
            opened: *opened,
            meta: meta.clone(),
            checkpoint: checkpoint.clone(),
            events,
            owners: owners.values().filter_map(holds).collect(),
        })
    }

    /// Forgets the frames.
    #[cfg(test)]
    pub(super) fn forget_events(&mut self) {
        self.events.clear();
    }

    fn apply(&mut self, entry: &Entry, at: Revision) -> Result<(), Damage> {
        self.kept.apply(entry, at)?;
        self.is_behind = true;
        self.note(entry);
        Ok(())
    }

    /// Keeps the frame of an event, until a checkpoint covers it.
    fn note(&mut self, entry: &Entry) {
        let covered = self.kept.checkpoint.as_ref().map_or(0, |checkpoint| checkpoint.snapshot.events);
        match &entry.note {
            Note::Happened { number, frame, .. } if *number > covered => {
                self.events.push((*number, frame.clone()));
            }
            Note::Checkpoint(_) => self.events.retain(|(number, _)| *number > covered),
            _ => {}
        }
    }
}

/// Restores the lobbies of these slots. None of them may belong to a node that is alive.
///
/// # Errors
///
/// If etcd does not answer, or a log is damaged. A damaged lobby is no error.
pub async fn restore(
    engine: &dyn Engine,
    living: &Living,
    slots: impl IntoIterator<Item = Slot>,
) -> Result<Restored, ReadError> {
    let (marks, mut restoring) = (read_marks(engine).await?, Restoring::default());
    let covered = |slot| marks.get(&slot).copied().unwrap_or_default();
    let reading = slots.into_iter().map(|slot| read_for_taking(engine, slot, covered(slot)));
    let mut slots_read = stream::iter(reading).buffer_unordered(AT_ONCE);
    while let Some((slot, covered, lobbies)) = slots_read.try_next().await? {
        restoring.slots.insert(slot, covered);
        restoring.lobbies.extend(lobbies);
    }
    // What all of the slots cover is not read again.
    let after = restoring.slots.values().copied().min().unwrap_or_default();
    for batch in sealed_batches(engine, living, after).await? {
        batch.entries.iter().for_each(|entry| restoring.add(entry, batch.revision));
    }
    let (mut lobbies, mut damaged) = (Vec::new(), Vec::new());
    for lobby in restoring.lobbies.into_values() {
        match lobby {
            Ok(lobby) => lobbies.push(lobby),
            Err(damage) => damaged.push(damage),
        }
    }
    Ok(Restored { slots: restoring.slots.into_keys().collect(), as_of: living.revision, lobbies, damaged })
}

/// All batches of all sealed logs after this revision, in the order in which they were recorded: an older node may have
/// taken over from a newer one, so that no other order is right.
async fn sealed_batches(
    engine: &dyn Engine,
    living: &Living,
    after: Revision,
) -> Result<Vec<RecordedBatch>, ReadError> {
    let sealed = logs(engine).await?.into_iter().filter_map(|epoch| living.sealed(epoch));
    let mut read = stream::iter(sealed.map(|log| read_log(engine, log, after))).buffer_unordered(AT_ONCE);
    let mut batches = Vec::new();
    while let Some(log) = read.try_next().await? {
        batches.extend(log);
    }
    batches.sort_by_key(|batch| batch.revision);
    Ok(batches)
}

/// The batches of a sealed log after this revision.
async fn read_log(
    engine: &dyn Engine,
    log: Sealed,
    after: Revision,
) -> Result<Vec<RecordedBatch>, ReadError> {
    let (mut reader, mut batches) = (LogReader::open_after(engine, log, after).await?, Vec::new());
    while let Some(batch) = reader.next().await? {
        batches.push(batch);
    }
    Ok(batches)
}

/// Lobbies that were read, in any order.
pub(super) type Lobbies = BTreeMap<LobbyId, Result<RestoredLobby, Damage>>;

/// Reads all heads and pages of a slot that is covered up to this revision, as of another one.
pub(super) async fn read_slot(
    engine: &dyn Engine,
    slot: Slot,
    covered: Revision,
    at: Revision,
) -> Result<(Slot, Revision, Lobbies), EngineError> {
    let mut reader = RangeReader::of_prefix(engine, &keys::slot(slot), MAX_VALUE).at(at);
    let (mut lobbies, mut present) = (Lobbies::new(), None::<Reading>);
    let finish = |lobbies: &mut Lobbies, reading: Option<Reading>| {
        lobbies.extend(reading.map(|reading| (reading.lobby, reading.finish())));
    };
    while let Some(page) = reader.next().await? {
        for found in page {
            match keys::paged(slot, &found.key) {
                Some(Paged::Head(lobby)) => {
                    finish(&mut lobbies, present.take());
                    present = Some(Reading::begin(lobby, &found, covered));
                }
                Some(Paged::Page(lobby, _)) => {
                    if let Some(reading) = present.as_mut().filter(|reading| reading.lobby == lobby) {
                        reading.add(&found.value);
                    }
                }
                None => tracing::warn!(key = %found.key, "something in etcd is not ours"),
            }
        }
    }
    finish(&mut lobbies, present);
    Ok((slot, covered, lobbies))
}

/// What was read so far.
#[derive(Default)]
pub(super) struct Restoring {
    /// The slots, each with the revision up to which other logs do not count.
    pub(super) slots: BTreeMap<Slot, Revision>,
    pub(super) lobbies: Lobbies,
}

impl Restoring {
    /// Adds an entry of a log, if it is of one of the slots and not covered.
    pub(super) fn add(&mut self, entry: &Entry, at: Revision) {
        match self.lobbies.entry(entry.lobby) {
            Place::Occupied(mut place) => {
                if let Ok(lobby) = place.get_mut()
                    && at > lobby.covered
                    && let Err(damage) = lobby.apply(entry, at)
                {
                    *place.get_mut() = Err(damage);
                }
            }
            Place::Vacant(place) => {
                if let Note::Opened(meta) = &entry.note
                    && self.slots.get(&Slot::of(meta.code)).is_some_and(|covered| at > *covered)
                {
                    let kept = KeptLobby::opened(entry.lobby, entry.wall, meta.clone(), at);
                    let (written, covered) = (None, Revision::default());
                    place.insert(Ok(RestoredLobby {
                        kept,
                        is_behind: true,
                        events: Vec::new(),
                        written,
                        covered,
                    }));
                }
            }
        }
    }
}

/// A lobby while its pages are read.
pub(super) struct Reading {
    pub(super) lobby: LobbyId,
    /// The lobby, and the number of its last event by its head.
    read: Result<(RestoredLobby, u32), Damage>,
}

impl Reading {
    pub(super) fn begin(lobby: LobbyId, head: &KeyValue, covered: Revision) -> Self {
        let read = match read_head(lobby, &head.value) {
            Ok((kept, last)) => {
                let (covered, written) = (covered.max(kept.covered), Some(head.changed));
                Ok((RestoredLobby { kept, is_behind: false, events: Vec::new(), written, covered }, last))
            }
            Err(why) => Err(Damage { lobby, code: None, why: format!("its head is damaged: {why}") }),
        };
        Self { lobby, read }
    }

    /// The numbers of the last event that nobody needs, since a checkpoint covers it or the lobby is closed, and of the last
    /// one; `None` if the head is damaged.
    pub(super) fn known(&self) -> Option<(u32, u32)> {
        let (RestoredLobby { kept, .. }, last) = self.read.as_ref().ok()?;
        let checkpoint = kept.checkpoint.as_ref().map_or(0, |checkpoint| checkpoint.snapshot.events);
        Some((if kept.closed.is_some() { *last } else { checkpoint }, *last))
    }

    /// The first page that is added begins with this event, if nobody needs what is before it. The pages before it have
    /// about so many bytes.
    pub(super) fn skip_to(&mut self, first: u32, bytes: usize) {
        let is_needed = self.known().is_none_or(|(known, _)| first > known.saturating_add(1));
        if let (Ok((restored, _)), false) = (&mut self.read, is_needed) {
            restored.kept.last = first.saturating_sub(1);
            restored.kept.tail = Events::beginning_with(first);
            restored.kept.bytes = bytes as u64;
        }
    }

    /// Adds the next page. What it has beyond the head was written by someone who could not finish: the log has it.
    pub(super) fn add(&mut self, page: &[u8]) {
        let Ok((restored, last)) = &mut self.read else { return };
        let added = read_page(self.lobby, page).and_then(|events| {
            for entry in &events {
                let Note::Happened { number, .. } = entry.note else { continue };
                if number > *last {
                    break;
                }
                if number != restored.kept.last + 1 {
                    return Err(format!("event {} is missing", restored.kept.last + 1));
                }
                restored.kept.last = number;
                restored.kept.note_event(entry);
                restored.note(entry);
            }
            Ok(())
        });
        if let Err(why) = added {
            self.read = Err(restored.kept.damaged(format!("a page of it is damaged: {why}")));
        }
    }

    pub(super) fn finish(self) -> Result<RestoredLobby, Damage> {
        let (mut restored, last) = self.read?;
        if restored.kept.last != last {
            return Err(restored.kept.damaged(format!("event {} is missing", restored.kept.last + 1)));
        }
        // They are in etcd, and the archives were told of games that have ended in the last of them at most.
        restored.kept.has_ended = true;
        restored.kept.note_written();
        Ok(restored)
    }
}
