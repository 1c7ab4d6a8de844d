//! A lobby as it is restored from its head and pages.

use std::collections::BTreeMap;

use bytes::Bytes;

use super::kept::{KeptLobby, PageStart};
use super::value::{Head, read_head, read_page};
use crate::cluster::engine::{KeyValue, Revision};
use crate::server::storage::{Damage, Entry, LobbyId, Note, Owner, StoredLobby};

/// Lobbies that were read, in any order.
pub(super) type Lobbies = BTreeMap<LobbyId, Result<RestoredLobby, Damage>>;

/// A lobby that was restored.
#[derive(Debug)]
pub struct RestoredLobby {
    /// What its head and pages are to keep.
    pub kept: KeptLobby,
    /// Whether they are behind that.
    pub is_behind: bool,
    /// The frames of the events after the checkpoint, each with its number.
    pub(super) events: Vec<(u32, Bytes)>,
    /// When its head was written last, if it was.
    pub(super) written: Option<Revision>,
    /// What was recorded up to here is in the head and the pages.
    pub(super) covered: Revision,
}

impl RestoredLobby {
    /// A lobby of which nothing is in a head.
    pub(super) fn opened(kept: KeptLobby) -> Self {
        Self { kept, is_behind: true, events: Vec::new(), written: None, covered: Revision::default() }
    }

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

    /// Adds an entry of a log.
    pub(super) fn apply(&mut self, entry: &Entry, at: Revision) -> Result<(), Damage> {
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

/// A lobby while its pages are read.
pub(super) struct Reading {
    pub(super) lobby: LobbyId,
    /// The lobby, and the number of its last event by its head.
    read: Result<(RestoredLobby, u32), Damage>,
    /// With which page a new owner begins, and how many it reads.
    needed: (PageStart, usize),
}

impl Reading {
    /// Begins to read a lobby of which all pages are added.
    pub(super) fn begin(lobby: LobbyId, head: &KeyValue, covered: Revision) -> Self {
        let (read, needed) = match read_head(lobby, &head.value) {
            Ok(Head { kept, last, needed }) => {
                let (covered, written) = (covered.max(kept.covered), Some(head.changed));
                let restored = RestoredLobby { kept, is_behind: false, events: Vec::new(), written, covered };
                (Ok((restored, last)), needed)
            }
            Err(why) => {
                let why = format!("its head is damaged: {why}");
                (Err(Damage { lobby, code: None, why }), (PageStart::FIRST, 0))
            }
        };
        Self { lobby, read, needed }
    }

    /// Begins to read a lobby of which those pages are added that a new owner needs. Returns with which event they begin, and
    /// how many they are.
    pub(super) fn begin_where_needed(
        lobby: LobbyId,
        head: &KeyValue,
        covered: Revision,
    ) -> (Self, u32, usize) {
        let mut this = Self::begin(lobby, head, covered);
        let (start, count) = this.needed;
        if let Ok((restored, _)) = &mut this.read {
            restored.kept.begin_at(start);
        }
        (this, start.first, count)
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
        restored.kept.forget_starts();
        // They are in etcd, and the archives were told of games that have ended in the last of them at most.
        restored.kept.has_ended = true;
        restored.kept.note_written();
        Ok(restored)
    }
}
