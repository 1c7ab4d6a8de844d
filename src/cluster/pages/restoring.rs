//! Restoring the lobbies of some slots: their heads and pages, and after them what sealed logs have, in the order
//! of revisions.

use std::collections::btree_map::Entry as Place;
use std::collections::{BTreeMap, BTreeSet};

use futures_util::{StreamExt, TryFutureExt, TryStreamExt, stream};

use super::kept::KeptLobby;
use super::listing::list;
use super::marks::read_marks;
use super::restored::{Lobbies, Reading, RestoredLobby};
use super::selecting::read_listed;
use super::value::MAX_VALUE;
use crate::cluster::engine::{Engine, EngineError, RangeReader, Revision};
use crate::cluster::keys::{self, Slot};
use crate::cluster::log::{LogReader, ReadError, RecordedBatch, logs};
use crate::cluster::node::{Living, Sealed};
use crate::server::storage::{Damage, Entry, LobbyId, Note};

/// How many logs are read at the same time.
const LOGS_AT_ONCE: usize = 16;

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
    let slots: BTreeSet<Slot> = slots.into_iter().collect();
    let (marks, sealed, listed) = tokio::try_join!(
        read_marks(engine).err_into::<ReadError>(),
        sealed_logs(engine, living),
        list(engine, slots.iter().copied()).err_into()
    )?;
    let covered = |slot: &Slot| marks.get(slot).copied().unwrap_or_default();
    let covers: BTreeMap<_, _> = slots.iter().map(|slot| (*slot, covered(slot))).collect();
    // What all of the slots cover is not read again.
    let after = slots.iter().map(covered).min().unwrap_or_default();
    let (lobbies, batches) = tokio::try_join!(
        read_listed(engine, &listed, &covers).err_into(),
        read_batches(engine, sealed, after)
    )?;
    let mut restoring = Restoring { slots: covers, lobbies };
    for batch in batches {
        batch.entries.iter().for_each(|entry| restoring.add(entry, batch.revision));
    }
    let (mut lobbies, mut damaged) = (Vec::new(), Vec::new());
    for lobby in restoring.lobbies.into_values() {
        match lobby {
            Ok(lobby) => lobbies.push(lobby),
            Err(damage) => damaged.push(damage),
        }
    }
    Ok(Restored { slots, as_of: living.revision, lobbies, damaged })
}

/// The logs of all nodes that are living no more.
async fn sealed_logs(engine: &dyn Engine, living: &Living) -> Result<Vec<Sealed>, ReadError> {
    Ok(logs(engine).await?.into_iter().filter_map(|epoch| living.sealed(epoch)).collect())
}

/// All batches of these logs after this revision, in the order in which they were recorded: an older node may have
/// taken over from a newer one, so that no other order is right.
async fn read_batches(
    engine: &dyn Engine,
    sealed: Vec<Sealed>,
    after: Revision,
) -> Result<Vec<RecordedBatch>, ReadError> {
    let reading = sealed.into_iter().map(|log| read_log(engine, log, after));
    let mut read = stream::iter(reading).buffer_unordered(LOGS_AT_ONCE);
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

/// Reads all heads and pages of a slot that is covered up to this revision, as of another one. Pages without a head were
/// written by someone who could not finish.
pub(super) async fn read_slot(
    engine: &dyn Engine,
    slot: Slot,
    covered: Revision,
    at: Revision,
) -> Result<(Slot, Revision, Lobbies), EngineError> {
    let mut reading = BTreeMap::<LobbyId, Reading>::new();
    let mut heads = RangeReader::of_prefix(engine, &keys::heads(slot), MAX_VALUE).at(at);
    while let Some(some) = heads.next().await? {
        for head in some {
            if let Some(lobby) = keys::headed(slot, &head.key) {
                reading.insert(lobby, Reading::begin(lobby, &head, covered));
            } else {
                tracing::warn!(key = %head.key, "something in etcd is not ours");
            }
        }
    }
    let mut pages = RangeReader::of_prefix(engine, &keys::pages_of_slot(slot), MAX_VALUE).at(at);
    while let Some(some) = pages.next().await? {
        for page in some {
            let Some((lobby, _)) = keys::paged(slot, &page.key) else {
                tracing::warn!(key = %page.key, "something in etcd is not ours");
                continue;
            };
            if let Some(reading) = reading.get_mut(&lobby) {
                reading.add(&page.value);
            }
        }
    }
    let lobbies = reading.into_iter().map(|(lobby, reading)| (lobby, reading.finish())).collect();
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
                    place.insert(Ok(RestoredLobby::opened(kept)));
                }
            }
        }
    }
}
