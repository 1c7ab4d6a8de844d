//! Writing the first entries of this node's list.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::time::{Instant, MissedTickBehavior, interval_at};

use super::value;
use crate::cluster::engine::{Engine, MAX_OPERATIONS, Operation, Txn};
use crate::cluster::keys;
use crate::cluster::node::{FencedOff, Membership, Sequence, WriteError};
use crate::server::SharedListing;
use crate::server::storage::LobbyId;

/// How many entries each node writes: as many as the first list of a client has.
pub const MOST: usize = 64;

/// How often they are written, if they have changed: what the others show is that much older.
const EVERY: Duration = Duration::from_millis(250);

/// Writes the entries whenever they have changed.
pub(super) async fn write_own(
    engine: Arc<dyn Engine>,
    membership: Membership,
    listings: impl Fn() -> Vec<SharedListing>,
) -> FencedOff {
    let mut own = OwnList::new(engine, membership);
    let mut ticks = interval_at(Instant::now(), EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        match own.write(&listings()).await {
            Ok(()) => {}
            Err(WriteError::FencedOff(off)) => return off,
            Err(WriteError::Engine(error)) => tracing::debug!(%error, "the list of lobbies was not written"),
        }
    }
}

/// What this node has written.
struct OwnList {
    sequence: Sequence,
    /// The lobbies whose keys may be there, each with its value; `None` if that is not known.
    written: BTreeMap<LobbyId, Option<Bytes>>,
}

impl OwnList {
    fn new(engine: Arc<dyn Engine>, membership: Membership) -> Self {
        let key = keys::directory(membership.epoch());
        Self { sequence: Sequence::new(engine, membership, key), written: BTreeMap::new() }
    }

    /// Writes these entries, and deletes those that are gone. What does not fit into a transaction is left to the
    /// next call.
    async fn write(&mut self, listings: &[SharedListing]) -> Result<(), WriteError> {
        let format = self.sequence.membership().format();
        let wanted: BTreeMap<LobbyId, Bytes> = listings
            .iter()
            .take(MOST)
            .map(|listing| (listing.lobby, value::write(format, listing)))
            .collect();
        loop {
            let changes = self.changes(&wanted);
            if changes.is_empty() {
                return Ok(());
            }
            self.written.extend(changes.iter().map(|(lobby, _)| (*lobby, None)));
            let then = changes.iter().map(|(lobby, value)| self.operation(*lobby, value.clone())).collect();
            if self.sequence.run(Txn { then, ..Txn::default() }).await?.held {
                for (lobby, value) in changes {
                    match value {
                        Some(value) => self.written.insert(lobby, Some(value)),
                        None => self.written.remove(&lobby),
                    };
                }
                return Ok(());
            }
        }
    }

    /// The keys to set, and those to delete, as many as fit into a transaction.
    fn changes(&self, wanted: &BTreeMap<LobbyId, Bytes>) -> Vec<(LobbyId, Option<Bytes>)> {
        let is_new = |(lobby, value): &(&LobbyId, &Bytes)| {
            self.written.get(lobby).is_none_or(|written| written.as_ref() != Some(*value))
        };
        let puts = wanted.iter().filter(is_new).map(|(lobby, value)| (*lobby, Some(value.clone())));
        let gone =
            self.written.keys().filter(|lobby| !wanted.contains_key(lobby)).map(|lobby| (*lobby, None));
        puts.chain(gone).take(MAX_OPERATIONS - Sequence::ADDED).collect()
    }

    fn operation(&self, lobby: LobbyId, value: Option<Bytes>) -> Operation {
        let membership = self.sequence.membership();
        let key = keys::listing(membership.epoch(), lobby);
        match value {
            Some(value) => Operation::Put { key, value, lease: Some(membership.lease()) },
            None => Operation::Delete(key),
        }
    }
}
