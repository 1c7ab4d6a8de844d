//! The journal of a server that is a node: its batches go into the node's log in etcd, and from there to the writer
//! of pages. It belongs to the journal's thread, on which it has a runtime and a way to etcd of its own, so that no
//! batch waits for the threads that move frames.

#[cfg(test)]
mod tests;

use std::fmt;
use std::mem;
use std::ops::Range;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};

use super::archive::ArchiveStore;
use super::engine::{EngineError, EngineMaker};
use super::log::{Appending, Batch, Log, Outcome};
use super::node::{FencedOff, Membership};
use super::paging::RecordedSender;
use crate::server::storage::{
    Answer, Archive, Bounds, Damage, Entry, Loaded, LobbyId, Pruned, RemoteStorage, Storage, StorageError,
    StoredLobby,
};

/// The pause before etcd is asked again: a call has a deadline of its own, and people wait.
const RETRY_AFTER: Duration = Duration::from_millis(100);

/// The longest rest between two batches. After a batch that took long because etcd chose a leader there is no reason to
/// wait as long again.
const LONGEST_REST: Duration = Duration::from_millis(10);

/// How many entries a small batch has.
const SMALL_BATCH: Range<usize> = 1..8;

/// The texts for players where etcd does not record.
const UNREACHABLE: &str = "the servers' common record cannot be reached";
const FULL: &str = "the servers' common record is full";

/// The journal of a node.
pub struct ClusterStorage {
    /// There until it is dropped.
    runtime: Option<Runtime>,
    recording: Recording,
}

/// What is recorded, for a thread or a task that waits for it.
struct Recording {
    state: State,
    /// How many of the entries that are to be tried again are recorded.
    recorded: usize,
    pages: RecordedSender,
    archive: ArchiveStore,
}

/// What becomes of the node's log.
#[derive(Debug)]
enum State {
    /// Nothing is being appended.
    Idle(Log),
    /// It is in doubt whether a batch with this number of entries is recorded.
    InDoubt(Appending, usize),
    /// The node is no member any more.
    FencedOff,
}

impl ClusterStorage {
    /// The journal of a node that has just joined. There is one for each membership.
    ///
    /// # Errors
    ///
    /// If the system has no means for a runtime.
    pub fn new(
        engine: &EngineMaker,
        membership: Membership,
        pages: RecordedSender,
        archive: ArchiveStore,
    ) -> Result<Self, StorageError> {
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| StorageError::of_host(error.to_string()))?;
        Ok(Self::on(runtime, engine, membership, pages, archive))
    }

    fn on(
        runtime: Runtime,
        engine: &EngineMaker,
        membership: Membership,
        pages: RecordedSender,
        archive: ArchiveStore,
    ) -> Self {
        let state = State::Idle(Log::new(engine(), membership));
        let recording = Recording { state, recorded: 0, pages, archive };
        Self { runtime: Some(runtime), recording }
    }
}

impl Recording {
    /// Appends what is in doubt, and then what was not tried yet.
    async fn append(&mut self, entries: &[Entry]) -> Result<(), StorageError> {
        loop {
            let (appending, count) = match mem::replace(&mut self.state, State::FencedOff) {
                State::FencedOff => return Err(fenced_off()),
                State::InDoubt(appending, count) => (appending, count),
                State::Idle(log) => {
                    let rest = entries.get(self.recorded..).unwrap_or_default();
                    if rest.is_empty() {
                        self.state = State::Idle(log);
                        return Ok(());
                    }
                    let batch = Batch::of(log.membership().format(), rest);
                    (log.append(batch), rest.len())
                }
            };
            match appending.go_on().await {
                Outcome::Recorded(log, recorded) => {
                    self.state = State::Idle(log);
                    let end = entries.len().min(self.recorded + count);
                    let entries = &entries[self.recorded.min(end)..end];
                    self.pages.send(entries, recorded).await;
                    self.archive.record_own(entries);
                    self.recorded = end;
                }
                Outcome::Waiting(appending, error) => {
                    self.state = State::InDoubt(appending, count);
                    return Err(unavailable(&error));
                }
                Outcome::FencedOff(_) => return Err(fenced_off()),
            }
        }
    }
}

impl RemoteStorage for Recording {
    fn record<'a>(&'a mut self, entries: &'a [Entry]) -> Answer<'a> {
        Box::pin(async move {
            self.append(entries).await?;
            self.recorded = 0;
            Ok(())
        })
    }

    fn confirm(&mut self) -> Answer<'_> {
        Box::pin(self.ask())
    }
}

impl Recording {
    /// Makes sure that this node is a member.
    async fn ask(&self) -> Result<(), StorageError> {
        match &self.state {
            State::Idle(log) => match log.confirm().await {
                Ok(Some(revision)) => {
                    self.pages.send_confirmed(revision);
                    Ok(())
                }
                Ok(None) => Err(fenced_off()),
                Err(error) => Err(unavailable(&error)),
            },
            State::InDoubt(..) => {
                Err(StorageError::new(UNREACHABLE, "it is in doubt what etcd has recorded"))
            }
            State::FencedOff => Err(fenced_off()),
        }
    }
}

impl Storage for ClusterStorage {
    fn record(&mut self, entries: &[Entry]) -> Result<(), StorageError> {
        let runtime = self.runtime.as_ref().ok_or_else(fenced_off)?;
        runtime.block_on(self.recording.record(entries))
    }

    fn confirm(&mut self) -> Result<(), StorageError> {
        let runtime = self.runtime.as_ref().ok_or_else(fenced_off)?;
        runtime.block_on(self.recording.confirm())
    }

    fn as_remote(&mut self) -> Option<&mut dyn RemoteStorage> {
        Some(&mut self.recording)
    }

    fn retry_after(&self) -> Duration {
        RETRY_AFTER
    }

    /// After a small batch the longest rest, else as long as the batch took: etcd works for a batch of one move as long as
    /// for one of many, and the busier it is, the longer each takes.
    fn rest_after(&self, entries: usize, took: Duration) -> Duration {
        if SMALL_BATCH.contains(&entries) { LONGEST_REST } else { took.min(LONGEST_REST) }
    }

    /// Finds nothing: lobbies come with the slots that the node is given.
    fn load(&mut self, _: &mut dyn FnMut(Result<StoredLobby, Damage>)) -> Result<Loaded, StorageError> {
        Ok(Loaded { next: LobbyId(1), events: 0 })
    }

    /// Prunes nothing: what is in the archive is pruned there. But open lobbies may take too much of etcd. It
    /// is also a good time to tell the writer of pages that a node to which nothing happens has recorded all.
    fn prune(&mut self, _: &Bounds) -> Result<Pruned, StorageError> {
        // Why not is said where something is recorded.
        let _ = self.confirm();
        let blocked_by = self.recording.pages.takes_too_much();
        Ok(Pruned { is_done: true, blocked_by, ..Pruned::default() })
    }

    /// Asks nothing: the node has just joined, and etcd has answered to that.
    fn check_writable(&mut self) -> Result<(), StorageError> {
        match self.recording.state {
            State::FencedOff => Err(fenced_off()),
            State::Idle(_) | State::InDoubt(..) => Ok(()),
        }
    }

    fn archive(&self) -> Result<Box<dyn Archive>, StorageError> {
        self.recording.archive.reader()
    }
}

impl Drop for ClusterStorage {
    fn drop(&mut self) {
        // Otherwise it would wait for its threads, which is not allowed on a thread that moves frames.
        self.runtime.take().into_iter().for_each(Runtime::shutdown_background);
    }
}

impl fmt::Debug for ClusterStorage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Recording { state, recorded, .. } = &self.recording;
        f.debug_struct("ClusterStorage")
            .field("state", state)
            .field("recorded", recorded)
            .finish_non_exhaustive()
    }
}

fn fenced_off() -> StorageError {
    StorageError::new(StorageError::FENCED_OFF, FencedOff.to_string())
}

fn unavailable(error: &EngineError) -> StorageError {
    let for_players = if *error == EngineError::Full { FULL } else { UNREACHABLE };
    StorageError::new(for_players, error.to_string())
}
