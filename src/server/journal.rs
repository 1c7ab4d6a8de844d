//! The journal: whatever must not be lost is recorded in [storage](super::storage) before it is sent.
//!
//! A lobby posts events together with their recipients, and gets a [`CommitMark`]. Frames with this mark are
//! deferred until the journal has reached it. One thread owns the storage: it records all that waits as one
//! batch (group commit), and then releases the recipients, so that no task that moves frames waits for the
//! disk. While nothing can be recorded, nothing is sent: the batch is retried, and until then the
//! [clock](super::clock) of all lobbies stands still.

mod checkpoints;
mod pruner;
mod writing;

use std::mem;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use bytes::Bytes;
use parking_lot::{Condvar, Mutex};
use tokio::sync::watch;
use tokio::time::Instant;

use super::config::Config;
use super::connection::{CommitMark, Connection, Recorded};
use super::metrics::Metrics;
use super::storage::{Entry, Storage, StorageError};
use checkpoints::CheckpointCounter;

/// The pause before a batch that could not be recorded is retried.
pub(super) const RETRY_PAUSE: Duration = Duration::from_secs(1);

/// The most entries that may wait before requests are refused: some seconds of work for a fast disk.
const MAX_WAITING: usize = 200_000;

/// How long a stopping server waits until everything is recorded, and how often it checks.
const COMPLETE_WITHIN: Duration = Duration::from_secs(2);
const LOOK: Duration = Duration::from_millis(10);

/// Records what happens in the lobbies of a server.
#[derive(Debug)]
pub(super) struct Journal {
    /// Held while entries are put in or taken out.
    queue: Mutex<Queue>,
    /// Notified when something waits for the thread that records.
    filled: Condvar,
    /// How far it has come.
    pub(super) recorded: Recorded,
    error: watch::Sender<Option<StorageError>>,
    /// The address whose open lobbies are in the way of pruning, each time that they are found to be.
    blocked_by: watch::Sender<Option<IpAddr>>,
    /// Whether `error` is set, and how many entries wait: every request reads these, without a lock.
    is_failing: AtomicBool,
    waiting: AtomicUsize,
    /// When the lobbies are to write checkpoints.
    pub(super) checkpoints: CheckpointCounter,
    metrics: Arc<Metrics>,
    writer: Writer,
}

/// Where posted entries are recorded.
#[derive(Debug)]
enum Writer {
    /// Nowhere: everything is sent immediately.
    None,
    /// In the caller of [`Journal::post`], as in a simulation, where everything happens on one thread.
    Caller(Mutex<Box<dyn Storage>>),
    /// On a thread; `None` once the journal is closed.
    Thread(Mutex<Option<JoinHandle<()>>>),
}

/// The entries that wait for the thread that records.
#[derive(Debug, Default)]
struct Queue {
    batch: Batch,
    closed: bool,
}

/// The entries of one transaction.
#[derive(Debug, Default)]
struct Batch {
    entries: Vec<Entry>,
    /// The connections that are released once it is recorded.
    recipients: Vec<Arc<Connection>>,
    /// The arrival times of the requests that caused it.
    arrivals: Vec<Instant>,
    mark: CommitMark,
}

impl Batch {
    fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.recipients.is_empty()
    }

    /// Takes everything out. Later entries have greater marks.
    fn take(&mut self) -> Self {
        let mark = self.mark;
        mem::replace(self, Self { mark, ..Self::default() })
    }

    /// Puts a batch back in front of what was added since it was taken.
    fn put_back(&mut self, mut first: Self) {
        first.entries.append(&mut self.entries);
        first.recipients.append(&mut self.recipients);
        first.arrivals.append(&mut self.arrivals);
        *self = Self { mark: self.mark, ..first };
    }
}

impl Journal {
    fn new(writer: Writer, config: &Config, metrics: &Arc<Metrics>) -> Arc<Self> {
        Arc::new(Self {
            queue: Mutex::default(),
            filled: Condvar::new(),
            recorded: Recorded::default(),
            error: watch::Sender::new(None),
            blocked_by: watch::Sender::new(None),
            is_failing: AtomicBool::new(false),
            waiting: AtomicUsize::new(0),
            checkpoints: CheckpointCounter::new(config.checkpoint_after),
            metrics: Arc::clone(metrics),
            writer,
        })
    }

    /// A journal that records nothing.
    pub(super) fn disabled(config: &Config, metrics: &Arc<Metrics>) -> Arc<Self> {
        Self::new(Writer::None, config, metrics)
    }

    /// A journal in this storage, with a thread that records.
    pub(super) fn on_a_thread(
        storage: Box<dyn Storage>,
        config: &Config,
        metrics: &Arc<Metrics>,
    ) -> Arc<Self> {
        let journal = Self::new(Writer::Thread(Mutex::default()), config, metrics);
        let history = config.history;
        let of_the_thread = Arc::clone(&journal);
        if let Writer::Thread(thread) = &journal.writer {
            *thread.lock() = Some(thread::spawn(move || of_the_thread.run(storage, history)));
        }
        journal
    }

    /// A journal in which the caller of [`Journal::post`] records.
    pub(super) fn inline(storage: Box<dyn Storage>, config: &Config, metrics: &Arc<Metrics>) -> Arc<Self> {
        Self::new(Writer::Caller(Mutex::new(storage)), config, metrics)
    }

    /// Whether anything is recorded at all.
    pub(super) fn records(&self) -> bool {
        !matches!(self.writer, Writer::None)
    }

    /// Records these entries together, and then releases the recipients. Returns the mark with which the
    /// frames are to be sent. `arrived` is the arrival time of the request that caused the entries, if one
    /// did.
    pub(super) fn post(
        &self,
        entries: impl IntoIterator<Item = Entry>,
        recipients: impl IntoIterator<Item = Arc<Connection>>,
        arrived: Option<Instant>,
    ) -> CommitMark {
        if !self.records() {
            return CommitMark::default();
        }
        let mut queue = self.queue.lock();
        let was_empty = queue.batch.is_empty();
        queue.batch.mark.step();
        queue.batch.entries.extend(entries);
        queue.batch.recipients.extend(recipients);
        queue.batch.arrivals.extend(arrived);
        self.count(&queue);
        let mark = queue.batch.mark;
        drop(queue);
        if was_empty {
            self.filled.notify_one();
        }
        self.retry();
        mark
    }

    /// Sends these frames as soon as everything posted so far is recorded: immediately if it is. This is for
    /// messages that do not come from a lobby, such as refusals and the list of lobbies, but may reveal
    /// events that are not recorded yet.
    pub(super) fn send_when_recorded(&self, recipients: &[Arc<Connection>], frames: &[Bytes]) {
        let posted = self.queue.lock().batch.mark;
        let mark =
            if self.recorded.has(posted) { posted } else { self.post([], recipients.iter().cloned(), None) };
        for recipient in recipients {
            for (number, frame) in (1..).zip(frames) {
                recipient.send_after_mark(&self.recorded, mark, frame.clone(), number < frames.len());
            }
        }
    }

    /// Measures the response time of a request if nothing is recorded. Otherwise the journal measures it once
    /// the batch is recorded.
    pub(super) fn note_response(&self, arrived: Option<Instant>) {
        if !self.records() {
            self.measure_responses(arrived);
        }
    }

    /// How many entries wait to be recorded.
    pub(super) fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    /// Why requests are refused now, if they are.
    pub(super) fn error(&self) -> Option<StorageError> {
        if self.is_failing.load(Ordering::Acquire) {
            return self.error.borrow().clone();
        }
        (self.waiting() > MAX_WAITING).then(|| {
            StorageError::new(
                "the disk is too slow for all that happens",
                "the disk is too slow for all that happens: give the journal a faster one with --data DIR",
            )
        })
    }

    /// Watches the error that keeps the journal from recording.
    pub(super) fn watch(&self) -> watch::Receiver<Option<StorageError>> {
        self.error.subscribe()
    }

    /// Watches for the address whose open lobbies are in the way of pruning.
    pub(super) fn watch_blocked(&self) -> watch::Receiver<Option<IpAddr>> {
        self.blocked_by.subscribe()
    }

    /// Whether everything posted is recorded. Waits a moment for a batch that is being recorded.
    pub(super) async fn is_complete(&self) -> bool {
        self.retry();
        let deadline = Instant::now() + COMPLETE_WITHIN;
        while self.error().is_none() && Instant::now() < deadline {
            if self.recorded.has(self.queue.lock().batch.mark) {
                return true;
            }
            tokio::time::sleep(LOOK).await;
        }
        false
    }

    /// Records what still waits, if possible, and closes the journal.
    pub(super) fn close(&self) {
        self.retry();
        self.queue.lock().closed = true;
        self.filled.notify_one();
        if let Writer::Thread(thread) = &self.writer
            && let Some(thread) = thread.lock().take()
        {
            // A panic of the thread was reported by the thread itself.
            let _ = thread.join();
        }
    }
}
