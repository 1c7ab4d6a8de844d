//! A lobby as its head and pages keep it, and how an entry changes it.

use std::collections::BTreeMap;

use crate::cluster::engine::Revision;
use crate::cluster::keys::Slot;
use crate::cluster::log::write_entry;
use crate::lobby::{Checkpoint, Event, PlayerId};
use crate::server::storage::{Damage, Entry, LobbyId, LobbyMeta, Note, Owner, WallTime};

/// A page with this number of bytes or more is full.
pub const PAGE: usize = 4 << 10;

/// The most people whom a head has who have given their seats up. Those before them cannot open the private games of the
/// lobby any more once it is in the archives. So a head stays small, however many come and go.
const MAX_PAST_OWNERS: usize = 100;

/// A lobby as its head and pages keep it.
#[derive(Debug, Clone)]
pub struct KeptLobby {
    /// Which one.
    pub lobby: LobbyId,
    /// When it was opened.
    pub opened: WallTime,
    /// How.
    pub meta: LobbyMeta,
    /// Everybody who holds a seat, and the last of those who held one; and whether they hold it.
    pub owners: BTreeMap<PlayerId, (Owner, bool)>,
    /// The lobby as it was after one of its events.
    pub checkpoint: Option<Checkpoint>,
    /// The number of the last event.
    pub last: u32,
    /// The bytes of its events.
    pub(super) bytes: u64,
    /// When it was closed, if it was.
    pub closed: Option<WallTime>,
    /// The revision up to which everything that was recorded of it is in it.
    pub covered: Revision,
    /// Whether a game has ended there of which the archives were not told. They are told of the end of a lobby anyway.
    pub(super) has_ended: bool,
    /// The number of the event with which the page begins that has the last event of which the archives were told, or
    /// an earlier page.
    pub(super) told: u32,
    /// Where pages begin: the one with which a node begins to read that takes over, and all after it.
    pub(super) starts: Vec<PageStart>,
    /// The last page, which is not full yet.
    pub(super) tail: Events,
    /// Pages that are full and not yet written.
    pub(super) full: Vec<Events>,
}

/// Where a page begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PageStart {
    /// The number of its first event, from 1.
    pub(super) first: u32,
    /// The bytes of all events before it.
    pub(super) before: u64,
}

impl PageStart {
    /// The first page.
    pub(super) const FIRST: Self = Self { first: 1, before: 0 };
}

/// The events of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Events {
    /// The number of the first one.
    pub(super) first: u32,
    /// Their entries as bytes.
    pub(super) bytes: Vec<u8>,
}

impl Events {
    pub(super) fn beginning_with(first: u32) -> Self {
        Self { first, bytes: Vec::new() }
    }
}

impl KeptLobby {
    /// A lobby that was opened, without events.
    pub(super) fn opened(lobby: LobbyId, opened: WallTime, meta: LobbyMeta, covered: Revision) -> Self {
        Self {
            lobby,
            opened,
            meta,
            owners: BTreeMap::new(),
            checkpoint: None,
            last: 0,
            bytes: 0,
            closed: None,
            covered,
            has_ended: false,
            told: 1,
            starts: vec![PageStart::FIRST],
            tail: Events::beginning_with(1),
            full: Vec::new(),
        }
    }

    /// The lobby's slot.
    pub fn slot(&self) -> Slot {
        Slot::of(self.meta.code)
    }

    /// The entries of the head: how it was opened, who holds a seat, and the checkpoint.
    pub(super) fn head(&self) -> Vec<Entry> {
        let entry = |note| Entry { lobby: self.lobby, wall: self.opened, note };
        let owners = self.owners.values().flat_map(|(owner, holds)| {
            let unseated = (!holds).then_some(Note::Unseated(owner.player));
            std::iter::once(Note::Seated(owner.clone())).chain(unseated)
        });
        let checkpoint = self.checkpoint.clone().map(|checkpoint| Note::Checkpoint(Box::new(checkpoint)));
        let opened = Note::Opened(self.meta.clone());
        std::iter::once(opened).chain(owners).chain(checkpoint).map(entry).collect()
    }

    /// Adds an entry that was recorded at this revision.
    ///
    /// # Errors
    ///
    /// If an event before it is missing, or it is another lobby's opening.
    pub(super) fn apply(&mut self, entry: &Entry, at: Revision) -> Result<(), Damage> {
        match &entry.note {
            Note::Opened(_) => return Err(self.damaged("it was opened twice".into())),
            Note::Happened { number, event, .. } => {
                let expected = self.last.saturating_add(1);
                if *number != expected {
                    return Err(self.damaged(format!("event {expected} is missing, and {number} is there")));
                }
                self.last = expected;
                self.note_event(entry);
                match event {
                    Event::Ended { .. } => self.has_ended = true,
                    Event::Closed => self.close(entry.wall),
                    _ => {}
                }
            }
            Note::Seated(owner) => drop(self.owners.insert(owner.player, (owner.clone(), true))),
            Note::Unseated(player) => {
                if let Some((_, holds)) = self.owners.get_mut(player) {
                    *holds = false;
                }
                self.forget_past_owners();
            }
            Note::Checkpoint(_) if self.closed.is_some() => {}
            Note::Checkpoint(checkpoint) => {
                self.checkpoint = Some(Checkpoint::clone(checkpoint));
                self.forget_starts();
            }
        }
        self.covered = at;
        Ok(())
    }

    /// Forgets those who have given their seats up, the first who came first, while there are too many of them.
    fn forget_past_owners(&mut self) {
        let past = self.owners.iter().filter(|(_, (_, holds))| !holds);
        let too_many = past.clone().count().saturating_sub(MAX_PAST_OWNERS);
        let forgotten: Vec<PlayerId> = past.map(|(player, _)| *player).take(too_many).collect();
        self.owners.retain(|player, _| !forgotten.contains(player));
    }

    /// Adds an event to the last page.
    pub(super) fn note_event(&mut self, entry: &Entry) {
        let before = self.tail.bytes.len();
        write_entry(entry, &mut self.tail.bytes);
        self.bytes += (self.tail.bytes.len() - before) as u64;
        if self.tail.bytes.len() >= PAGE {
            let next = PageStart { first: self.last.saturating_add(1), before: self.bytes };
            self.full.push(std::mem::replace(&mut self.tail, Events::beginning_with(next.first)));
            self.starts.push(next);
        }
    }

    /// Where a node begins to read that takes over: at the page with the event behind the checkpoint, or at the one with the
    /// last event, to which others are added. And how many pages it reads.
    pub(super) fn needed(&self) -> (PageStart, usize) {
        let needed = &self.starts[self.unneeded_starts()..];
        let has_tail = !self.tail.bytes.is_empty();
        (needed[0], needed.len() - usize::from(!has_tail))
    }

    /// The number of the event that has to be in the first page which a new owner reads, if the last one has this number.
    pub(super) fn first_needed(&self, last: u32) -> u32 {
        let known = self.checkpoint.as_ref().map_or(0, |checkpoint| checkpoint.snapshot.events);
        // Nobody goes on with a closed one.
        if self.closed.is_some() { last } else { known.saturating_add(1).min(last) }
    }

    /// How many pages nobody reads of those that begin at `starts`.
    fn unneeded_starts(&self) -> usize {
        let needed = self.first_needed(self.last);
        self.starts.partition_point(|start| start.first <= needed).saturating_sub(1)
    }

    /// Forgets where pages begin that no new owner needs.
    pub(super) fn forget_starts(&mut self) {
        self.starts.drain(..self.unneeded_starts());
    }

    /// Has the events before this page, and none of it and those after it.
    pub(super) fn begin_at(&mut self, start: PageStart) {
        self.last = start.first.saturating_sub(1);
        self.bytes = start.before;
        self.tail = Events::beginning_with(start.first);
        self.starts = vec![start];
    }

    /// Notes that all of it was written, and the archives were told of the games that have ended.
    pub(super) fn note_written(&mut self) {
        let full = self.full.last().filter(|_| self.tail.bytes.is_empty());
        if self.has_ended {
            self.told = full.map_or(self.tail.first, |page| page.first);
        }
        self.has_ended = false;
        self.full.clear();
    }

    /// As in the journal of one machine: nobody holds a seat any more, and no checkpoint is needed.
    fn close(&mut self, at: WallTime) {
        self.closed = Some(at);
        self.checkpoint = None;
        self.forget_starts();
        self.has_ended = false;
        self.owners.values_mut().for_each(|(_, holds)| *holds = false);
    }

    pub(super) fn damaged(&self, why: String) -> Damage {
        Damage { lobby: self.lobby, code: Some(self.meta.code), why }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::sample::{code, opened, seated, unseated};

    #[test]
    fn however_many_come_and_go_the_head_stays_small_and_has_all_who_hold_a_seat() {
        let Note::Opened(meta) = opened(1).note else { unreachable!("it is an opening") };
        let mut kept = KeptLobby::opened(LobbyId(1), WallTime(1), meta, Revision(1));
        assert_eq!(kept.meta.code, code(1));
        let seats = 1..=2_300_u32;
        for player in seats {
            kept.apply(&seated(1, player, 7), Revision(2)).unwrap();
            if player > 1 {
                kept.apply(&unseated(1, player), Revision(2)).unwrap();
            }
        }
        assert_eq!(kept.owners.len(), 1 + MAX_PAST_OWNERS);
        assert!(kept.owners[&PlayerId(1)].1 && kept.owners.contains_key(&PlayerId(2_300)));
    }
}
