//! Showing the entries of the other nodes.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::sync::Arc;

use super::value::{MOST_BYTES, read};
use crate::cluster::engine::{Change, Engine, Key, KeyValue, Revision};
use crate::cluster::following::{Follower, News};
use crate::cluster::keys::{self, Epoch};
use crate::server::SharedListing;
use crate::server::storage::LobbyId;

/// What has become of a lobby of another node in the list.
#[derive(Debug, Clone, PartialEq)]
pub enum Shown {
    /// It is listed with this entry.
    Listed(SharedListing),
    /// It is not listed any more.
    Unlisted(LobbyId),
}

/// Follows the entries of all other nodes.
pub(super) async fn show_others(
    engine: Arc<dyn Engine>,
    own: Epoch,
    mut show: impl FnMut(Shown),
) -> Infallible {
    let mut follower = Follower::new(engine, keys::DIRECTORY, MOST_BYTES);
    let mut others = Others { own, entries: BTreeMap::new(), shown: BTreeMap::new() };
    loop {
        let touched = others.note(follower.next().await);
        touched.into_iter().filter_map(|lobby| others.show(lobby)).for_each(&mut show);
    }
}

/// The entries of the other nodes.
struct Others {
    own: Epoch,
    /// Each entry with the revision at which it was set. Where a lobby goes from one node to another, both may have
    /// one for a moment: the later one counts.
    entries: BTreeMap<LobbyId, BTreeMap<Epoch, (Revision, SharedListing)>>,
    shown: BTreeMap<LobbyId, SharedListing>,
}

impl Others {
    /// Notes what has changed. Returns which lobbies it concerns.
    fn note(&mut self, news: News) -> BTreeSet<LobbyId> {
        match news {
            News::All(all, _) => {
                self.entries.clear();
                let there: Vec<LobbyId> = all.iter().filter_map(|found| self.put(found)).collect();
                self.shown.keys().copied().chain(there).collect()
            }
            News::Changed(changed) => {
                let touched = changed.changes.iter().filter_map(|change| match change {
                    Change::Put(found) => self.put(found),
                    Change::Deleted(key) => self.delete(key),
                });
                touched.collect()
            }
        }
    }

    fn put(&mut self, found: &KeyValue) -> Option<LobbyId> {
        let (epoch, lobby) = self.other(&found.key)?;
        match read(lobby, &found.value) {
            Ok(listing) => {
                self.entries.entry(lobby).or_default().insert(epoch, (found.changed, listing));
                Some(lobby)
            }
            Err(why) => {
                tracing::debug!(key = %found.key, "an entry of the list cannot be shown: {why}");
                self.delete(&found.key)
            }
        }
    }

    fn delete(&mut self, key: &Key) -> Option<LobbyId> {
        let (epoch, lobby) = self.other(key)?;
        let entries = self.entries.get_mut(&lobby)?;
        entries.remove(&epoch);
        if entries.is_empty() {
            self.entries.remove(&lobby);
        }
        Some(lobby)
    }

    /// Which lobby of which other node has this key.
    fn other(&self, key: &Key) -> Option<(Epoch, LobbyId)> {
        keys::listing_of(key).filter(|(epoch, _)| *epoch != self.own)
    }

    /// What is to be shown of a lobby now, if that has changed.
    fn show(&mut self, lobby: LobbyId) -> Option<Shown> {
        let entries = self.entries.get(&lobby).into_iter().flat_map(BTreeMap::values);
        match entries.max_by_key(|(set, _)| *set).map(|(_, listing)| listing) {
            Some(listing) if self.shown.get(&lobby) == Some(listing) => None,
            Some(listing) => {
                self.shown.insert(lobby, listing.clone());
                Some(Shown::Listed(listing.clone()))
            }
            None => self.shown.remove(&lobby).map(|_| Shown::Unlisted(lobby)),
        }
    }
}
