//! The closed lobbies: which of them this node's archive is to have next, and which it has.

use std::collections::{BTreeMap, VecDeque};
use std::mem;

use tokio::time::Instant;

use super::deleting::Archived;
use crate::cluster::engine::{Change, KeyValue, Revision};
use crate::cluster::following::News;
use crate::cluster::keys::{self, Slot};
use crate::server::storage::{Damage, LobbyId};

/// The closed lobbies whose keys are in etcd.
#[derive(Debug, Default)]
pub(super) struct ClosedLobbies {
    /// Those that are to be recorded, the first that was closed first.
    pub(super) next: VecDeque<ToArchive>,
    /// The revision up to which all of them are known.
    pub(super) known: Revision,
    /// Those that are recorded, or cannot be.
    pub(super) archived: BTreeMap<LobbyId, Archived>,
}

/// A closed lobby.
#[derive(Debug, Clone, Copy)]
pub(super) struct ToArchive {
    pub(super) lobby: LobbyId,
    pub(super) slot: Slot,
    /// When its key was created.
    pub(super) created: Revision,
}

impl ClosedLobbies {
    /// Notes which lobbies were closed, and of which the keys are gone.
    pub(super) fn note(&mut self, news: News) {
        match news {
            News::All(all, as_of) => {
                let earlier = mem::take(&mut self.archived);
                let mut closed: Vec<ToArchive> = all.iter().filter_map(ToArchive::of).collect();
                closed.sort_by_key(|lobby| lobby.created);
                self.next.clear();
                for lobby in closed {
                    match earlier.get(&lobby.lobby) {
                        Some(known) => {
                            self.archived.insert(lobby.lobby, *known);
                        }
                        None => self.next.push_back(lobby),
                    }
                }
                self.known = as_of;
            }
            News::Changed(changed) => {
                changed.changes.iter().for_each(|change| self.note_change(change));
                self.known = changed.revision;
            }
        }
    }

    fn note_change(&mut self, change: &Change) {
        match change {
            Change::Put(found) => {
                let is_new = |lobby: &ToArchive| !self.archived.contains_key(&lobby.lobby);
                self.next.extend(ToArchive::of(found).filter(is_new));
            }
            // One that is not recorded yet is then read in vain.
            Change::Deleted(key) => {
                keys::closed_lobby(key).and_then(|lobby| self.archived.remove(&lobby));
            }
        }
    }

    /// Notes that these were read, each with the number of its bytes, and are recorded unless they are damaged.
    pub(super) fn note_recorded(&mut self, read: &[(ToArchive, usize)], damaged: &[Damage]) {
        for damage in damaged {
            tracing::error!(%damage, "a closed lobby is not archived; it stays in etcd");
        }
        self.next.drain(..read.len());
        for (ToArchive { lobby, slot, created }, bytes) in read {
            let is_sound = !damaged.iter().any(|damage| damage.lobby == *lobby);
            let (since, bytes) = (Instant::now(), *bytes);
            let archived = Archived { slot: *slot, created: *created, since, bytes, is_sound };
            self.archived.insert(*lobby, archived);
        }
    }
}

impl ToArchive {
    /// The closed lobby of a key.
    fn of(found: &KeyValue) -> Option<Self> {
        if let (Some(lobby), [slot]) = (keys::closed_lobby(&found.key), &found.value[..]) {
            return Some(Self { lobby, slot: Slot(*slot), created: found.created });
        }
        tracing::error!(key = %found.key, "a key in etcd is not ours, or damaged");
        None
    }
}
