//! Writing heads and pages from the log, and deleting the segments that they cover.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::guarded::Guarded;
use super::kept::{Events, KeptLobby};
use super::marks::put_mark;
use super::restoring::Restored;
use super::value;
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

/// The lobbies of a node as its log has them, and what is not in pages yet.
#[derive(Debug)]
pub struct PageWriter {
    guarded: Guarded,
    lobbies: BTreeMap<LobbyId, KeptLobby>,
    /// The lobbies whose pages are behind the log.
    behind: BTreeSet<LobbyId>,
    /// The last batch that was taken, if its segments are still there.
    taken: Option<Recorded>,
    /// About how many bytes the log has that pages do not.
    bytes: usize,
    /// The slots that are to be marked, each with the revision up to which it is covered after the next time.
    marks: BTreeMap<Slot, Revision>,
}

impl PageWriter {
    /// The writer of a node that has just joined.
    pub fn new(engine: Arc<dyn Engine>, membership: Membership) -> Self {
        let (lobbies, behind, marks) = (BTreeMap::new(), BTreeSet::new(), BTreeMap::new());
        let guarded = Guarded::new(engine, membership);
        Self { guarded, lobbies, behind, taken: None, bytes: 0, marks }
    }

    /// Goes on with the lobbies of slots that this node has taken over.
    pub fn adopt(&mut self, restored: &Restored) {
        // A closed lobby of which all is written waits for its archive, and changes no more.
        for lobby in restored.lobbies.iter().filter(|lobby| lobby.is_behind || lobby.kept.closed.is_none()) {
            self.behind.extend(lobby.is_behind.then_some(lobby.kept.lobby));
            if let Some(written) = lobby.written {
                self.guarded.note(head_of(&lobby.kept), written);
            }
            self.lobbies.insert(lobby.kept.lobby, lobby.kept.clone());
        }
        self.cover(restored.slots.iter().copied(), restored.as_of);
    }

    /// Has the next writing mark these slots of this node as covered up to a revision, at which every batch that the
    /// node had recorded was taken: see [`Log::confirm`](crate::cluster::log::Log::confirm).
    pub fn cover(&mut self, slots: impl IntoIterator<Item = Slot>, up_to: Revision) {
        self.marks.extend(slots.into_iter().map(|slot| (slot, up_to)));
    }

    /// Forgets the lobbies of a slot that this node has given away. Everything of it is to be written before.
    pub fn give_away(&mut self, slot: Slot) {
        for (_, given) in self.lobbies.extract_if(.., |_, lobby| lobby.slot() == slot) {
            self.guarded.forget(&head_of(&given));
        }
        self.behind.retain(|lobby| self.lobbies.contains_key(lobby));
        self.marks.remove(&slot);
        self.guarded.forget(&keys::covered(slot));
    }

    /// Takes over a batch that was recorded in the log of this node. Every batch is to be taken, in order.
    ///
    /// # Errors
    ///
    /// If an entry does not follow from what was recorded before.
    pub fn take(&mut self, entries: &[Entry], recorded: Recorded) -> Result<(), Damage> {
        self.taken = Some(recorded);
        for entry in entries {
            let lobby = entry.lobby;
            self.bytes += usize::try_from(entry.note.bytes()).unwrap_or(usize::MAX);
            self.behind.insert(lobby);
            match (self.lobbies.get_mut(&lobby), &entry.note) {
                (Some(kept), _) => kept.apply(entry, recorded.revision)?,
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

    /// Writes all that is behind, and then deletes the segments that are covered.
    ///
    /// # Errors
    ///
    /// What was written before the error stays. Call it again.
    pub async fn write(&mut self) -> Result<(), WriteError> {
        while let Some(first) = self.behind.first().copied() {
            self.write_full_pages(first).await?;
            self.write_group().await?;
        }
        self.bytes = 0;
        self.mark_slots().await?;
        self.delete_segments().await
    }

    /// Writes the full pages of a lobby that has too many of them for a group. Until its head is written, they
    /// count for nothing.
    async fn write_full_pages(&mut self, lobby: LobbyId) -> Result<(), WriteError> {
        while let Some(kept) = self.lobbies.get_mut(&lobby).filter(|kept| kept.full.len() > MAX_PAGES) {
            let pages = kept.full.iter().take(MAX_PAGES).map(|page| put_page(kept, page)).collect();
            self.guarded.run(&[head_of(kept)], pages).await?;
            kept.full.drain(..MAX_PAGES);
        }
        Ok(())
    }

    /// Writes the next lobbies that fit into one transaction.
    async fn write_group(&mut self) -> Result<(), WriteError> {
        let (mut group, mut heads, mut puts, mut bytes) = (Vec::new(), Vec::new(), Vec::new(), 0);
        for kept in self.behind.iter().filter_map(|lobby| self.lobbies.get(lobby)) {
            let more: Vec<Operation> = puts_of(kept).collect();
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
                Some(kept) if kept.closed.is_none() => kept.full.clear(),
                _ => {
                    self.lobbies.remove(lobby);
                    self.guarded.forget(head);
                }
            }
        }
        Ok(())
    }

    /// Notes up to where slots are covered: nothing of what other logs have of them counts.
    async fn mark_slots(&mut self) -> Result<(), WriteError> {
        while !self.marks.is_empty() {
            let marks: Vec<(Slot, Revision)> =
                self.marks.iter().take(MAX_PAGES).map(|(slot, at)| (*slot, *at)).collect();
            let keys: Vec<Key> = marks.iter().map(|(slot, _)| keys::covered(*slot)).collect();
            let puts = marks.iter().map(|(slot, at)| put_mark(*slot, *at)).collect();
            self.guarded.run(&keys, puts).await?;
            self.marks.retain(|slot, _| !marks.iter().any(|(marked, _)| marked == slot));
        }
        Ok(())
    }

    /// Deletes the segments whose entries are all in pages.
    async fn delete_segments(&mut self) -> Result<(), WriteError> {
        let Some(Recorded { last, .. }) = self.taken else { return Ok(()) };
        let (epoch, kept) = (self.guarded.membership.epoch(), last.next());
        let covered = Operation::DeleteRange(keys::log(epoch), keys::segment(epoch, kept));
        let start = Operation::put(keys::start(epoch), start_value(kept).to_vec());
        self.guarded.run(&[keys::start(epoch)], vec![covered, start]).await?;
        self.taken = None;
        Ok(())
    }
}

fn head_of(kept: &KeptLobby) -> Key {
    keys::head(kept.slot(), kept.lobby)
}

/// What writes a lobby: its pages and its head, and the note that it was closed.
fn puts_of(kept: &KeptLobby) -> impl Iterator<Item = Operation> {
    let (slot, lobby) = (kept.slot(), kept.lobby);
    let tail = (!kept.tail.bytes.is_empty()).then_some(&kept.tail);
    let pages = kept.full.iter().chain(tail).map(move |page| put_page(kept, page));
    let head = Operation::put(head_of(kept), value::head(kept));
    let closed = kept.closed.map(|_| Operation::put(keys::closed(lobby), vec![slot.0]));
    pages.chain([head]).chain(closed)
}

fn put_page(kept: &KeptLobby, page: &Events) -> Operation {
    Operation::put(keys::page(kept.slot(), kept.lobby, page.first), value::page(page))
}

fn put_bytes(operation: &Operation) -> usize {
    match operation {
        Operation::Put { value, .. } => value.len(),
        _ => 0,
    }
}
