//! A lobby as it is restored from its head and pages.

use std::collections::BTreeMap;

use bytes::Bytes;

use super::kept::{Events, KeptLobby};
use super::value::{read_head, read_page};
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
