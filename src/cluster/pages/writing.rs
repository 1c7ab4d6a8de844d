//! Writing heads and pages from the log, and deleting the segments that they cover.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::net::IpAddr;
use std::sync::Arc;

use super::guarded::Guarded;
use super::kept::KeptLobby;
use super::marks::put_mark;
use super::puts::{head_of, put_bytes, put_page, puts_of};
use super::restoring::Restored;
use super::room::takes_too_much;
use crate::cluster::engine::{Engine, Key, Operation, Revision};
use crate::cluster::keys::{self, Slot};
use crate::cluster::log::{Recorded, start_value};
use crate::cluster::node::{Membership, WriteError};
use crate::server::storage::{Damage, Entry, LobbyId, Note};

/// After this number of bytes in the log, pages are written: what a survivor then has to read takes some 50 ms.
pub const WRITE_AFTER: usize = 16 << 20;

/// The most puts of a transaction, and about the most bytes: etcd allows 128 operations and comparisons, and 1.5 MB.
const MAX_PUTS: usize = 120;
const MAX_BYTES: usize = 1 << 20;

/// The most full pages that are written together: each has 4 KiB and one more event.
const MAX_PAGES: usize = 40;

/// The most lobbies in which games have ended that are written together: each takes three puts or more.
const MAX_ENDED: usize = MAX_PUTS / 3;

/// The lobbies of a node as its log has them, and what is not in pages yet.
#[derive(Debug)]
pub struct PageWriter {
    guarded: Guarded,
    lobbies: BTreeMap<LobbyId, KeptLobby>,
    /// The lobbies whose pages are behind the log.
    behind: BTreeSet<LobbyId>,
    /// Those of them that are closed. Some may be written already.
    closed: BTreeSet<LobbyId>,
    /// The open ones in which games have ended of which the archives were not told, the first one first. Some may be
    /// written already, or given away.
    ended: VecDeque<LobbyId>,
    /// The last batch that was taken, if its segments are still there.
    taken: Option<Recorded>,
    /// A revision at which all that this node had recorded was taken.
    current: Revision,
    /// How many bytes the log has that pages do not.
    bytes: usize,
    /// The slots of this node, each with the revision up to which it was covered when it was marked last.
    slots: BTreeMap<Slot, Revision>,
    /// The slots that are to be marked, each with the revision up to which it is covered after the next round.
    marks: BTreeMap<Slot, Revision>,
    round: Option<Round>,
}

/// A round of writing: what was behind when it began. More may be taken while it lasts.
#[derive(Debug)]
struct Round {
    due: BTreeSet<LobbyId>,
    taken: Option<Recorded>,
    marks: BTreeMap<Slot, Revision>,
}

impl PageWriter {
    /// The writer of a node that has just joined.
    pub fn new(engine: Arc<dyn Engine>, membership: Membership) -> Self {
        Self {
            guarded: Guarded::new(engine, membership),
            lobbies: BTreeMap::new(),
            behind: BTreeSet::new(),
            closed: BTreeSet::new(),
            ended: VecDeque::new(),
            taken: None,
            current: Revision::default(),
            bytes: 0,
            slots: BTreeMap::new(),
            marks: BTreeMap::new(),
            round: None,
        }
    }

    /// Goes on with the lobbies of slots that this node has taken over.
    pub fn adopt(&mut self, restored: &Restored) {
        // A closed lobby of which all is written waits for its archive, and changes no more.
        for lobby in restored.lobbies.iter().filter(|lobby| lobby.is_behind || lobby.kept.closed.is_none()) {
            self.behind.extend(lobby.is_behind.then_some(lobby.kept.lobby));
            self.closed.extend(lobby.kept.closed.map(|_| lobby.kept.lobby));
            self.ended.extend(lobby.kept.has_ended.then_some(lobby.kept.lobby));
            if let Some(written) = lobby.written {
                self.guarded.note(head_of(&lobby.kept), written);
            }
            self.lobbies.insert(lobby.kept.lobby, lobby.kept.clone());
        }
        self.slots.extend(restored.slots.iter().map(|slot| (*slot, restored.as_of)));
        self.cover(restored.slots.iter().copied(), restored.as_of);
    }

    /// Has the next writing mark these slots of this node as covered up to a revision, at which every batch that the
    /// node had recorded was taken: see [`Log::confirm`](crate::cluster::log::Log::confirm).
    pub fn cover(&mut self, slots: impl IntoIterator<Item = Slot>, up_to: Revision) {
        self.marks.extend(slots.into_iter().map(|slot| (slot, up_to)));
    }

    /// Has the next round mark all slots of this node as covered up to the last batch that was taken.
    pub fn cover_all(&mut self) {
        for (slot, covered) in &mut self.slots {
            *covered = self.current.max(*covered);
            self.marks.insert(*slot, *covered);
        }
    }

    /// Notes that all that this node had recorded at a revision was taken.
    pub fn note_current(&mut self, revision: Revision) {
        self.current = revision.max(self.current);
    }

    /// How many open lobbies there are in these slots.
    pub fn open_lobbies(&self, slots: &BTreeSet<Slot>) -> usize {
        self.lobbies.values().filter(|kept| kept.closed.is_none() && slots.contains(&kept.slot())).count()
    }

    /// The address whose open lobbies are to be closed first, if all open lobbies of this node take too much of etcd.
    pub fn takes_too_much(&self) -> Option<IpAddr> {
        takes_too_much(self.lobbies.values(), self.slots.len())
    }

    /// Forgets the lobbies of a slot that this node has given away. Everything of it is to be written before.
    pub fn give_away(&mut self, slot: Slot) {
        for (_, given) in self.lobbies.extract_if(.., |_, lobby| lobby.slot() == slot) {
            self.guarded.forget(&head_of(&given));
        }
        self.behind.retain(|lobby| self.lobbies.contains_key(lobby));
        self.slots.remove(&slot);
        self.marks.remove(&slot);
        if let Some(round) = &mut self.round {
            round.marks.remove(&slot);
        }
        self.guarded.forget(&keys::covered(slot));
    }

    /// Takes over a batch that was recorded in the log of this node. Every batch is to be taken, in order.
    ///
    /// # Errors
    ///
    /// If an entry does not follow from what was recorded before.
    pub fn take(&mut self, entries: &[Entry], recorded: Recorded) -> Result<(), Damage> {
        self.taken = Some(recorded);
        self.bytes += recorded.bytes;
        self.note_current(recorded.revision);
        for entry in entries {
            let lobby = entry.lobby;
            self.behind.insert(lobby);
            match (self.lobbies.get_mut(&lobby), &entry.note) {
                (Some(kept), _) => {
                    let is_waiting = kept.has_ended;
                    kept.apply(entry, recorded.revision)?;
                    self.closed.extend(kept.closed.map(|_| lobby));
                    self.ended.extend((kept.has_ended && !is_waiting).then_some(lobby));
                }
                (None, Note::Opened(meta)) => {
                    let opened = KeptLobby::opened(lobby, entry.wall, meta.clone(), recorded.revision);
                    self.lobbies.insert(lobby, opened);
                }
                // It was closed before.
                (None, Note::Unseated(_) | Note::Checkpoint(_)) => drop(self.behind.remove(&lobby)),
                (None, _) => {
                    self.behind.remove(&lobby);
                    let why = "how it was opened is missing".into();
                    return Err(Damage { lobby, code: None, why });
                }
            }
        }
        Ok(())
    }

    /// Whether it is time to write.
    pub fn is_due(&self) -> bool {
        self.bytes >= WRITE_AFTER
    }

    /// Whether a closed lobby may not be written yet.
    pub fn has_closed(&self) -> bool {
        !self.closed.is_empty()
    }

    /// Goes on with the closed lobbies by about one transaction: all archives wait for them, and they change no more.
    ///
    /// # Errors
    ///
    /// What was written before the error stays. Call it again.
    pub async fn write_closed(&mut self) -> Result<(), WriteError> {
        self.closed.retain(|lobby| self.behind.contains(lobby));
        let Some(first) = self.closed.first().copied() else { return Ok(()) };
        let due = self.closed.clone();
        self.write_full_pages(first).await?;
        self.write_group(&due).await
    }

    /// Whether a game may have ended in an open lobby of which the archives were not told.
    pub fn has_ended(&self) -> bool {
        !self.ended.is_empty()
    }

    /// Writes some of the open lobbies in which games have ended, by about one transaction, and tells the archives.
    ///
    /// # Errors
    ///
    /// What was written before the error stays. Call it again.
    pub async fn write_ended(&mut self) -> Result<(), WriteError> {
        self.forget_told();
        let due: BTreeSet<LobbyId> = self.ended.iter().take(MAX_ENDED).copied().collect();
        let Some(first) = due.first().copied() else { return Ok(()) };
        self.write_full_pages(first).await?;
        self.write_group(&due).await?;
        self.forget_told();
        Ok(())
    }

    /// Forgets the lobbies in which games have ended of which the archives were told, or are told by another node.
    fn forget_told(&mut self) {
        self.ended.retain(|lobby| self.lobbies.get(lobby).is_some_and(|kept| kept.has_ended));
    }

    /// Begins a round, if none is running: what is behind now is to be written.
    pub fn begin(&mut self) {
        if self.round.is_none() {
            let (due, taken, marks) = (self.behind.clone(), self.taken, std::mem::take(&mut self.marks));
            self.round = Some(Round { due, taken, marks });
            self.bytes = 0;
        }
    }

    /// Whether a round is running.
    pub fn is_writing(&self) -> bool {
        self.round.is_some()
    }

    /// Goes on with the round by about one transaction. At its end the segments that are covered are deleted.
    ///
    /// # Errors
    ///
    /// What was written before the error stays. Call it again.
    pub async fn step(&mut self) -> Result<(), WriteError> {
        let Some(round) = &mut self.round else { return Ok(()) };
        // Others were given away, or are written already.
        round.due.retain(|lobby| self.behind.contains(lobby));
        if let Some(first) = round.due.first().copied() {
            let due = round.due.clone();
            self.write_full_pages(first).await?;
            return self.write_group(&due).await;
        }
        if !round.marks.is_empty() {
            let marks = round.marks.iter().take(MAX_PAGES).map(|(slot, at)| (*slot, *at)).collect();
            return self.mark_slots(marks).await;
        }
        if let Some(taken) = round.taken {
            self.delete_segments(taken).await?;
        }
        self.round = None;
        Ok(())
    }

    /// Writes all that is behind, and then deletes the segments that are covered.
    ///
    /// # Errors
    ///
    /// What was written before the error stays. Call it again.
    pub async fn write(&mut self) -> Result<(), WriteError> {
        while self.is_writing() {
            self.step().await?;
        }
        self.begin();
        while self.is_writing() {
            self.step().await?;
        }
        Ok(())
    }

    /// Writes all of these slots of this node, and marks them as covered by that.
    ///
    /// # Errors
    ///
    /// What was written before the error stays. Call it again.
    pub async fn write_slots(&mut self, slots: &BTreeSet<Slot>) -> Result<(), WriteError> {
        loop {
            let is_due =
                |lobby: &&LobbyId| self.lobbies.get(lobby).is_some_and(|kept| slots.contains(&kept.slot()));
            let due: BTreeSet<LobbyId> = self.behind.iter().filter(is_due).copied().collect();
            let Some(first) = due.first() else { break };
            self.write_full_pages(*first).await?;
            self.write_group(&due).await?;
        }
        let current = self.current;
        let mine = self.slots.iter_mut().filter(|(slot, _)| slots.contains(slot));
        let marks: Vec<_> = mine
            .map(|(slot, covered)| {
                *covered = current.max(*covered);
                (*slot, *covered)
            })
            .collect();
        for some in marks.chunks(MAX_PAGES) {
            self.mark_slots(some.to_vec()).await?;
        }
        Ok(())
    }

    /// Writes the full pages of a lobby that has too many of them for a group. Until its head is written, they
    /// count for nothing.
    async fn write_full_pages(&mut self, lobby: LobbyId) -> Result<(), WriteError> {
        let format = self.guarded.membership.format();
        while let Some(kept) = self.lobbies.get_mut(&lobby).filter(|kept| kept.full.len() > MAX_PAGES) {
            let pages = kept.full.iter().take(MAX_PAGES).map(|page| put_page(format, kept, page)).collect();
            self.guarded.run(&[head_of(kept)], pages).await?;
            kept.full.drain(..MAX_PAGES);
        }
        Ok(())
    }

    /// Writes those of these lobbies that fit into one transaction.
    async fn write_group(&mut self, due: &BTreeSet<LobbyId>) -> Result<(), WriteError> {
        let format = self.guarded.membership.format();
        let (mut group, mut heads, mut puts, mut bytes) = (Vec::new(), Vec::new(), Vec::new(), 0);
        for kept in due.iter().filter_map(|lobby| self.lobbies.get(lobby)) {
            let more: Vec<Operation> = puts_of(format, kept).collect();
            bytes += more.iter().map(put_bytes).sum::<usize>();
            if !group.is_empty() && (puts.len() + more.len() > MAX_PUTS || bytes > MAX_BYTES) {
                break;
            }
            group.push(kept.lobby);
            heads.push(head_of(kept));
            puts.extend(more);
        }
        self.guarded.run(&heads, puts).await?;
        for (lobby, head) in group.iter().zip(&heads) {
            self.behind.remove(lobby);
            match self.lobbies.get_mut(lobby) {
                Some(kept) if kept.closed.is_none() => kept.note_written(),
                _ => {
                    self.lobbies.remove(lobby);
                    self.guarded.forget(head);
                }
            }
        }
        Ok(())
    }

    /// Notes up to where some slots are covered: nothing of what other logs have of them counts.
    async fn mark_slots(&mut self, marks: Vec<(Slot, Revision)>) -> Result<(), WriteError> {
        let keys: Vec<Key> = marks.iter().map(|(slot, _)| keys::covered(*slot)).collect();
        let puts = marks.iter().map(|(slot, at)| put_mark(*slot, *at)).collect();
        self.guarded.run(&keys, puts).await?;
        let round = self.round.as_mut().map(|round| &mut round.marks);
        for waiting in [Some(&mut self.marks), round].into_iter().flatten() {
            waiting.retain(|slot, waiting| marks.iter().all(|(marked, at)| marked != slot || at < waiting));
        }
        Ok(())
    }

    /// Deletes the segments up to those of this batch: all of their entries are in pages.
    async fn delete_segments(&mut self, up_to: Recorded) -> Result<(), WriteError> {
        let (epoch, kept) = (self.guarded.membership.epoch(), up_to.last.next());
        let covered = Operation::DeleteRange(keys::log(epoch), keys::segment(epoch, kept));
        let start = Operation::put(keys::start(epoch), start_value(kept).to_vec());
        self.guarded.run(&[keys::start(epoch)], vec![covered, start]).await?;
        self.taken = self.taken.filter(|taken| taken.last > up_to.last);
        Ok(())
    }
}
