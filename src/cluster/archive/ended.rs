//! The open lobbies in which games have ended: which of them this node's archive is to have next, and what is read of
//! them.

use std::collections::{BTreeMap, VecDeque};

use super::long::{Long, MAX_BYTES};
use crate::cluster::engine::{Change, Engine, EngineError, KeyValue, Revision};
use crate::cluster::following::News;
use crate::cluster::keys;
use crate::cluster::pages::{GameEnded, LobbyReader, Part, bytes_of, read_new_pages};
use crate::server::storage::{Damage, Entry, LobbyId};

/// The lobbies that wait, the one first that has waited longest.
#[derive(Debug, Default)]
pub(super) struct EndedGames {
    order: VecDeque<LobbyId>,
    lobbies: BTreeMap<LobbyId, ToRead>,
}

/// A lobby that waits.
#[derive(Debug, Clone, Copy)]
pub(super) struct ToRead {
    pub(super) lobby: LobbyId,
    /// Where its last events are.
    at: GameEnded,
    /// When its key was changed last.
    pub(super) changed: Revision,
    /// Whether its new pages are not enough.
    is_whole: bool,
}

/// What is found of a lobby.
#[derive(Debug)]
pub(super) enum Found<'a> {
    /// Nothing that the archive does not have.
    Nothing,
    /// The opening, and events up to the last one.
    Entries(Vec<Entry>),
    /// So much that it is read in parts. Nothing else is found then.
    Long(Box<Long<'a>>),
    Damaged(Damage),
    /// It was archived by all.
    Gone,
}

impl EndedGames {
    /// Notes in which lobbies games have ended.
    pub(super) fn note(&mut self, news: News) {
        match news {
            News::All(all, _) => {
                *self = Self::default();
                for found in &all {
                    self.add(found);
                }
            }
            News::Changed(changed) => {
                for change in &changed.changes {
                    match change {
                        Change::Put(found) => self.add(found),
                        Change::Deleted(key) => {
                            keys::ended_lobby(key).and_then(|lobby| self.lobbies.remove(&lobby));
                        }
                    }
                }
            }
        }
    }

    fn add(&mut self, found: &KeyValue) {
        let (Some(lobby), Ok(at)) = (keys::ended_lobby(&found.key), GameEnded::read(&found.value)) else {
            tracing::error!(key = %found.key, "a key in etcd is not ours, or damaged");
            return;
        };
        let to_read = ToRead { lobby, at, changed: found.changed, is_whole: false };
        if self.lobbies.insert(lobby, to_read).is_none() {
            self.order.push_back(lobby);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lobbies.is_empty()
    }

    /// The lobbies that come next, so many at most.
    pub(super) fn next(&self, most: usize) -> Vec<ToRead> {
        self.order.iter().filter_map(|lobby| self.lobbies.get(lobby)).take(most).copied().collect()
    }

    /// This lobby waits no longer.
    pub(super) fn remove(&mut self, lobby: LobbyId) {
        self.lobbies.remove(&lobby);
    }

    /// Forgets the places of those that wait no longer.
    pub(super) fn tidy(&mut self) {
        self.order.retain(|lobby| self.lobbies.contains_key(lobby));
    }

    /// The new pages of this lobby were not enough.
    pub(super) fn read_whole(&mut self, lobby: LobbyId) {
        if let Some(to_read) = self.lobbies.get_mut(&lobby) {
            to_read.is_whole = true;
        }
    }
}

/// Reads what the archive does not have of these lobbies; `last` are the numbers of the last events that it has of each.
/// Reads the first of them only, if they have more than [`MAX_BYTES`].
pub(super) async fn read<'a>(
    engine: &'a dyn Engine,
    next: &[ToRead],
    last: &[Option<u32>],
) -> Result<Vec<(ToRead, Found<'a>)>, EngineError> {
    let is_known = |lobby: &ToRead, last: Option<u32>| last.is_some_and(|last| last >= lobby.at.last);
    let is_near =
        |lobby: &ToRead, last: Option<u32>| !lobby.is_whole && last.is_some_and(|last| last >= lobby.at.page);
    let mut pages = Vec::new();
    for (lobby, last) in next.iter().zip(last) {
        if !is_known(lobby, *last) && is_near(lobby, *last) {
            pages.push((lobby.lobby, lobby.at));
        }
    }
    let mut pages = read_new_pages(engine, &pages).await?.into_iter();
    let (mut found, mut bytes) = (Vec::new(), 0);
    for (lobby, last) in next.iter().zip(last) {
        let of_it = if is_known(lobby, *last) {
            Found::Nothing
        } else if is_near(lobby, *last) {
            Found::Entries(pages.next().unwrap_or_default())
        } else if bytes > MAX_BYTES {
            break;
        } else {
            let mut reader = LobbyReader::so_far(engine, lobby.at.slot, lobby.lobby);
            match reader.next_part(MAX_BYTES).await? {
                Part::Sound { entries, is_last: true } => {
                    bytes += bytes_of(&entries);
                    Found::Entries(entries)
                }
                Part::Sound { .. } if !found.is_empty() => break,
                Part::Sound { entries: first, .. } => {
                    let long = Long { lobby: lobby.lobby, reader, first };
                    return Ok(vec![(*lobby, Found::Long(Box::new(long)))]);
                }
                Part::Damaged(damage) => Found::Damaged(damage),
                Part::Gone => Found::Gone,
            }
        };
        found.push((*lobby, of_it));
    }
    Ok(found)
}
