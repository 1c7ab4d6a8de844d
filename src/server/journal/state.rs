//! The state of the journal: the entries that wait, and how far it has come.

use std::mem;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};
use tokio::sync::{Notify, watch};
use tokio::time::Instant;

use super::checkpoints::CheckpointCounter;
use crate::server::config::Config;
use crate::server::connection::{CommitMark, Connection, Recorded};
use crate::server::metrics::Metrics;
use crate::server::peers::Peers;
use crate::server::storage::{Entry, Storage, StorageError};

/// See [`Journal::confirm_after`].
const CONFIRM_AFTER: Duration = Duration::from_millis(250);

/// Records what happens in the lobbies of a server.
#[derive(Debug)]
pub(in crate::server) struct Journal {
    /// Held while entries are put in or taken out.
    pub(super) queue: Mutex<Queue>,
    /// Notified when something waits for the thread that records.
    pub(super) filled: Condvar,
    /// The same for a task.
    pub(super) filled_for_task: Notify,
    /// How far it has come.
    pub(in crate::server) recorded: Recorded,
    pub(super) error: watch::Sender<Option<StorageError>>,
    /// The address whose open lobbies are in the way of pruning, each time that they are found to be.
    pub(super) blocked_by: watch::Sender<Option<IpAddr>>,
    /// Whether `error` is set, and how many entries wait: every request reads these, without a lock.
    pub(super) is_failing: AtomicBool,
    pub(super) waiting: AtomicUsize,
    /// When the lobbies are to write checkpoints.
    pub(in crate::server) checkpoints: CheckpointCounter,
    pub(super) metrics: Arc<Metrics>,
    /// The other servers, if this is one of several.
    pub(super) peers: Option<Arc<dyn Peers>>,
    pub(super) writer: Writer,
}

/// Where posted entries are recorded.
#[derive(Debug)]
pub(super) enum Writer {
    /// Nowhere: everything is sent immediately.
    None,
    /// In the caller of [`Journal::post`], as in a simulation, where everything happens on one thread.
    Caller(Mutex<Box<dyn Storage>>),
    /// In a task, as in a simulation of several servers: what waits for another one must not keep their thread.
    Task,
    /// On a thread; `None` once the journal is closed.
    Thread(Mutex<Option<JoinHandle<()>>>),
}

/// The entries that wait for the thread that records.
#[derive(Debug, Default)]
pub(super) struct Queue {
    pub(super) batch: Batch,
    pub(super) closed: bool,
}

/// The entries of one transaction.
#[derive(Debug, Default)]
pub(super) struct Batch {
    pub(super) entries: Vec<Entry>,
    /// The connections that are released once it is recorded.
    pub(super) recipients: Vec<Arc<Connection>>,
    /// The arrival times of the requests that caused it.
    pub(super) arrivals: Vec<Instant>,
    pub(super) mark: CommitMark,
}

impl Batch {
    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.recipients.is_empty()
    }

    /// Takes everything out. Later entries have greater marks.
    pub(super) fn take(&mut self) -> Self {
        let mark = self.mark;
        mem::replace(self, Self { mark, ..Self::default() })
    }

    /// Puts a batch back in front of what was added since it was taken.
    pub(super) fn put_back(&mut self, mut first: Self) {
        first.entries.append(&mut self.entries);
        first.recipients.append(&mut self.recipients);
        first.arrivals.append(&mut self.arrivals);
        *self = Self { mark: self.mark, ..first };
    }
}

impl Journal {
    pub(super) fn new(
        writer: Writer,
        config: &Config,
        metrics: &Arc<Metrics>,
        peers: Option<Arc<dyn Peers>>,
    ) -> Arc<Self> {
        Arc::new(Self {
            queue: Mutex::default(),
            filled: Condvar::new(),
            filled_for_task: Notify::new(),
            recorded: Recorded::default(),
            error: watch::Sender::new(None),
            blocked_by: watch::Sender::new(None),
            is_failing: AtomicBool::new(false),
            waiting: AtomicUsize::new(0),
            checkpoints: CheckpointCounter::new(config.checkpoint_after),
            metrics: Arc::clone(metrics),
            peers,
            writer,
        })
    }

    /// Whether anything is recorded at all.
    pub(in crate::server) fn records(&self) -> bool {
        !matches!(self.writer, Writer::None)
    }

    /// Whether something may be told without being recorded: everything that this server knows is current. If not,
    /// an empty batch is posted, and the storage [confirms](Storage::confirm) that.
    pub(in crate::server) fn may_tell(&self) -> bool {
        self.peers.as_ref().is_none_or(|peers| peers.is_certain())
    }

    /// How long nothing is recorded before an empty batch is: players are to know that nothing can be recorded, and their
    /// clocks are to stand, though nobody moves. For ever at a server that is alone.
    pub(super) fn confirm_after(&self) -> Duration {
        self.peers.as_ref().map_or(Duration::MAX, |_| CONFIRM_AFTER)
    }

    /// How many entries wait to be recorded.
    pub(in crate::server) fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    /// Notes how many entries wait.
    pub(super) fn count(&self, queue: &Queue) {
        self.waiting.store(queue.batch.entries.len(), Ordering::Relaxed);
    }

    /// Measures the response times of requests that arrived at these instants.
    pub(super) fn measure_responses(&self, arrivals: impl IntoIterator<Item = tokio::time::Instant>) {
        arrivals.into_iter().for_each(|arrived| self.metrics.note_response(arrived.elapsed()));
    }
}
