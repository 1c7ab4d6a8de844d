//! An archiver: it follows the closed lobbies of the cluster, records each in this node's archive, and says how far it
//! is. Of open lobbies in which games have ended it records what has happened so far.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, Interval, MissedTickBehavior, interval};

use super::closed::ClosedLobbies;
use super::deleting::{delete_archived, read_mark};
use super::ended::{EndedGames, Found, ToRead, read};
use super::long::{Long, LongError, MAX_BYTES};
use super::mark::Mark;
use super::store::ArchiveStore;
use crate::cluster::engine::{Compare, Engine, EngineError, Operation, Revision, Txn};
use crate::cluster::following::{Follower, RETRY_PAUSE};
use crate::cluster::keys::{self, NodeName};
use crate::cluster::node::{FencedOff, Membership, WriteError};
use crate::cluster::pages::{LobbyReader, Part, bytes_of};
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

/// The most lobbies that are recorded together.
const MAX_LOBBIES: usize = 40;

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
    closed: ClosedLobbies,
    /// The mark that was written last, and when.
    marked: Option<(Revision, Instant)>,
    /// Why nothing could be recorded, if so: it is logged once.
    error: Option<StorageError>,
}

impl Archiver {
    /// The archiver of the node with this name.
    pub fn new(engine: Arc<dyn Engine>, membership: Membership, name: NodeName, store: ArchiveStore) -> Self {
        let [follower, games] =
            [keys::CLOSED, keys::ENDED].map(|prefix| Follower::new(Arc::clone(&engine), prefix, MOST_BYTES));
        let ended = EndedGames::default();
        let closed = ClosedLobbies::default();
        Self { engine, membership, name, store, follower, games, ended, closed, marked: None, error: None }
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
                    self.closed.note(news);
                    Ok(())
                }
                news = self.games.next() => {
                    self.ended.note(news);
                    Ok(())
                }
                () = std::future::ready(()), if !self.closed.next.is_empty() => self.record_some().await,
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

    /// Records the next lobbies.
    async fn record_some(&mut self) -> Result<(), WriteError> {
        let engine = Arc::clone(&self.engine);
        let (mut sound, mut damaged, mut bytes, mut read) = (Vec::new(), Vec::new(), 0, Vec::new());
        for lobby in self.closed.next.iter().take(MAX_LOBBIES) {
            let mut reader = LobbyReader::of_closed(&*engine, lobby.slot, lobby.lobby);
            let mut bytes_of_it = 0;
            match reader.next_part(MAX_BYTES).await? {
                Part::Sound { entries, is_last: true } => {
                    bytes_of_it = bytes_of(&entries);
                    sound.push(entries);
                }
                Part::Sound { .. } if !read.is_empty() => break,
                Part::Sound { entries: first, .. } => {
                    let (lobby, long) = (*lobby, Long { lobby: lobby.lobby, reader, first });
                    if let Some((bytes, damage)) = self.record_long(long).await? {
                        self.closed.note_recorded(&[(lobby, bytes)], damage.as_slice());
                    }
                    return Ok(());
                }
                Part::Damaged(damage) => damaged.push(damage),
                Part::Gone => {}
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
                self.closed.note_recorded(&read, &damaged);
            }
            Err(error) => self.wait_after(error).await,
        }
        Ok(())
    }

    /// Records a lobby in parts. Returns how many bytes it has, and what is wrong with it if anything; `None` if it could
    /// not be recorded.
    async fn record_long(&mut self, long: Long<'_>) -> Result<Option<(usize, Option<Damage>)>, WriteError> {
        match long.record(&self.store).await {
            Ok(recorded) => {
                self.error = None;
                Ok(Some((recorded.bytes, recorded.damage)))
            }
            Err(LongError::Engine(error)) => Err(error.into()),
            Err(LongError::Storage(error)) => {
                self.wait_after(error).await;
                Ok(None)
            }
        }
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
        let engine = Arc::clone(&self.engine);
        let (mut lobbies, mut entries) = (Vec::new(), Vec::new());
        for (lobby, found) in read(&*engine, &next, &last).await? {
            match found {
                Found::Entries(of_it) => {
                    lobbies.push(lobby.lobby);
                    entries.push(of_it);
                    continue;
                }
                Found::Long(long) => match self.record_long(*long).await? {
                    Some((_, Some(damage))) => {
                        tracing::warn!(%damage, "the games of an open lobby are not archived");
                    }
                    Some((_, None)) => {}
                    None => return Ok(()),
                },
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
        let revision = match (self.marked, self.closed.next.front()) {
            // Before all lobbies are known, what an earlier life has said holds.
            _ if self.closed.known == Revision::default() => self.first_mark().await?,
            (_, Some(next)) => Revision(next.created.0.saturating_sub(1)),
            (_, None) => self.closed.known,
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
        delete_archived(&*self.engine, &self.membership, &mut self.closed.archived).await
    }
}

fn ticks(every: Duration) -> Interval {
    let mut ticks = interval(every);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}
