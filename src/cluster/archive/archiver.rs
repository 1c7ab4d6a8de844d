//! An archiver: it follows the closed lobbies of the cluster, records each in this node's archive, and says how far it
//! is. Of open lobbies in which games have ended it records what has happened so far.

use std::collections::{BTreeMap, VecDeque};
use std::mem;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, Interval, MissedTickBehavior, interval};

use super::deleting::{Archived, delete_archived, read_mark};
use super::ended::{EndedGames, Found, ToRead, bytes_of, read};
use super::mark::Mark;
use super::store::ArchiveStore;
use crate::cluster::engine::{Change, Compare, Engine, EngineError, KeyValue, Operation, Revision, Txn};
use crate::cluster::following::{Follower, News, RETRY_PAUSE};
use crate::cluster::keys::{self, NodeName, Slot};
use crate::cluster::node::{FencedOff, Membership, WriteError};
use crate::cluster::pages::{WholeLobby, read_closed};
use crate::server::storage::sqlite::Written;
use crate::server::storage::{Damage, LobbyId, StorageError, WallTime};

/// How often what this node has recorded of its own lobbies goes to its archive.
const OWN_EVERY: Duration = Duration::from_millis(250);

/// How often a new mark is written, and old lobbies are pruned.
const MARK_EVERY: Duration = Duration::from_secs(1);

/// How often the mark is written although it is the same, so that others see that this node is alive.
const REPEAT_MARK_AFTER: Duration = Duration::from_hours(1);

/// How often keys are deleted.
const DELETE_EVERY: Duration = Duration::from_secs(5);

/// The most lobbies that are recorded together, and about the most bytes.
const MAX_LOBBIES: usize = 40;
const MAX_BYTES: usize = 8 << 20;

/// The pause after an error of SQLite.
const STORAGE_PAUSE: Duration = Duration::from_secs(1);

/// The most bytes of a key of a closed lobby, or of one in which a game has ended.
const MOST_BYTES: usize = 64;

/// The archiver of a node, for one membership.
#[derive(Debug)]
pub struct Archiver {
    engine: Arc<dyn Engine>,
    membership: Membership,
    name: NodeName,
    store: ArchiveStore,
    follower: Follower,
    /// Follows the games that have ended in open lobbies.
    games: Follower,
    /// The open lobbies in which games have ended that are to be recorded.
    ended: EndedGames,
    /// The closed lobbies that are to be recorded, the first that was closed first.
    next: VecDeque<ToArchive>,
    /// The revision up to which all closed lobbies are known.
    known: Revision,
    /// Those that are recorded, or cannot be, and whose keys are still there.
    archived: BTreeMap<LobbyId, Archived>,
    /// The mark that was written last, and when.
    marked: Option<(Revision, Instant)>,
    /// Why nothing could be recorded, if so: it is logged once.
    error: Option<StorageError>,
}

/// A closed lobby.
#[derive(Debug, Clone, Copy)]
struct ToArchive {
    lobby: LobbyId,
    slot: Slot,
    /// When its key was created.
    created: Revision,
}

impl Archiver {
    /// The archiver of the node with this name.
    pub fn new(engine: Arc<dyn Engine>, membership: Membership, name: NodeName, store: ArchiveStore) -> Self {
        let [follower, games] =
            [keys::CLOSED, keys::ENDED].map(|prefix| Follower::new(Arc::clone(&engine), prefix, MOST_BYTES));
        let ended = EndedGames::default();
        let (next, archived, known) = (VecDeque::new(), BTreeMap::new(), Revision::default());
        Self {
            engine,
            membership,
            name,
            store,
            follower,
            games,
            ended,
            next,
            known,
            archived,
            marked: None,
            error: None,
        }
    }

    /// Archives until this node is no member any more.
    pub async fn run(mut self) -> FencedOff {
        let membership = self.membership.clone();
        tokio::select! {
            () = membership.fenced_off() => FencedOff,
            off = self.archive() => off,
        }
    }

    async fn archive(&mut self) -> FencedOff {
        if let Err(error) = self.store.find_open().await {
            self.note_error(error);
        }
        let [mut own, mut marks, mut deletions] = [OWN_EVERY, MARK_EVERY, DELETE_EVERY].map(ticks);
        loop {
            let done = tokio::select! {
                _ = own.tick() => {
                    self.record_own().await;
                    Ok(())
                }
                _ = marks.tick() => self.mark_and_prune().await,
                _ = deletions.tick() => self.delete().await,
                news = self.follower.next() => {
                    self.note(news);
                    Ok(())
                }
                news = self.games.next() => {
                    self.ended.note(news);
                    Ok(())
                }
                () = std::future::ready(()), if !self.next.is_empty() => self.record_some().await,
                () = std::future::ready(()), if !self.ended.is_empty() => self.record_ended().await,
            };
            match done {
                Ok(()) => {}
                Err(WriteError::FencedOff(off)) => return off,
                Err(WriteError::Engine(error)) => {
                    tracing::debug!(%error, "the archive waits for etcd");
                    tokio::time::sleep(RETRY_PAUSE).await;
                }
            }
        }
    }

    /// Notes which lobbies were closed, and of which the keys are gone.
    fn note(&mut self, news: News) {
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

    /// Records the next lobbies.
    async fn record_some(&mut self) -> Result<(), WriteError> {
        let (mut sound, mut damaged, mut bytes, mut read) = (Vec::new(), Vec::new(), 0, Vec::new());
        for lobby in self.next.iter().take(MAX_LOBBIES) {
            let mut bytes_of_it = 0;
            match read_closed(&*self.engine, lobby.slot, lobby.lobby).await? {
                WholeLobby::Sound(entries) => {
                    bytes_of_it = bytes_of(&entries);
                    sound.push(entries);
                }
                WholeLobby::Damaged(damage) => damaged.push(damage),
                WholeLobby::Gone => {}
            }
            read.push((*lobby, bytes_of_it));
            bytes += bytes_of_it;
            if bytes > MAX_BYTES {
                break;
            }
        }
        match self.store.record(sound).await {
            Ok(written) => {
                self.error = None;
                damaged.extend(written.into_iter().filter_map(|written| match written {
                    Written::Other(damage) => Some(damage),
                    _ => None,
                }));
                self.note_recorded(&read, &damaged);
            }
            Err(error) => self.wait_after(error).await,
        }
        Ok(())
    }

    /// Records what has happened in the next open lobbies in which games have ended.
    async fn record_ended(&mut self) -> Result<(), WriteError> {
        let next = self.ended.next(MAX_LOBBIES);
        let last = match self.store.last_events(next.iter().map(|next| next.lobby).collect()).await {
            Ok(last) => last,
            Err(error) => {
                self.wait_after(error).await;
                return Ok(());
            }
        };
        let (mut lobbies, mut entries) = (Vec::new(), Vec::new());
        for (lobby, found) in read(&*self.engine, &next, &last, MAX_BYTES).await? {
            match found {
                Found::Entries(of_it) => {
                    lobbies.push(lobby.lobby);
                    entries.push(of_it);
                    continue;
                }
                Found::Damaged(damage) => {
                    tracing::warn!(%damage, "the games of an open lobby are not archived");
                }
                Found::Gone => self.delete_ended(lobby).await?,
                Found::Nothing => {}
            }
            self.ended.remove(lobby.lobby);
        }
        match self.store.record(entries).await {
            Ok(written) => self.note_ended(&lobbies, &written),
            Err(error) => self.wait_after(error).await,
        }
        self.ended.tidy();
        Ok(())
    }

    fn note_ended(&mut self, lobbies: &[LobbyId], written: &[Written]) {
        self.error = None;
        for (lobby, written) in lobbies.iter().zip(written) {
            if *written == Written::Gap {
                self.ended.read_whole(*lobby);
                continue;
            }
            if let Written::Other(damage) = written {
                tracing::warn!(%damage, "the games of an open lobby are not archived");
            }
            self.ended.remove(*lobby);
        }
    }

    /// Deletes the key of a game that has ended in a lobby of which nothing else is left, as a node of an earlier release
    /// leaves it.
    async fn delete_ended(&self, ToRead { lobby, changed, .. }: ToRead) -> Result<(), WriteError> {
        let key = keys::ended(lobby);
        let compares = vec![Compare::ChangedAt(key.clone(), changed)];
        let txn = Txn { compares, then: vec![Operation::Delete(key)], ..Txn::default() };
        self.membership.write(&*self.engine, txn).await.map(drop)
    }

    async fn wait_after(&mut self, error: StorageError) {
        self.note_error(error);
        tokio::time::sleep(STORAGE_PAUSE).await;
    }

    fn note_recorded(&mut self, read: &[(ToArchive, usize)], damaged: &[Damage]) {
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

    fn note_error(&mut self, error: StorageError) {
        if self.error.as_ref() != Some(&error) {
            tracing::error!(%error, "lobbies cannot be archived; they stay in etcd meanwhile");
            self.error = Some(error);
        }
    }

    async fn record_own(&self) {
        if let Err(error) = self.store.record_waiting().await {
            tracing::debug!(%error, "open lobbies are not in the archive");
        }
    }

    /// Writes the mark, if it is another one or old.
    async fn mark_and_prune(&mut self) -> Result<(), WriteError> {
        let revision = match (self.marked, self.next.front()) {
            // Before all lobbies are known, what an earlier life has said holds.
            _ if self.known == Revision::default() => self.first_mark().await?,
            (_, Some(next)) => Revision(next.created.0.saturating_sub(1)),
            (_, None) => self.known,
        };
        if self.marked.is_none_or(|(last, at)| last != revision || at.elapsed() > REPEAT_MARK_AFTER) {
            let mark = Mark { revision, said: WallTime::now() };
            let then = vec![Operation::put(keys::archiver(&self.name), mark.value())];
            self.membership.write(&*self.engine, Txn { then, ..Txn::default() }).await?;
            self.marked = Some((revision, Instant::now()));
        }
        if let Err(error) = self.store.prune().await {
            self.note_error(error);
        }
        Ok(())
    }

    async fn first_mark(&self) -> Result<Revision, EngineError> {
        match self.marked {
            Some((revision, _)) => Ok(revision),
            None => read_mark(&*self.engine, &self.name).await,
        }
    }

    async fn delete(&mut self) -> Result<(), WriteError> {
        delete_archived(&*self.engine, &self.membership, &mut self.archived).await
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

fn ticks(every: Duration) -> Interval {
    let mut ticks = interval(every);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}
